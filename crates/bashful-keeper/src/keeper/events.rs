//! What the keeper waits for: everything it owns, in two lists of the kernel.
//!
//! Whoever writes to a pipe or socket hints to the kernel that it will soon sleep, and the kernel then
//! wakes the reader on the same processor. Here the writer goes on: an engine puts a start on record,
//! a command begins or ends. The keeper would wait for the processor that the writer has, or take
//! it away, while another one sleeps. So most things are in a list of their own inside the list that is
//! waited for: what comes through two lists comes without the hint. Only who makes a call that the
//! keeper has to answer does sleep, and is answered fastest on its own processor.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

use super::Source;

/// Stands for the inner list in the outer one; no source has this number.
const RELAYED: EventData = EventData::new_u64(u64::MAX);
/// Events that are taken at a time.
const MOST_AT_ONCE: usize = 64;

/// Both lists.
#[derive(Debug)]
pub(super) struct Events {
    direct: OwnedFd,
    relayed: OwnedFd,
}

impl Events {
    pub(super) fn new() -> io::Result<Self> {
        let events = Self {
            direct: epoll::create(CreateFlags::CLOEXEC)?,
            relayed: epoll::create(CreateFlags::CLOEXEC)?,
        };
        epoll::add(&events.direct, &events.relayed, RELAYED, EventFlags::IN)?;
        Ok(events)
    }

    fn list(&self, source: Source) -> &OwnedFd {
        match source {
            // That a table of mounts has changed is told once, to whoever asks first: here to the
            // outer list, which asks the inner one.
            Source::Notices(_) | Source::Mounts(_) => &self.direct,
            _ => &self.relayed,
        }
    }

    /// From now on the keeper hears of this.
    pub(super) fn add(
        &self,
        source: Source,
        fd: impl AsFd,
        flags: EventFlags,
    ) -> Result<(), Errno> {
        epoll::add(self.list(source), fd, source.encode(), flags)
    }

    /// It hears of something else about it.
    pub(super) fn modify(
        &self,
        source: Source,
        fd: impl AsFd,
        flags: EventFlags,
    ) -> Result<(), Errno> {
        epoll::modify(self.list(source), fd, source.encode(), flags)
    }

    /// The same, whether it is known already, perhaps under the number of another run, or not.
    pub(super) fn watch(
        &self,
        source: Source,
        fd: impl AsFd,
        flags: EventFlags,
    ) -> Result<(), Errno> {
        match self.add(source, &fd, flags) {
            Err(Errno::EXIST) => self.modify(source, fd, flags),
            outcome => outcome,
        }
    }

    /// It hears of this no more. What it did not hear of is no error.
    pub(super) fn forget(&self, source: Source, fd: impl AsFd) {
        let _ = epoll::delete(self.list(source), fd);
    }

    /// Waits until something has happened, or for this time, and tells all that has.
    pub(super) fn wait(&self, timeout: Option<&Timespec>) -> Result<Vec<Source>, Errno> {
        let mut sources = Vec::new();
        let direct = take(&self.direct, timeout)?;
        let mut is_relayed = false;
        for event in direct {
            let data = event.data;
            if data == RELAYED {
                is_relayed = true;
            } else {
                sources.push(Source::decode(data));
            }
        }
        if is_relayed {
            let relayed = take(&self.relayed, Some(&Timespec::default()))?;
            sources.extend(relayed.iter().map(|event| Source::decode(event.data)));
        }
        Ok(sources)
    }
}

fn take(list: &OwnedFd, timeout: Option<&Timespec>) -> Result<Vec<Event>, Errno> {
    let mut events = Vec::with_capacity(MOST_AT_ONCE);
    match epoll::wait(list, spare_capacity(&mut events), timeout) {
        Ok(_) | Err(Errno::INTR) => Ok(events),
        Err(errno) => Err(errno),
    }
}
