//! How waiting for a server went, as every front end tells it.

use std::time::Duration;

use serde::Serialize;

use super::error::TaskError;
use super::read::ReadRequest;
use super::ready::Ready;
use super::summary::{TaskSummary, question};
use super::task::Task;
use crate::base::clock::millis;
use crate::record::standing::TaskState;

/// How waiting for a server went. The names in JSON are a contract; a field that does not apply is
/// absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Readied {
    /// Whether it is up.
    pub ready: bool,
    /// The same, as every answer has it.
    pub success: bool,
    /// How long that was waited for.
    pub ready_after_ms: u64,
    /// The line that shows that it is up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_line: Option<String>,
    /// Where the task is in its life.
    pub state: TaskState,
    /// Its exit code, if it ended first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it, if it ended first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Why it is not up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last that it printed, if it is not up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_output: Option<String>,
}

/// How many of its last lines are shown of a server that did not come up.
const LAST_LINES: usize = 20;
/// How many bytes of these lines are shown at most.
const LAST_BYTES: usize = 8 << 10;

impl Readied {
    /// What waiting for this long brought; `ready` is none if the caller stopped waiting.
    pub fn of(task: &Task, ready: Option<Ready>, after: Duration) -> Result<Self, TaskError> {
        let mut told = Self {
            ready: false,
            success: false,
            ready_after_ms: millis(after),
            ready_line: None,
            state: TaskState::Running,
            exit_code: None,
            signal: None,
            reason: None,
            last_output: None,
        };
        match ready {
            Some(Ready::Up { line }) => {
                (told.ready, told.success) = (true, true);
                told.ready_line = line;
                return Ok(told);
            }
            Some(Ready::Ended(summary)) => {
                let reason = format!("it ended before it was ready: {}", how(&summary));
                told.reason = Some(reason);
                told.state = summary.state;
                (told.exit_code, told.signal) = (summary.exit_code, summary.signal);
            }
            Some(Ready::TimedOut {
                port_is_taken,
                needs_input,
            }) => {
                told.reason = Some(match &needs_input {
                    Some(asked) => question(asked),
                    None if port_is_taken => "another process has the port".to_owned(),
                    None => "nothing showed that it is ready".to_owned(),
                });
                if needs_input.is_some() {
                    told.state = TaskState::NeedsInput;
                }
            }
            None => told.reason = Some("the caller no longer waits for it".to_owned()),
        }
        let request = ReadRequest::after(0).tail(LAST_LINES).max_bytes(LAST_BYTES);
        told.last_output = Some(task.read(&request)?.text());
        Ok(told)
    }
}

/// How a task ended, in a few words.
fn how(summary: &TaskSummary) -> String {
    match (summary.reason, summary.exit_code, &summary.signal) {
        (Some(reason), ..) => reason.to_owned(),
        (None, Some(code), _) => format!("exit code {code}"),
        (None, None, Some(signal)) => signal.clone(),
        (None, None, None) => summary.state.as_str().to_owned(),
    }
}
