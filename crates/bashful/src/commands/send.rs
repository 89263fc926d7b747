//! `bashful send`: types into a task's terminal, or writes to its standard input.

use bashful_engine::Key;
use bashful_engine::audit::InputHow;
use serde_json::json;

use crate::cli::SendArguments;
use crate::exit::Exit;
use crate::printer::Printer;

pub(crate) fn send(arguments: &SendArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let task = super::tasks::engine()?.task(&arguments.id)?;
    let task = task.typed_by(InputHow::Send);
    let mut bytes = arguments.text.clone().unwrap_or_default().into_bytes();
    if arguments.enter {
        // A terminal makes a new line of what the key sends; a pipe does not.
        bytes.push(if task.has_terminal() { b'\r' } else { b'\n' });
    }
    bytes.extend(arguments.keys.iter().flat_map(Key::bytes));
    let count = bytes.len();
    if count > 0 {
        task.send(bytes)?;
    }
    if arguments.eof {
        task.send_end()?;
    }
    if arguments.json {
        let eof = arguments.eof;
        printer.json(&json!({ "v": 1, "task_id": task.id(), "sent_bytes": count, "eof": eof }))?;
    }
    Ok(Exit::Success)
}
