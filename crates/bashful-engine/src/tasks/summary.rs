//! One task in a few words.

use std::path::PathBuf;

use bashful_keeper::{Spec, TaskDirectory};
use serde::Serialize;

use super::standing::{Standing, TaskState};
use crate::clock::now_ms;
use crate::result::{Status, signal_name};

/// A task in a few words. The names in JSON are a contract; a field that does not apply is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TaskSummary {
    /// Its id.
    pub task_id: String,
    /// Where it is in its life.
    pub state: TaskState,
    /// How it ended, in the words of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Its exit code, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGKILL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// The command as asked.
    pub command: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who asked.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The caller's name for this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// The writable root.
    pub workspace: PathBuf,
    /// Its working directory.
    pub cwd: PathBuf,
    /// The process id of its leader, while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// The task that left these processes behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adopted_from: Option<String>,
    /// The complete log.
    pub output_file: PathBuf,
    /// How many bytes it has printed so far.
    pub output_bytes: u64,
    /// When it started, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// For how long it has run, while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// How long it ran, once that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl TaskSummary {
    pub(super) fn new(directory: &TaskDirectory, spec: &Spec, standing: &Standing) -> Self {
        let record = standing.record.as_ref();
        let ended = record.filter(|_| standing.state == TaskState::Finished);
        let started_at_ms = record.map_or(spec.created_at_ms, |record| record.started_at_ms);
        let in_log = || std::fs::metadata(directory.log()).map_or(0, |about| about.len());
        Self {
            task_id: spec.id.to_string(),
            state: standing.state,
            status: match standing.state {
                TaskState::Finished => ended.map(Status::of),
                TaskState::Lost => Some(Status::Broken),
                TaskState::Waiting | TaskState::Running => None,
            },
            exit_code: ended.and_then(|record| record.exit_code),
            signal: ended.and_then(|record| record.signal).map(signal_name),
            command: spec.command.clone(),
            description: spec.description.clone(),
            agent: spec.agent.clone(),
            session: spec.session.clone(),
            operation_id: spec.operation_id.clone(),
            workspace: spec.workspace.clone(),
            cwd: spec.cwd.clone(),
            pid: record
                .filter(|_| !standing.state.is_over())
                .and_then(|record| record.pid),
            adopted_from: spec.adopted_from.as_ref().map(ToString::to_string),
            output_file: directory.log(),
            output_bytes: ended.map_or_else(in_log, |record| {
                record.output.stdout_bytes + record.output.stderr_bytes
            }),
            started_at_ms,
            elapsed_ms: (!standing.state.is_over()).then(|| now_ms().saturating_sub(started_at_ms)),
            duration_ms: ended
                .and_then(|record| record.duration_us)
                .map(|lasted| lasted / 1000),
        }
    }
}
