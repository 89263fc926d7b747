//! The last record of a run that the disk did not take yet.

use std::fs::File;
use std::time::{Duration, Instant};

use crate::task_directory::{State, StateFile};

/// How often it is tried, and for how long.
const INTERVAL: Duration = Duration::from_millis(250);
const PATIENCE: Duration = Duration::from_secs(60);

/// A record that is to be written. As long as there is hope the task stays ours: it is not lost.
#[derive(Debug)]
pub(crate) struct Unwritten {
    file: StateFile,
    _claim: File,
    state: State,
    /// When to try again.
    pub(crate) next: Instant,
    give_up: Instant,
}

impl Unwritten {
    pub(super) fn new(file: StateFile, claim: File, state: State, now: Instant) -> Self {
        Self {
            file,
            _claim: claim,
            state,
            next: now + INTERVAL,
            give_up: now + PATIENCE,
        }
    }

    /// Tries again if it is time; whether the record is still to be written.
    pub(crate) fn is_left(&mut self, now: Instant) -> bool {
        if now < self.next {
            return true;
        }
        self.next = now + INTERVAL;
        self.file.append(&self.state).is_err() && now < self.give_up
    }
}
