//! Cursor's hook before its own shell runs a command: always no.

use serde_json::json;

use crate::printer::Printer;

pub(super) fn cursor(printer: &Printer) -> anyhow::Result<()> {
    // What the client asks does not matter, as long as it is a request.
    super::request()?;
    let words = "Cursor's own shell is switched off here. Use Bashful's tool `bash_run`: it runs \
                 the same commands, and asks where it must.";
    printer.json(&json!({
        "permission": "deny",
        "user_message": "Bashful switched Cursor's own shell off; the agent should use `bash_run`.",
        "agent_message": words,
    }))?;
    Ok(())
}
