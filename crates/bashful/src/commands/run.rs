//! `bashful run`: runs a command and shows how it goes.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bashful_engine::config::{
    Ceilings, Choice as _, Config, Loaded, OnLogFull, Sandbox, Survivors, env,
};
use bashful_engine::{
    Action, EarlyKeeper, Engine, EngineBuilder, Going, Interrupts, Invocation, MAX_COMMAND_BYTES,
    Preset, Started, Stdin, TerminalSize, Timeout, hide_from_commands, terminal_session,
};

use super::attach;
use super::place::Place;
use crate::cli::{BoundsArguments, PolicyFlag, RunArguments};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::warn_not_enforced;

mod asking;
mod background;
mod finish;
mod retry;
mod tty;
mod watch;

pub(super) use asking::{Asking, AskingFlags};
pub(super) use finish::not_allowed;
pub(super) use watch::Watcher;

pub(crate) fn run(
    arguments: &RunArguments,
    keeper: Option<EarlyKeeper>,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let place = Place::of(arguments.workspace.as_ref(), arguments.cwd.as_ref())?;
    let mut loaded = super::load_config(place.root(), printer)?;
    apply_flags(&mut loaded, arguments)?;
    if arguments.background.name.is_some() && !arguments.background.may_be_left() {
        let text =
            "`--name` is for a task: use it with `--background` or `--on-timeout background`";
        return Err(UsageError(text.to_owned()).into());
    }
    let limit = arguments.timeout.unwrap_or(loaded.config.limits.timeout);
    let sandbox = sandbox(&loaded, arguments.bounds.sandbox)?;
    let preset = preset(
        &loaded.config,
        arguments.agent.as_deref(),
        &arguments.bounds,
    );
    let shown_whole = arguments.max_output.is_none() && !arguments.json;
    // Before the first thread: see there.
    let interrupts = Arc::new(if arguments.terminal.tty {
        Interrupts::catch_with_quit()?
    } else {
        Interrupts::catch()?
    });
    let flags = AskingFlags {
        json: arguments.json,
        no_ask: arguments.no_ask,
        wait: arguments.wait,
    };
    let asking = Asking::of(flags, printer, &interrupts)?;
    let engine = engine(arguments, loaded.config, keeper, sandbox, &asking)?;
    let action = action(arguments)?;
    let invocation = invocation(arguments, action.clone(), &place)?;
    // The engine knows all it needs; what runs must not find our tokens in /proc.
    hide_from_commands()?;
    let show = Show {
        arguments,
        printer,
        interrupts: &interrupts,
        title: arguments.description.as_deref(),
        limit,
        shown_whole,
    };
    let first = show.start(&engine, invocation, || {
        announce(&arguments.bounds, sandbox, preset, printer);
    })?;
    let last = if arguments.retry_on_grant {
        let again = || invocation_again(arguments, action.clone(), &place);
        retry::after_a_yes(&show, &engine, first, again)?
    } else {
        first
    };
    if let Some(json) = &last.json {
        printer.json(json)?;
    }
    engine.clean_tasks_if_due();
    if !has_terminal() {
        engine.leave_resident();
    }
    Ok(last.exit)
}

/// Whether a person may sit in front of this: such calls are not handed to a resident engine.
fn has_terminal() -> bool {
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}

/// How one run is shown.
struct Show<'a> {
    arguments: &'a RunArguments,
    printer: &'a Printer,
    interrupts: &'a Interrupts,
    title: Option<&'a str>,
    limit: Duration,
    shown_whole: bool,
}

/// What became of one run, for the caller that may try again.
struct Ended {
    exit: Exit,
    /// The result as it is printed, if that is wanted: once, after the last try.
    json: Option<serde_json::Value>,
    /// The ask about what the sandbox stopped, if the command ran and there is one.
    ask: Option<String>,
}

impl Show<'_> {
    fn start(
        &self,
        engine: &Engine,
        invocation: Invocation,
        announce: impl FnOnce(),
    ) -> anyhow::Result<Ended> {
        let json = self.arguments.json;
        let run = match engine.start(invocation)? {
            Started::Running(run) => run,
            Started::NotAllowed(result) => {
                let exit = finish::not_allowed(&result, json, self.printer)?;
                return Ok(Ended {
                    exit,
                    json: None,
                    ask: None,
                });
            }
        };
        announce();
        if !json {
            for note in run.sandbox_notes() {
                self.printer.note("warning", note);
            }
        }
        if self.arguments.background.background {
            return background::leave(run, engine, self.arguments, self.printer, self.interrupts);
        }
        if self.arguments.terminal.tty && !json && attach::is_possible() {
            return tty::sit_down(run, engine, self);
        }
        // Without a description, what runs is named: a person may have changed it.
        let title = self.title.unwrap_or(run.command()).to_owned();
        let watcher = watch::Watcher {
            printer: self.printer,
            interrupts: self.interrupts,
            limit: self.limit,
            began: Instant::now(),
        };
        let watched = if json {
            watcher.silently(run)?.into()
        } else if self.shown_whole {
            watcher.live(run, &title)?
        } else {
            watcher.at_the_end(run, &title)?
        };
        let (exit, result) = match watched {
            watch::Watched::Ended(exit, result) => (exit, *result),
            watch::Watched::LetGo(background) => return self.let_go(&background),
        };
        if !json && !self.arguments.stdin && finish::missed_input(&result) {
            let text = "standard input was not passed on; `--stdin` does that";
            self.printer.note("hint", text);
        }
        if let Some(note) = result.shell_note.as_ref().filter(|_| !json) {
            let shell = result.shell.as_deref().unwrap_or_default();
            self.printer
                .note("note", &format!("shell `{shell}`: {note}"));
        }
        let json = json.then(|| serde_json::to_value(&result)).transpose()?;
        let pending = result
            .approval
            .filter(|approval| approval.state == "pending");
        let ask = pending.map(|approval| approval.id);
        Ok(Ended { exit, json, ask })
    }
}

