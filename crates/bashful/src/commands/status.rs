//! `bashful status`: what runs now.

use std::time::Duration;

use anyhow::Context;
use bashful_engine::{RunningTask, running};
use serde_json::json;

use crate::cli::StatusArguments;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{duration, how_to_answer, shorten, show_question, visible};

pub(crate) fn status(arguments: &StatusArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let places = super::places()?;
    let mut tasks = running(&places.state).context("cannot read which tasks there are")?;
    if let Some(agent) = &arguments.agent {
        tasks.retain(|task| task.agent == *agent);
    }
    if arguments.json {
        printer.json(&json!({ "v": 1, "running": tasks }))?;
    } else {
        let style = printer.data_style();
        let mut out = table(&tasks, style.width).into_bytes();
        for task in &tasks {
            if let (Some(question), Some(asked)) = (task.question(), &task.needs_input) {
                let answer = how_to_answer(&task.task_id, asked, task.tty);
                show_question(
                    &format!("{}: {question}", task.task_id),
                    &answer,
                    style,
                    &mut out,
                );
            }
        }
        printer.data(&out)?;
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
        // The command, and never only what an agent says that it is for.
        let what = match &task.damaged {
            Some(reason) => &format!("(its record is damaged: {reason})"),
            None => &task.command,
        };
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
