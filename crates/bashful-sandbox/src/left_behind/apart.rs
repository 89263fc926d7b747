//! Examinations in a process of their own, which reports what it found when it is done.
//!
//! The keeper has one thread, and what takes long must not keep it from its clocks.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, nice, set_parent_process_death_signal};

use super::Examination;
use crate::profile::Violation;
use crate::sys::fork::{Fork, fork_single_threaded};
use crate::sys::namespaces::leave;
use crate::sys::scrub::close_all_but_these;

/// Finishes examinations in a child. What it found can be read from the descriptor, to its end,
/// in the form that `write` gives it.
pub fn finish_apart(
    mut examinations: Vec<Examination>,
    patience: Duration,
    write: impl FnOnce(&[Violation]) -> Vec<u8>,
) -> io::Result<(i32, OwnedFd)> {
    let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    match fork_single_threaded()? {
        Fork::Parent(pid) => {
            examinations.iter_mut().for_each(Examination::hand_over);
            Ok((pid, ours))
        }
        Fork::Child => {
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            let _ = nice(10);
            let kept = examinations.iter().map(Examination::descriptor);
            let kept: Vec<_> = kept.chain([theirs.as_fd()]).collect();
            // If the child says nothing, the keeper knows that it failed.
            if close_all_but_these(&kept).is_ok() {
                let found = finish(examinations, patience);
                let _ = rustix::io::ioctl_fionbio(&theirs, false);
                let _ = File::from(theirs).write_all(&write(&found));
            }
            leave(0)
        }
    }
}

/// Finishes them one after the other; all have as much time together.
pub(super) fn finish(examinations: Vec<Examination>, patience: Duration) -> Vec<Violation> {
    let until = Instant::now() + patience;
    let mut found = Vec::new();
    for mut examination in examinations {
        examination.finish(until.saturating_duration_since(Instant::now()));
        found.extend(examination.into_violations());
    }
    found
}
