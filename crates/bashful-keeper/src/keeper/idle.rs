//! What a keeper does when there is nothing to do: making things ahead of time, and ending.

use std::time::{Duration, Instant};

use super::Keeper;
use crate::protocol::{Reply, RoomRequest};
use crate::run::Run;
use crate::spare::Spare;

/// How long an engine may stay connected with nothing to do before it is asked to hang up.
const SLEEPY: Duration = Duration::from_secs(60);
/// How often the keeper tries to remove what ended runs left in the kernel.
const TIDY_INTERVAL: Duration = Duration::from_millis(10);
/// How often a search is asked whether it is done, while a command waits for that.
const RECOVERY_INTERVAL: Duration = Duration::from_millis(5);

/// Whether directories are made ahead of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spares {
    /// No caller will need another.
    Unwanted,
    /// Once the first command runs.
    Later,
    /// Whenever the keeper has nothing else to do.
    Now,
    /// So are rooms, but the disk took no directory; with the next command it is tried again.
    RoomsOnly,
}

impl Keeper {
    /// Makes what does not depend on what will be run. Where a unit of our own may come, control
    /// groups are looked for in that.
    pub(crate) fn look_ahead(&mut self) {
        if self.scope.stays() {
            self.rooms.look_ahead();
        }
    }

    /// Makes the room for a first run that is still to come. What a run may have left has to be
    /// held back before anything is planned, so this is for a keeper that has done nothing yet.
    pub(super) fn get_ready(&mut self, room: &RoomRequest) {
        let is_new = self.spares == Spares::Later && self.runs.is_empty() && self.line.is_empty();
        if !is_new || self.ending || !self.rooms.is_recovered(room) {
            return;
        }
        // Whatever is made from here on stays where we are now.
        self.scope.settle();
        self.open_audit();
        self.rooms.get_ready(room);
        self.spares = Spares::Now;
    }

    /// Whether the next task's directory is still to be made.
    pub(super) fn lacks_spare(&self) -> bool {
        let ready = self.spare.as_ref().is_some_and(Spare::is_ready);
        self.spares == Spares::Now && !ready && !self.ending
    }

    /// Whether there are rooms to make or remove ahead of time.
    pub(super) fn rooms_want(&self, now: Instant) -> bool {
        self.may_make_rooms() && !self.ending && now >= self.tidy_at && self.rooms.want_preparing()
    }

    fn may_make_rooms(&self) -> bool {
        matches!(self.spares, Spares::Now | Spares::RoomsOnly)
    }

    /// Whether there is time for that. A command that has just started may end any
    /// moment, and its end must not wait for a slow disk.
    pub(super) fn may_prepare(&self, now: Instant) -> bool {
        (self.lacks_spare() || self.rooms_want(now))
            && self.line.is_empty()
            && self.runs.values().all(|run| run.settled_at() <= now)
    }

    /// Makes one more file of it.
    pub(super) fn prepare(&mut self) {
        let now = Instant::now();
        if self.rooms_want(now) {
            self.rooms.prepare();
            // What cannot be removed yet is tried again later.
            self.tidy_at = now + TIDY_INTERVAL;
            return;
        }
        if !self.lacks_spare() {
            return;
        }
        let number = self.next_number;
        let tasks = self.state.as_ref().map(|state| state.join("tasks"));
        let advanced = match (&mut self.spare, tasks) {
            (Some(spare), _) => spare.advance(),
            (None, Some(tasks)) => {
                Spare::begin(&tasks, number).map(|spare| self.spare = Some(spare))
            }
            (None, None) => Ok(()),
        };
        // A disk that takes nothing more will say so when it matters. Rooms are tidied all the same.
        if advanced.is_err() {
            self.spare = None;
            self.spares = Spares::RoomsOnly;
        }
    }

    pub(super) fn time_to_wake(&self, now: Instant) -> Option<Duration> {
        let runs = self.runs.values().filter_map(Run::wake_at);
        let quiet = self
            .quiet_since
            .and_then(|since| since.checked_add(self.patience()));
        let rooms = self.may_make_rooms() && self.rooms.want_preparing();
        let spare = (self.lacks_spare() || rooms)
            .then(|| {
                let settled = self.runs.values().map(Run::settled_at).max();
                settled
                    .into_iter()
                    .chain(rooms.then_some(self.tidy_at))
                    .max()
            })
            .flatten();
        let unwritten = self.unwritten.iter().map(|record| record.next);
        let recovery = self.rooms.is_recovering().then(|| now + RECOVERY_INTERVAL);
        runs.chain(quiet)
            .chain(self.gauge.at())
            .chain(unwritten)
            .chain(recovery)
            .chain(spare)
            .min()
            .map(|at| at.saturating_duration_since(now))
    }

    pub(super) fn patience(&self) -> Duration {
        if self.connections.is_empty() {
            self.idle
        } else {
            self.idle.max(SLEEPY)
        }
    }

    /// Whether it is time to end.
    pub(super) fn is_done(&mut self, now: Instant) -> bool {
        if !self.runs.is_empty() || !self.line.is_empty() {
            self.quiet_since = None;
            self.said_bye = false;
            return false;
        }
        if self.ending {
            return true;
        }
        if !self.unwritten.is_empty() || self.rooms.is_searched() {
            return false;
        }
        let since = *self.quiet_since.get_or_insert(now);
        if now < since + self.patience() {
            return false;
        }
        if self.connections.is_empty() {
            return true;
        }
        if !self.said_bye {
            self.said_bye = true;
            for connection in self.connections.values_mut() {
                connection.send(&Reply::Bye);
                connection.flush();
            }
        }
        self.quiet_since = Some(now);
        false
    }
}
