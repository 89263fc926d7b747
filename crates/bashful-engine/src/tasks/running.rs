//! What runs on this machine for this user, read from the task directories.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_keeper::{Holder, NeedsInput, TaskDirectory, TaskId};
use bashful_sandbox::{Process, Reach, remove_abandoned_groups, signal_process};
use rustix::process::Signal;
use serde::Serialize;

use super::damaged::{damage, holder};
use super::summary::question;
use crate::base::clock::now_ms;
use crate::model::task_ids::task_ids;
use crate::record::standing::{Standing, TaskState, is_being_made};

/// A task that runs.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RunningTask {
    /// The task's id.
    pub task_id: String,
    /// The command as asked.
    pub command: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The agent that asked for it.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// Its process id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// The complete log.
    pub output_file: PathBuf,
    /// Since when it runs, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// For how long it runs, in milliseconds.
    pub elapsed_ms: u64,
    /// What it waits for, while it waits for a person or an agent to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_input: Option<NeedsInput>,
    /// Whether it has a terminal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tty: bool,
    /// What is wrong with its record, if that cannot be read. What is not known is then empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<String>,
    /// The keeper that has it.
    #[serde(skip)]
    keeper: Option<Holder>,
}

impl RunningTask {
    /// What it waits for, in words, while it waits for a person or an agent to type.
    pub fn question(&self) -> Option<String> {
        self.needs_input.as_ref().map(question)
    }
}

/// All tasks that run now, the oldest first. One whose record cannot be read is among them, as
/// long as a keeper has it.
pub fn running(state: &Path) -> io::Result<Vec<RunningTask>> {
    let ids = task_ids(state)?;
    let tasks = ids.iter().filter_map(|id| read_running(state, id));
    Ok(tasks.collect())
}

fn read_running(state: &Path, id: &TaskId) -> Option<RunningTask> {
    let directory = TaskDirectory::of(state, id);
    // The lock is the cheapest question, and most tasks have ended.
    if !directory.is_owned() {
        return None;
    }
    let spec = directory.read_spec();
    let standing = Standing::of(&directory);
    let damaged = match (&spec, &standing) {
        (Ok(_), Ok(Some(Standing { state, .. }))) if state.is_running() => None,
        // It has just ended, or is about to start.
        (Ok(_), Ok(_)) if !is_waiting_for_ever(&directory, standing.as_ref().ok()) => return None,
        (Ok(_), Ok(_)) => Some("it has no record".to_owned()),
        _ => Some(damage(&directory)?),
    };
    let record = standing.ok().flatten().and_then(|standing| standing.record);
    let spec = spec.ok();
    let text = |text: Option<&String>| text.cloned().unwrap_or_default();
    let started_at_ms = record.as_ref().map(|record| record.started_at_ms);
    let started_at_ms = started_at_ms.or(spec.as_ref().map(|spec| spec.created_at_ms));
    Some(RunningTask {
        task_id: id.to_string(),
        command: text(spec.as_ref().map(|spec| &spec.command)),
        description: spec.as_ref().and_then(|spec| spec.description.clone()),
        agent: text(spec.as_ref().map(|spec| &spec.agent)),
        session: text(spec.as_ref().map(|spec| &spec.session)),
        pid: record.as_ref().and_then(|record| record.pid),
        cwd: spec
            .as_ref()
            .map(|spec| spec.cwd.clone())
            .unwrap_or_default(),
        output_file: directory.log(),
        started_at_ms: started_at_ms.unwrap_or_default(),
        elapsed_ms: started_at_ms.map_or(0, |since| now_ms().saturating_sub(since)),
        needs_input: record
            .as_ref()
            .and_then(|record| record.needs_input.clone()),
        tty: spec.is_some_and(|spec| spec.terminal.is_some()),
        damaged,
        keeper: record
            .map(|record| record.keeper)
            .or_else(|| holder(&directory)),
    })
}

/// Whether a task that a keeper has should have a record by now, and has none.
fn is_waiting_for_ever(directory: &TaskDirectory, standing: Option<&Option<Standing>>) -> bool {
    let is_waiting = |standing: &Standing| standing.state == TaskState::Waiting;
    let waits = standing.is_some_and(|standing| standing.as_ref().is_some_and(is_waiting));
    waits && !is_being_made(directory)
}

/// The tasks that this keeper has now.
pub(super) fn held_by(state: &Path, keeper: Holder) -> io::Result<Vec<RunningTask>> {
    let mut held = running(state)?;
    held.retain(|task| task.keeper == Some(keeper));
    Ok(held)
}

/// Which tasks to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopWhich {
    /// All tasks that run, of every agent.
    All,
    /// Those of one agent.
    Agent(String),
}

/// What became of a request to stop.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Stopped {
    /// Tasks that have ended.
    pub stopped: Vec<RunningTask>,
    /// Tasks that still run.
    pub still_running: Vec<RunningTask>,
}

/// How long keepers have to end what they keep: their grace, their patience, some air.
const PATIENCE: Duration = Duration::from_secs(12);

/// Ends running tasks, politely first, and waits until they have ended.
pub fn stop(state: &Path, which: &StopWhich) -> io::Result<Stopped> {
    let chosen: Vec<RunningTask> = running(state)?
        .into_iter()
        .filter(|task| match which {
            StopWhich::All => true,
            StopWhich::Agent(agent) => task.agent == *agent,
        })
        .collect();
    // A keeper serves one agent, so it can be told as a whole. It is named by its
    // number and its start: a number that was reused is not signalled.
    let mut keepers: Vec<Holder> = chosen.iter().filter_map(|task| task.keeper).collect();
    keepers.sort_by_key(|keeper| (keeper.pid, keeper.started));
    keepers.dedup();
    for keeper in keepers {
        ask_to_end(keeper);
    }
    let patience = std::time::Instant::now() + PATIENCE;
    let goes_on = |task: &RunningTask| {
        TaskId::parse(&task.task_id).is_some_and(|id| TaskDirectory::of(state, &id).is_owned())
    };
    while chosen.iter().any(goes_on) && std::time::Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (still_running, stopped) = chosen.into_iter().partition(goes_on);
    if *which == StopWhich::All {
        // Of keepers that were killed; those that we asked do it themselves.
        remove_abandoned_groups();
    }
    Ok(Stopped {
        stopped,
        still_running,
    })
}

/// Asks a keeper to end all that it has, and then itself; whether it heard that.
pub(super) fn ask_to_end(keeper: Holder) -> Reach {
    let process = Process {
        pid: keeper.pid,
        started: keeper.started,
    };
    signal_process(process, Signal::TERM)
}
