//! Waking up the callers that wait for an answer. It is a hint: the row is the truth.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, inotify};

/// The file that changes when an ask or a grant does.
const NAME: &str = "asks.wake";

/// Says that a row changed. That it cannot be said is no reason to fail: a caller that waits looks
/// again by itself.
pub(crate) fn wake(state: &Path) {
    let touched = open(state).and_then(|file| file.write_at(b".", 0));
    drop(touched);
}

fn open(state: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(state.join(NAME))
}

/// Sees when a row may have changed.
#[derive(Debug)]
pub struct Watch {
    events: Option<OwnedFd>,
}

impl Watch {
    /// Looks from here on. Where the system has no more watches to give, it is only slower.
    pub(crate) fn new(state: &Path) -> Self {
        let path: PathBuf = state.join(NAME);
        let watch = || -> io::Result<OwnedFd> {
            drop(open(state)?);
            let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
            let events = inotify::init(flags)?;
            inotify::add_watch(&events, &path, inotify::WatchFlags::MODIFY)?;
            Ok(events)
        };
        Self {
            events: watch().ok(),
        }
    }

    /// Readable when a row may have changed; none where the system cannot tell.
    pub fn hint(&self) -> Option<BorrowedFd<'_>> {
        self.events.as_ref().map(AsFd::as_fd)
    }

    /// Takes the hint away.
    pub fn take_hint(&self) {
        let Some(events) = &self.events else { return };
        let mut buffer = [0_u8; 4096];
        while rustix::io::read(events, &mut buffer).is_ok_and(|length| length > 0) {}
    }

    /// Waits for a hint, at most for this time.
    pub fn wait(&self, most: Duration) {
        let Some(events) = &self.events else {
            std::thread::sleep(most.min(Duration::from_millis(50)));
            return;
        };
        let timeout = Timespec::try_from(most).ok();
        let mut descriptors = [PollFd::new(events, PollFlags::IN)];
        // Interrupted by a signal: the caller looks at once, which is right as well.
        let _ = poll(&mut descriptors, timeout.as_ref());
        self.take_hint();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_change_wakes_whoever_waits() {
        let state = tempfile::tempdir().unwrap();
        let watch = Watch::new(state.path());
        let began = Instant::now();
        watch.wait(Duration::from_millis(50));
        assert!(began.elapsed() >= Duration::from_millis(50));
        wake(state.path());
        let began = Instant::now();
        watch.wait(Duration::from_secs(20));
        assert!(began.elapsed() < Duration::from_secs(10));
        // The hint was taken.
        let began = Instant::now();
        watch.wait(Duration::from_millis(50));
        assert!(began.elapsed() >= Duration::from_millis(50));
    }
}
