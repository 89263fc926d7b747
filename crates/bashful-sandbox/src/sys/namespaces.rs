//! Processes in new namespaces, and what a new namespace needs first.

use std::ffi::c_int;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use super::fork::Fork;

/// Puts the calling process, which must have a single thread, into new namespaces of these kinds.
/// A mount namespace is a copy of the one it is in.
pub(crate) fn new_namespaces(kinds: c_int) -> io::Result<()> {
    // SAFETY: takes no memory; descriptors are shared with no new process.
    if unsafe { libc::unshare(kinds) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Forks this process, which must have a single thread, into new namespaces.
pub(crate) fn fork_into(namespaces: c_int) -> io::Result<Fork> {
    super::fork::require_single_thread()?;
    // SAFETY: no memory is shared and the child goes on with a copy of this stack, as
    // after fork; with one thread no other one holds a lock.
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
    match i32::try_from(pid) {
        Ok(0) => Ok(Fork::Child),
        Ok(pid) if pid > 0 => Ok(Fork::Parent(pid)),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A user namespace with these maps, and no process in it.
pub(crate) fn user_namespace(users: &str, groups: &str) -> io::Result<OwnedFd> {
    // SAFETY: takes no memory.
    let parent = unsafe { libc::getpid() };
    // SAFETY: no memory is shared; the child makes system calls only and touches nothing that
    // other threads of the caller may hold.
    let pid = unsafe {
        libc::syscall(
            libc::SYS_clone,
            libc::c_long::from(libc::CLONE_NEWUSER | libc::SIGCHLD),
            0_usize,
            0_usize,
            0_usize,
            0_usize,
        )
    };
    let pid = i32::try_from(pid).unwrap_or(-1);
    if pid == 0 {
        // No other process would ever end it, so it ends with its parent.
        // SAFETY: takes no memory.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        // SAFETY: takes no memory.
        while unsafe { libc::getppid() } == parent {
            // SAFETY: takes no memory.
            unsafe { libc::pause() };
        }
        leave(0);
    }
    if pid == -1 {
        return Err(io::Error::last_os_error());
    }
    let made = fs::write(format!("/proc/{pid}/uid_map"), users)
        .and_then(|()| fs::write(format!("/proc/{pid}/gid_map"), groups))
        .and_then(|()| fs::File::open(format!("/proc/{pid}/ns/user")));
    // SAFETY: takes no memory; the child is ours and not reaped, so the number is its own.
    unsafe { libc::kill(pid, libc::SIGKILL) };
    super::wait::reap(pid)?;
    Ok(made?.into())
}

/// Ends this process at once, without running anything that was registered for its end.
pub(crate) fn leave(code: c_int) -> ! {
    // SAFETY: `_exit` does not return and runs no code of ours.
    unsafe { libc::_exit(code) }
}

/// Switches this loopback interface on.
pub(crate) fn raise_loopback() -> io::Result<()> {
    let socket = rustix::net::socket(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::DGRAM,
        None,
    )?;
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_flags: 0 },
    };
    for (target, source) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
        *target = source.cast_signed();
    }
    request.ifr_ifru.ifru_flags = i16::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or(0);
    // SAFETY: the request is a whole `ifreq` that outlives the call.
    let outcome =
        unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
