//! What a model reads about a result: the facts first, then the output, so that nothing a command
//! prints can pass for a word of ours.

use std::fmt::Write;
use std::time::Duration;

use bashful_policy::Decision;
use bashful_sandbox::Violation;

use crate::model::result::{ExecutionResult, Status, Survivor};
use crate::record::standing::TaskState;
use crate::run::background::{Background, Going};
use crate::tasks::{Readied, TaskSummary};

/// All about a command that has ended, or was not run.
pub(super) fn result(result: &ExecutionResult) -> String {
    let mut text = headline(result);
    let mut fact = |words: &str| {
        text.push('\n');
        text.push_str(words);
    };
    match result.status {
        Status::Denied | Status::NeedsApproval => {
            for words in refusal(result) {
                fact(&words);
            }
            return text;
        }
        _ => {}
    }
    if let Some(error) = &result.error {
        fact(&format!("error: {error}"));
    }
    if let Some(id) = &result.task_id
        && result.truncated
    {
        fact(&format!(
            "truncated: {} bytes of stdout and {} of stderr in all; read the rest with task_output \
             {{\"task_id\":\"{id}\",\"after\":0}}, or search it with {{\"task_id\":\"{id}\",\"search\":\"REGEX\"}}",
            result.stdout_bytes, result.stderr_bytes
        ));
    }
    if let Some(end) = result.log_end {
        fact(&log_end(end));
    }
    if result.status == Status::TimedOut {
        fact(
            "next: call again with a longer timeout if it needs one, or with run_in_background if it is \
             to go on",
        );
    }
    if result.unrecorded {
        fact("it ran, but its end could not be recorded: do not run it again for that reason");
    }
    if let (Some(shell), Some(note)) = (&result.shell, &result.shell_note) {
        fact(&format!("shell {shell}: {note}"));
    }
    for survivor in &result.survivors {
        fact(&left_behind(survivor));
    }
    for words in stopped(result) {
        fact(&words);
    }
    outputs(&mut text, &result.stdout, &result.stderr);
    text
}

/// Why a log has less than was printed.
pub(super) fn log_end(end: &str) -> String {
    format!("the log is not complete ({end}): what was printed after that is lost")
}

/// The first line: how it ended.
fn headline(result: &ExecutionResult) -> String {
    let took = took(result.duration);
    let reason = result.decision.as_ref().map_or("", |one| &one.reason);
    match (result.status, result.exit_code, &result.signal) {
        (Status::Success | Status::SoftFailure | Status::HardFailure, Some(code), _) => {
            format!("exit code {code}, {took}")
        }
        (Status::HardFailure, None, Some(signal)) => {
            format!("ended by {signal}, no exit code, {took}")
        }
        (Status::TimedOut, ..) => {
            format!("timed out after {took}: the command and all its processes were ended")
        }
        (Status::Cancelled, ..) => {
            format!("cancelled after {took}: the command and all its processes were ended")
        }
        (Status::Denied, ..) => format!("denied, nothing was run: {reason}"),
        (Status::NeedsApproval, ..) => format!("needs approval, nothing was run: {reason}"),
        (Status::Broken, ..) => "broken: Bashful failed, not the command".to_owned(),
        (status, ..) => format!("{}, {took}", status.as_str()),
    }
}

/// Why nothing was run, and what comes next.
fn refusal(result: &ExecutionResult) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(decision) = &result.decision {
        facts.extend(ground(decision, &result.command));
    }
    let Some(approval) = &result.approval else {
        return facts;
    };
    // What a person said stands in the first line.
    if let (None, Some(answer)) = (&approval.message, &approval.answer_with) {
        facts.push(format!("ask: {}", approval.id));
        facts.push(format!(
            "next: tell the user that a person has to type `{answer}` in a terminal, then call \
             again with exactly the same arguments. Do not try another way."
        ));
    }
    facts
}

/// The rule, the part of the command, the capability, the way out.
pub(super) fn ground(decision: &Decision, command: &str) -> Vec<String> {
    let mut facts = vec![format!(
        "rule: {} ({})",
        decision.rule,
        decision.layer.as_str()
    )];
    let part = decision
        .span
        .and_then(|(start, end)| command.get(start..end));
    if let Some(part) = part.filter(|part| *part != command) {
        facts.push(format!("part: {}", shortened(part)));
    }
    if let Some(capability) = &decision.capability {
        facts.push(format!("missing capability: {capability}"));
    }
    if let Some(suggestion) = &decision.suggestion {
        facts.push(format!("next: {suggestion}"));
    }
    facts
}

/// A command that goes on.
pub(super) fn going_on(picture: &Background, why: Going) -> String {
    let id = &picture.task_id;
    let first = match why {
        Going::AsAsked => format!("running in the background as {id}"),
        Going::TookLong => {
            format!("still running; it goes on in the background as {id}, do not start it again")
        }
    };
    format!(
        "{first}\nlog: {}\nnext: task_output {{\"task_id\":\"{id}\",\"after\":0,\"wait_ms\":10000}} reads \
         it, task_wait waits for its end, task_kill ends it",
        picture.output_file.display()
    )
}

