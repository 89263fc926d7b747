//! What is known of a run while it goes on, for whoever waits.

use std::pin::pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bashful_keeper::{Answer, Fault, NeedsInput, State};
use tokio::sync::Notify;

/// Something the keeper said of a run.
#[derive(Debug)]
pub(crate) enum News {
    Started(i32),
    Grew(u64),
    SoftTimeout(Duration),
    /// It waits for input, or no longer does.
    Wants(Option<NeedsInput>),
    /// What became of something that was asked of it.
    Answered(Answer),
    Refused(Fault),
    Finished(Box<State>),
    /// The keeper went away.
    Lost,
}

/// How a run ended, as far as the keeper could say.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Refused(Fault),
    Finished(Box<State>),
    Lost,
}

/// The picture as it stands. Growth replaces growth, so it never gets larger.
#[derive(Debug, Default, Clone)]
pub(crate) struct Picture {
    pub(crate) pid: Option<i32>,
    pub(crate) log_bytes: u64,
    pub(crate) soft_timeout: Option<Duration>,
    /// What it waits for.
    pub(crate) needs_input: Option<NeedsInput>,
    /// What became of something that was asked of it.
    pub(crate) answer: Option<Answer>,
    pub(crate) outcome: Option<Outcome>,
}

/// A picture that threads and tasks can wait on.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    picture: Mutex<Picture>,
    for_threads: Condvar,
    for_tasks: Notify,
}

impl Progress {
    pub(crate) fn push(&self, news: News) {
        {
            let mut picture = self.lock();
            match news {
                News::Started(pid) => picture.pid = Some(pid),
                News::Grew(bytes) => picture.log_bytes = bytes,
                News::SoftTimeout(elapsed) => picture.soft_timeout = Some(elapsed),
                News::Wants(needs_input) => picture.needs_input = needs_input,
                News::Answered(answer) => picture.answer = Some(answer),
                News::Refused(fault) => picture.outcome = Some(Outcome::Refused(fault)),
                News::Finished(state) => {
                    picture.log_bytes = state.output.log_bytes;
                    picture.outcome = Some(Outcome::Finished(state));
                }
                News::Lost => {
                    picture.outcome.get_or_insert(Outcome::Lost);
                }
            }
        }
        self.for_threads.notify_all();
        self.for_tasks.notify_waiters();
    }

    /// Waits until `look` finds something in the picture.
    pub(crate) async fn wait<T>(&self, mut look: impl FnMut(&Picture) -> Option<T>) -> T {
        loop {
            let mut change = pin!(self.for_tasks.notified());
            // Registered before the look, so that no change slips between the two.
            change.as_mut().enable();
            if let Some(found) = look(&self.lock()) {
                return found;
            }
            change.await;
        }
    }

    /// Sleeps until something changes or the time has come.
    pub(crate) fn sleep<'a>(
        &self,
        picture: MutexGuard<'a, Picture>,
        until: Option<Instant>,
    ) -> MutexGuard<'a, Picture> {
        let Some(until) = until else {
            return self
                .for_threads
                .wait(picture)
                .unwrap_or_else(PoisonError::into_inner);
        };
        let left = until.saturating_duration_since(Instant::now());
        let slept = self.for_threads.wait_timeout(picture, left);
        slept.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Wakes sleeping threads so that they look around.
    pub(crate) fn poke(&self) {
        // With the lock held, so that nobody is between looking and sleeping.
        let _picture = self.lock();
        self.for_threads.notify_all();
    }

    /// The outcome, if it is known.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.lock().outcome.clone()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Picture> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
