//! The part of a run's life that only runs in a room have.

use std::time::{Duration, Instant};

use bashful_sandbox::{ExitStatus, Usage, Violation};

use super::{Run, Stage};
use crate::rooms::{InRoom, Rooms};
use crate::task_directory::Ending;

/// How often a run in a room is looked after.
pub(super) const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// The same where its processor time is limited.
const TIMED_INTERVAL: Duration = Duration::from_millis(100);

impl Run {
    /// The first process of a room says how the command ended, if it does.
    pub(crate) fn hear(&mut self) {
        let heard = self
            .place
            .as_ref()
            .and_then(|place| place.confined.report.ended());
        let Some(ended) = heard.filter(|_| self.ended.is_none()) else {
            return;
        };
        self.ended = Some(ended);
        self.usage = ended.usage;
        self.exit = Some(ended.status);
        self.leader = None;
        if ended.alone {
            // It ends by itself in this moment; nothing is left to wait for.
            self.init = None;
        }
    }

    /// The first process of a room was reaped: nothing is left of the run.
    pub(super) fn init_reaped(&mut self, status: ExitStatus, usage: Usage) {
        self.hear();
        self.init = None;
        self.leader = None;
        if self.exit.is_none() {
            self.usage = usage;
            // It says how the command ended before it ends itself, unless it is killed.
            self.exit = Some(status);
        } else {
            self.usage.max_rss_kib = self.usage.max_rss_kib.max(usage.max_rss_kib);
            self.usage.cpu = self.usage.cpu.max(usage.cpu);
        }
    }

    /// Looks after a run in a room: what it made that must be held back, and its time.
    pub(super) fn look_after(&mut self, now: Instant, orphans: &[i32]) {
        if self.look_at.is_none_or(|at| now < at) {
            return;
        }
        let Some(place) = &mut self.place else {
            return;
        };
        place.hold_back(self.spec.id.as_str());
        let interval = if place.is_timed() {
            TIMED_INTERVAL
        } else {
            LOOK_INTERVAL
        };
        self.look_at = Some(now + interval);
        if place.is_out_of_time() && matches!(self.stage, Stage::Running | Stage::Draining { .. }) {
            self.kill_now(Ending::OutOfCpuTime, now, orphans);
        }
    }

    /// Holds back what it made and what would execute outside.
    pub(crate) fn hold_back(&mut self) {
        if let Some(place) = &mut self.place {
            place.hold_back(self.spec.id.as_str());
        }
    }

    /// Something that was covered in its room was torn off: it does not go on like that.
    pub(crate) fn lost_cover(&mut self, now: Instant) {
        // After the command's end its mounts go one by one.
        if self.ended.is_some_and(|ended| ended.alone) || self.init.is_none() {
            return;
        }
        let init: Vec<i32> = self.init.into_iter().collect();
        self.kill_now(Ending::Unprotected, now, &init);
    }

    /// Its place goes to the task that takes over what it left.
    pub(crate) fn bequeath_place(&mut self) -> Option<InRoom> {
        let place = self.place.take()?;
        self.enforcement = Some(place.enforcement());
        Some(place)
    }

    /// Gives up its place in the room and keeps what came of it.
    pub(crate) fn leave(&mut self, rooms: &mut Rooms) {
        let Some(mut place) = self.place.take() else {
            return;
        };
        if self.ending == Some(Ending::Unprotected) {
            place.tell_replaced();
        }
        let (enforcement, mut violations) = rooms.finish(place, self.ended, self.spec.id.as_str());
        if self.ending == Some(Ending::OutOfCpuTime) {
            violations.push(Violation {
                kind: "cpu_time".to_owned(),
                path: None,
                missing: "resources.cpu_time".to_owned(),
                source: "cgroup".to_owned(),
                note: Some("it had used up its processor time".to_owned()),
            });
        }
        self.enforcement = Some(enforcement);
        self.violations = violations;
    }
}
