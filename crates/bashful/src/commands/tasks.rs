//! `bashful tasks`: what runs in the background, what has ended, and removing it.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use bashful_engine::{
    DamagedTask, Engine, Interrupts, TaskError, TaskFilter, TaskList, TaskSummary, WhichTasks,
};
use serde_json::{Value, json};

use crate::cli::{ListArguments, TasksArguments, TasksCommand};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{show_task, show_tasks};

mod clean;

/// How many are listed at most.
const MOST: usize = 1000;
/// How often we look for changes.
const PAUSE: Duration = Duration::from_millis(500);
/// How often the times of running tasks are drawn anew.
const REDRAW: Duration = Duration::from_secs(1);

pub(crate) fn tasks(arguments: &TasksArguments, printer: &Printer) -> anyhow::Result<Exit> {
    match &arguments.what {
        None if arguments.list.watch => watch(&arguments.list, printer),
        None => list(&arguments.list, printer),
        Some(TasksCommand::Show { id, json }) => show(id, *json, printer),
        Some(TasksCommand::Clean(arguments)) => clean::clean(arguments, printer),
    }
}

/// An engine that looks at tasks and starts nothing.
pub(super) fn engine() -> anyhow::Result<Engine> {
    Ok(Engine::builder().places(super::places()?).build()?)
}

fn chosen(engine: &Engine, arguments: &ListArguments) -> Result<TaskList, TaskError> {
    let which = if arguments.all {
        WhichTasks::All
    } else {
        WhichTasks::Running
    };
    let mut filter = TaskFilter::default().which(which).limit(MOST);
    if let Some(agent) = &arguments.agent {
        filter = filter.agent(agent);
    }
    engine.list_tasks(&filter)
}

fn list(arguments: &ListArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let TaskList { tasks, damaged, .. } = chosen(&engine()?, arguments)?;
    say_damaged(&damaged, printer);
    if arguments.json {
        printer.json(&as_json(&tasks, &damaged))?;
    } else if tasks.is_empty() && !damaged.is_empty() {
        // What is damaged was told above, and there is nothing else.
    } else if tasks.is_empty() && !arguments.all {
        printer.data(b"Nothing is running; `bashful tasks --all` shows what has ended.\n")?;
    } else {
        let mut out = Vec::new();
        show_tasks(&tasks, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    Ok(Exit::Success)
}

fn as_json(tasks: &[TaskSummary], damaged: &[DamagedTask]) -> Value {
    let mut value = json!({ "v": 1, "tasks": tasks });
    if !damaged.is_empty() {
        value["damaged"] = json!(damaged);
    }
    value
}

/// Tasks whose record cannot be read are no rows of a table.
fn say_damaged(damaged: &[DamagedTask], printer: &Printer) {
    for task in damaged {
        let (id, reason) = (&task.task_id, &task.reason);
        let text = if task.running {
            format!(
                "the task `{id}` is running, but its record is damaged: {reason}; `bashful kill {id}` ends it"
            )
        } else {
            format!(
                "the record of the task `{id}` is damaged: {reason}; `bashful doctor --repair` moves it aside"
            )
        };
        printer.note("error", &text);
    }
}

/// Shows the list until an interrupt ends us: drawn over itself on a terminal, otherwise again
/// whenever a task comes or goes.
fn watch(arguments: &ListArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::catch()?;
    let engine = engine()?;
    let draws = io::stdout().is_terminal() && !arguments.json;
    let mut told: Option<Vec<Value>> = None;
    let mut drawn: Option<Instant> = None;
    loop {
        let TaskList { tasks, damaged, .. } = chosen(&engine, arguments)?;
        let now: Vec<Value> = tasks
            .iter()
            .map(|task| json!([task.task_id, task.state]))
            .collect();
        let changed = told.as_ref() != Some(&now);
        let stale = drawn.is_none_or(|at| at.elapsed() >= REDRAW);
        if changed || (draws && stale) {
            if arguments.json {
                printer.json(&as_json(&tasks, &damaged))?;
            } else {
                let mut out = Vec::new();
                if draws {
                    // To the upper left corner, and nothing below.
                    out.extend(b"\x1b[H\x1b[2J");
                } else if told.is_some() {
                    out.push(b'\n');
                }
                show_tasks(&tasks, printer.data_style(), &mut out);
                printer.data(&out)?;
            }
            told = Some(now);
            drawn = Some(Instant::now());
        }
        if super::logs::is_over(&interrupts, PAUSE) {
            return Ok(Exit::Success);
        }
    }
}

fn show(id: &str, as_json: bool, printer: &Printer) -> anyhow::Result<Exit> {
    let summary = engine()?.task(id)?.summary()?;
    if as_json {
        printer.json(&json!({ "v": 1, "task": summary }))?;
    } else {
        let mut out = Vec::new();
        show_task(&summary, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    Ok(Exit::Success)
}
