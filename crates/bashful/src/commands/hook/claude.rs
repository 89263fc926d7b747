//! Claude Code's hook before its own shell runs a command.
//!
//! What the policy denies is denied here, with its reason. All else is rewritten to run through
//! `bashful run`, which judges it again and confines it. That holds for an `ask` too: a yes in
//! Claude Code's own dialogue leaves no trace that we could check, so it cannot be the answer.
//! The run itself puts the ask on record and says how a person answers it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use bashful_engine::config::{env, format_duration};
use bashful_engine::{
    Action, Decision, Effect, Engine, EngineBuilder, Invocation, build_safe_command, escape_arg,
};
use serde_json::{Map, Value, json};

use crate::cli::ClaudeHookArguments;
use crate::clients::UserEnvironment;
use crate::commands::run::sandbox;
use crate::printer::Printer;

/// The project that Claude Code was started in; it tells its hooks.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";
/// Claude Code hands the command to bash as one argument, and the system takes no longer one.
const LONGEST_LINE: usize = 100 << 10;
/// How long a command in the background may take: as long as a session may reasonably last.
const BACKGROUND: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn claude(arguments: &ClaudeHookArguments, printer: &Printer) -> anyhow::Result<()> {
    let request = super::request()?;
    let tool = text(&request, "tool_name")?.context("the request names no tool")?;
    if !matches!(tool, "Bash" | "Monitor" | "PowerShell") {
        // No opinion.
        return Ok(());
    }
    let input = request.get("tool_input").and_then(Value::as_object);
    let input = input.context("the request has no `tool_input`")?;
    let Some(command) = text(input, "command")? else {
        // A monitor may also watch what is no command.
        anyhow::ensure!(tool == "Monitor", "the request has no `command`");
        return Ok(());
    };
    if tool == "PowerShell" {
        return deny("Bashful runs only bash; use the Bash tool", printer);
    }
    let call = Call::of(arguments, &request, input, command)?;
    if arguments.workspace.is_none() && is_too_wide(&call.workspace) {
        let reason = "Bashful needs a project, and Claude Code was started in the home directory";
        return deny(reason, printer);
    }
    match call.judged(printer) {
        Ok(None) => rewrite(&call, input, printer),
        Ok(Some(decision)) => deny(&reason(&decision), printer),
        // Without a verdict of ours the command does not run.
        Err(error) => {
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            deny(
                &format!("Bashful cannot judge this: {}", causes.join(": ")),
                printer,
            )
        }
    }
}

/// What is to run, and for whom.
struct Call<'a> {
    arguments: &'a ClaudeHookArguments,
    command: &'a str,
    description: Option<&'a str>,
    timeout: Option<Duration>,
    session: Option<String>,
    workspace: PathBuf,
    cwd: Option<PathBuf>,
}

impl<'a> Call<'a> {
    fn of(
        arguments: &'a ClaudeHookArguments,
        request: &Map<String, Value>,
        input: &'a Map<String, Value>,
        command: &'a str,
    ) -> anyhow::Result<Self> {
        let cwd = text(request, "cwd")?.map(PathBuf::from);
        let project = std::env::var_os(PROJECT).map(PathBuf::from);
        let project = project.filter(|path| path.is_absolute());
        let workspace = arguments.workspace.clone().or(project);
        let workspace = workspace.or_else(|| cwd.clone());
        let workspace = workspace.context("the request names no directory")?;
        let session = text(request, "session_id")?.map(|id| format!("claude-{id}"));
        Ok(Self {
            arguments,
            command,
            description: text(input, "description")?,
            timeout: timeout(input),
            session: session.filter(|name| is_plain(name)),
            workspace: std::path::absolute(workspace)?,
            cwd,
        })
    }

    /// What the policy has against it; none if it may run, or if a person is to be asked.
    fn judged(&self, printer: &Printer) -> anyhow::Result<Option<Decision>> {
        let loaded = crate::commands::load_config(&self.workspace, printer)?;
        let sandbox = sandbox(&loaded, None)?;
        let mut builder = Engine::builder().config(loaded.config).sandbox(sandbox);
        builder = builder.agent(&self.arguments.agent);
        builder = self.named(builder);
        let engine = builder.build()?;
        let checked = engine.check(self.invocation())?;
        if checked.judgement.decision.effect != Effect::Deny {
            return Ok(None);
        }
        // A grant may open what is refused otherwise; looking for one takes longer.
        let explained = engine.explain(self.invocation())?;
        let decision = explained.decision.context("there is no decision")?;
        Ok((decision.effect == Effect::Deny).then_some(decision))
    }

