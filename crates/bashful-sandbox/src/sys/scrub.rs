//! Making a forked process forget what it inherited.

use std::ffi::c_char;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// Closes every descriptor above 2 except this one.
///
/// Only for a process that was just forked and will never return to the code that
/// owns those descriptors.
pub fn close_all_but(kept: OwnedFd) -> io::Result<OwnedFd> {
    let number = u32::try_from(kept.as_raw_fd()).map_err(|_| io::ErrorKind::InvalidInput)?;
    for (first, last) in [(3, number.saturating_sub(1)), (number + 1, u32::MAX)] {
        if first > last {
            continue;
        }
        // SAFETY: takes no memory; whoever owned these descriptors does not run in
        // this process, as the caller promises by its nature.
        if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0_u32) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(kept)
}

unsafe extern "C" {
    /// Where libc keeps the environment.
    static mut environ: *mut *mut c_char;
}

/// Overwrites the environment that this process was started with, which the kernel
/// shows to others in `/proc/PID/environ`. From then on the environment is empty.
/// Refused when there is another thread, which might be reading it.
pub fn forget_environment() -> io::Result<()> {
    super::fork::require_single_thread()?;
    // SAFETY: libc's own pointer, read in a process with a single thread.
    let mut entry = unsafe { environ };
    if entry.is_null() {
        return Ok(());
    }
    loop {
        // SAFETY: the array ends with a null pointer, which ends the loop.
        let text = unsafe { *entry };
        if text.is_null() {
            break;
        }
        // SAFETY: each entry is a string that ends with NUL.
        let length = unsafe { libc::strlen(text) };
        // SAFETY: exactly the string's own bytes, which are writable memory of ours.
        unsafe { std::ptr::write_bytes(text, 0, length) };
        // SAFETY: still inside the array, whose end was not reached.
        entry = unsafe { entry.add(1) };
    }
    // SAFETY: libc's own pointer; an empty environment is a valid one.
    unsafe { environ = std::ptr::null_mut() };
    Ok(())
}
