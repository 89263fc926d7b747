//! What a run ran into, as the kernel reports it: a listener for some of its calls.
//!
//! This is a way of reporting and never the policy. Every call goes on, and the walls decide:
//! mounts, namespaces, Landlock and the filter. Two kinds never go on. Connecting and listening
//! are handed to [`crate::connects`], which decides. What the filter leaves to the listener to be
//! refused ([`told_refusal`]) is refused, always: nothing is decided about it. The listener looks where the call leads, in the
//! run's own tree, and remembers it if there is a wall. What the kernel reports may have changed a
//! moment later; then a report is wrong and nothing else is. That a call was made that can change
//! files is certain, whatever path it named: the keeper counts them, and searches only where
//! there was one. Two opens that every script makes are answered here ([`known`]), so that they
//! do not count.
//!
//! The process that listens must live as long as the run: without it, the calls would fail. So it
//! is the keeper. What it cannot read or look up it does not report.

mod address;
mod known;
mod look;
mod mounts;
mod seen;
mod told;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::connects::address::Address;
use crate::connects::{Connects, Outcome, Wish};
use crate::plan::Plan;
use crate::profile::{Lookout, Violation};
use crate::seccomp::{NoticeOptions, ToldRefusal, told_refusal};
use crate::sys::notices::{Notice, hand_over_quickly, have_fail, let_go_on, receive, still_waits};
use known::{Known, answer_known, changes_files};
use look::{Looker, SOURCE, without_remedy_if_own};
use seen::{Seen, digest};
use told::{Attempt, allocation, from_working_directory, gather};
pub use tree::Glance;
use tree::Tree;

/// Notices that are dealt with before others have their turn.
const MOST_AT_ONCE: usize = 32;

/// Threads that are remembered, because the kernel's record may refer to them.
const MOST_THREADS: usize = 64;

/// The listener of one run, and what it has seen.
#[derive(Debug)]
pub struct Notices {
    listener: OwnedFd,
    what: NoticeOptions,
    looker: Looker,
    /// What decides about connects; there is one if any are told.
    connects: Option<Connects>,
    seen: Seen,
    /// Threads that were seen lately, the newest last.
    threads: VecDeque<u32>,
    /// Calls that could change files.
    changes: u64,
    /// None of its processes was given a terminal.
    begins_without_terminal: bool,
    /// Calls of which it could not be read what they are about.
    unreadable: u64,
}

/// Whether more may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Some process can still call.
    Open,
    /// No process is left that could call.
    Closed,
}

impl Notices {
    /// `own` is a directory that the run may write though its plan does not say so. By
    /// `connects` it is decided which sockets it reaches.
    pub(crate) fn new(
        listener: OwnedFd,
        what: NoticeOptions,
        own: Option<PathBuf>,
        connects: Option<Connects>,
    ) -> Self {
        hand_over_quickly(&listener);
        Self {
            listener,
            what,
            looker: Looker::new(own),
            connects,
            seen: Seen::default(),
            threads: VecDeque::new(),
            changes: 0,
            begins_without_terminal: false,
            unreadable: 0,
        }
    }

    /// No process of the run begins with a terminal. Who makes one opens a file for writing first; what
    /// opens it only for reading is told by bash's look that there is none.
    pub(crate) fn begin_without_terminal(&mut self) {
        self.begins_without_terminal = true;
    }

    /// Lets calls go on that wait, and looks at them; no more than a fair share. One that sets
    /// space aside goes on if `may_allocate` allows that many bytes; if not, it waits until the
    /// keeper has ended the run.
    pub fn serve(&mut self, plan: &Plan, may_allocate: &mut dyn FnMut(u64) -> bool) -> Line {
        self.connect_on();
        for _ in 0..MOST_AT_ONCE {
            match self.waits() {
                Some(true) => self.serve_one(plan, may_allocate),
                Some(false) => return Line::Open,
                None => return Line::Closed,
            }
        }
        Line::Open
    }

    /// Lets calls go on without looking, for a caller that wants no report.
    pub(crate) fn let_all_go_on(&mut self) {
        self.connect_on();
        for _ in 0..MOST_AT_ONCE {
            if self.waits() != Some(true) {
                return;
            }
            if let Ok(notice) = receive(&self.listener) {
                if let Some(refusal) = told_refusal(notice.call.number, &notice.call.arguments) {
                    have_fail(&self.listener, &notice, refusal.error);
                    continue;
                }
                self.changes += u64::from(changes_files(&notice, self.what));
                match self.wish(&notice) {
                    Some(wish) => drop(self.carry_out(&notice, wish)),
                    None => let_go_on(&self.listener, &notice),
                }
            }
        }
    }

    /// How many calls were made that could change a file or give it a name.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether this process was seen to be one of the run's, lately.
    pub fn knows(&self, pid: i32) -> bool {
        let pid = u32::try_from(pid).ok();
        pid.is_some_and(|pid| self.threads.contains(&pid))
    }

    /// Adds what was learnt elsewhere.
    pub fn add(&mut self, violation: Violation) {
        let violation = without_remedy_if_own(violation);
        if !self.seen.is_full() && !self.seen.has_like(&violation) {
            self.seen.add(digest(&violation), || Some(violation));
        }
    }

    /// What was looked at.
    pub fn watched(&self) -> Lookout {
        Lookout {
            calls: true,
            reads: self.what.reads,
            record: false,
            unknown: self.unreadable.saturating_add(self.looker.unknown()),
        }
    }

