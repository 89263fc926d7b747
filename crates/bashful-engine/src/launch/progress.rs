//! What is known of a run while it goes on, for the callers that wait.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bashful_keeper::{Answer, Fault, NeedsInput, State};
use tokio::sync::Notify;

/// What the keeper said of a run.
#[derive(Debug)]
pub(crate) enum News {
    Started(i32),
    Grew(u64),
    SoftTimeout(Duration),
    /// It waits for input, or no longer does.
    Wants(Option<NeedsInput>),
    /// What became of a request to the run.
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
    /// What became of a request to the run.
    pub(crate) answer: Option<Answer>,
    pub(crate) outcome: Option<Outcome>,
}

/// A picture that threads and tasks can wait on.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    picture: Mutex<Picture>,
    for_threads: Condvar,
    /// How many threads sleep; changed with the picture locked.
    sleepers: AtomicUsize,
    for_tasks: Notify,
    /// For tasks that wait for the end alone, so that nothing else wakes them.
    ended: Notify,
}

impl Progress {
    pub(crate) fn push(&self, news: News) {
        let is_over = {
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
            self.wake_threads();
            picture.outcome.is_some()
        };
        self.for_tasks.notify_waiters();
        if is_over {
            self.ended.notify_waiters();
        }
    }

    /// Waits until `look` finds what it looks for in the picture.
    pub(crate) async fn wait<T>(&self, look: impl FnMut(&Picture) -> Option<T>) -> T {
        self.until(&self.for_tasks, look).await
    }

    /// Waits for the end.
    pub(crate) async fn end(&self) -> Outcome {
        self.until(&self.ended, |picture| picture.outcome.clone())
            .await
    }

    async fn until<T>(&self, changes: &Notify, mut look: impl FnMut(&Picture) -> Option<T>) -> T {
        loop {
            let mut change = pin!(changes.notified());
            // Registered before the look, so that no change slips between the two.
            change.as_mut().enable();
            if let Some(found) = look(&self.lock()) {
                return found;
            }
            change.await;
        }
    }

    /// Sleeps until the picture changes or the time has come.
    pub(crate) fn sleep<'a>(
        &self,
        picture: MutexGuard<'a, Picture>,
        until: Option<Instant>,
    ) -> MutexGuard<'a, Picture> {
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        let picture = match until {
            None => self
                .for_threads
                .wait(picture)
                .unwrap_or_else(PoisonError::into_inner),
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                let slept = self.for_threads.wait_timeout(picture, left);
                slept.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
        picture
    }

    /// Wakes sleeping threads, with the picture locked, so that no thread is between looking and
    /// sleeping. Where there is none, the kernel is not asked.
    fn wake_threads(&self) {
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            self.for_threads.notify_all();
        }
    }

    /// Wakes sleeping threads so that they look around.
    pub(crate) fn poke(&self) {
        let _picture = self.lock();
        self.wake_threads();
    }

    /// The outcome, if it is known.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.lock().outcome.clone()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Picture> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};

    use super::*;

    /// Counts how often it is woken.
    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn who_waits_for_the_end_is_woken_by_nothing_else() {
        let progress = Progress::default();
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut context = Context::from_waker(&waker);
        let mut end = pin!(progress.end());
        assert!(end.as_mut().poll(&mut context).is_pending());
        progress.push(News::Started(1));
        progress.push(News::Grew(10));
        assert_eq!(count.0.load(Ordering::Relaxed), 0);
        progress.push(News::Lost);
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        let ended = end.as_mut().poll(&mut context);
        assert!(matches!(ended, Poll::Ready(Outcome::Lost)));
        // A caller that comes later finds it.
        let late = pin!(progress.end()).poll(&mut context);
        assert!(late.is_ready());
    }

    #[test]
    fn a_sleeping_thread_is_woken() {
        let progress = Progress::default();
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| {
                let mut picture = progress.lock();
                while picture.pid.is_none() {
                    picture = progress.sleep(picture, None);
                }
                picture.pid
            });
            while progress.sleepers.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            progress.push(News::Started(7));
            assert_eq!(sleeper.join().unwrap(), Some(7));
        });
        assert_eq!(progress.sleepers.load(Ordering::Relaxed), 0);
    }
}
