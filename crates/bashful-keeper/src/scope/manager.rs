//! The way to a manager of systemd: its own socket, without a bus between.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv,
    send, socket_with, sockopt::socket_peercred,
};
use rustix::process::{Uid, geteuid};

/// No answer to us is longer.
const LONGEST: usize = 1 << 16;

/// A connection to a manager.
#[derive(Debug)]
pub(super) struct Manager {
    socket: OwnedFd,
    incoming: Vec<u8>,
    /// It knows us, and messages follow.
    greeted: bool,
}

/// What it said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// It knows who we are.
    Greeting,
    /// What we asked for will be done.
    Return,
    /// It will not.
    Refused,
    /// A message that is not about us.
    Other,
    /// No message in time.
    Silence,
}

/// The socket of this user's manager; root's is the system's.
pub(super) fn address(user: Uid) -> PathBuf {
    if user.is_root() {
        PathBuf::from("/run/systemd/private")
    } else {
        PathBuf::from(format!("/run/user/{}/systemd/private", user.as_raw()))
    }
}

impl Manager {
    /// Connects, and says who we are; never waits.
    pub(super) fn reach(path: &Path) -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        connect(&socket, &SocketAddrUnix::new(path)?)?;
        let user = geteuid();
        // A user's manager is their own; the system's is root's.
        if socket_peercred(&socket)?.uid != user {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut manager = Self {
            socket,
            incoming: Vec::new(),
            greeted: false,
        };
        manager.send(greeting(user).as_bytes())?;
        Ok(manager)
    }

    /// Sends a message that fits into the socket at once, as all of ours do.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let sent = send(&self.socket, bytes, SendFlags::NOSIGNAL)?;
        if sent == bytes.len() {
            Ok(())
        } else {
            Err(io::ErrorKind::WriteZero.into())
        }
    }

    /// What it says next, until then.
    pub(super) fn listen(&mut self, until: Instant) -> io::Result<Heard> {
        loop {
            if let Some(heard) = self.take()? {
                return Ok(heard);
            }
            let mut buffer = [0_u8; 4096];
            match recv(&self.socket, &mut buffer[..], RecvFlags::DONTWAIT) {
                Ok((_, 0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok((_, count)) => {
                    self.incoming
                        .extend(buffer.get(..count).unwrap_or_default());
                    if self.incoming.len() > LONGEST {
                        return Err(io::ErrorKind::InvalidData.into());
                    }
                }
                Err(Errno::AGAIN) => {
                    let left = until.saturating_duration_since(Instant::now());
                    let left = Timespec::try_from(left).unwrap_or_default();
                    let mut wait = [PollFd::new(&self.socket, PollFlags::IN)];
                    match poll(&mut wait, Some(&left)) {
                        Ok(0) => return Ok(Heard::Silence),
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(errno) => return Err(errno.into()),
                    }
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// The next whole message of what has come in.
    fn take(&mut self) -> io::Result<Option<Heard>> {
        if !self.greeted {
            let end = self.incoming.windows(2).position(|two| two == b"\r\n");
            let Some(end) = end else { return Ok(None) };
            let line: Vec<u8> = self.incoming.drain(..end + 2).collect();
            if !line.starts_with(b"OK ") {
                return Ok(Some(Heard::Refused));
            }
            self.greeted = true;
            return Ok(Some(Heard::Greeting));
        }
        let Some(length) = message_length(&self.incoming)? else {
            return Ok(None);
        };
        let kind = self.incoming.get(1).copied();
        self.incoming.drain(..length);
        // We call once, so an answer is the answer.
        Ok(Some(match kind {
            Some(2) => Heard::Return,
            Some(3) => Heard::Refused,
            _ => Heard::Other,
        }))
    }
}

/// Says who we are, in one breath with what follows: the kernel tells the same.
fn greeting(user: Uid) -> String {
    let digits = user.as_raw().to_string();
    // Each digit is told by its code, which is 3 and the digit in base 16.
    let name: String = digits.chars().flat_map(|digit| ['3', digit]).collect();
    format!("\0AUTH EXTERNAL {name}\r\nBEGIN\r\n")
}

/// How long the message at the beginning of these bytes is; none while some of it is missing.
pub(super) fn message_length(bytes: &[u8]) -> io::Result<Option<usize>> {
    let number = |at: usize| -> Option<usize> {
        let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        let number = match bytes.first()? {
            b'l' => u32::from_le_bytes(four),
            _ => u32::from_be_bytes(four),
        };
        usize::try_from(number).ok()
    };
    let (Some(body), Some(fields)) = (number(4), number(12)) else {
        return Ok(None);
    };
    if body > LONGEST || fields > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let length = (16 + fields).next_multiple_of(8) + body;
    Ok((bytes.len() >= length).then_some(length))
}
