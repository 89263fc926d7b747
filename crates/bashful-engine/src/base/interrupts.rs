//! Interrupts from a person or the system, taken as requests instead of as our end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use bashful_sandbox::SignalQueue;
use rustix::process::Signal;

/// SIGINT, SIGTERM and SIGHUP, perhaps SIGQUIT, counted.
#[derive(Debug)]
pub struct Interrupts(SignalQueue);

impl Interrupts {
    /// Catches them from here on. Call it before any thread is started, because a
    /// thread that does not block a signal still gets it.
    pub fn catch() -> io::Result<Self> {
        let signals = [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw);
        SignalQueue::new(&signals).map(Self)
    }

    /// The same and SIGQUIT, for a caller that has changed the terminal and must set it right.
    pub fn catch_with_quit() -> io::Result<Self> {
        let signals = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT].map(Signal::as_raw);
        SignalQueue::new(&signals).map(Self)
    }

    /// How many came since the last question.
    pub fn take(&self) -> usize {
        std::iter::from_fn(|| self.0.next()).count()
    }
}

impl AsFd for Interrupts {
    /// Readable while there is one to take.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
