//! After the end: what a person is told, and the exit code.

use std::time::Duration;

use bashful_engine::{Approval, ExecutionResult, Status};

use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{Outcome, Refusal, StartedTask, denial, hint, size, visible};

/// The closing line of a frame.
pub(super) fn outcome(result: &ExecutionResult, limit: Duration) -> Outcome {
    let elapsed = result.duration;
    match (result.status, result.exit_code, result.signal_number) {
        (Status::TimedOut, _, _) => Outcome::TimedOut { limit },
        (Status::Cancelled, _, _) => Outcome::Cancelled { elapsed },
        (_, Some(0), _) => Outcome::Completed { elapsed },
        (_, Some(code), _) => Outcome::Failed { code, elapsed },
        (_, None, Some(signal)) => Outcome::Killed { signal, elapsed },
        (_, None, None) => Outcome::Failed {
            code: i32::from(Exit::Broken.code()),
            elapsed,
        },
    }
}

/// How many things that were stopped are told; `bashful explain` has the rest.
const MOST_DENIALS: usize = 5;

/// What is worth saying below the closing line.
pub(super) fn remarks(result: &ExecutionResult, printer: &Printer) {
    match result.status {
        Status::TimedOut => {
            printer.note("error", "the command reached its time limit and was ended");
        }
        Status::Cancelled => printer.note("error", "the command was cancelled"),
        _ => {}
    }
    if let Some(error) = &result.error {
        printer.note("error", error);
    }
    if result.log_end == Some("write_failed") {
        printer.note("warning", "the log could not be written in full");
    }
    if result.unrecorded {
        printer.note("warning", "it ran, but its end could not be recorded");
        if result.log_end.is_none() {
            printer.note("hint", MORE_SPACE);
        }
    }
    for violation in result.worth_telling().take(MOST_DENIALS) {
        printer.note("sandbox", &denial(violation));
    }
    for one in &result.sandbox_hints {
        printer.note("hint", &hint(one));
    }
    let denied = result.worth_telling().any(|it| it.flag.is_some());
    match (&result.approval, &result.task_id) {
        (Some(approval), _) => about_ask(approval, printer),
        (None, Some(task)) if denied => {
            let text = format!("`bashful explain {task}` says what would permit it");
            printer.note("hint", &text);
        }
        _ => {}
    }
    let killed: Vec<&str> = fate(result, "killed");
    if !killed.is_empty() {
        let text = format!(
            "ended {} left behind: {}",
            count(killed.len()),
            killed.join(", ")
        );
        printer.note("note", &text);
        // What a script leaves behind goes with its scratch directory.
        if result.script.is_none() {
            printer.note(
                "hint",
                "use --survivors adopt to let such processes go on as a task",
            );
        }
    }
    let unreachable = fate(result, "unreachable");
    if !unreachable.is_empty() {
        let text = format!(
            "{} could not be ended: {}",
            count(unreachable.len()),
            unreachable.join(", ")
        );
        printer.note("warning", &text);
    }
    adopted(result, printer);
}

/// What is worth saying about an ask after the command ran.
fn about_ask(approval: &Approval, printer: &Printer) {
    if let Some(answer) = &approval.answer_with {
        printer.note(
            "hint",
            &format!("to permit what was stopped: {answer}; then run it again"),
        );
    }
    if approval.edited_from.is_some() {
        printer.note("note", "a person edited the command before it ran");
    }
}

fn fate<'a>(result: &'a ExecutionResult, fate: &str) -> Vec<&'a str> {
    let chosen = result
        .survivors
        .iter()
        .filter(|survivor| survivor.fate == fate);
    chosen
        .map(|survivor| survivor.command.as_str())
        .take(5)
        .collect()
}

fn count(processes: usize) -> String {
    if processes == 1 {
        "a process".to_owned()
    } else {
        format!("{processes} processes")
    }
}

fn adopted(result: &ExecutionResult, printer: &Printer) {
    let Some(survivor) = result
        .survivors
        .iter()
        .find(|survivor| survivor.fate == "adopted")
    else {
        return;
    };
    let Some(id) = &survivor.task_id else { return };
    // The task's directory is a sibling of the run's own.
    let tasks = result
        .output_file
        .as_deref()
        .and_then(|file| file.parent()?.parent());
    let Some(tasks) = tasks else { return };
    let mut out = Vec::new();
    let file = tasks.join(id).join("out.log");
    StartedTask {
        title: "✓ Started in the background",
        id,
        command: &survivor.command,
        output_file: &file,
        look: &format!("bashful logs {id}"),
        attach: None,
    }
    .write(printer.style(), &mut out);
    printer.talk(&out);
}

/// What helps where the disk took nothing more.
const MORE_SPACE: &str = "free some space, or set XDG_STATE_HOME to another disk";

/// The exit code of a run whose output was streamed: output that got lost on the
/// way is a failure of ours, whatever the command said. It ran all the same, and that is said.
pub(super) fn complete(result: &ExecutionResult, shown: u64, printer: &Printer) -> Exit {
    let exit = Exit::of(result);
    let missing = (result.stdout_bytes + result.stderr_bytes).saturating_sub(shown);
    if missing == 0 {
        return exit;
    }
    let ended = match (result.exit_code, &result.signal) {
        (Some(code), _) => format!("it ran and ended with {code}"),
        (None, Some(signal)) => format!("it ran until {signal}"),
        (None, None) => "it ran".to_owned(),
    };
    let missing = size(missing);
    let words = format!("{ended}; {missing} of output did not fit the log and are missing above");
    printer.note("error", &words);
    let hint = match result.log_end {
        Some("write_failed") => MORE_SPACE,
        _ => "raise --log-quota, or let the command write to a file",
    };
    printer.note("hint", hint);
    if exit == Exit::Success {
        Exit::Broken
    } else {
        exit
    }
}

/// A request that was not allowed.
pub(in crate::commands) fn not_allowed(
    result: &ExecutionResult,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    if as_json {
        printer.json(&serde_json::to_value(result)?)?;
    }
    if let Some(decision) = &result.decision {
        let mut out = Vec::new();
        Refusal {
            command: &result.command,
            decision,
            approval: result.approval.as_ref(),
            is_script: result.script.is_some(),
        }
        .write(printer.style(), &mut out);
        printer.talk(&out);
        if let (Some(_), Some(way)) = (&result.script, &decision.suggestion) {
            printer.note("hint", &visible(way));
        }
    }
    Ok(Exit::of(result))
}
