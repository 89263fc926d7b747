//! Whether namespaces can be made and mounted in: asked by doing it, in a process that ends at once.

use std::ffi::c_int;
use std::io;

use super::namespaces::leave;
use super::wait::{ExitStatus, reap};

/// What is done in the new namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// Nothing: being there is enough.
    Enter,
    /// Its mounts are cut off from all others, which is the first change of every sandbox.
    CutOff,
    /// The same, and a `/proc` of its own is mounted.
    MountProc,
}

/// Makes these namespaces and tries a step in them. Whatever happens there, nothing of it
/// is left. May be called with other threads around.
pub(crate) fn attempt(namespaces: c_int, what: Attempt) -> io::Result<()> {
    // SAFETY: no memory is shared; the child makes system calls only, touches nothing that
    // other threads of the caller may hold, and ends without returning.
    let pid = unsafe {
        libc::syscall(
            libc::SYS_clone,
            libc::c_long::from(namespaces | libc::SIGCHLD),
            0_usize,
            0_usize,
            0_usize,
            0_usize,
        )
    };
    let pid = i32::try_from(pid).unwrap_or(-1);
    if pid == 0 {
        leave(make(what));
    }
    if pid == -1 {
        return Err(io::Error::last_os_error());
    }
    match reap(pid)?.status {
        ExitStatus::Code(0) => Ok(()),
        ExitStatus::Code(errno) => Err(io::Error::from_raw_os_error(errno)),
        ExitStatus::Signal(_) => Err(io::ErrorKind::Interrupted.into()),
    }
}

/// Tries it; 0, or the number of the error.
fn make(what: Attempt) -> c_int {
    if what == Attempt::Enter {
        return 0;
    }
    // SAFETY: the path is a literal, and no other text is given.
    let outcome = unsafe {
        libc::mount(
            std::ptr::null(),
            c"/".as_ptr(),
            std::ptr::null(),
            libc::MS_REC | libc::MS_PRIVATE,
            std::ptr::null(),
        )
    };
    if outcome == -1 {
        return last_error();
    }
    if what == Attempt::CutOff {
        return 0;
    }
    // SAFETY: all texts are literals.
    let outcome = unsafe {
        libc::mount(
            c"proc".as_ptr(),
            c"/proc".as_ptr(),
            c"proc".as_ptr(),
            libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC,
            std::ptr::null(),
        )
    };
    if outcome == -1 { last_error() } else { 0 }
}

fn last_error() -> c_int {
    io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}
