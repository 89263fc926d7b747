//! `bashful stop`: ends what runs now.

use anyhow::Context;
use bashful_engine::{StopWhich, dismiss_resident, stop as stop_tasks};
use serde_json::json;

use crate::cli::StopArguments;
use crate::exit::Exit;
use crate::printer::Printer;

pub(crate) fn stop(arguments: &StopArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let which = match &arguments.agent {
        Some(agent) => StopWhich::Agent(agent.clone()),
        None => StopWhich::All,
    };
    let places = super::places()?;
    if which == StopWhich::All {
        // First: a call that it serves now is a task that is stopped below.
        dismiss_resident(&places).context("cannot dismiss the resident engine")?;
    }
    let outcome = stop_tasks(&places.state, &which).context("cannot read which tasks there are")?;
    if arguments.json {
        printer.json(
            &json!({ "v": 1, "stopped": outcome.stopped, "still_running": outcome.still_running }),
        )?;
    } else if outcome.stopped.is_empty() && outcome.still_running.is_empty() {
        printer.data(b"Nothing was running.\n")?;
    } else {
        let width = printer.data_style().width;
        printer.data(format!("Stopped {}.\n", outcome.stopped.len()).as_bytes())?;
        if !outcome.still_running.is_empty() {
            printer.note("error", "these did not end in time:");
            printer.talk(super::status::table(&outcome.still_running, width).as_bytes());
        }
    }
    Ok(if outcome.still_running.is_empty() {
        Exit::Success
    } else {
        Exit::Broken
    })
}
