//! Ending a task, whoever started it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bashful_keeper::{Holder, State};
use bashful_sandbox::Reach;

use super::error::TaskError;
use super::running::{ask_to_end, held_by};
use super::standing::TaskState;
use super::summary::TaskSummary;
use super::task::Task;
use super::wait::{Waited, block_on};
use crate::client::cancel_at;

/// How to end a task. Both end its whole process tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kill {
    /// SIGTERM, the task's grace period, SIGKILL.
    Politely,
    /// SIGKILL. A keeper that can be reached by a signal only still asks politely first.
    Now,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Killed {
    /// It has ended.
    Ended(Box<TaskSummary>),
    /// It had ended before.
    AlreadyEnded(Box<TaskSummary>),
    /// It was told to end, and has not: something in it cannot be ended.
    StillRunning(Box<TaskSummary>),
}

/// How long a keeper tries to kill what does not die, and some air.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long a task that is about to start has for that.
const STARTING: Duration = Duration::from_secs(5);

impl Task {
    /// Ends the task, and waits on this thread until it has ended.
    pub fn kill(&self, kill: Kill) -> Result<Killed, TaskError> {
        block_on(self.kill_async(kill))
    }

    /// The same in a future, on any executor.
    pub async fn kill_async(&self, kill: Kill) -> Result<Killed, TaskError> {
        if self.state()?.is_over() {
            self.note_end().await?;
            return Ok(Killed::AlreadyEnded(Box::new(self.summary()?)));
        }
        let task = self.clone();
        self.aside(move || task.order_end(kill)).await??;
        let grace = Duration::from_millis(self.spec.term_grace_ms).min(Duration::from_secs(600));
        let waited = self.wait_async(Instant::now() + grace + PATIENCE).await?;
        let summary = Box::new(self.summary()?);
        Ok(match waited {
            Waited::Ended => Killed::Ended(summary),
            Waited::StillRunning => Killed::StillRunning(summary),
        })
    }

    /// Tells whoever keeps it to end it.
    fn order_end(&self, kill: Kill) -> Result<(), TaskError> {
        let now = kill == Kill::Now;
        if let Some(client) = self.engine.runs().client(&self.id)
            && client.is_open()
        {
            client.cancel(&self.id, now);
            return Ok(());
        }
        let Some(record) = self.begun()? else {
            return Ok(());
        };
        if let Some(socket) = self.socket(&record) {
            let told = cancel_at(&socket, self.engine.state_directory(), &self.id, now);
            // One that cannot be talked to, perhaps of another version, may be signalled.
            if told.is_ok() || self.state()?.is_over() {
                return Ok(());
            }
        }
        self.signal_keeper(record.keeper)
    }

    fn socket(&self, record: &State) -> Option<PathBuf> {
        // Only a keeper that holds the task is asked, wherever the path leads.
        record.socket.clone().filter(|_| self.directory.is_owned())
    }

    /// The record of a task that runs; none if it has ended meanwhile.
    fn begun(&self) -> Result<Option<State>, TaskError> {
        let until = Instant::now() + STARTING;
        loop {
            let standing = self.standing()?;
            match (standing.state, standing.record) {
                (TaskState::Running, Some(record)) => return Ok(Some(record)),
                (TaskState::Waiting, _) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                _ => return Ok(None),
            }
        }
    }

    /// A keeper that keeps this task only ends with it.
    fn signal_keeper(&self, keeper: Holder) -> Result<(), TaskError> {
        let held = held_by(self.engine.state_directory(), keeper);
        let others = held.iter().filter(|task| task.task_id != self.id());
        let others = others.count();
        let told = others == 0 && ask_to_end(keeper) != Reach::Forbidden;
        if told || self.state()?.is_over() {
            return Ok(());
        }
        Err(TaskError::OutOfReach {
            task: self.id.to_string(),
            keeper: keeper.pid,
            others,
            agent: self.spec.agent.clone(),
        })
    }
}