impl Show<'_> {
    /// Its time was up, and it goes on in the background.
    fn let_go(&self, background: &bashful_engine::Background) -> anyhow::Result<Ended> {
        let json = self.arguments.json;
        if !json {
            background::tell(background, Going::TookLong, self.printer)?;
        }
        let mut told = serde_json::to_value(background)?;
        // It was started, but what was asked for is its end.
        told["success"] = false.into();
        told["timed_out"] = true.into();
        told["reason"] = "its time ran out; it goes on in the background".into();
        Ok(Ended {
            exit: Exit::TimedOut,
            json: json.then_some(told),
            ask: None,
        })
    }
}

fn action(arguments: &RunArguments) -> anyhow::Result<Action> {
    if let Some(path) = &arguments.file {
        return Ok(Action::Bash(read_command(path)?));
    }
    Ok(
        match (&arguments.command, arguments.program.split_first()) {
            (None, Some((program, rest))) => Action::Program {
                program: program.clone(),
                arguments: rest.to_vec(),
            },
            (command, _) => Action::Bash(command.clone().unwrap_or_default()),
        },
    )
}

/// The text of a file, or of our standard input.
pub(super) fn read_command(path: &Path) -> anyhow::Result<String> {
    let usage = |problem: &str| UsageError(format!("cannot use `{}`: {problem}", path.display()));
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|error| usage(&error.to_string()))?)
    };
    let mut bytes = Vec::new();
    // One byte more than allowed, so that the engine can say that it is too long.
    let most = MAX_COMMAND_BYTES as u64 + 1;
    source
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| usage(&error.to_string()))?;
    Ok(String::from_utf8(bytes).map_err(|_| usage("it is not valid UTF-8"))?)
}

/// Flags come after all files, but none passes what the admin set.
fn apply_flags(loaded: &mut Loaded, arguments: &RunArguments) -> Result<(), UsageError> {
    let Ceilings {
        max_output,
        log_quota,
        survivors,
        on_log_full,
        keep,
        ..
    } = &loaded.ceilings;
    let limits = &mut loaded.config.limits;
    let refuse = |flag: &str| {
        Err(UsageError(format!(
            "`{flag}` exceeds what the administrator allows"
        )))
    };
    if let Some(asked) = arguments.max_output {
        if max_output.is_some_and(|most| asked > most) {
            return refuse("--max-output");
        }
        limits.max_output = asked;
    }
    if let Some(asked) = arguments.log_quota {
        if log_quota.is_some_and(|most| asked > most) {
            return refuse("--log-quota");
        }
        limits.log_quota = asked;
    }
    if let Some(asked) = arguments.survivors {
        if asked == Survivors::Adopt && *survivors == Some(Survivors::Kill) {
            return refuse("--survivors");
        }
        limits.survivors = asked;
    }
    if let Some(asked) = arguments.on_log_full {
        if on_log_full.is_some_and(|set| asked != set && asked != OnLogFull::Stop) {
            return refuse("--on-log-full");
        }
        limits.on_log_full = asked;
    }
    if let Some(asked) = arguments.keep {
        if keep.is_some_and(|set| asked != set) {
            return refuse("--keep");
        }
        limits.keep = asked;
    }
    Ok(())
}

fn engine(
    arguments: &RunArguments,
    config: Config,
    keeper: Option<EarlyKeeper>,
    sandbox: Sandbox,
    asking: &Asking,
) -> anyhow::Result<Engine> {
    let mut builder: EngineBuilder = Engine::builder()
        .config(config)
        .sandbox(sandbox)
        .keeper_by_fork()
        .one_call();
    builder = asking.applied_to(arguments.bounds.judged(builder));
    if let Some(keeper) = keeper {
        builder = builder.early_keeper(keeper);
    }
    if let Some(agent) = &arguments.agent {
        builder = builder.agent(agent);
    }
    if let Some(session) = named_session(arguments.session.as_deref()) {
        builder = builder.session(session);
    } else if arguments.shell.is_some() {
        builder = builder.session(SHELLS);
    } else if arguments.background.may_be_left() {
        builder = builder.reachable();
    }
    Ok(builder.build()?)
}

