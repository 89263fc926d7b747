//! What runs on this machine for this user, read from the task directories.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bashful_keeper::{Holder, Phase, TaskDirectory, TaskId};
use bashful_sandbox::{Process, signal_process};
use rustix::process::Signal;
use serde::Serialize;

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
    let Ok(entries) = fs::read_dir(state.join("tasks")) else {
        return Vec::new();
    };
    let mut ids: Vec<TaskId> = entries
        .flatten()
        .filter_map(|entry| TaskId::parse(entry.file_name().to_str()?))
        .collect();
    ids.sort();
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
    let record = directory
        .read_state()
        .ok()
        .flatten()
        .filter(|record| record.phase == Phase::Running)?;
    let spec = directory.read_spec().ok()?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let elapsed = now.saturating_sub(Duration::from_millis(record.started_at_ms));
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
        elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        keeper: record.keeper,
    })
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
        signal_process(
            Process {
                pid: keeper.pid,
                started: keeper.started,
            },
            Signal::TERM,
        );
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
