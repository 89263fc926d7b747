//! Waiting for a descriptor on another processor than its writer's.
//!
//! Whoever writes to a pipe or socket hints to the kernel that it will sleep in a moment, and the
//! kernel then wakes the reader on the writer's own processor, also where another one is idle. Among
//! our processes the writer mostly goes on: an engine puts a start on record, a keeper makes the
//! files of a task. What is waited for through a list of the kernel's is woken without the hint.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::epoll::{CreateFlags, EventData, EventFlags, add, create};

/// To be waited for instead of the descriptor that it is of.
#[derive(Debug)]
pub struct Relay(OwnedFd);

impl Relay {
    /// Of a descriptor that is to be read.
    pub fn of(fd: impl AsFd) -> io::Result<Self> {
        let list = create(CreateFlags::CLOEXEC)?;
        add(&list, fd, EventData::new_u64(0), EventFlags::IN)?;
        Ok(Self(list))
    }
}

impl AsFd for Relay {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
