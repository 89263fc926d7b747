//! What a run takes of the machine, where the keeper holds it to its limits.

use std::time::{Duration, Instant};

use bashful_sandbox::{Line, Nameless, Violation, memory_of};

use super::{Run, Stage};
use crate::rooms::InRoom;
use crate::task_directory::Ending;

mod disks;

pub(crate) use disks::Disks;
use disks::{Added, Over};

/// The most that a run may have beyond its limit: of a machine's memory a sixteenth is a lot.
const OWN: u64 = 128 << 20;

/// What was seen of it so far.
#[derive(Debug, Default)]
pub(super) struct Consumption {
    /// Bytes of memory, at the last look.
    memory: Option<u64>,
    /// What it added to disks, if that is bounded.
    added: Option<Added>,
}

impl Consumption {
    pub(super) fn begin(place: Option<&InRoom>) -> Self {
        let bound = place.and_then(InRoom::disk_bound);
        Self {
            memory: None,
            added: bound.map(|(limit, roots)| Added::begin(limit, &roots)),
        }
    }
}

impl Run {
    /// The memory limit that only the keeper holds all its processes to.
    pub(crate) fn uncounted_memory(&self) -> Option<u64> {
        let place = self.place.as_ref().filter(|_| self.init.is_some());
        place.and_then(InRoom::uncounted_memory)
    }

    /// Whether its memory is to be looked after and was not looked at yet.
    pub(crate) fn is_unmeasured(&self) -> bool {
        self.consumption.memory.is_none() && self.uncounted_memory().is_some()
    }

    /// When it started, if what it takes is to be looked after and was not looked at yet.
    pub(crate) fn unmeasured_since(&self) -> Option<Instant> {
        let added = self.consumption.added.as_ref();
        let is_new = added.is_some_and(Added::is_new) && self.init.is_some();
        (is_new || self.is_unmeasured()).then_some(self.started)
    }

    /// How much memory it may still take.
    pub(crate) fn memory_left(&self) -> Option<u64> {
        let limit = self.uncounted_memory()?;
        Some(limit.saturating_sub(self.consumption.memory.unwrap_or(0)))
    }

    /// How long the kernel may need to take its memory back, roughly: until then its processes are
    /// there although they were ended.
    pub(super) fn time_to_let_go(&self) -> Duration {
        Duration::from_secs(self.consumption.memory.unwrap_or(0) >> 30)
    }

    /// Looks at its memory, and ends it if that is more than it may have.
    pub(crate) fn measure_memory(&mut self, now: Instant, nameless: Nameless) {
        let (Some(limit), Some(init)) = (self.uncounted_memory(), self.init) else {
            return;
        };
        // What every program has of its own, such as its stack, is not held against it.
        let bound = limit.saturating_add((limit / 16).min(OWN));
        let used = memory_of(&[init], bound, nameless);
        self.consumption.memory = Some(used);
        if used > bound {
            let violation = Violation {
                kind: "memory".to_owned(),
                missing: "resources.memory".to_owned(),
                note: Some(format!(
                    "its processes together held more than {limit} bytes, and it was ended"
                )),
                limit: Some(limit),
                ..Violation::default()
            };
            self.end_over(violation, now);
        }
    }

    /// Looks at what it added to disks, and ends it if that is too much. How much may come in the
    /// meantime before the next look.
    pub(crate) fn measure_disks(&mut self, now: Instant, disks: &mut Disks) -> Option<u64> {
        let init = self.init?;
        let added = self.consumption.added.as_mut()?;
        match added.look(init, disks) {
            Ok(left) => Some(left),
            Err(over) => {
                self.end_over_disk(over, now);
                None
            }
        }
    }

    /// Lets calls go on that the kernel tells about, but for one that sets more space on a disk
    /// aside than it may add; whether more may come.
    pub(crate) fn serve_notices(&mut self, now: Instant) -> Line {
        let Some(place) = &mut self.place else {
            return Line::Closed;
        };
        let mut over = None;
        let added = &mut self.consumption.added;
        let line = place.serve_notices(&mut |bytes| {
            over = over.or(added.as_mut().and_then(|added| added.allocate(bytes)));
            over.is_none()
        });
        if let Some(over) = over {
            self.end_over_disk(over, now);
        }
        line
    }

    fn end_over_disk(&mut self, over: Over, now: Instant) {
        let (missing, note) = match over {
            Over::Limit(limit) => (
                "resources.disk_size",
                format!("it added more than {limit} bytes to the disk, and was ended"),
            ),
            // A larger limit does not help where there is no space.
            Over::Space(bytes) => (
                "",
                format!(
                    "less than 5 % of the disk is free, and it added more than {bytes} bytes; it was ended before the disk was full"
                ),
            ),
        };
        let violation = Violation {
            kind: "disk".to_owned(),
            path: self.consumption.added.as_ref().and_then(Added::root),
            missing: missing.to_owned(),
            note: Some(note),
            limit: Some(over.bytes()),
            ..Violation::default()
        };
        self.end_over(violation, now);
    }

    /// Ends it because it takes more than it may.
    fn end_over(&mut self, violation: Violation, now: Instant) {
        let running = matches!(self.stage, Stage::Running | Stage::Draining { .. });
        let Some(place) = self.place.as_mut().filter(|_| running) else {
            return;
        };
        place.tell(Violation {
            source: "keeper".to_owned(),
            ..violation
        });
        let init: Vec<i32> = self.init.into_iter().collect();
        self.kill_now(Ending::OverLimit, now, &init);
    }
}
