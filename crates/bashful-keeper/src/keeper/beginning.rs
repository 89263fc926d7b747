//! From an order to a command that runs, or to nothing.
//!
//! What is to become the command has its order, and executes when the engine says so: after the
//! start is on record. Meanwhile the keeper looks after everything else, so that a slow disk
//! stalls no other run.

use std::time::Instant;

use super::start::{fault, launch_fault};
use super::{Keeper, Manner, streams};
use crate::protocol::{Fault, FaultKind, Reply};
use crate::run::Run;
use crate::task_directory::{Ending, TaskDirectory};

impl Keeper {
    /// Hears how the start of a run goes on.
    pub(super) fn hear_start(&mut self, number: u64) {
        let Some(run) = self.runs.get_mut(&number) else {
            return;
        };
        match run.hear_start() {
            // A listener for its calls may have come.
            None => drop(self.watch_begun(number)),
            Some(Ok(())) => self.has_begun(number),
            Some(Err(error)) => {
                let fault = launch_fault(&error, &run.spec.cwd);
                // What was to be ended before it began has been: that is its end.
                match run.ending() {
                    None | Some(Ending::CallerGone) => self.withdraw(number, fault),
                    Some(_) => run.never_began(),
                }
            }
        }
    }

    /// The command has executed.
    pub(super) fn has_begun(&mut self, number: u64) {
        let Some(run) = self.runs.get_mut(&number) else {
            return;
        };
        let now = Instant::now();
        let asked_by = run.begin(now);
        let mut is_heard = true;
        if let Some(terminal) = run.take_terminal() {
            match streams::at_terminal(terminal, &run.mask) {
                Ok((outputs, input)) => {
                    run.sit_at(outputs, input);
                    is_heard = self.watch_outputs(number);
                }
                Err(error) => {
                    let fault = fault(FaultKind::Resources, "a terminal", error.raw_os_error());
                    run.kill_room();
                    return self.withdraw(number, fault);
                }
            }
        }
        if let Some(run) = self.runs.get_mut(&number) {
            run.type_ahead();
        }
        if !(is_heard && self.watch_begun(number)) {
            // A run whose output cannot be heard must not go on: it would hang.
            self.end(number, Ending::KeeperStopped, Manner::Now);
        }
        // To others it is said a moment later, and so is the rest: see `Run::is_to_be_seen`.
        let Some(run) = self.runs.get_mut(&number) else {
            return;
        };
        if run.owner.is_none()
            && let Some(pid) = run.start_untold()
        {
            let id = run.spec.id.clone();
            self.see(number);
            self.tell(asked_by, &Reply::Started { id, pid });
        }
    }

    /// Looks at runs that have been going on for a moment.
    pub(super) fn see_begun(&mut self, now: Instant) {
        let due = |(number, run): (&u64, &Run)| run.is_to_be_seen(now).then_some(*number);
        for number in self.runs.iter().filter_map(due).collect::<Vec<_>>() {
            self.see(number);
        }
    }

    /// Writes down that it runs, and watches its mounts.
    fn see(&mut self, number: u64) {
        self.record_running(number);
        let Some(run) = self.runs.get_mut(&number) else {
            return;
        };
        run.be_seen();
        if !self.watch_begun(number) {
            self.end(number, Ending::KeeperStopped, Manner::Now);
        }
        // Only now are the run's own mounts watched: what was torn off before shows in the
        // template that it is a copy of.
        if self.has_lost_cover(number)
            && let Some(run) = self.runs.get_mut(&number)
        {
            run.lost_cover(Instant::now());
        }
    }

    /// Whether a cover was torn off before the run's own mounts were watched.
    fn has_lost_cover(&mut self, number: u64) -> bool {
        let place = self.runs.get(&number).and_then(|run| run.place.as_ref());
        place.is_some_and(|place| self.rooms.lost_cover(place))
    }

    /// The same for a run that ends before it was looked at.
    pub(super) fn see_at_its_end(&mut self, number: u64) {
        let is_unseen = self.runs.get(&number).is_some_and(Run::ends_unseen);
        if is_unseen
            && self.has_lost_cover(number)
            && let Some(run) = self.runs.get_mut(&number)
        {
            run.ran_uncovered();
        }
    }

    /// Takes back a run that did not begin: nothing of it is left, and nothing is recorded.
    fn withdraw(&mut self, number: u64, fault: Fault) {
        let Some(mut run) = self.runs.remove(&number) else {
            return;
        };
        let asked_by = run.begin(Instant::now());
        if let Some(state) = &self.state {
            TaskDirectory::of(state, &run.spec.id).discard();
        }
        if let Some(place) = run.place.take() {
            self.rooms.give_back(place);
        }
        let id = run.spec.id.clone();
        self.tell(asked_by, &Reply::Refused { id, fault });
    }

    fn tell(&mut self, connection: Option<u64>, reply: &Reply) {
        let connection = connection.and_then(|number| self.connections.get_mut(&number));
        if let Some(connection) = connection {
            connection.send(reply);
        }
    }

    /// Writes down that it runs. Should this fail, the lock says so.
    pub(super) fn record_running(&mut self, number: u64) {
        let socket = self.socket_path();
        if let Some(run) = self.runs.get_mut(&number) {
            let state = run.state(self.holder, socket);
            let _ = run.record(&state);
        }
    }
}
