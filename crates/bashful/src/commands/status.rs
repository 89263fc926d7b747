//! `bashful status`: what runs now.

use std::time::Duration;

use bashful_engine::{RunningTask, running};
use serde_json::json;

use crate::cli::StatusArguments;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{duration, shorten, visible};

pub(crate) fn status(arguments: &StatusArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let places = super::places()?;
    let mut tasks = running(&places.state);
    if let Some(agent) = &arguments.agent {
        tasks.retain(|task| task.agent == *agent);
    }
    if arguments.json {
        printer.json(&json!({ "v": 1, "running": tasks }))?;
    } else {
        printer.data(table(&tasks, printer.data_style().width).as_bytes())?;
    }
    Ok(Exit::Success)
}

/// A line for each task; `status` and `stop` show them alike.
pub(super) fn table(tasks: &[RunningTask], width: usize) -> String {
    if tasks.is_empty() {
        return "Nothing is running.\n".to_owned();
    }
    let agents = tasks
        .iter()
        .map(|task| visible(&task.agent).chars().count())
        .max()
        .unwrap_or(0)
        .clamp(5, 20);
    let mut text = format!(
        "{:<22} {:<agents$} {:>8}  COMMAND\n",
        "TASK", "AGENT", "TIME"
    );
    for task in tasks {
        let what = task.description.as_ref().unwrap_or(&task.command);
        let elapsed = duration(Duration::from_millis(task.elapsed_ms));
        let agent = shorten(&visible(&task.agent), agents);
        let left = width.saturating_sub(22 + agents + 12).max(20);
        let line = format!("{:<22} {agent:<agents$} {elapsed:>8}  ", task.task_id);
        text.push_str(&line);
        text.push_str(&shorten(&visible(what), left));
        text.push('\n');
    }
    text
}
