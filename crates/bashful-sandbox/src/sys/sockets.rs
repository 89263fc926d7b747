//! Sockets that take connections meant for others.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::net::AddressFamily;

/// Lets a socket accept what the packet filter hands to it, whatever address it was meant for.
pub(crate) fn make_transparent(socket: impl AsFd, family: AddressFamily) -> io::Result<()> {
    let (level, option) = if family == AddressFamily::INET6 {
        (libc::SOL_IPV6, libc::IPV6_TRANSPARENT)
    } else {
        (libc::SOL_IP, libc::IP_TRANSPARENT)
    };
    let on: c_int = 1;
    let length = libc::socklen_t::try_from(size_of::<c_int>()).unwrap_or_default();
    // SAFETY: the value is an int that outlives the call, and its length is given.
    let outcome = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            option,
            (&raw const on).cast(),
            length,
        )
    };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