    fn named(&self, mut builder: EngineBuilder) -> EngineBuilder {
        if let Some(profile) = &self.arguments.profile {
            builder = builder.profile_name(profile);
        }
        match &self.session {
            Some(session) => builder.session(session.clone()),
            None => builder,
        }
    }

    fn invocation(&self) -> Invocation {
        let action = Action::Bash(self.command.to_owned());
        let mut invocation = Invocation::new(action).workspace(&self.workspace);
        if let Some(cwd) = &self.cwd {
            invocation = invocation.cwd(cwd);
        }
        if let Some(description) = self.description {
            invocation = invocation.description(description);
        }
        invocation
    }

    /// The line that runs the command through us, for bash to read.
    fn line(&self, executable: &str) -> String {
        let mut words = vec!["run".to_owned(), "--no-ask".to_owned()];
        let path = |path: &Path| path.to_string_lossy().into_owned();
        // One word each, so that no value is taken for a flag.
        let mut add = |flag: &str, value: Option<String>| {
            words.extend(value.map(|value| format!("{flag}={value}")));
        };
        add("--agent", Some(self.arguments.agent.clone()));
        add("--session", self.session.clone());
        add("--profile", self.arguments.profile.clone());
        add("--workspace", Some(path(&self.workspace)));
        add("--cwd", self.cwd.as_deref().map(path));
        add("--timeout", self.timeout.map(format_duration));
        add("--description", self.description.map(str::to_owned));
        // A blank in front changes nothing for bash, and makes it no flag for us.
        let blank = if self.command.starts_with('-') {
            " "
        } else {
            ""
        };
        words.push(format!("{blank}{}", self.command));
        build_safe_command(&escape_arg(executable), &words)
    }
}

/// Answers that it may run, through us.
fn rewrite(call: &Call<'_>, input: &Map<String, Value>, printer: &Printer) -> anyhow::Result<()> {
    let user = UserEnvironment::here()?;
    let line = call.line(&user.executable);
    if line.len() > LONGEST_LINE {
        return deny(
            "the command is too long for one line; put it into a file",
            printer,
        );
    }
    let mut input = input.clone();
    input.insert("command".to_owned(), line.into());
    printer.json(&json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": "Bashful judges and confines it",
            "updatedInput": input,
        }
    }))?;
    Ok(())
}

fn deny(reason: &str, printer: &Printer) -> anyhow::Result<()> {
    printer.json(&json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }))?;
    Ok(())
}

/// Why it does not run, and what to do instead.
fn reason(decision: &Decision) -> String {
    let Decision { rule, reason, .. } = decision;
    let mut parts = vec![format!("Bashful refused this by rule {rule}: {reason}")];
    let suggestion = decision.suggestion.as_ref();
    parts.extend(suggestion.map(|it| format!("Instead: {it}")));
    let capability = decision.capability.as_ref();
    parts.extend(capability.map(|it| {
        format!("It needs `{it}`, which a person can open; `bashful grants add --help` says how")
    }));
    parts.join(". ")
}

/// How long it may take: what was asked for, else the usual time; longer in the background.
fn timeout(input: &Map<String, Value>) -> Option<Duration> {
    let is_set = |key: &str| input.get(key).and_then(Value::as_bool) == Some(true);
    if is_set("run_in_background") || is_set("persistent") {
        return Some(BACKGROUND);
    }
    let asked = input.get("timeout").or_else(|| input.get("timeout_ms"));
    let millis = asked.and_then(Value::as_u64).filter(|millis| *millis > 0)?;
    Some(Duration::from_millis(millis).min(BACKGROUND))
}

/// A text of a request. Anything else in its place is a mistake.
fn text<'a>(object: &'a Map<String, Value>, key: &str) -> anyhow::Result<Option<&'a str>> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => anyhow::bail!("`{key}` is not a string"),
    }
}

/// Whether a directory holds so much that no person can have meant all of it.
fn is_too_wide(workspace: &Path) -> bool {
    let home = std::env::var_os(env::HOME).map(PathBuf::from);
    let real = workspace.canonicalize().unwrap_or_default();
    let is = |other: &Path| other.canonicalize().is_ok_and(|other| other == real);
    is(Path::new("/")) || home.is_some_and(|home| is(&home))
}

/// Whether a name can be a session's.
fn is_plain(name: &str) -> bool {
    name.len() <= 64
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
