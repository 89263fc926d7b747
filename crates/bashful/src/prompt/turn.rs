//! One question at a time on a terminal, so that no key answers the wrong one.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::termios::tcgetsid;

use super::waiting::{Waiting, Wake};

/// How often a turn that others have is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// The right to ask on a terminal, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    path: PathBuf,
    /// Held for its lock.
    _lock: File,
}

impl Turn {
    /// Waits for its turn while the ask waits; none if there is nothing to ask any more, or if
    /// turns cannot be kept.
    pub(crate) fn take(runtime: &Path, waiting: &Waiting<'_>) -> Option<Self> {
        // A terminal belongs to one session of processes, and that has a number.
        let session = tcgetsid(waiting.terminal).ok()?.as_raw_pid();
        Self::take_at(runtime, &format!("prompt-{session}.lock"), waiting)
    }

    pub(super) fn take_at(runtime: &Path, name: &str, waiting: &Waiting<'_>) -> Option<Self> {
        let directory = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(runtime);
        directory.ok()?;
        let path = runtime.join(name);
        loop {
            let lock = open(&path)?;
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                // The process that had it before has removed the file; others may lock a new one.
                Ok(()) if is_at(&lock, &path) => return Some(Self { path, _lock: lock }),
                Ok(()) | Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::WOULDBLOCK) => match waiting.without_keys(AGAIN) {
                    Wake::Quiet => {}
                    _ => return None,
                },
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // While it is still locked: see where it is taken.
        let _ = fs::remove_file(&self.path);
    }
}

fn open(path: &Path) -> Option<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::CLOEXEC).bits();
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags.cast_signed())
        .open(path)
        .ok()
}

fn is_at(file: &File, path: &Path) -> bool {
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let here = file.metadata().ok().map(identity);
    here.is_some() && here == fs::symlink_metadata(path).ok().map(identity)
}