/// The session of calls in a shell that name no other: what lasts needs one.
pub(super) const SHELLS: &str = "shells";

/// The session that a flag, the environment or the terminal names.
pub(super) fn named_session(flag: Option<&str>) -> Option<String> {
    let named = flag.map(str::to_owned);
    let named = named.or_else(|| std::env::var(env::BASHFUL_SESSION).ok());
    named
        .filter(|name| !name.is_empty())
        .or_else(terminal_session)
}

fn invocation(
    arguments: &RunArguments,
    action: Action,
    place: &Place,
) -> anyhow::Result<Invocation> {
    let mut invocation = Invocation::new(action).wish(arguments.bounds.wish());
    invocation = invocation.reporting(arguments.bounds.reporting());
    if arguments.fresh {
        invocation = invocation.fresh();
    }
    if let Some(shell) = &arguments.shell {
        invocation = invocation.shell(shell);
        // Jobs of a shell go on, unless this call says otherwise.
        if let Some(survivors) = arguments.survivors {
            invocation = invocation.survivors(survivors);
        }
    }
    invocation = place.applied_to(invocation);
    if let Some(description) = &arguments.description {
        invocation = invocation.description(description);
    }
    for (name, value) in &arguments.env {
        invocation = invocation.variable(name, value);
    }
    if arguments.allow_startup_env {
        invocation = invocation.allow_startup_variables();
    }
    let flags = &arguments.background;
    if let Some(timeout) = arguments.timeout {
        invocation = invocation.timeout(Timeout::After(timeout));
    } else if flags.background {
        invocation = invocation.timeout(Timeout::Never);
    }
    if flags.background {
        invocation = invocation.detached();
    }
    if let Some(what) = flags.on_timeout {
        invocation = invocation.on_timeout(what.into());
    }
    if let Some(name) = &flags.name {
        invocation = invocation.name(name);
    }
    if let Some(delay) = arguments.warn_after {
        invocation = invocation.warn_after(delay);
    }
    if let Some(log) = &arguments.log {
        invocation = invocation.log_copy(std::path::absolute(log)?);
    }
    if arguments.terminal.tty {
        let sits = attach::is_possible() && !arguments.background.background && !arguments.json;
        let own = sits.then(attach::own_size);
        let size = arguments.terminal.size.or(own);
        invocation = invocation.terminal(size.unwrap_or(TerminalSize::USUAL));
        if sits && arguments.timeout.is_none() {
            // The person who sits there knows when it is over.
            invocation = invocation.timeout(Timeout::Never);
        }
    }
    if arguments.terminal.keep_input {
        invocation = invocation.keep_input();
    }
    if arguments.stdin {
        let descriptor =
            rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3).map_err(io::Error::from)?;
        invocation = invocation.stdin(Stdin::Descriptor(descriptor));
    }
    Ok(invocation)
}

/// The same request once more; none if what it reads cannot be read again.
fn invocation_again(
    arguments: &RunArguments,
    action: Action,
    place: &Place,
) -> anyhow::Result<Option<Invocation>> {
    if arguments.stdin {
        return Ok(None);
    }
    invocation(arguments, action, place).map(Some)
}

/// What confines the command: the flag, else the configuration; but the admin's word holds.
pub(super) fn sandbox(loaded: &Loaded, flag: Option<Sandbox>) -> Result<Sandbox, UsageError> {
    let chosen = flag.unwrap_or(loaded.config.sandbox);
    let most = loaded.ceilings.sandbox;
    if most.is_some_and(|most| chosen.is_weaker_than(most)) {
        return Err(UsageError(format!(
            "`--sandbox {}` exceeds what the administrator allows",
            chosen.as_str()
        )));
    }
    Ok(chosen)
}

/// The preset in force.
pub(super) fn preset(config: &Config, agent: Option<&str>, bounds: &BoundsArguments) -> Preset {
    let agent = agent.unwrap_or(&config.agent);
    let named = bounds.profile.as_deref();
    // One that does not exist is an error later on.
    let named = named.and_then(|name| config.profile_named(name).ok());
    let usual = named.unwrap_or_else(|| config.profile_for(agent)).preset;
    bounds.preset.unwrap_or(usual)
}

/// What is said where commands run unjudged.
fn policy_off(sandbox: Sandbox) -> &'static str {
    match sandbox {
        Sandbox::None => "the policy is off, as asked",
        _ => "the policy is off, as asked; the sandbox stays on",
    }
}

/// Says what is not as it usually is, once it is known that the command runs.
pub(super) fn announce(
    bounds: &BoundsArguments,
    sandbox: Sandbox,
    preset: Preset,
    printer: &Printer,
) {
    if bounds.policy == Some(PolicyFlag::None) {
        printer.note("warning", policy_off(sandbox));
    }
    if sandbox == Sandbox::None {
        let mut out = Vec::new();
        warn_not_enforced("no sandbox", printer.style(), &mut out);
        printer.talk(&out);
    } else if preset.is_dangerous() {
        printer.note(
            "warning",
            "the preset `full` is dangerous: the command can change all that you can",
        );
    }
}
