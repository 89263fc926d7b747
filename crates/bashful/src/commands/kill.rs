//! `bashful kill`: ends tasks.

use bashful_engine::{Kill, Killed, Task, TaskError, TaskSummary, signal_name};
use serde_json::json;

use crate::cli::KillArguments;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::show_tasks;

/// How many are ended at a time.
const AT_ONCE: usize = 32;

pub(crate) fn kill(arguments: &KillArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let manner = manner(arguments)?;
    let engine = super::tasks::engine()?;
    // All of them first: nothing is ended where one of them is a mistake.
    let (mut tasks, mut damaged) = (Vec::new(), Vec::new());
    for id in &arguments.ids {
        match engine.task(id) {
            Ok(task) => tasks.push(task),
            Err(TaskError::Directory { task, .. }) => damaged.push(task),
            Err(error) => return Err(error.into()),
        }
    }
    let mut summaries = Vec::new();
    let mut failed = false;
    for id in damaged {
        let ended = match manner {
            Manner::End(_) => engine.kill_damaged(&id),
            Manner::Signal(_) => Err(TaskError::Unreachable {
                task: id.clone(),
                private: false,
                source: None,
            }),
        };
        match ended {
            Ok(()) => {
                let text = format!(
                    "the record of the task `{id}` is damaged, and the task is not running"
                );
                printer.note("note", &text);
            }
            Err(error) => {
                failed = true;
                printer.note("error", &with_cause(&error));
            }
        }
    }
    if let Manner::Signal(number) = manner {
        for task in &tasks {
            match signalled(task, number) {
                Ok(summary) => summaries.push(summary),
                Err(error) => {
                    failed = true;
                    printer.note("error", &with_cause(&error));
                }
            }
        }
    }
    let ended = match manner {
        Manner::End(kill) => tasks.chunks(AT_ONCE).map(|some| (some, kill)).collect(),
        Manner::Signal(_) => Vec::new(),
    };
    for (some, kill) in ended {
        for (task, killed) in some.iter().zip(all_of(some, kill)) {
            match killed {
                Ok(Killed::StillRunning(summary)) => {
                    failed = true;
                    printer.note("error", &format!("the task `{}` did not end", task.id()));
                    summaries.push(*summary);
                }
                Ok(killed) => summaries.extend(summary_of(killed, printer)),
                Err(error) => {
                    failed = true;
                    printer.note("error", &with_cause(&error));
                }
            }
        }
    }
    if arguments.json {
        printer.json(&json!({ "v": 1, "tasks": summaries }))?;
    } else if !summaries.is_empty() {
        let mut out = Vec::new();
        show_tasks(&summaries, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    Ok(if failed { Exit::Broken } else { Exit::Success })
}

/// Ends them side by side: each has its own grace period.
fn all_of(tasks: &[Task], manner: Kill) -> Vec<Result<Killed, TaskError>> {
    std::thread::scope(|scope| {
        let started: Vec<_> = tasks
            .iter()
            .map(|task| (task, scope.spawn(move || task.kill(manner))))
            .collect();
        let ended = started.into_iter().map(|(task, thread)| {
            // A thread that panicked has not ended it; once more on this one.
            thread.join().unwrap_or_else(|_| task.kill(manner))
        });
        ended.collect()
    })
}

fn summary_of(killed: Killed, printer: &Printer) -> Option<TaskSummary> {
    match killed {
        Killed::Ended(summary) => Some(*summary),
        Killed::AlreadyEnded(summary) => {
            let text = format!("the task `{}` had already ended", summary.task_id);
            printer.note("note", &text);
            Some(*summary)
        }
        _ => None,
    }
}

/// What to do to them.
#[derive(Clone, Copy)]
enum Manner {
    /// End them, with all that they started.
    End(Kill),
    /// Send this signal, and let them do with it what they will.
    Signal(i32),
}

/// What to do to them. TERM and KILL are for the whole task.
fn manner(arguments: &KillArguments) -> Result<Manner, UsageError> {
    let Some(signal) = &arguments.signal else {
        return Ok(Manner::End(if arguments.now {
            Kill::Now
        } else {
            Kill::Politely
        }));
    };
    let name = signal.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    let named = (1..=31).find(|number| signal_name(*number) == format!("SIG{name}"));
    let number = name.parse().ok().filter(|number| (1..=31).contains(number));
    match named.or(number) {
        Some(15) => Ok(Manner::End(Kill::Politely)),
        Some(9) => Ok(Manner::End(Kill::Now)),
        Some(number) => Ok(Manner::Signal(number)),
        None => Err(UsageError(format!(
            "`{}` is not a signal; give a name such as TERM, KILL, INT, HUP or USR1, or a number from 1 to 31",
            signal.escape_debug()
        ))),
    }
}

/// What went wrong, and why.
fn with_cause(error: &TaskError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Sends a signal; a task that has ended by itself meanwhile is told as such.
fn signalled(task: &Task, number: i32) -> Result<TaskSummary, TaskError> {
    task.signal(number)?;
    task.summary()
}
