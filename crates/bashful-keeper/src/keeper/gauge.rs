//! Looking after what runs take of the machine, where no control group does.
//!
//! As long as the machine as a whole uses no more, no run does: the keeper reads one short file,
//! however many runs there are. Only when use grows does it look at their processes. The less is
//! left to a limit, the sooner comes the next look.

use std::time::{Duration, Instant};

use bashful_sandbox::{MemoryInUse, Nameless};

use super::Keeper;
use crate::run::{Disks, Run};

/// Most commands have ended by then, and cost nothing.
const FIRST_LOOK: Duration = Duration::from_millis(50);
/// Looks are no closer than this, and no farther apart than that.
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST_FOR_MEMORY: Duration = Duration::from_millis(500);
const LONGEST_FOR_DISKS: Duration = Duration::from_secs(1);
/// Bytes that processes can take in a second, roughly.
const FASTEST: u64 = 4 << 30;

/// How the machine stood.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    /// When to look next; none while nothing is to be looked after.
    at: Option<Instant>,
    /// At the last closer look, or less since.
    memory: MemoryInUse,
    /// The least memory in shared files since a run's memory has been watched.
    least_shared: Option<u64>,
}

impl Gauge {
    pub(super) fn at(&self) -> Option<Instant> {
        self.at
    }
}

impl Keeper {
    /// Looks at what runs take, if it is time, and ends those that take too much.
    pub(super) fn watch_consumption(&mut self, now: Instant) {
        let new = self.runs.values().filter_map(Run::unmeasured_since).min();
        let first = new.map(|started| started + FIRST_LOOK);
        let Some(at) = self.gauge.at.into_iter().chain(first).min() else {
            return;
        };
        self.gauge.at = Some(at);
        if now >= at {
            let memory = self.watch_memory(now);
            let next = memory.into_iter().chain(self.watch_disks(now)).min();
            self.gauge.at = next.map(|wait| now + wait.max(SHORTEST));
        }
    }

    /// How soon to look again; none if there is nothing to look after.
    fn watch_memory(&mut self, now: Instant) -> Option<Duration> {
        let limits = self.runs.values().filter_map(Run::uncounted_memory);
        let Some(smallest) = limits.min() else {
            self.gauge.least_shared = None;
            return None;
        };
        let gauge = &mut self.gauge;
        let Some(in_use) = MemoryInUse::now() else {
            return Some(LONGEST_FOR_MEMORY);
        };
        let least = gauge.least_shared.unwrap_or(u64::MAX).min(in_use.shared);
        gauge.least_shared = Some(least);
        let grown = in_use.total().saturating_sub(gauge.memory.total());
        let has_new = self.runs.values().any(Run::is_unmeasured);
        if has_new || grown >= smallest / 16 {
            gauge.memory = in_use;
            let nameless = match in_use.shared - least {
                grown if grown >= smallest / 8 => Nameless::Count { grown },
                _ => Nameless::Skip,
            };
            for run in self.runs.values_mut() {
                run.measure_memory(now, nameless);
            }
        } else if in_use.total() < gauge.memory.total() {
            gauge.memory = in_use;
        }
        let left = self.runs.values().filter_map(Run::memory_left).min();
        left.map(time_for).map(|wait| wait.min(LONGEST_FOR_MEMORY))
    }
}

impl Keeper {
    /// The same for what runs add to disks: each disk is asked once, and the processes of a run
    /// only where a disk that it writes to has become that much fuller.
    fn watch_disks(&mut self, now: Instant) -> Option<Duration> {
        let mut disks = Disks::default();
        let runs = self.runs.values_mut();
        let left = runs.filter_map(|run| run.measure_disks(now, &mut disks));
        let wait = left.min().map(time_for);
        wait.map(|wait| wait.min(LONGEST_FOR_DISKS))
    }
}

/// The least time in which processes can fill this many bytes.
fn time_for(bytes: u64) -> Duration {
    Duration::from_millis(bytes / (FASTEST / 1000))
}
