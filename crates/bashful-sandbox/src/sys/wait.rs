//! Waiting for children, with what they used.

use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl ExitStatus {
    /// From the number that `wait` gives.
    pub(crate) fn from_wait(status: i32) -> Self {
        if libc::WIFSIGNALED(status) {
            Self::Signal(libc::WTERMSIG(status))
        } else {
            Self::Code(libc::WEXITSTATUS(status))
        }
    }
}

/// What a process and the descendants it waited for used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// User and system time together.
    pub cpu: Duration,
    /// The largest resident size of any single process among them.
    pub max_rss_kib: u64,
}

impl Usage {
    /// Adds what another part of the same tree used.
    pub fn add(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.max_rss_kib = self.max_rss_kib.max(other.max_rss_kib);
    }
}

/// A child that ended and was reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// How it ended.
    pub status: ExitStatus,
    /// What it used.
    pub usage: Usage,
}

/// A child that has ended and waits to be reaped; it is left as it is.
/// `Ok(None)` means that children exist and none has ended;
/// the error is `ECHILD` when there is no child at all.
pub fn peek_exited() -> io::Result<Option<i32>> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: `info` outlives the call, which fills it or leaves it zeroed.
    let outcome = unsafe {
        libc::waitid(
            libc::P_ALL,
            0,
            info.as_mut_ptr(),
            libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL,
        )
    };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all zeroes is a valid siginfo_t, so it is initialised either way.
    let info = unsafe { info.assume_init() };
    // SAFETY: waitid fills the fields of a child's signal; zeroed they read as 0.
    let pid = unsafe { info.si_pid() };
    Ok((pid != 0).then_some(pid))
}

/// Waits until this child has stopped or ended; true if it has ended. It is not reaped.
pub fn wait_for_stop_or_end(pid: i32) -> io::Result<bool> {
    let id = libc::id_t::try_from(pid).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    loop {
        // SAFETY: `info` outlives the call, which fills it.
        let outcome = unsafe {
            libc::waitid(
                libc::P_PID,
                id,
                info.as_mut_ptr(),
                libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT,
            )
        };
        if outcome == 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: all zeroes is a valid siginfo_t, and the call filled it.
    let info = unsafe { info.assume_init() };
    Ok(info.si_code != libc::CLD_STOPPED)
}

/// Waits for this child and reaps it.
pub fn reap(pid: i32) -> io::Result<Exit> {
    wait(pid, 0)?.ok_or_else(|| io::ErrorKind::WouldBlock.into())
}

/// Reaps this child if it has ended.
pub fn reap_if_ended(pid: i32) -> io::Result<Option<Exit>> {
    wait(pid, libc::WNOHANG)
}

fn wait(pid: i32, options: i32) -> io::Result<Option<Exit>> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both out-pointers are valid for the whole call.
        let outcome = unsafe {
            libc::wait4(
                pid,
                &raw mut status,
                options | libc::__WALL,
                usage.as_mut_ptr(),
            )
        };
        if outcome == 0 {
            return Ok(None);
        }
        if outcome != -1 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: all zeroes is a valid rusage, and wait4 filled it.
    let usage = unsafe { usage.assume_init() };
    let status = ExitStatus::from_wait(status);
    let usage = Usage {
        cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
        max_rss_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
    };
    Ok(Some(Exit { status, usage }))
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}
