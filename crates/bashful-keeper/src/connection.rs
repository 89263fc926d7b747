//! One engine's connection, as the keeper sees it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::epoll::EventFlags;

use crate::protocol::{Reply, Request};
use crate::wire::{LineBuffer, send_line};

/// A connection: what came in, and what waits to go out. The keeper never blocks
/// on an engine that does not read; only lines that matter queue up, while growth
/// of a log is said again when there is room (see `Run::unsaid`).
#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedFd,
    incoming: LineBuffer,
    outgoing: VecDeque<u8>,
    /// The handshake went well.
    pub(crate) greeted: bool,
    /// The other side has hung up.
    pub(crate) gone: bool,
    /// The loop wakes when there is room to send.
    waits_for_room: bool,
}

/// What reading brought.
pub(crate) enum Incoming {
    /// A request, with the descriptors that came with it.
    Request(Request),
    /// A line that is no request.
    Nonsense,
}

impl Connection {
    pub(crate) fn new(socket: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Self {
            socket,
            incoming: LineBuffer::default(),
            outgoing: VecDeque::new(),
            greeted: false,
            gone: false,
            waits_for_room: false,
        })
    }

    pub(crate) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Takes in what has arrived; false when the other side is gone.
    pub(crate) fn fill(&mut self) -> bool {
        loop {
            match self.incoming.fill(&self.socket) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
    }

    pub(crate) fn next(&mut self) -> Option<Incoming> {
        let line = self.incoming.line()?;
        Some(serde_json::from_slice(&line).map_or(Incoming::Nonsense, Incoming::Request))
    }

    pub(crate) fn descriptor(&mut self) -> Option<OwnedFd> {
        self.incoming.descriptor()
    }

    pub(crate) fn send(&mut self, reply: &Reply) {
        if let Ok(line) = serde_json::to_vec(reply) {
            self.outgoing.extend(line);
            self.outgoing.push_back(b'\n');
        }
    }

    /// Sends what the socket takes; false when the other side is gone.
    pub(crate) fn flush(&mut self) -> bool {
        while !self.outgoing.is_empty() {
            let (front, _) = self.outgoing.as_slices();
            match send_line(self.socket.as_fd(), front, &[]) {
                Ok(count) => {
                    self.outgoing.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        true
    }

    /// What to watch for, if that is not what is watched for now.
    pub(crate) fn changed_interest(&mut self) -> Option<EventFlags> {
        let wanted = self.is_clogged();
        (wanted != self.waits_for_room).then(|| {
            self.waits_for_room = wanted;
            if wanted {
                EventFlags::IN | EventFlags::OUT
            } else {
                EventFlags::IN
            }
        })
    }

    pub(crate) fn is_clogged(&self) -> bool {
        !self.outgoing.is_empty()
    }
}
