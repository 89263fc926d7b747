//! The last record of a run: how it ended, or that nothing was started after all.

use std::sync::atomic::{AtomicBool, Ordering};

use bashful_keeper::{TaskDirectory, TaskId};

use crate::ask::approvals::ApprovalQueue;
use crate::base::clock::millis;
use crate::model::grant::Grant;
use crate::model::result::{ExecutionResult, RequestInfo};
use crate::record::audit::{Ended, Event, OutputDigest, Starting, Trail};
use crate::record::log_digest::log_digest;

/// The last record of a run, which is written once.
#[derive(Debug)]
pub(crate) struct EndRecord {
    trail: Trail,
    /// The grant of one call that the run was to use up.
    claimed: Option<String>,
    written: AtomicBool,
}

impl EndRecord {
    /// The last record of a run that is to use up this grant.
    pub(super) fn new(trail: Trail, claimed: Option<&Grant>) -> Self {
        Self {
            trail,
            claimed: claimed.map(|grant| grant.id.clone()),
            written: AtomicBool::new(false),
        }
    }

    /// Puts the end of a run on record; whether it is there. That it cannot be written does not take
    /// the result away; it is written later, from the task directory.
    pub(crate) fn end(&self, result: &ExecutionResult, directory: &TaskDirectory) -> bool {
        if self.written.swap(true, Ordering::AcqRel) {
            return true;
        }
        let Some(task) = result.task_id.clone() else {
            return true;
        };
        let ended = Ended {
            task,
            agent: result.agent.clone(),
            session: result.session.clone(),
            status: result.status.as_str().to_owned(),
            exit_code: result.exit_code,
            signal: result.signal.clone(),
            duration_ms: millis(result.duration),
            slow: result.slow,
            output: OutputDigest {
                stdout_bytes: result.stdout_bytes,
                stderr_bytes: result.stderr_bytes,
                sha256: log_digest(directory, result.stdout_bytes + result.stderr_bytes),
            },
            violations: result.sandbox_violations.clone(),
            network: result.connections.clone(),
            error: result.error.clone(),
            late: false,
        };
        self.trail.append(&[Event::End(Box::new(ended))]).is_ok()
    }

    /// Whether it is written, or being written.
    pub(crate) fn is_written(&self) -> bool {
        self.written.load(Ordering::Acquire)
    }

    /// Nothing was started after all, though that is what the record says.
    pub(crate) fn not_started(&self, task: &TaskId, info: &RequestInfo, error: &str) {
        if self.written.swap(true, Ordering::AcqRel) {
            return;
        }
        let start = Starting {
            task: task.to_string(),
            agent: info.agent.clone(),
            session: info.session.clone(),
            claimed: self.claimed.clone(),
        };
        let ended = Ended::broken(&start, error);
        drop(self.trail.append(&[Event::End(Box::new(ended))]));
        if let Some(grant) = &self.claimed {
            // It was for one run, and there was none. That it cannot be given back is no worse
            // than asking again.
            let queue = ApprovalQueue::at(self.trail.state());
            drop(queue.and_then(|queue| queue.release(grant, task.as_str())));
        }
    }
}
