//! Ending a task, whichever engine started it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bashful_keeper::{Holder, State, TaskDirectory, TaskId};
use bashful_sandbox::Reach;

use super::damaged::holder;
use super::error::{TaskError, shortened};
use super::running::{ask_to_end, held_by};
use super::summary::TaskSummary;
use super::task::Task;
use super::wait::{Waited, block_on};
use crate::engine::Engine;
use crate::launch::client::cancel_at;
use crate::record::standing::TaskState;

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
    /// It was told to end, and has not: a process in it cannot be ended.
    StillRunning(Box<TaskSummary>),
}

impl Engine {
    /// Ends the task with this id, whose record cannot be read so that there is no [`Task`] of it,
    /// and waits on this thread until it has ended. One that does not run is left as it is.
    pub fn kill_damaged(&self, id: &str) -> Result<(), TaskError> {
        let text = || shortened(id);
        let known = TaskId::parse(id).ok_or_else(|| TaskError::Malformed { text: text() })?;
        self.end_damaged(&known)
    }

    /// Ends a running task whose record cannot be read. Only its keeper as a whole can be told,
    /// and only if it keeps nothing else.
    pub(super) fn end_damaged(&self, id: &TaskId) -> Result<(), TaskError> {
        let directory = TaskDirectory::of(self.state_directory(), id);
        let until = Instant::now() + DAMAGED_PATIENCE;
        let Some(keeper) = holder(&directory) else {
            return if directory.is_owned() {
                Err(TaskError::Unreachable {
                    task: id.to_string(),
                    private: false,
                    source: None,
                })
            } else {
                Ok(())
            };
        };
        let others = self.others_of(keeper, id)?;
        if others > 0 || ask_to_end(keeper) == Reach::Forbidden {
            return Err(TaskError::OutOfReach {
                task: id.to_string(),
                keeper: keeper.pid,
                others,
                agent: None,
            });
        }
        while directory.is_owned() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// How many tasks besides this one a keeper has.
    fn others_of(&self, keeper: Holder, id: &TaskId) -> Result<usize, TaskError> {
        let held = held_by(self.state_directory(), keeper);
        let held = held.map_err(|source| self.unreadable_tasks(source))?;
        let others = held.iter().filter(|task| task.task_id != id.as_str());
        Ok(others.count())
    }
}

/// How long a keeper tries to kill what does not die, and some air.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long one has whose grace is not known.
const DAMAGED_PATIENCE: Duration = Duration::from_secs(12);
/// How long a task that is about to start has for that.
const STARTING: Duration = Duration::from_secs(5);

impl Task {
    /// Ends the task, and waits on this thread until it has ended.
    pub fn kill(&self, kill: Kill) -> Result<Killed, TaskError> {
        block_on(self.kill_async(kill))
    }

    /// The same in a future, on any executor.
    pub async fn kill_async(&self, kill: Kill) -> Result<Killed, TaskError> {
        if matches!(self.state(), Err(TaskError::Directory { .. })) {
            let task = self.clone();
            self.on_thread(move || task.engine.end_damaged(&task.id))
                .await??;
            return Ok(Killed::Ended(Box::new(self.summary()?)));
        }
        if self.state()?.is_over() {
            self.note_end().await?;
            return Ok(Killed::AlreadyEnded(Box::new(self.summary()?)));
        }
        let task = self.clone();
        self.on_thread(move || task.order_end(kill)).await??;
        let grace = Duration::from_millis(self.spec.term_grace_ms).min(Duration::from_secs(600));
        let waited = self.wait_async(Instant::now() + grace + PATIENCE).await?;
        let summary = Box::new(self.summary()?);
        Ok(match waited {
            Waited::Ended => Killed::Ended(summary),
            Waited::StillRunning => Killed::StillRunning(summary),
        })
    }

    /// Tells the keeper that has it to end it.
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

    pub(super) fn socket(&self, record: &State) -> Option<PathBuf> {
        // Only a keeper that holds the task is asked, wherever the path leads.
        record.socket.clone().filter(|_| self.directory.is_owned())
    }

    /// The record of a task that runs; none if it has ended meanwhile.
    pub(super) fn begun(&self) -> Result<Option<State>, TaskError> {
        let until = Instant::now() + STARTING;
        loop {
            let standing = self.standing()?;
            match (standing.state, standing.record) {
                (TaskState::Running | TaskState::NeedsInput, Some(record)) => {
                    return Ok(Some(record));
                }
                (TaskState::Waiting, _) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                _ => return Ok(None),
            }
        }
    }

    /// A keeper that keeps this task only ends with it.
    fn signal_keeper(&self, keeper: Holder) -> Result<(), TaskError> {
        let others = self.engine.others_of(keeper, &self.id)?;
        let told = others == 0 && ask_to_end(keeper) != Reach::Forbidden;
        if told || self.state()?.is_over() {
            return Ok(());
        }
        Err(TaskError::OutOfReach {
            task: self.id.to_string(),
            keeper: keeper.pid,
            others,
            agent: Some(self.spec.agent.clone()),
        })
    }
}
