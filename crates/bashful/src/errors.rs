//! Errors for people: the chain, then what to do. And the same for programs.

use std::io;

use bashful_engine::EngineError;
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
        // Nobody reads us any more: 128 and SIGPIPE, without a word.
        return Exit::Command(141);
    }
    let engine_error = error.downcast_ref::<EngineError>();
    let invalid =
        engine_error.is_some_and(EngineError::is_invalid_input) || error.is::<UsageError>();
    let message = error
        .chain()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ");
    let hint = engine_error.and_then(EngineError::hint);
    printer.note("error", &message);
    if let Some(hint) = &hint {
        printer.note("hint", hint);
    }
    if as_json {
        let kind = engine_error.map_or(if invalid { "usage" } else { "broken" }, EngineError::kind);
        let _ = printer.json(&json_error(kind, &message, hint.as_deref()));
    }
    if invalid { Exit::Usage } else { Exit::Broken }
}

/// Tells what is wrong with our arguments, or gives the help that they ask for.
pub(crate) fn report_usage(error: &clap::Error) -> Exit {
    // Nobody reads it: nothing to do about that.
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
