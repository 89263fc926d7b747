//! Errors for people: the chain, then what to do. And the same for programs.

use std::io;

use bashful_engine::approvals::{ApprovalError, NotAPerson, StoreError};
use bashful_engine::audit::AuditError;
use bashful_engine::config::{Choice as _, Sandbox};
use bashful_engine::scripts::ScriptError;
use bashful_engine::{EngineError, TaskError, in_full};
use serde_json::json;

use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::ColourChoice;

/// A configuration that could not be loaded, or another mistake in what was asked.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Tells what went wrong and chooses the exit code.
pub(crate) fn report(error: &anyhow::Error, as_json: bool, printer: &Printer) -> Exit {
    if is_broken_pipe(error) {
        // The reader of our output is gone: 128 and SIGPIPE, without a word.
        return Exit::Command(141);
    }
    let engine_error = error.downcast_ref::<EngineError>();
    let task_error = error.downcast_ref::<TaskError>();
    let approval_error = error.downcast_ref::<ApprovalError>();
    let script_error = error.downcast_ref::<ScriptError>();
    let invalid = engine_error.is_some_and(EngineError::is_invalid_input)
        || error.is::<UsageError>()
        || task_error.is_some_and(TaskError::is_mistake)
        || script_error.is_some_and(ScriptError::is_mistake)
        || approval_error.is_some_and(is_mistake);
    let denied = error.is::<NotAPerson>();
    let message = in_full(error.as_ref());
    let hint = engine_error
        .and_then(EngineError::hint)
        .or_else(|| approval_error.and_then(approval_hint).map(str::to_owned))
        .or_else(|| task_error.and_then(TaskError::hint))
        .or_else(|| script_error.and_then(ScriptError::hint));
    printer.note("error", &message);
    if let Some(hint) = &hint {
        printer.note("hint", hint);
    }
    if as_json {
        let kind = match (denied, invalid) {
            (true, _) => "denied",
            (false, true) => "usage",
            (false, false) => "broken",
        };
        let kind = engine_error.map_or(kind, EngineError::kind);
        let kind = script_error.map_or(kind, ScriptError::kind);
        let _ = printer.json(&json_error(kind, &message, hint.as_deref()));
    }
    match (denied, invalid) {
        (true, _) => Exit::Denied,
        (false, true) => Exit::Usage,
        (false, false) => Exit::Broken,
    }
}

/// Whether the caller asked for what does not exist or cannot be.
fn is_mistake(error: &ApprovalError) -> bool {
    matches!(
        error,
        ApprovalError::Unknown { .. }
            | ApprovalError::Ambiguous { .. }
            | ApprovalError::OpensNothing
            | ApprovalError::TooWide { .. }
    )
}

fn approval_hint(error: &ApprovalError) -> Option<&'static str> {
    Some(match error {
        ApprovalError::Unknown { what: "ask", .. } => "`bashful approvals list --all` shows them",
        ApprovalError::Unknown { .. } => "`bashful grants list --all` shows them",
        ApprovalError::Ambiguous { .. } => "type more of it",
        ApprovalError::OpensNothing => {
            "say what it opens (--class, --network, --read, --write), or which commands it is for (--command, --exact)"
        }
        ApprovalError::TooWide { .. } => "name the words that matter, such as `git push origin …`",
        ApprovalError::Store(StoreError::Corrupt { .. }) => "`bashful doctor --repair` rebuilds it",
        ApprovalError::Store(StoreError::Locked { .. }) => {
            "another process is using it; try again when that process is done"
        }
        ApprovalError::Store(StoreError::Full { .. }) => "free some space",
        ApprovalError::Audit(AuditError::Damaged { .. })
        | ApprovalError::Store(StoreError::Unrecorded(AuditError::Damaged { .. })) => {
            "`bashful audit verify` says more; to go on, move the trail aside and keep it: the next record will say that it is missing"
        }
        _ => return None,
    })
}

/// Tells what is wrong with our arguments, or gives the help that they ask for.
pub(crate) fn report_usage(mut error: clap::Error) -> Exit {
    use clap::error::{ContextKind, ContextValue};
    // A person who mistypes a backend does not mean to have none.
    let suggested = error.get(ContextKind::SuggestedValue);
    if matches!(suggested, Some(ContextValue::String(word)) if word == Sandbox::None.as_str()) {
        error.remove(ContextKind::SuggestedValue);
    }
    // If no reader is there, we can do nothing about that.
    let _ = error.print();
    if !error.use_stderr() {
        return Exit::Success;
    }
    // The arguments could not be read, so the flag is looked for by its letters.
    let ours = std::env::args_os()
        .skip(1)
        .take_while(|argument| argument != "--");
    if ours.into_iter().any(|argument| argument == "--json") {
        // The first paragraph; usage and advice follow.
        let text = error.to_string();
        let paragraph = text
            .lines()
            .take_while(|line| !line.is_empty())
            .map(str::trim);
        let message = paragraph.collect::<Vec<_>>().join(" ");
        let message = message.trim_start_matches("error: ");
        let _ = Printer::new(ColourChoice::Never).json(&json_error("usage", message, None));
    }
    Exit::Usage
}

fn json_error(kind: &str, message: &str, hint: Option<&str>) -> serde_json::Value {
    json!({
        "v": 1,
        "status": "broken",
        "success": false,
        "error": { "kind": kind, "message": message, "hint": hint },
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
