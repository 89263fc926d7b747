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
    // SAFETY: no other thread exists, so no lock can be left held in the child
    // and the child may run ordinary code.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        pid => Ok(Fork::Parent(pid)),
    }
}

/// An error if this process has more than one thread.
pub(super) fn require_single_thread() -> io::Result<()> {
    let threads = std::fs::read_dir("/proc/self/task")?.take(2).count();
    if threads > 1 {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this process has several threads",
        ));
    }
    Ok(())
}
