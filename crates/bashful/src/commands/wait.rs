//! `bashful wait`: waits for the end of tasks.

use std::time::{Duration, Instant};

use bashful_engine::config::Keep;
use bashful_engine::{OutputLimit, Task, TaskSummary, Waited};
use serde_json::json;

use crate::cli::WaitArguments;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{answer_with, show_tasks};

/// Longer than any caller waits.
const FOR_EVER: Duration = Duration::from_secs(1 << 30);

pub(crate) fn wait(arguments: &WaitArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let engine = super::tasks::engine()?;
    let ids = arguments.ids.iter();
    // All of them first, so that a wrong one is not found after an hour.
    let tasks = ids
        .map(|id| engine.task(id))
        .collect::<Result<Vec<Task>, _>>()?;
    let until = Instant::now() + arguments.timeout.unwrap_or(FOR_EVER);
    let mut exit = Exit::Success;
    let mut timed_out = false;
    let mut summaries: Vec<TaskSummary> = Vec::new();
    for task in &tasks {
        let mut waited = task.wait_unless_asked(until)?;
        if waited == Waited::StillRunning {
            say_if_asked(task, printer)?;
            waited = task.wait(until)?;
        }
        match waited {
            Waited::Ended => {
                let one = exit_of(task)?;
                if exit == Exit::Success {
                    exit = one;
                }
            }
            Waited::StillRunning => timed_out = true,
        }
        summaries.push(task.summary()?);
    }
    if arguments.json {
        let told = json!({ "v": 1, "timed_out": timed_out, "tasks": summaries });
        printer.json(&told)?;
    } else {
        let mut out = Vec::new();
        show_tasks(&summaries, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    if timed_out {
        printer.note(
            "error",
            "the time ran out before all of them had ended; those that still run go on",
        );
        return Ok(Exit::TimedOut);
    }
    Ok(exit)
}

/// A task that waits for typed input goes on for ever, unless a person types.
fn say_if_asked(task: &Task, printer: &Printer) -> anyhow::Result<()> {
    let summary = task.summary()?;
    if let Some(question) = summary.question() {
        printer.note("note", &format!("`{}`: {question}", task.id()));
        if let Some(answer) = answer_with(&summary) {
            printer.note("hint", &answer);
        }
    }
    Ok(())
}

/// What a task that has ended means for our own exit.
pub(super) fn exit_of(task: &Task) -> anyhow::Result<Exit> {
    // Its output is not wanted here.
    let result = task.result(OutputLimit::characters(Keep::Tail, 1))?;
    Ok(result.map_or(Exit::Broken, |result| Exit::of(&result)))
}
