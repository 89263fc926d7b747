//! What runs on this machine for this user, read from the task directories.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_keeper::{Holder, TaskDirectory, TaskId};
use bashful_sandbox::{Process, Reach, signal_process};
use rustix::process::Signal;
use serde::Serialize;

use super::ids::task_ids;
use super::standing::{Standing, TaskState};
use crate::clock::now_ms;

/// A task that runs.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RunningTask {
    /// Its id.
    pub task_id: String,
    /// The command as asked.
    pub command: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who asked.
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
    /// The keeper that has it.
    #[serde(skip)]
    keeper: Holder,
}

/// All tasks that run now, the oldest first.
pub fn running(state: &Path) -> Vec<RunningTask> {
    let ids = task_ids(state).unwrap_or_default();
    ids.iter()
        .filter_map(|id| read_running(state, id))
        .collect()
}

fn read_running(state: &Path, id: &TaskId) -> Option<RunningTask> {
    let directory = TaskDirectory::of(state, id);
    // The lock is the cheapest question, and most tasks have ended.
    if !directory.is_owned() {
        return None;
    }
    let Ok(Some(Standing {
        state: TaskState::Running,
        record: Some(record),
    })) = Standing::of(&directory)
    else {
        return None;
    };
    let spec = directory.read_spec().ok()?;
    Some(RunningTask {
        task_id: id.to_string(),
        command: spec.command,
        description: spec.description,
        agent: spec.agent,
        session: spec.session,
        pid: record.pid,
        cwd: spec.cwd,
        output_file: directory.log(),
        started_at_ms: record.started_at_ms,
        elapsed_ms: now_ms().saturating_sub(record.started_at_ms),
        keeper: record.keeper,
    })
}

/// The tasks that this keeper has now.
pub(super) fn held_by(state: &Path, keeper: Holder) -> Vec<RunningTask> {
    let mut held = running(state);
    held.retain(|task| task.keeper == keeper);
    held
}

/// Which tasks to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopWhich {
    /// All.
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
pub fn stop(state: &Path, which: &StopWhich) -> Stopped {
    let chosen: Vec<RunningTask> = running(state)
        .into_iter()
        .filter(|task| match which {
            StopWhich::All => true,
            StopWhich::Agent(agent) => task.agent == *agent,
        })
        .collect();
    // A keeper serves one agent, so it can be told as a whole. It is named by its
    // number and its start: a number that was reused is not signalled.
    let mut keepers: Vec<Holder> = chosen.iter().map(|task| task.keeper).collect();
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
    Stopped {
        stopped,
        still_running,
    }
}

/// Asks a keeper to end all that it has, and then itself; whether it heard that.
pub(super) fn ask_to_end(keeper: Holder) -> Reach {
    let process = Process {
        pid: keeper.pid,
        started: keeper.started,
    };
    signal_process(process, Signal::TERM)
}
