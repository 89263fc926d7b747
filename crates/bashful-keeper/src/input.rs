//! From engines to a command: what waits to be written to its terminal or standard input.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use bashful_sandbox::{FileIdentity, Terminal};
use rustix::io::Errno;

/// How many bytes may wait until the command reads them.
pub(crate) const MOST_WAITING: usize = 1 << 20;

/// The way into a command.
#[derive(Debug)]
pub(crate) struct Input {
    /// Non-blocking; none once it is closed.
    way: Option<OwnedFd>,
    /// Where the way is a terminal.
    pub(crate) terminal: Option<Terminal>,
    /// What the command reads from.
    pub(crate) source: Option<FileIdentity>,
    queue: VecDeque<u8>,
    /// To be closed when the queue is empty.
    closing: bool,
    /// The loop wakes when there is room.
    pub(crate) is_watched: bool,
}

/// What cannot be taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    Closed,
    Full { waiting: usize },
}

impl Input {
    /// Through a pipe whose other end is the command's standard input.
    pub(crate) fn pipe(way: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&way, true)?;
        let source = FileIdentity::of(&way).ok();
        Ok(Self::new(way, None, source))
    }

    /// Through a terminal.
    pub(crate) fn terminal(terminal: Terminal) -> io::Result<Self> {
        let way = terminal.descriptor()?;
        let source = terminal.identity().ok();
        Ok(Self::new(way, Some(terminal), source))
    }

    fn new(way: OwnedFd, terminal: Option<Terminal>, source: Option<FileIdentity>) -> Self {
        Self {
            way: Some(way),
            terminal,
            source,
            queue: VecDeque::new(),
            closing: false,
            is_watched: false,
        }
    }

    /// For another run, under whose number it is watched.
    pub(crate) fn unwatched(mut self) -> Self {
        self.is_watched = false;
        self
    }

    /// Takes all of it, or nothing.
    pub(crate) fn push(&mut self, bytes: &[u8], end: bool) -> Result<(), NotTaken> {
        if self.way.is_none() || self.closing {
            return Err(NotTaken::Closed);
        }
        let waiting = self.queue.len();
        if waiting + bytes.len() > MOST_WAITING {
            return Err(NotTaken::Full { waiting });
        }
        self.queue.extend(bytes);
        match &self.terminal {
            // A terminal stays open: this is only what a person would press.
            Some(terminal) if end => self.queue.push_back(terminal.end_of_input().unwrap_or(4)),
            Some(_) => {}
            None => self.closing = end,
        }
        self.write();
        Ok(())
    }

    /// Writes what the command's side takes.
    pub(crate) fn write(&mut self) {
        while let Some(way) = &self.way {
            let (front, _) = self.queue.as_slices();
            if front.is_empty() {
                if self.closing {
                    self.way = None;
                }
                return;
            }
            match rustix::io::write(way, front) {
                Ok(0) | Err(Errno::AGAIN) => return,
                Ok(count) => drop(self.queue.drain(..count)),
                Err(Errno::INTR) => {}
                Err(_) => self.close(),
            }
        }
    }

    /// The command no longer reads.
    fn close(&mut self) {
        self.way = None;
        self.queue = VecDeque::new();
    }

    /// What to watch for room, while bytes wait to be written.
    pub(crate) fn clogged(&self) -> Option<BorrowedFd<'_>> {
        let way = self.way.as_ref()?;
        (!self.queue.is_empty()).then(|| way.as_fd())
    }

    pub(crate) fn way(&self) -> Option<BorrowedFd<'_>> {
        self.way.as_ref().map(AsFd::as_fd)
    }

    /// Whether a caller can still send input.
    pub(crate) fn is_open(&self) -> bool {
        self.way.is_some() && !self.closing
    }
}
