//! Signals read as a queue instead of by handlers.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Signals that are blocked in this thread and delivered by a descriptor.
#[derive(Debug)]
pub struct SignalQueue(OwnedFd);

impl SignalQueue {
    /// Blocks these signals for the calling thread and queues them from now on.
    /// Processes started by [`crate::Launch`] get an empty mask again.
    pub fn new(signals: &[i32]) -> io::Result<Self> {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: `sigemptyset` initialises the whole set.
        unsafe { libc::sigemptyset(set.as_mut_ptr()) };
        for &signal in signals {
            // SAFETY: the set was initialised above.
            unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
        }
        // SAFETY: the set is initialised and outlives the call.
        let blocked =
            unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut()) };
        if blocked != 0 {
            return Err(io::Error::from_raw_os_error(blocked));
        }
        // SAFETY: the set is initialised and outlives the call.
        let fd =
            unsafe { libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just made this descriptor and no other code owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// The next queued signal's number, if there is one.
    pub fn next(&self) -> Option<i32> {
        let mut record = MaybeUninit::<libc::signalfd_siginfo>::uninit();
        // SAFETY: the buffer is exactly one record large.
        let count = unsafe {
            libc::read(
                self.0.as_raw_fd(),
                record.as_mut_ptr().cast(),
                size_of::<libc::signalfd_siginfo>(),
            )
        };
        if usize::try_from(count) != Ok(size_of::<libc::signalfd_siginfo>()) {
            return None;
        }
        // SAFETY: the kernel filled the whole record, as its count says.
        let record = unsafe { record.assume_init() };
        i32::try_from(record.ssi_signo).ok()
    }
}

impl AsFd for SignalQueue {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Makes a write that cannot be done an error instead of our death: to a closed pipe
/// or socket, or past the largest size of a file that we were given.
pub fn ignore_write_signals() {
    ignore_closed_pipes();
    // SAFETY: ignoring a signal installs no code.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// The same for closed pipes and sockets alone.
pub(super) fn ignore_closed_pipes() {
    // SAFETY: ignoring a signal installs no code.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
