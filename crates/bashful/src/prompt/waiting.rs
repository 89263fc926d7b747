//! Waiting for a key, while the ask may be settled elsewhere or an interrupt may end us.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use bashful_engine::Interrupts;
use bashful_engine::approvals::Pending;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::terminal::Terminal;

/// How often we look whether an ask still waits, hint or not.
const GLANCE: Duration = Duration::from_secs(1);

/// What ended a wait.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// The person typed.
    Typed(Vec<u8>),
    /// The ask is settled.
    Settled,
    /// We are to end; the interrupt is still there to be taken.
    Interrupted,
    /// The terminal is gone.
    HungUp,
    /// The time that was given has passed.
    Quiet,
}

/// All that a question waits for.
pub(crate) struct Waiting<'a> {
    pub(super) terminal: &'a Terminal,
    pending: Option<&'a dyn Pending>,
    interrupts: Option<&'a Interrupts>,
}

impl<'a> Waiting<'a> {
    pub(crate) fn new(
        terminal: &'a Terminal,
        pending: Option<&'a dyn Pending>,
        interrupts: Option<&'a Interrupts>,
    ) -> Self {
        Self {
            terminal,
            pending,
            interrupts,
        }
    }

    /// Waits for whatever comes first, keys included.
    pub(super) fn for_keys(&self, patience: Option<Duration>) -> Wake {
        self.wait(patience, PollFlags::IN)
    }

    /// Waits without looking at keys.
    pub(crate) fn without_keys(&self, patience: Duration) -> Wake {
        self.wait(Some(patience), PollFlags::empty())
    }

    fn wait(&self, patience: Option<Duration>, keys: PollFlags) -> Wake {
        let began = Instant::now();
        let mut looked: Option<Instant> = None;
        loop {
            if looked.is_none_or(|at| at.elapsed() >= GLANCE) {
                if self.pending.is_some_and(|pending| !pending.is_open()) {
                    return Wake::Settled;
                }
                looked = Some(Instant::now());
            }
            let left = patience.map(|patience| patience.saturating_sub(began.elapsed()));
            let (terminal, hint, signal) =
                self.poll(left.map_or(GLANCE, |it| it.min(GLANCE)), keys);
            if !signal.is_empty() {
                return Wake::Interrupted;
            }
            if !hint.is_empty() {
                if let Some(pending) = self.pending {
                    pending.take_hint();
                }
                looked = None;
                continue;
            }
            if terminal.contains(PollFlags::IN) {
                return self.terminal.read().map_or(Wake::HungUp, Wake::Typed);
            }
            if terminal.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
                return Wake::HungUp;
            }
            if left.is_some_and(|left| left.is_zero()) {
                return Wake::Quiet;
            }
        }
    }

    /// What happened at the terminal, the hint and the interrupts.
    fn poll(&self, patience: Duration, keys: PollFlags) -> (PollFlags, PollFlags, PollFlags) {
        let hint = self.pending.and_then(Pending::hint);
        let signal = self.interrupts.map(AsFd::as_fd);
        let mut polled = vec![PollFd::new(self.terminal, keys)];
        polled.extend(hint.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        polled.extend(signal.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        let patience = Timespec::try_from(patience).ok();
        if poll(&mut polled, patience.as_ref()).is_err() {
            // Interrupted by a signal that we do not queue: look again.
            return (PollFlags::empty(), PollFlags::empty(), PollFlags::empty());
        }
        let mut found = polled.iter().map(PollFd::revents);
        let mut next = |is_there: bool| {
            let found = is_there.then(|| found.next()).flatten();
            found.unwrap_or(PollFlags::empty())
        };
        (next(true), next(hint.is_some()), next(signal.is_some()))
    }
}
