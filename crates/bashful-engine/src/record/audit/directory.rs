//! The state directory and the two files of the trail in it: whether they can be trusted.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::model::error::record::AuditError;
use crate::model::places::make_private;

/// The name of the trail.
pub(super) const TRAIL: &str = "trail.jsonl";
/// The name of its head, which is its lock too.
pub(super) const HEAD: &str = "trail.head";

/// A process that holds the lock longer than this is stuck.
const PATIENCE: Duration = Duration::from_secs(10);
const SHORTEST_NAP: Duration = Duration::from_micros(50);
const LONGEST_NAP: Duration = Duration::from_millis(2);

/// An open state directory that no other user can change.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) path: PathBuf,
    pub(super) fd: OwnedFd,
    /// What it was when it was opened.
    pub(super) about: Stat,
}

/// Whether a file that is not there is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    Make,
    Leave,
}

impl Directory {
    /// Opens it; one that is not there is made.
    pub(super) fn open(path: &Path) -> Result<Self, AuditError> {
        if let Some(directory) = Self::open_existing(path)? {
            return Ok(directory);
        }
        make_private(path).map_err(failed("make", path))?;
        Self::open_existing(path)?.ok_or_else(|| failed("open", path)(Errno::NOENT.into()))
    }

    /// Opens it; `None` if it is not there.
    pub(super) fn open_existing(path: &Path) -> Result<Option<Self>, AuditError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(failed("open", path)(error.into())),
        };
        let about = rustix::fs::fstat(&fd).map_err(|error| failed("open", path)(error.into()))?;
        let of_others = about.st_uid != 0 && !is_ours(&about);
        if of_others || about.st_mode & 0o022 != 0 {
            return Err(AuditError::NotPrivate {
                path: path.to_owned(),
            });
        }
        Ok(Some(Self {
            path: path.to_owned(),
            fd,
            about,
        }))
    }

    /// Opens one of the two files for reading and writing. Neither may be a link, a pipe or a file
    /// of another user.
    pub(super) fn file(
        &self,
        name: &str,
        more: OFlags,
        absent: Absent,
    ) -> Result<Option<(File, Stat)>, AuditError> {
        let fail = |error: io::Error| failed("open", &self.path.join(name))(error);
        let mut flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | more;
        if absent == Absent::Make {
            flags |= OFlags::CREATE;
        }
        let mode = Mode::RUSR | Mode::WUSR;
        let fd = match rustix::fs::openat(&self.fd, name, flags, mode) {
            Ok(fd) => fd,
            Err(Errno::NOENT) if absent == Absent::Leave => return Ok(None),
            Err(Errno::LOOP) => return Err(fail(io::Error::other("it is a symbolic link"))),
            Err(error) => return Err(fail(error.into())),
        };
        let about = rustix::fs::fstat(&fd).map_err(|error| fail(error.into()))?;
        if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
            return Err(fail(io::Error::other("it is not a file")));
        }
        if !is_ours(&about) {
            return Err(fail(io::Error::other("it belongs to another user")));
        }
        Ok(Some((File::from(fd), about)))
    }
}

fn is_ours(about: &Stat) -> bool {
    about.st_uid == rustix::process::geteuid().as_raw()
}

pub(super) fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> AuditError {
    move |source| AuditError::Failed {
        doing,
        path: path.to_owned(),
        source,
    }
}

/// A lock that is held until this goes.
#[derive(Debug)]
pub(super) struct Locked<F: AsFd>(pub(super) F);

impl<F: AsFd> Locked<F> {
    /// Takes the lock for a writer.
    pub(super) fn alone(file: F) -> io::Result<Self> {
        Self::take(file, FlockOperation::NonBlockingLockExclusive)
    }

    /// Takes the lock together with other readers.
    pub(super) fn together(file: F) -> io::Result<Self> {
        Self::take(file, FlockOperation::NonBlockingLockShared)
    }

    /// A process that wants the lock while it is held naps and tries again: that can be bounded,
    /// waiting in the kernel cannot.
    fn take(file: F, operation: FlockOperation) -> io::Result<Self> {
        let mut until = None;
        let mut nap = SHORTEST_NAP;
        loop {
            match rustix::fs::flock(&file, operation) {
                Ok(()) => return Ok(Self(file)),
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => {
                    let now = Instant::now();
                    if now > *until.get_or_insert(now + PATIENCE) {
                        return Err(io::Error::new(
                            io::ErrorKind::TimedOut,
                            "another process holds it for too long",
                        ));
                    }
                    std::thread::sleep(nap);
                    nap = (nap * 2).min(LONGEST_NAP);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl<F: AsFd> Drop for Locked<F> {
    fn drop(&mut self) {
        // A process that was forked meanwhile may hold a copy of the descriptor: closing ours
        // alone would not end the lock.
        let _ = rustix::fs::flock(&self.0, FlockOperation::Unlock);
    }
}
