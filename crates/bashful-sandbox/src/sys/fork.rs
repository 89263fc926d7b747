//! Forking a process that has a single thread.

use std::io;

use crate::kernel_file::kernel_bytes;

/// Which side of a fork we are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fork {
    /// The process that called, with the new process's id.
    Parent(i32),
    /// The new process.
    Child,
}

/// Forks this process, which must have only one thread.
///
/// With other threads a lock held by one of them would stay locked for ever in
/// the child, so the call is refused then.
pub fn fork_single_threaded() -> io::Result<Fork> {
    require_single_thread()?;
    fork_leaving_threads()
}

/// Forks this process, whatever threads it has; only the calling one is in the child.
///
/// Only for a process that was started to become another program and has done nothing
/// yet: a runtime's idle threads hold no lock that the child will need, and libc keeps
/// its own in order across a fork.
pub fn fork_leaving_threads() -> io::Result<Fork> {
    // SAFETY: the child runs ordinary code that needs libc's locks only, which libc
    // resets in the child; the caller promises that no other lock is held.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        pid => Ok(Fork::Parent(pid)),
    }
}

/// An error if this process has more than one thread.
pub(crate) fn require_single_thread() -> io::Result<()> {
    own_status_if_single_threaded().map(drop)
}

/// The fields of `/proc/self/stat` from the state on; an error if this process has more than
/// the one thread.
pub(super) fn own_status_if_single_threaded() -> io::Result<String> {
    let status = kernel_bytes("/proc/self/stat")?;
    // The name in parentheses may hold anything.
    let name_end = status.iter().rposition(|byte| *byte == b')');
    let fields = status.get(name_end.map_or(0, |end| end + 1)..);
    let fields = String::from_utf8_lossy(fields.unwrap_or_default()).into_owned();
    if fields.split_ascii_whitespace().nth(THREADS) == Some("1") {
        return Ok(fields);
    }
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "this process has several threads",
    ))
}

/// How many threads there are, counted from the state.
const THREADS: usize = 17;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_thread_is_noticed() {
        // A test runs in a thread of its own.
        assert!(require_single_thread().is_err());
        // SAFETY: nothing was done yet by the child, which only looks and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let alone = require_single_thread().is_ok();
            // SAFETY: ends this process, and runs nothing of the test's.
            unsafe { libc::_exit(i32::from(!alone)) };
        }
        let mut status = 0;
        // SAFETY: the status is a place of ours that outlives the call.
        let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!((waited, status), (child, 0));
    }
}
