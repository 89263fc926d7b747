//! The word that a command may execute.
//!
//! A keeper gets its order while the start is still being put on record: what becomes the command
//! is made ready and waits for this word. If the engine goes away without it, nothing executes.

use std::os::fd::OwnedFd;

use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};

use crate::model::error::EngineError;

/// The engine's end.
#[derive(Debug)]
pub(crate) struct Release(OwnedFd);

impl Release {
    /// Both ends; the other travels with the order.
    pub(crate) fn pair() -> Result<(Self, OwnedFd), EngineError> {
        let ends = socketpair(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC,
            None,
        );
        let (ours, theirs) = ends.map_err(|errno| EngineError::Resources {
            what: "a socket".to_owned(),
            source: errno.into(),
        })?;
        Ok((Self(ours), theirs))
    }

    /// Lets the command execute. Where the process that waits for this word is gone, the outcome
    /// of the run tells why.
    pub(crate) fn go(self) {
        let _ = send(&self.0, b"!", SendFlags::NOSIGNAL);
    }
}
