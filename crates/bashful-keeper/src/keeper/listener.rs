//! The socket of a session: one keeper serves it, only its owner may use it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use crate::socket::{bind, connect};

/// A listening socket and the lock that makes it ours.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: OwnedFd,
    path: PathBuf,
    /// Held until the socket file is gone; none where no other keeper can want it.
    lock: Option<File>,
}

impl Listener {
    /// Listens at this path; none if another keeper does.
    pub(crate) fn bind(path: PathBuf) -> io::Result<Option<Self>> {
        let Some(lock) = take_lock(&path.with_extension("lock"))? else {
            return Ok(None);
        };
        // The keeper that left a file here is dead: we hold its lock.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        Self::listen(path, Some(lock)).map(Some)
    }

    /// Listens at a path that was made up for us.
    pub(crate) fn bind_alone(path: PathBuf) -> io::Result<Self> {
        remove_dead(&path);
        Self::listen(path, None)
    }

    fn listen(path: PathBuf, lock: Option<File>) -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket =
            rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        bind(&socket, &path)?;
        rustix::net::listen(&socket, MOST_CALLERS)?;
        Ok(Self { socket, path, lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next connection of our own user; another user's is closed.
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

/// The lock at this path; none if another keeper has it.
fn take_lock(path: &Path) -> io::Result<Option<File>> {
    for _ in 0..MOST_TRIES {
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
        // The keeper that had it before may have removed the file meanwhile; then it is no lock.
        let ours = lock.metadata()?.ino();
        if fs::symlink_metadata(path).is_ok_and(|there| there.ino() == ours) {
            return Ok(Some(lock));
        }
    }
    Ok(None)
}

/// How many may call while the keeper is busy; the kernel has a bound of its own.
const MOST_CALLERS: i32 = 1024;

/// How often another keeper may remove the lock file while we take it.
const MOST_TRIES: usize = 16;

/// What sockets of one keeper alone are called.
pub const ALONE: &str = "alone-";
/// How many sockets of dead keepers are looked for at most.
const MOST_DEAD: usize = 64;

/// Removes sockets like this one whose keepers were killed and no longer answer.
fn remove_dead(path: &Path) {
    let Some(entries) = path.parent().and_then(|parent| fs::read_dir(parent).ok()) else {
        return;
    };
    let is_alone = |entry: &fs::DirEntry| {
        entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(ALONE.as_bytes())
    };
    for entry in entries.flatten().filter(is_alone).take(MOST_DEAD) {
        let asked = connect(&entry.path());
        if asked.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            let _ = fs::remove_file(entry.path());
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
        if self.lock.is_some() {
            // While the lock is held: a keeper that waits for it checks whether the file is still
            // there.
            let _ = fs::remove_file(self.path.with_extension("lock"));
        }
    }
}
