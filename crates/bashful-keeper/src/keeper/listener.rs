//! The socket of a session: one keeper serves it, only its owner may use it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

/// A listening socket and the lock that makes it ours.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: OwnedFd,
    path: PathBuf,
    /// Held until the socket file is gone.
    _lock: File,
}

impl Listener {
    /// Listens at this path; none if another keeper does.
    pub(crate) fn bind(path: PathBuf) -> io::Result<Option<Self>> {
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path.with_extension("lock"))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
        // Whoever left a file here is dead: we hold the lock.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket =
            rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        rustix::net::bind(&socket, &SocketAddrUnix::new(&path)?)?;
        rustix::net::listen(&socket, 128)?;
        Ok(Some(Self {
            socket,
            path,
            _lock: lock,
        }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next connection of our own user; anybody else's is closed.
    pub(crate) fn accept(&self) -> Option<OwnedFd> {
        loop {
            let socket = rustix::net::accept_with(&self.socket, SocketFlags::CLOEXEC).ok()?;
            let peer = rustix::net::sockopt::socket_peercred(&socket);
            if peer.is_ok_and(|peer| peer.uid == rustix::process::geteuid()) {
                return Some(socket);
            }
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
