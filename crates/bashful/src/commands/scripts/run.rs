//! `bashful scripts run`: runs a script, and shows how it goes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bashful_engine::config::Sandbox;
use bashful_engine::scripts::{BashRun, Document, MissingValues, Scripts, StartedScript};
use bashful_engine::{Effect, Engine, ExecutionResult, Interrupts, hide_from_commands};
use serde_json::{Map, Value};

use crate::cli::{RunScriptArguments, ScriptCallerArguments, from_json, read_capabilities};
use crate::commands::run::{Asking, AskingFlags, Watcher, named_session, not_allowed, sandbox};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{show_dry_run, warn_not_enforced};

pub(super) fn run(arguments: &RunScriptArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let action = action(arguments)?;
    let caller = &arguments.caller;
    let shown = Shown::of(caller, printer)?;
    if caller.dry_run {
        return shown.dry_run(&action);
    }
    let (exit, result) = run_action(&shown.engine.scripts(), &action, &shown)?;
    if caller.json {
        printer.json(&serde_json::to_value(&result)?)?;
    }
    shown.engine.clean_tasks_if_due();
    Ok(exit)
}

/// The action that the flags describe.
fn action(arguments: &RunScriptArguments) -> anyhow::Result<BashRun> {
    let mut action = BashRun::of(&arguments.script);
    (action.variables, action.exact) = variables(arguments)?;
    if let Some(text) = &arguments.capabilities {
        // Only what is said is narrowed, so it is read as an action's field.
        read_capabilities(text)?;
        action.capabilities = from_json("--capabilities", "capabilities", text)?;
    }
    if let Some(cwd) = &arguments.cwd {
        let path = std::path::absolute(cwd)?;
        let text = path.to_str().map(str::to_owned);
        let odd = || UsageError(format!("`{}` is not valid UTF-8", path.display()));
        action.working_directory = Some(text.ok_or_else(odd)?);
    }
    let seconds = |time: Duration| {
        let millis = time.as_millis().div_ceil(1000);
        u64::try_from(millis).unwrap_or(u64::MAX)
    };
    if let Some(time) = arguments.timeout {
        action.timeout_hard_seconds = seconds(time);
    }
    if let Some(time) = arguments.warn_after {
        action.timeout_seconds = seconds(time);
    }
    Ok(action)
}

/// The values of a call: an object, and single ones on top of it.
fn variables(
    arguments: &RunScriptArguments,
) -> anyhow::Result<(Map<String, Value>, BTreeSet<String>)> {
    let mut exact = BTreeSet::new();
    let mut variables: Map<String, Value> = match &arguments.vars {
        None => Map::new(),
        Some(text) => match from_json("--vars", "a JSON object", text)? {
            Document(Value::Object(values)) => values,
            Document(_) => {
                return Err(UsageError("`--vars` is not a JSON object".to_owned()).into());
            }
        },
    };
    for text in &arguments.var {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            UsageError(format!(
                "`--var` is NAME=VALUE, not `{}`",
                text.escape_debug()
            ))
        })?;
        exact.insert(name.to_owned());
        variables.insert(name.to_owned(), value.into());
    }
    Ok((variables, exact))
}

/// The engine for scripts, and how their runs are shown.
pub(in crate::commands) struct Shown<'a> {
    pub(in crate::commands) engine: Engine,
    missing: MissingValues,
    printer: &'a Printer,
    interrupts: Arc<Interrupts>,
    json: bool,
    sandbox: Sandbox,
}

impl<'a> Shown<'a> {
    /// As the flags say.
    pub(in crate::commands) fn of(
        caller: &ScriptCallerArguments,
        printer: &'a Printer,
    ) -> anyhow::Result<Self> {
        let workspace = caller.workspace.as_ref();
        let workspace = workspace.map(std::path::absolute).transpose()?;
        let place = workspace
            .clone()
            .map_or_else(crate::commands::place::current_directory, Ok)?;
        let loaded = crate::commands::load_config(&place, printer)?;
        let sandbox = sandbox(&loaded, None)?;
        // Before the first thread.
        let interrupts = Arc::new(Interrupts::catch()?);
        let flags = AskingFlags {
            json: caller.json,
            no_ask: caller.no_ask,
            wait: caller.wait,
        };
        let asking = Asking::of(flags, printer, &interrupts)?;
        let builder = Engine::builder()
            .config(loaded.config)
            .sandbox(sandbox)
            .workspace(place)
            .keeper_by_fork()
            .one_call();
        let mut builder = asking.applied_to(builder);
        if let Some(agent) = &caller.agent {
            builder = builder.agent(agent);
        }
        if let Some(session) = named_session(caller.session.as_deref()) {
            builder = builder.session(session);
        }
        let engine = builder.build()?;
        // The engine knows all it needs; what runs must not find our tokens in /proc.
        hide_from_commands()?;
        let missing = if caller.allow_missing {
            MissingValues::Keep
        } else {
            MissingValues::Refuse
        };
        Ok(Self {
            engine,
            missing,
            printer,
            interrupts,
            json: caller.json,
            sandbox,
        })
    }

    /// Tells what an action would do. The exit code is that of `bashful explain`.
    pub(in crate::commands) fn dry_run(&self, action: &BashRun) -> anyhow::Result<Exit> {
        let dry = self.engine.scripts().dry_run(action, self.missing)?;
        if self.json {
            self.printer.json(&serde_json::to_value(&dry)?)?;
        } else {
            let mut out = Vec::new();
            show_dry_run(&dry, self.printer.data_style(), &mut out);
            self.printer.data(&out)?;
        }
        let decision = dry.plan.decision.as_ref();
        Ok(match decision.map(|decision| decision.effect) {
            None | Some(Effect::Allow) => Exit::Success,
            Some(Effect::Ask) => Exit::NeedsApproval,
            Some(Effect::Deny) => Exit::Denied,
        })
    }
}

/// Runs one action to its end and shows how it goes; its result is for the caller to print.
pub(in crate::commands) fn run_action(
    scripts: &Scripts<'_>,
    action: &BashRun,
    shown: &Shown<'_>,
) -> anyhow::Result<(Exit, ExecutionResult)> {
    let printer = shown.printer;
    let script = match scripts.start(action, shown.missing)? {
        StartedScript::Running(script) => script,
        StartedScript::NotAllowed(result) => {
            not_allowed(&result, false, printer)?;
            return Ok((Exit::of(&result), *result));
        }
    };
    if shown.sandbox == Sandbox::None {
        let mut out = Vec::new();
        warn_not_enforced("no sandbox", printer.style(), &mut out);
        printer.talk(&out);
    }
    let watcher = Watcher {
        printer,
        interrupts: &shown.interrupts,
        limit: Duration::from_secs(action.timeout_hard_seconds),
        began: Instant::now(),
    };
    let (exit, result) = if shown.json {
        watcher.unseen(script.run())?
    } else {
        let title = script.run().command().to_owned();
        watcher.live_here(script.run(), &title)?
    };
    script.ended(&result);
    Ok((exit, result))
}
