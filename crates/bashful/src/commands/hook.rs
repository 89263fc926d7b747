//! `bashful hook`: judges what a client's own shell is to run, before it runs.
//!
//! A client that cannot understand our answer must not run the command, so whatever goes wrong
//! here ends with 2, which clients take for a no.

use std::io::{self, Read as _};

use crate::cli::{HookArguments, HookClient};
use crate::exit::Exit;
use crate::printer::Printer;

mod claude;
mod cursor;

/// The longest request that is read. The longest command has a sixteenth of it.
const LONGEST: u64 = 16 << 20;

pub(crate) fn hook(arguments: &HookArguments, printer: &Printer) -> Exit {
    let answered = match &arguments.client {
        HookClient::Claude(arguments) => claude::claude(arguments, printer),
        HookClient::Cursor => cursor::cursor(printer),
    };
    match answered {
        Ok(()) => Exit::Success,
        Err(error) => {
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            printer.note("blocked", &causes.join(": "));
            Exit::Usage
        }
    }
}

/// The request, which is one JSON object.
fn request() -> anyhow::Result<serde_json::Map<String, serde_json::Value>> {
    let mut bytes = Vec::new();
    let stdin = io::stdin().lock();
    stdin.take(LONGEST + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= LONGEST, "the request is too long");
    match serde_json::from_slice(&bytes) {
        Ok(serde_json::Value::Object(request)) => Ok(request),
        Ok(_) => anyhow::bail!("the request is not a JSON object"),
        Err(error) => anyhow::bail!("the request is not JSON: {error}"),
    }
}