/// Whether a server is up.
pub(super) fn readied(told: &Readied) -> String {
    let after = took(Duration::from_millis(told.ready_after_ms));
    match (&told.ready_line, &told.reason) {
        (Some(line), _) => format!("ready after {after}: {}", shortened(line)),
        (None, _) if told.ready => format!("ready after {after}"),
        (None, Some(reason)) => format!("not ready after {after}: {}", shortened(reason)),
        (None, None) => format!("not ready after {after}"),
    }
}

/// What a task waits for and how to go on, on lines of their own; nothing if it does not.
pub(super) fn question(task: &TaskSummary) -> String {
    let (Some(words), Some(asked)) = (task.question(), &task.needs_input) else {
        return String::new();
    };
    let id = &task.task_id;
    let next = if asked.hidden {
        format!("tell the user, who can type it with `bashful attach {id}`")
    } else {
        format!("task_send {{\"task_id\":\"{id}\",\"text\":\"…\",\"enter\":true}}")
    };
    format!("\n{words}\nnext: {next}")
}

/// How a task stands, on one line.
pub(super) fn standing(task: &TaskSummary) -> String {
    let mut state = match (task.status, task.exit_code, &task.signal) {
        _ if task.state == TaskState::Lost => "lost".to_owned(),
        (Some(Status::Success | Status::SoftFailure | Status::HardFailure), Some(code), _) => {
            format!("ended, exit code {code}")
        }
        (Some(Status::HardFailure), None, Some(signal)) => format!("ended by {signal}"),
        (Some(status), ..) => status.as_str().replace('_', " "),
        (None, ..) => task.state.as_str().to_owned(),
    };
    if let Some(reason) = task.reason {
        let _ = write!(state, ": {reason}");
    }
    let name = task.name.as_ref().map(|name| format!(" ({name})"));
    format!("{}{}: {state}", task.task_id, name.unwrap_or_default())
}

fn left_behind(survivor: &Survivor) -> String {
    let Survivor {
        pid, command, fate, ..
    } = survivor;
    let command = shortened(command);
    match &survivor.task_id {
        Some(task) => format!("left running: {command} (pid {pid}), {fate} as task {task}"),
        None => format!("left running: {command} (pid {pid}), {fate}"),
    }
}

/// What was stopped, and what would permit it: three lines at most.
fn stopped(result: &ExecutionResult) -> Vec<String> {
    let told = result.told();
    let mut facts: Vec<String> = told
        .stopped
        .iter()
        .map(|(one, others)| denial(one, *others))
        .collect();
    for hint in &told.hints {
        let way = hint
            .flag
            .as_ref()
            .map(|flag| format!("; `{flag}` of the server permits it"));
        let way = way.unwrap_or_default();
        facts.push(format!("hint: {} (a guess){way}", escaped(&hint.note)));
    }
    let ask = result.approval.as_ref();
    let last = if let Some(answer) = ask.and_then(|ask| ask.answer_with.as_ref()) {
        Some(format!(
            "to allow what was stopped, a person types: {answer}; then call again"
        ))
    } else if told.flags.is_empty() {
        told.advice.map(|advice| format!("next: {advice}"))
    } else {
        let flags = told.flags.join(" ");
        Some(format!(
            "next: tell the user that `{flags}` for this server, or a grant, permits it; do not look \
             for a way around"
        ))
    };
    facts.extend(last.map(|words| escaped(&words)));
    facts
}

fn denial(violation: &Violation, others: usize) -> String {
    let mut words = format!("stopped by the sandbox: {}", violation.kind);
    if let Some(path) = &violation.path {
        let _ = write!(words, " {}", shortened(&path.to_string_lossy()));
    }
    for about in [&violation.address, &violation.syscall]
        .into_iter()
        .flatten()
    {
        let _ = write!(words, " {about}");
    }
    if !violation.missing.is_empty() {
        let _ = write!(words, " (missing capability: {})", violation.missing);
    }
    if let Some(note) = &violation.note {
        let _ = write!(words, ": {note}");
    }
    if others > 0 {
        let _ = write!(words, " (and {others} more like it)");
    }
    words
}

/// What was printed. Alone, standard output needs no heading.
pub(super) fn outputs(text: &mut String, stdout: &str, stderr: &str) {
    text.push('\n');
    match (stdout.is_empty(), stderr.is_empty()) {
        (true, true) => text.push_str("(no output)"),
        (false, true) => {
            text.push_str("--- stdout ---\n");
            text.push_str(stdout);
        }
        (true, false) => {
            text.push_str("--- stderr ---\n");
            text.push_str(stderr);
        }
        (false, false) => {
            text.push_str("--- stdout ---\n");
            text.push_str(stdout);
            if !stdout.ends_with('\n') {
                text.push('\n');
            }
            text.push_str("--- stderr ---\n");
            text.push_str(stderr);
        }
    }
}

/// A text on one line.
fn escaped(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars() {
        match c {
            // They are what a command is made of.
            '\'' | '"' | '\\' => line.push(c),
            other => line.extend(other.escape_debug()),
        }
    }
    line
}

/// A text from outside as one short line.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    let start: String = text.chars().take(MOST).collect();
    let mut short = escaped(&start);
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}

/// A duration as a person says it.
pub(super) fn took(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    if milliseconds < 1000 {
        format!("{milliseconds} ms")
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}
