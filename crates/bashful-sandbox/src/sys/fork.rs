//! Forking a process that has a single thread.

use std::io;

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
/// Only for a process that was started to become something else and has done nothing
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
    let threads = std::fs::read_dir("/proc/self/task")?.take(2).count();
    if threads > 1 {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this process has several threads",
        ));
    }
    Ok(())
}
