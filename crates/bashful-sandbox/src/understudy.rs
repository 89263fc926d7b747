//! A process that was made ahead of time to become a command, and the line to it.
//!
//! ```text
//! made ──► ready ──order──► everything in place ──release, go──► executes
//! ```
//!
//! The engine releases it, and the keeper says "go" when it has everything ready on its own side: it
//! gives the order first, and both get ready at the same time.
//!
//! The line closes when the command executes. A step that failed before is reported on it.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    send, sendmsg, socketpair,
};

use crate::launch::{Launch, MOST_TOLD, Stage};
use crate::order::{AS_FILE, MOST_BYTES};
use crate::report::{Report, Start};
use crate::wrapped::memory;

/// The keeper's end of the line.
#[derive(Debug)]
pub(crate) struct Line {
    socket: Report,
    /// The engine has said that the command may execute.
    is_released: bool,
}

/// What the keeper hears about a start.
#[derive(Debug)]
pub(crate) enum Heard {
    /// It is ready for its order.
    Ready,
    /// By this descriptor the keeper hears of the command's calls.
    Listening(OwnedFd),
    /// It has executed.
    Executed,
}

impl Line {
    /// Both ends: ours and theirs.
    pub(crate) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        let line = Self {
            socket: Report::new(ours),
            is_released: false,
        };
        Ok((line, theirs))
    }

    /// What it says next; none if it has said nothing.
    pub(crate) fn hear(&mut self) -> Result<Option<Heard>, (Stage, io::Error)> {
        loop {
            return Ok(Some(match self.socket.next_of_start()? {
                None => return Ok(None),
                Some(Start::Ready) => Heard::Ready,
                Some(Start::Listening(listener)) => Heard::Listening(listener),
                Some(Start::Released) => {
                    self.is_released = true;
                    continue;
                }
                Some(Start::Closed | Start::Executed(_)) if self.is_released => Heard::Executed,
                Some(_) => return Err((Stage::Report, io::ErrorKind::UnexpectedEof.into())),
            }));
        }
    }

    /// Waits until it is ready for its order; returns the listener for its calls, if there is one.
    pub(crate) fn await_ready(
        &mut self,
        patience: Duration,
    ) -> Result<Option<OwnedFd>, (Stage, io::Error)> {
        let mut found = None;
        loop {
            match self.hear()? {
                Some(Heard::Ready) => return Ok(found),
                Some(Heard::Listening(listener)) => found = Some(listener),
                Some(Heard::Executed) => {
                    return Err((Stage::Report, io::ErrorKind::InvalidData.into()));
                }
                None => self.socket.await_word(patience)?,
            }
        }
    }

    /// Waits until it says a word; an error after this time.
    pub(crate) fn await_word(&self, patience: Duration) -> Result<(), (Stage, io::Error)> {
        self.socket.await_word(patience)
    }

    /// Tells it what to do.
    pub(crate) fn tell(&self, launch: &Launch) -> Result<(), (Stage, io::Error)> {
        let order = launch.order();
        let order = order.ok_or_else(|| (Stage::Strings, io::ErrorKind::InvalidInput.into()))?;
        let order = order.encode();
        let file = match order.len() {
            0..=MOST_BYTES => None,
            _ => Some(memory(&order).map_err(|error| (Stage::Descriptors, error))?),
        };
        let message = file.as_ref().map_or(order.as_slice(), |_| AS_FILE);
        let mut descriptors: Vec<BorrowedFd<'_>> = file.iter().map(AsFd::as_fd).collect();
        descriptors.extend(launch.descriptors());
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_TOLD))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        }
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        sendmsg(
            &self.socket,
            &[IoSlice::new(message)],
            &mut ancillary,
            flags,
        )
        .map_err(|errno| (Stage::Report, errno.into()))?;
        Ok(())
    }

    /// Says that it may execute as soon as the engine says so too.
    pub(crate) fn go(&self) -> Result<(), (Stage, io::Error)> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let sent = send(&self.socket, b"g", flags);
        sent.map(drop)
            .map_err(|errno| (Stage::Report, errno.into()))
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
