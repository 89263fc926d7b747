//! What the kernel records about our runs, where we may read it.

use bashful_sandbox::{Audit, Mark};
use rustix::event::epoll::EventFlags;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Keeper, Source};

/// How long to wait for a record of a run that failed: another thread of the kernel writes it.
const PATIENCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 3_000_000,
};

impl Keeper {
    /// Begins to read, once, before the first room is made. Only root may.
    pub(super) fn open_audit(&mut self) {
        if self.asked_for_audit {
            return;
        }
        self.asked_for_audit = true;
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let Some(audit) = Audit::open() else { return };
        let watched = self.events.add(Source::Audit, &audit, EventFlags::IN);
        if watched.is_ok() {
            self.audit = Some(audit);
            self.rooms.recorded = true;
        }
    }

    /// Tells runs what the kernel refused them.
    pub(super) fn hear_audit(&mut self) {
        let Some(audit) = &mut self.audit else { return };
        for refused in audit.read() {
            let pid = refused.pid;
            let known = self.runs.iter().find(|(_, run)| {
                let place = run.place.as_ref();
                run.first_pid() == Some(pid) || place.is_some_and(|place| place.knows(pid))
            });
            // One that we have not heard of carries a mark, while it lives.
            let known = known.or_else(|| {
                let mark = Mark::of(pid)?;
                self.runs.iter().find(|(_, run)| run.mark == mark)
            });
            let number = known.map(|(number, _)| *number);
            let run = number.and_then(|number| self.runs.get_mut(&number));
            if let Some(place) = run.and_then(|run| run.place.as_mut()) {
                place.add(refused.violation);
            }
        }
    }

    /// The same before a run leaves; one that failed may have a record on its way.
    pub(super) fn hear_audit_of(&mut self, number: u64) {
        let Some(audit) = &self.audit else { return };
        let run = self.runs.get(&number);
        if run.is_some_and(|run| run.place.is_some() && run.has_failed()) {
            let mut wait = [PollFd::new(audit, PollFlags::IN)];
            let _ = poll(&mut wait, Some(&PATIENCE));
        }
        self.hear_audit();
    }
}
