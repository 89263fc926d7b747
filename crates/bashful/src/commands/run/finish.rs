//! After the end: what a person is told, and the exit code.

use std::fmt::Write as _;
use std::time::Duration;

use bashful_engine::{Approval, ExecutionResult, Status};
use rustix::fs::FileType;

use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{
    MORE_TIME, Outcome, Refusal, StartedTask, TIMED_OUT, denial, hint, size, visible,
};

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

/// What is worth saying below the closing line.
pub(super) fn remarks(result: &ExecutionResult, printer: &Printer) {
    match result.status {
        Status::TimedOut => {
            printer.note("error", TIMED_OUT);
            printer.note("hint", MORE_TIME);
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
    stopped(result, printer);
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

/// What was stopped, and what would permit it: three lines at most.
fn stopped(result: &ExecutionResult, printer: &Printer) {
    let told = result.told();
    for (violation, others) in &told.stopped {
        let mut line = denial(violation);
        if *others > 0 {
            let _ = write!(line, " (and {others} more like it)");
        }
        printer.note("sandbox", &line);
    }
    for one in &told.hints {
        printer.note("hint", &hint(one));
    }
    if let Some(approval) = &result.approval {
        return about_ask(approval, printer);
    }
    let mut words = Vec::new();
    if !told.flags.is_empty() {
        let flags = told.flags.join(" ");
        words.push(format!("`{flags}` permits it"));
    } else if let Some(advice) = told.advice {
        words.push(advice.to_owned());
    }
    if let (Some(task), true) = (&result.task_id, !words.is_empty() || told.left > 0) {
        let more = match told.left {
            0 => "says more".to_owned(),
            left => format!("tells {left} more"),
        };
        words.push(format!("`bashful explain {task}` {more}"));
    }
    if !words.is_empty() {
        printer.note("hint", &words.join("; "));
    }
}

/// Whether something waits for us on a pipe that a command without success, or without a word, may
/// have wanted. Loops that read a list and run a command for each line do not hear of it.
pub(super) fn missed_input(result: &ExecutionResult) -> bool {
    let is_silent = result.stdout_bytes == 0 && result.stderr_bytes == 0;
    let waits = || {
        let input = std::io::stdin();
        let is_pipe = rustix::fs::fstat(&input)
            .is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::Fifo);
        is_pipe && rustix::io::ioctl_fionread(&input).is_ok_and(|bytes| bytes > 0)
    };
    (!result.success || is_silent) && waits()
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
