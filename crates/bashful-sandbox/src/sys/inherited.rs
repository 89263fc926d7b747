//! Descriptors that a process was started with, by their numbers.

use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd};

/// A copy of the descriptor of this number, whoever has it; an error if there is none.
pub fn copy_of_descriptor(number: i32) -> io::Result<OwnedFd> {
    // SAFETY: takes numbers and no memory, and changes no descriptor that is there.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just made it, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}
