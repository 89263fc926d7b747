//! The search, after a run, for what it left behind.
//!
//! The keeper also searches from time to time while a run goes on, if it changes files.
//!
//! A small root is searched at once. A large one is searched in a process of its own: the keeper's
//! clocks and its other runs do not wait for it. The run has ended when that is done, or after a
//! while; then its result says so, and what is found later is told of the next run.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use bashful_sandbox::{Effort, Examination, Progress, Violation, finish_apart};
use rustix::io::Errno;

use super::{Run, Stage};
use crate::rooms::{InRoom, Rooms};

/// How long a search may take. What it did not reach then is told.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the end of a run waits for it.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// How long after a search the next one may follow while the run goes on; after a search that took
/// long, the next one comes later.
const PAUSE: Duration = Duration::from_secs(16);

/// The searches while a run goes on.
#[derive(Debug)]
pub(super) struct Patrol {
    next: Instant,
    began: Instant,
    going: Option<Apart>,
    /// How many calls that change files it had made at the last one.
    changes: Option<u64>,
}

impl Patrol {
    pub(super) fn from(now: Instant) -> Self {
        Self {
            next: now + PAUSE,
            began: now,
            going: None,
            changes: Some(0),
        }
    }
}

/// How far the search after a run is.
#[derive(Debug, Default)]
pub(super) enum Search {
    /// It has not begun.
    #[default]
    NotYet,
    /// A process of its own is at it.
    Apart(Apart),
    /// There is nothing more to find.
    Done,
}

/// A search in a process of its own.
#[derive(Debug)]
pub(crate) struct Apart {
    pid: i32,
    pipe: OwnedFd,
    told: Vec<u8>,
    wait_until: Instant,
}

impl Run {
    /// Searches, or goes on with it; whether that is done. If it is not, the descriptor that
    /// tells when there is more.
    pub(crate) fn search(&mut self, rooms: &mut Rooms) -> Result<(), BorrowedFd<'_>> {
        self.search = match std::mem::take(&mut self.search) {
            Search::NotYet => self.begin_search(rooms),
            Search::Apart(apart) => self.go_on_searching(apart, rooms),
            Search::Done => Search::Done,
        };
        match &self.search {
            Search::Apart(apart) => Err(apart.pipe.as_fd()),
            Search::NotYet | Search::Done => Ok(()),
        }
    }

    fn go_on_searching(&mut self, mut apart: Apart, rooms: &mut Rooms) -> Search {
        if apart.has_told() {
            self.tell_found(apart.found());
        } else if !apart.is_late() {
            return Search::Apart(apart);
        } else {
            self.tell_found(vec![incomplete("that goes on")]);
            if let Some(place) = &mut self.place {
                rooms.search_on(apart, place);
            }
        }
        Search::Done
    }

    fn tell_found(&mut self, found: Vec<Violation>) {
        if let Some(place) = &mut self.place {
            place.tell_all(found);
        }
    }

    /// Whether its end waits for a process that searches.
    pub(crate) fn is_searched_apart(&self) -> bool {
        self.searches_until().is_some()
    }

    /// Until when its end waits for a search that goes on.
    pub(super) fn searches_until(&self) -> Option<Instant> {
        match &self.search {
            Search::Apart(apart) => Some(apart.wait_until),
            Search::NotYet | Search::Done => None,
        }
    }

    /// Searches while the run goes on, if it is time and it has changed files.
    pub(crate) fn patrol(&mut self, rooms: &Rooms, now: Instant) {
        if let Some(going) = &mut self.patrol.going {
            if going.has_told() {
                let found = going.found();
                self.patrol.going = None;
                self.patrol.next = now + PAUSE.max(20 * (now - self.patrol.began));
                self.tell_found(found);
            }
            return;
        }
        let changes = self.place.as_ref().and_then(InRoom::changes);
        let is_due = now >= self.patrol.next && self.stage == Stage::Running;
        if !is_due || (changes.is_some() && changes == self.patrol.changes) {
            return;
        }
        (self.patrol.next, self.patrol.began) = (now + PAUSE, now);
        self.patrol.changes = changes;
        if let Search::Apart(apart) = self.begin_search(rooms) {
            self.patrol.going = Some(apart);
        }
    }

    /// The process that searches.
    pub(crate) fn searcher(&self) -> Option<i32> {
        let meanwhile = self.patrol.going.as_ref();
        match &self.search {
            Search::Apart(apart) => Some(apart.pid),
            Search::NotYet | Search::Done => meanwhile.map(|apart| apart.pid),
        }
    }

    fn begin_search(&mut self, rooms: &Rooms) -> Search {
        let tag = self.spec.id.as_str();
        let Some(place) = self
            .place
            .as_mut()
            .filter(|place| place.may_have_changed_files())
        else {
            return Search::Done;
        };
        let going = rooms.diary.examinations(place, tag);
        let found = match Apart::search(going, PATIENCE, LONGEST_WAIT) {
            Ok(Searched::Apart(apart)) => return Search::Apart(apart),
            Ok(Searched::Done(found)) => found,
            Err(error) => vec![incomplete(&error.to_string())],
        };
        place.tell_all(found);
        Search::Done
    }
}

/// What became of a search at first.
pub(crate) enum Searched {
    /// It is done, and this was found.
    Done(Vec<Violation>),
    /// There was too much for the keeper itself.
    Apart(Apart),
}

impl Apart {
    /// Searches as much as the keeper may, and leaves the rest to a process that has this patience.
    pub(crate) fn search(
        mut going: Vec<Examination>,
        patience: Duration,
        longest_wait: Duration,
    ) -> io::Result<Searched> {
        let effort = Effort::small();
        let is_done = |examination: &mut Examination| examination.go_on(&effort) == Progress::Done;
        if going.iter_mut().all(is_done) {
            let found = going.into_iter().flat_map(Examination::into_violations);
            return Ok(Searched::Done(found.collect()));
        }
        let write = |found: &[Violation]| serde_json::to_vec(found).unwrap_or_default();
        let (pid, pipe) = finish_apart(going, patience, write)?;
        Ok(Searched::Apart(Self {
            pid,
            pipe,
            told: Vec::new(),
            wait_until: Instant::now() + longest_wait,
        }))
    }

    /// Whether nothing more is waited for.
    pub(crate) fn is_late(&self) -> bool {
        Instant::now() >= self.wait_until
    }

    /// The process that searches.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// Reads what there is; whether that was all.
    pub(crate) fn has_told(&mut self) -> bool {
        let mut buffer = [0; 8192];
        loop {
            match rustix::io::read(&self.pipe, &mut buffer) {
                Ok(0) => return true,
                Ok(length) => self.told.extend(buffer.get(..length).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return false,
                Err(_) => return true,
            }
        }
    }

    /// What was found.
    pub(crate) fn found(&self) -> Vec<Violation> {
        serde_json::from_slice(&self.told)
            .unwrap_or_else(|_| vec![incomplete("the search ended before it was complete")])
    }
}

pub(crate) fn incomplete(why: &str) -> Violation {
    Violation {
        kind: "protected".to_owned(),
        missing: "paths_write".to_owned(),
        source: "keeper".to_owned(),
        note: Some(format!(
            "what the run left was not fully searched for repositories: {why}; do not use git in new or changed ones without looking first"
        )),
        ..Violation::default()
    }
}
