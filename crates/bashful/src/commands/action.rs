//! `bashful action`: runs actions that are written down as JSON.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bashful_engine::scripts::{ActionOutcome, ActionReport, BashRun, ScriptError};
use serde_json::{Value, json};

use super::scripts::{Shown, run_action};
use crate::cli::{ActionArguments, ActionCommand, ActionRunArguments};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;

/// The longest file of actions that is read.
const MOST_ACTIONS: u64 = 64 << 20;

pub(crate) fn action(arguments: &ActionArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let ActionCommand::Run(arguments) = &arguments.what;
    run(arguments, printer)
}

fn run(arguments: &ActionRunArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let text = read(&arguments.file)?;
    let actions = BashRun::read(&text)?;
    let is_list = is_list(&text);
    let shown = Shown::of(&arguments.caller, printer)?;
    if arguments.caller.dry_run {
        let mut exit = Exit::Success;
        for action in &actions {
            let next = shown.dry_run(action)?;
            if exit == Exit::Success {
                exit = next;
            }
        }
        return Ok(exit);
    }
    let exit = match &actions[..] {
        [action] if !is_list => {
            let (exit, result) = run_action(&shown.engine.scripts(), action, &shown)?;
            if arguments.caller.json {
                printer.json(&serde_json::to_value(&result)?)?;
            }
            exit
        }
        actions => run_list(actions, &shown, arguments.caller.json, printer)?,
    };
    shown.engine.clean_tasks_if_due();
    Ok(exit)
}

/// Whether a text holds a list. One action that stands in a list is a list of one, and is answered
/// as such.
fn is_list(text: &str) -> bool {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    value.is_array() || value.get("actions").is_some()
}

/// Runs one after the other, as far as it goes.
fn run_list(
    actions: &[BashRun],
    shown: &Shown<'_>,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let scripts = shown.engine.scripts();
    let mut reports: Vec<ActionReport> = Vec::new();
    let mut stopped = None;
    let mut exit = Exit::Success;
    for (index, action) in actions.iter().enumerate() {
        let number = index + 1;
        let report = match stopped {
            Some(by) => scripts.skip(number, action, by),
            None => match run_action(&scripts, action, shown) {
                Ok((next, result)) => {
                    if next != Exit::Success {
                        exit = next;
                    }
                    ActionReport::of(number, action, Ok(result))
                }
                Err(error) => {
                    exit = Exit::Broken;
                    // A reader that is gone, or the like, is not about the action.
                    let error = error.downcast::<ScriptError>()?;
                    if error.is_mistake() {
                        exit = Exit::Usage;
                    }
                    ActionReport::of(number, action, Err(error))
                }
            },
        };
        if report.stops() {
            stopped = Some(number);
        }
        if !as_json {
            let place = if number == actions.len() {
                Place::Last
            } else {
                Place::Before
            };
            tell(&report, (stopped, place), printer);
        }
        reports.push(report);
    }
    if as_json {
        let success = exit == Exit::Success;
        printer.json(&json!({ "v": 1, "success": success, "actions": reports }))?;
    }
    Ok(exit)
}

/// Where an action stands in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Others come after it.
    Before,
    /// It is the last one.
    Last,
}

/// What is said about an action of a list below what it printed.
fn tell(report: &ActionReport, (stopped, place): (Option<usize>, Place), printer: &Printer) {
    let about = format!("action {}, script `{}`", report.number, report.script);
    match &report.outcome {
        ActionOutcome::Failed { error } => printer.note("error", &format!("{about}: {error}")),
        ActionOutcome::Skipped => {
            let by = stopped.unwrap_or_default();
            printer.note(
                "note",
                &format!("{about}: not run, because action {by} failed"),
            );
        }
        ActionOutcome::Done { result } if !result.success && !report.stops() => {
            let rest = match place {
                Place::Before => ", so the list goes on",
                Place::Last => "",
            };
            printer.note("note", &format!("{about}: a soft failure{rest}"));
        }
        ActionOutcome::Done { result } if !result.success => {
            let rest = match place {
                Place::Before => ", so the list stops",
                Place::Last => "",
            };
            let status = result.status.as_str().replace('_', " ");
            printer.note("note", &format!("{about}: {status}{rest}"));
        }
        _ => {}
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let usage = |error: io::Error| UsageError(format!("cannot use `{}`: {error}", path.display()));
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(usage)?)
    };
    let mut text = String::new();
    source
        .take(MOST_ACTIONS)
        .read_to_string(&mut text)
        .map_err(usage)?;
    Ok(text)
}
