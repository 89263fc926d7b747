//! What the engine that owns a run is told, and when the keeper has to act for the run.

use std::time::{Duration, Instant};

use super::{Run, Stage};

/// The keeper says nothing before: a short command is told in one word, and the caller that waits
/// for it is woken once.
const FIRST_WORD: Duration = Duration::from_millis(2);
/// Growth of the log is said at most this often.
const SAY_INTERVAL: Duration = Duration::from_millis(5);
/// A command that runs longer than this is not about to end.
const SETTLING: Duration = Duration::from_millis(5);

impl Run {
    /// That it runs is due to be said: its process id.
    pub(crate) fn due_start(&mut self, now: Instant) -> Option<i32> {
        if self.told_start || self.is_beginning() || now < self.started + FIRST_WORD {
            return None;
        }
        self.start_untold()
    }

    /// Whether it has run long enough to be looked at for the first time. Most commands end before.
    pub(crate) fn is_to_be_seen(&self, now: Instant) -> bool {
        !self.is_seen && !self.is_beginning() && now >= self.started + FIRST_WORD
    }

    /// It is looked at: from now on the table of its mounts tells of a cover that is torn off.
    pub(crate) fn be_seen(&mut self) {
        self.is_seen = true;
        if let Some(place) = &mut self.place {
            place.watch_mounts();
        }
    }

    /// Whether the keeper has not looked at it while it ran.
    pub(crate) fn ends_unseen(&self) -> bool {
        !self.is_seen && !self.is_beginning()
    }

    /// Its process id, if its caller was not told yet that it runs.
    pub(crate) fn start_untold(&mut self) -> Option<i32> {
        let told = std::mem::replace(&mut self.told_start, true);
        self.first_pid.filter(|_| !told)
    }

    /// The soft limit has passed and the caller was not told yet: for how long it has run.
    pub(crate) fn due_warning(&mut self, now: Instant) -> Option<u64> {
        if self.warn_at.is_some_and(|at| now >= at) {
            self.warn_at = None;
            return Some(u64::try_from((now - self.started).as_millis()).unwrap_or(u64::MAX));
        }
        None
    }

    /// Growth of the log that is due to be said.
    pub(crate) fn unsaid(&mut self, now: Instant) -> Option<u64> {
        let bytes = self.log.bytes();
        let due = self
            .said_at
            .map_or(self.started + FIRST_WORD, |at| at + SAY_INTERVAL);
        if bytes == self.said || now < due {
            return None;
        }
        self.said = bytes;
        self.said_at = Some(now);
        Some(bytes)
    }

    /// Growth is not said now, because the caller does not read; it is looked at again later.
    pub(crate) fn postpone(&mut self, now: Instant) {
        self.said_at = Some(now);
    }

    /// From when on it counts as one that takes its time.
    pub(crate) fn settled_at(&self) -> Instant {
        self.started + SETTLING
    }

    /// When to look again even if nothing happens.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        if let Some(until) = self.searches_until() {
            return Some(until);
        }
        let stage = match self.stage {
            Stage::Running => self.deadline,
            // Soon over, also where the limit passes meanwhile.
            Stage::Draining { until } => Some(until),
            Stage::Terminating { kill_at } => Some(kill_at),
            Stage::Killing { next, .. } => Some(next),
        };
        let first = self.started + FIRST_WORD;
        let listens = self.owner.is_some() && !self.is_beginning();
        let start = (listens && !self.told_start).then_some(first);
        let say = (listens && self.log.bytes() != self.said)
            .then(|| self.said_at.map_or(first, |at| at + SAY_INTERVAL));
        let see = (!self.is_seen && !self.is_beginning()).then_some(first);
        [
            stage,
            see,
            self.warn_at.filter(|_| listens),
            start,
            say,
            Some(self.looks.at),
            self.wake_for_input(),
            self.record_at,
        ]
        .into_iter()
        .flatten()
        .min()
    }
}