    /// What the run ran into, in the order in which that was seen.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.seen).into_violations()
    }

    pub(crate) fn into_listener(self) -> OwnedFd {
        self.listener
    }

    fn serve_one(&mut self, plan: &Plan, may_allocate: &mut dyn FnMut(u64) -> bool) {
        // The process that called may have been killed in the meantime.
        let Ok(notice) = receive(&self.listener) else {
            return;
        };
        if self.threads.back() != Some(&notice.thread) {
            if self.threads.len() >= MOST_THREADS {
                self.threads.pop_front();
            }
            self.threads.push_back(notice.thread);
        }
        if let Some(refusal) = told_refusal(notice.call.number, &notice.call.arguments) {
            have_fail(&self.listener, &notice, refusal.error);
            return self.remember(refusal);
        }
        let has_none = self.begins_without_terminal && self.changes == 0;
        let path = match answer_known(&self.listener, &notice, self.what, has_none) {
            Known::Answered => return,
            Known::No(path) => path,
        };
        self.changes += u64::from(changes_files(&notice, self.what));
        match allocation(&notice, self.what) {
            Some(bytes) if !may_allocate(bytes) => return,
            Some(_) => {}
            None => self.look_at(&notice, path, plan),
        }
        match self.wish(&notice) {
            Some(wish) => {
                if let Some(attempt) = self.carry_out(&notice, wish) {
                    let looker = &self.looker;
                    self.seen
                        .add(attempt.digest(), || looker.walls(&attempt, plan));
                }
            }
            None => let_go_on(&self.listener, &notice),
        }
    }

    /// Remembers a call that was refused here.
    fn remember(&mut self, refusal: ToldRefusal) {
        let violation = Violation {
            kind: "syscall".to_owned(),
            syscall: Some(refusal.call.to_owned()),
            source: SOURCE.to_owned(),
            note: Some(match refusal.reason {
                Some(reason) => format!("no run may do this: {reason}"),
                None => "no run may do this".to_owned(),
            }),
            ..Violation::default()
        };
        if !self.seen.is_full() {
            self.seen.add(digest(&violation), || Some(violation));
        }
    }

    /// What is to be carried out, if the call is one that never goes on.
    fn wish(&self, notice: &Notice) -> Option<Wish> {
        Wish::of(notice).filter(|_| self.what.sockets)
    }

    /// Has a call carried out that never goes on; what was refused, if that is to be told.
    fn carry_out(&mut self, notice: &Notice, wish: Wish) -> Option<Attempt> {
        if !self.looker.is_ready()
            && let Some(tree) = Tree::of(&notice.thread.to_string())
            && still_waits(&self.listener, notice)
        {
            self.looker.begin(tree);
        }
        let Some(connects) = &mut self.connects else {
            have_fail(&self.listener, notice, libc::EACCES);
            return None;
        };
        let looker = &self.looker;
        let find = |text: &[u8]| {
            let path = from_working_directory(notice, text).ok_or(Errno::NOENT)?;
            looker.open(&path)
        };
        match connects.carry_out(self.listener.as_fd(), notice, wish, &find) {
            Outcome::Refused(Address::Path(text), is_others) => {
                let path = from_working_directory(notice, &text)?;
                Some(Attempt::Call(path, is_others))
            }
            _ => None,
        }
    }

    /// Whether this port is the run's end of a connection.
    pub fn has_port(&self, port: u16) -> bool {
        let connects = self.connects.as_ref();
        connects.is_some_and(|connects| connects.has_port(port))
    }

    fn connect_on(&mut self) {
        if let Some(connects) = &mut self.connects {
            connects.go_on(self.listener.as_fd());
        }
    }

    /// Tells when it is time to look after connects that take their time, once there are any.
    pub fn clock(&self) -> Option<BorrowedFd<'_>> {
        self.connects.as_ref().and_then(Connects::clock)
    }

    /// Remembers what is in the way of a call. It is done while the call waits: with its last
    /// process a run loses its tree.
    fn look_at(&mut self, notice: &Notice, path: Option<Vec<u8>>, plan: &Plan) {
        if self.seen.is_full() {
            return self.seen.count_unread();
        }
        let gathered = gather(notice, self.what, path);
        let tree = (!self.looker.is_ready())
            .then(|| Tree::of(&notice.thread.to_string()))
            .flatten();
        // A process that was killed in the meantime has left its number to another one, and this
        // may be that one's memory and tree.
        if !still_waits(&self.listener, notice) {
            return;
        }
        if let Some(tree) = tree {
            self.looker.begin(tree);
        }
        let Some(attempt) = gathered.filter(|_| self.looker.is_ready()) else {
            self.unreadable = self.unreadable.saturating_add(1);
            return;
        };
        if attempt.only_looks() && !self.what.reads {
            return;
        }
        let looker = &self.looker;
        self.seen
            .add(attempt.digest(), || looker.walls(&attempt, plan));
    }

    /// Whether a call waits; none if none can come any more.
    fn waits(&self) -> Option<bool> {
        let mut wait = [PollFd::new(&self.listener, PollFlags::IN)];
        match poll(&mut wait, Some(&Timespec::default())) {
            Ok(0) | Err(rustix::io::Errno::INTR) => Some(false),
            Ok(_) if wait[0].revents().contains(PollFlags::IN) => Some(true),
            _ => None,
        }
    }
}

impl AsFd for Notices {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}
