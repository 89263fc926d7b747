//! Waiting for the end of a task.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Instant;

use super::error::TaskError;
use super::task::Task;
use crate::record::standing::TaskState;
use crate::run::watch::Interest;

/// What waiting for a task brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// It has ended.
    Ended,
    /// The time was up first, or it was not to be waited for any longer.
    StillRunning,
}

impl Task {
    /// Waits on this thread until the task has ended, or until this time.
    pub fn wait(&self, until: Instant) -> Result<Waited, TaskError> {
        block_on(self.wait_async(until))
    }

    /// The same in a future, on any executor.
    pub async fn wait_async(&self, until: Instant) -> Result<Waited, TaskError> {
        self.wait_while(until, |_| true).await
    }

    /// The same, but a task that waits for a person or an agent to type is not waited for.
    pub fn wait_unless_asked(&self, until: Instant) -> Result<Waited, TaskError> {
        block_on(self.wait_unless_asked_async(until))
    }

    /// The same in a future, on any executor.
    pub async fn wait_unless_asked_async(&self, until: Instant) -> Result<Waited, TaskError> {
        let goes = |state| state != TaskState::NeedsInput;
        self.wait_while(until, goes).await
    }

    async fn wait_while(
        &self,
        until: Instant,
        worth: impl Fn(TaskState) -> bool,
    ) -> Result<Waited, TaskError> {
        let mut bell = None;
        loop {
            let state = self.standing()?.state;
            if state.is_over() {
                self.note_end().await?;
                return Ok(Waited::Ended);
            }
            if !worth(state) || until <= Instant::now() {
                return Ok(Waited::StillRunning);
            }
            match &bell {
                // It may have ended before there was a bell: look once more.
                None => bell = Some(self.bell(Interest::End)?),
                Some(bell) => bell.rung(until).await,
            }
        }
    }
}

/// Drives a future on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Parked(Thread);
    impl Wake for Parked {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Parked(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
