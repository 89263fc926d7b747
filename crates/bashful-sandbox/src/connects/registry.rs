//! Which listening sockets a room's runs have made, and with which rights.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::Stat;

/// Listening sockets of one run that can be connected to; of more, the oldest are forgotten. What waits
/// to be accepted takes memory of the kernel that is counted for the keeper.
const MOST_OF_A_RUN: usize = 128;

/// A file on a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inode {
    pub(crate) device: u64,
    pub(crate) number: u64,
}

impl Inode {
    pub(crate) fn of(about: &Stat) -> Self {
        Self {
            device: about.st_dev,
            number: about.st_ino,
        }
    }
}

/// Where a listening socket is found.
#[derive(Debug)]
pub(super) enum At {
    /// At this file. As long as it is open its number is no other file's.
    File(
        Inode,
        #[expect(dead_code, reason = "it is kept open")] OwnedFd,
    ),
    /// By this name in the room's own network.
    Name(Vec<u8>),
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    File(Inode),
    Name(&'a [u8]),
}

/// Whose a socket is, as a run sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Its own, or that of a run of the room with the same rights.
    Ours,
    /// That of a run with other rights.
    Others,
    /// No run's of this room.
    Unknown,
}

#[derive(Debug)]
struct Listening {
    run: u64,
    rights: u64,
    at: At,
}

/// The sockets of one room.
#[derive(Debug, Clone, Default)]
pub(crate) struct Registry {
    listening: Arc<Mutex<VecDeque<Listening>>>,
}

impl Registry {
    pub(super) fn add(&self, run: u64, rights: u64, at: At) {
        let mut all = self.lock();
        let is_same = |known: &Listening| known.run == run && known.at.is(at.wanted());
        all.retain(|known| !is_same(known));
        let own = |known: &&Listening| known.run == run;
        if all.iter().filter(own).count() >= MOST_OF_A_RUN
            && let Some(oldest) = all.iter().position(|known| known.run == run)
        {
            all.remove(oldest);
        }
        all.push_back(Listening { run, rights, at });
    }

    /// Whose the socket is that was made last of those that are found there.
    pub(super) fn whose(&self, wanted: Wanted<'_>, rights: u64) -> Whose {
        let all = self.lock();
        match all.iter().rev().find(|known| known.at.is(wanted)) {
            Some(known) if known.rights == rights => Whose::Ours,
            Some(_) => Whose::Others,
            None => Whose::Unknown,
        }
    }

    /// The run is over, and with it its sockets.
    pub(super) fn forget(&self, run: u64) {
        self.lock().retain(|known| known.run != run);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Listening>> {
        self.listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl At {
    fn wanted(&self) -> Wanted<'_> {
        match self {
            Self::File(inode, _) => Wanted::File(*inode),
            Self::Name(name) => Wanted::Name(name),
        }
    }

    fn is(&self, wanted: Wanted<'_>) -> bool {
        match (self, wanted) {
            (Self::File(own, _), Wanted::File(inode)) => *own == inode,
            (Self::Name(own), Wanted::Name(name)) => own == name,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_belongs_to_those_with_the_rights_of_the_run_that_made_it_last() {
        let registry = Registry::default();
        let name = Wanted::Name(b"x");
        assert_eq!(registry.whose(name, 1), Whose::Unknown);
        registry.add(1, 1, At::Name(b"x".to_vec()));
        registry.add(2, 1, At::Name(b"y".to_vec()));
        assert_eq!(registry.whose(name, 1), Whose::Ours);
        assert_eq!(registry.whose(name, 2), Whose::Others);
        // It closed the socket, and a run with other rights took the name.
        registry.add(3, 2, At::Name(b"x".to_vec()));
        assert_eq!(registry.whose(name, 1), Whose::Others);
        registry.forget(3);
        registry.forget(1);
        assert_eq!(registry.whose(name, 1), Whose::Unknown);
        assert_eq!(registry.whose(Wanted::Name(b"y"), 1), Whose::Ours);
    }

    #[test]
    fn a_run_that_makes_many_is_bounded_and_displaces_no_other() {
        let registry = Registry::default();
        registry.add(1, 1, At::Name(b"mine".to_vec()));
        for number in 0..1000_u32 {
            registry.add(2, 1, At::Name(number.to_ne_bytes().to_vec()));
        }
        assert_eq!(registry.lock().len(), MOST_OF_A_RUN + 1);
        assert_eq!(registry.whose(Wanted::Name(b"mine"), 1), Whose::Ours);
    }
}
