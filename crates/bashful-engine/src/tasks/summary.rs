//! One task in a few words.

use std::path::PathBuf;

use bashful_keeper::{Ending, NeedsInput, Spec, TaskDirectory};
use serde::Serialize;

use crate::base::clock::now_ms;
use crate::model::result::{Status, log_end, signal_name};
use crate::record::standing::{Standing, TaskState};

/// A task in a few words. The names in JSON are a contract; a field that does not apply is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TaskSummary {
    /// The task's id.
    pub task_id: String,
    /// Where it is in its life.
    pub state: TaskState,
    /// What it waits for, while it waits for a person or an agent to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_input: Option<NeedsInput>,
    /// Whether it has a terminal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tty: bool,
    /// How it ended, in the words of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Its exit code, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGKILL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Why it ended, unless it did by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The command as asked.
    pub command: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name that may be used instead of its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The agent that asked for it.
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
    /// How many bytes it has printed so far, whether the log has them or not.
    pub output_bytes: u64,
    /// How many bytes its log has.
    pub log_bytes: u64,
    /// Why the log has less than was printed: `quota` or `write_failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_end: Option<&'static str>,
    /// How many bytes the log lacks; while it runs, as of a moment ago.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_bytes: Option<u64>,
    /// When it started, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// For how long it has run, while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// How long it ran, once that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// What is known of a task that was lost.
const LOST: &str = "its keeper died or the machine was restarted, and the task with it; how far it got is not known beyond its log";

/// Why a task ended, unless it did by itself.
const fn reason(ending: Ending) -> Option<&'static str> {
    Some(match ending {
        Ending::Exited => return None,
        Ending::TimedOut => "its time ran out",
        Ending::Cancelled => "it was ended on request",
        Ending::CallerGone => "the caller that waited for it went away",
        Ending::LogFull => "its log was full, and it was set to stop then",
        Ending::KeeperStopped => "its keeper was told to end",
        Ending::OutOfCpuTime => "it had used up its processor time",
        Ending::OverLimit => "it took more than a limit allows",
        Ending::Unprotected => "a protected place in it was replaced outside",
        Ending::Exposed => "a secret appeared where it could have read it",
        Ending::DirectoryRemoved => "its directory was removed",
    })
}

/// What a task waits for, in words. The line is the task's own; nothing in it can draw.
pub(crate) fn question(asked: &NeedsInput) -> String {
    let line: String = asked.line.chars().filter(|c| !c.is_control()).collect();
    let what = if asked.hidden { "a password" } else { "input" };
    format!("it waits for {what}: {line}")
}

impl TaskSummary {
    /// What it waits for, in words, while it waits for a person or an agent to type.
    pub fn question(&self) -> Option<String> {
        self.needs_input.as_ref().map(question)
    }

    pub(super) fn new(directory: &TaskDirectory, spec: &Spec, standing: &Standing) -> Self {
        let record = standing.record.as_ref();
        let ended = record.filter(|_| standing.state == TaskState::Finished);
        let started_at_ms = record.map_or(spec.created_at_ms, |record| record.started_at_ms);
        let log_bytes = std::fs::metadata(directory.log()).map_or(0, |about| about.len());
        let printed = record.map(|record| record.output.stdout_bytes + record.output.stderr_bytes);
        let printed = printed.unwrap_or(0);
        let missing = record
            .map(|record| record.output.omitted_bytes)
            .filter(|bytes| *bytes > 0);
        Self {
            task_id: spec.id.to_string(),
            state: standing.told(directory),
            needs_input: record
                .filter(|_| standing.state == TaskState::NeedsInput)
                .and_then(|record| record.needs_input.clone()),
            tty: spec.terminal.is_some(),
            status: match standing.state {
                TaskState::Finished => ended.map(Status::of),
                TaskState::Lost => Some(Status::Broken),
                TaskState::Waiting | TaskState::Running | TaskState::NeedsInput => None,
            },
            exit_code: ended.and_then(|record| record.exit_code),
            signal: ended.and_then(|record| record.signal).map(signal_name),
            reason: match standing.state {
                TaskState::Lost => Some(LOST),
                _ => ended.and_then(|record| record.ending).and_then(reason),
            },
            command: spec.command.clone(),
            description: spec.description.clone(),
            name: spec.name.clone(),
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
            output_bytes: match ended {
                Some(_) => printed,
                // As long as the log takes everything, it knows best.
                None => printed.max(log_bytes),
            },
            log_bytes,
            log_end: record.and_then(log_end),
            missing_bytes: missing,
            started_at_ms,
            elapsed_ms: (!standing.state.is_over()).then(|| now_ms().saturating_sub(started_at_ms)),
            duration_ms: ended
                .and_then(|record| record.duration_us)
                .map(|lasted| lasted / 1000),
        }
    }
}
