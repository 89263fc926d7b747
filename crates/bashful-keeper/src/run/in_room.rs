//! The part of a run's life that only runs in a room have.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bashful_sandbox::{ExitStatus, Usage, Violation};

use super::{Run, Stage};
use crate::rooms::{InRoom, Rooms};
use crate::task_directory::Ending;

/// How often a run in a room is looked after while it prints.
pub(super) const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// A silent run is looked after ever more seldom, but at least this often: a thousand that sleep
/// must not keep a processor busy.
const LONGEST_INTERVAL: Duration = Duration::from_secs(16);
/// How often where its processor time is limited.
const TIMED_INTERVAL: Duration = Duration::from_millis(100);

/// When a run in a room is looked after.
#[derive(Debug)]
pub(super) struct Looks {
    pub(super) at: Instant,
    interval: Duration,
    /// How much it had printed at the last look.
    printed: u64,
}

impl Looks {
    pub(super) fn from(now: Instant) -> Self {
        Self {
            at: now + LOOK_INTERVAL,
            interval: LOOK_INTERVAL,
            printed: 0,
        }
    }

    fn plan(&mut self, now: Instant, printed: u64) {
        let is_silent = std::mem::replace(&mut self.printed, printed) == printed;
        self.interval = if is_silent {
            (self.interval * 2).min(LONGEST_INTERVAL)
        } else {
            LOOK_INTERVAL
        };
        self.at = shared(now + self.interval);
    }
}

/// Moments at which runs are looked after are shared, so that many runs wake the keeper seldom.
const GRID: Duration = Duration::from_millis(100);
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The first shared moment that is not before this.
fn shared(at: Instant) -> Instant {
    let past = at.saturating_duration_since(*BEGAN).as_nanos() % GRID.as_nanos();
    let rest = GRID.as_nanos().saturating_sub(past);
    at + Duration::from_nanos(u64::try_from(rest).unwrap_or_default())
}

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

    /// Looks after a run: whether others can still find it and, in a room, what it made that
    /// must be held back, and its time.
    pub(super) fn look_after(&mut self, now: Instant, orphans: &[i32]) {
        if now < self.looks.at {
            return;
        }
        let unbounded = matches!(self.stage, Stage::Running | Stage::Draining { .. });
        if unbounded && self.is_removed() {
            self.terminate(Ending::DirectoryRemoved, now, orphans);
        }
        let Some(place) = &mut self.place else {
            self.looks.plan(now, self.log.bytes());
            return;
        };
        place.look_after(self.spec.id.as_str());
        if place.is_timed() {
            self.looks.at = now + TIMED_INTERVAL;
        } else {
            self.looks.plan(now, self.log.bytes());
        }
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

    /// A cover in its room was torn off: the run must not go on without it.
    pub(crate) fn lost_cover(&mut self, now: Instant) {
        // After the command's end its mounts go one by one.
        if self.ended.is_some_and(|ended| ended.alone) || self.init.is_none() {
            return;
        }
        let init: Vec<i32> = self.init.into_iter().collect();
        self.kill_now(Ending::Unprotected, now, &init);
        // Its mounts are there for a moment longer.
        if let Some(place) = &mut self.place {
            place.note_bare();
        }
    }

    /// A cover in its room was torn off while it ran, and it has ended.
    pub(crate) fn ran_uncovered(&mut self) {
        self.ending = Some(Ending::Unprotected);
    }

    /// A secret has come into being where it could read it: it does not go on.
    pub(crate) fn could_see(&mut self, path: PathBuf, now: Instant) {
        let is_told = self.ending == Some(Ending::Exposed);
        let lives = self.init.is_some() && !is_told;
        let Some(place) = self.place.as_mut().filter(|_| lives) else {
            return;
        };
        place.tell(Violation {
            kind: "read".to_owned(),
            path: Some(path).filter(|path| !path.as_os_str().is_empty()),
            missing: "paths_read".to_owned(),
            source: "keeper".to_owned(),
            note: Some(
                "it appeared while the run was going on, and is hidden from runs unless it is named; Bashful ended the run, which may have read it"
                    .to_owned(),
            ),
            ..Violation::default()
        });
        let init: Vec<i32> = self.init.into_iter().collect();
        self.kill_now(Ending::Exposed, now, &init);
    }

    /// Its place goes to the task that takes over what it left.
    pub(crate) fn bequeath_place(&mut self) -> Option<InRoom> {
        let place = self.place.take()?;
        self.told.enforcement = Some(place.enforcement());
        self.told.watched = Some(place.watched());
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
        let limit = place.cpu_limit_ms();
        let mut told = rooms.finish(place, self.ended, &self.spec);
        if self.ending == Some(Ending::OutOfCpuTime) {
            told.violations.push(Violation {
                kind: "cpu_time".to_owned(),
                missing: "resources.cpu_time".to_owned(),
                source: "cgroup".to_owned(),
                note: Some("it had used up its processor time".to_owned()),
                limit,
                ..Violation::default()
            });
        }
        self.told = told;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_run_is_looked_after_ever_more_seldom() {
        let mut now = Instant::now();
        let mut looks = Looks::from(now);
        let mut intervals = Vec::new();
        for printed in [0, 0, 0, 0, 0, 0, 7, 7, 8] {
            let interval = looks.at - now;
            intervals.push(interval.as_secs());
            assert!(
                interval.subsec_nanos() <= GRID.subsec_nanos(),
                "{interval:?}"
            );
            now = looks.at;
            looks.plan(now, printed);
        }
        assert_eq!(intervals, [1, 2, 4, 8, 16, 16, 16, 1, 2]);
    }
}
