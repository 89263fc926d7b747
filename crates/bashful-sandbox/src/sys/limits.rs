//! Resource limits of this process and of others.

use std::io;

/// The limits on open files as a process had them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFiles {
    pub(crate) soft: u64,
    pub(crate) hard: u64,
}

/// Raises our own limit on open files to the most we may have and returns what
/// it was, so that the processes we start can be given the original again.
pub fn raise_open_files() -> io::Result<OpenFiles> {
    let (soft, hard) = get(0, libc::RLIMIT_NOFILE)?;
    let raised = libc::rlimit64 {
        rlim_cur: hard,
        rlim_max: hard,
    };
    // SAFETY: `raised` is a valid limit for the whole call and nothing is read back.
    let outcome = unsafe {
        libc::prlimit64(
            0,
            libc::RLIMIT_NOFILE,
            &raw const raised,
            std::ptr::null_mut(),
        )
    };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(OpenFiles { soft, hard })
}

/// The limits of this process, so that they need not be looked up when they are changed.
#[derive(Debug)]
pub(super) struct OwnLimits(Vec<(u64, u64)>);

impl OwnLimits {
    pub(super) fn look() -> io::Result<Self> {
        let all = (0..=libc::RLIMIT_RTTIME).map(|resource| get(0, resource));
        all.collect::<Result<_, _>>().map(Self)
    }

    /// Gives this process the limits of another; an error where it may not have them.
    pub(super) fn take_those_of(&self, pid: i32) -> io::Result<()> {
        for (resource, own) in (0..=libc::RLIMIT_RTTIME).zip(&self.0) {
            let (soft, hard) = get(pid, resource)?;
            if *own == (soft, hard) {
                continue;
            }
            let limit = libc::rlimit64 {
                rlim_cur: soft,
                rlim_max: hard,
            };
            // SAFETY: `limit` is a valid limit for the whole call and nothing is read back.
            let set =
                unsafe { libc::prlimit64(0, resource, &raw const limit, std::ptr::null_mut()) };
            if set == -1 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }
}

/// Soft and hard value of the limit that carries a [`crate::Mark`]; `pid` 0 is ourselves.
pub(crate) fn realtime_budget(pid: i32) -> io::Result<(u64, u64)> {
    get(pid, libc::RLIMIT_RTTIME)
}

/// The hard value of one of our own limits.
pub(crate) fn hard_limit(resource: libc::__rlimit_resource_t) -> u64 {
    get(0, resource).map_or(u64::MAX, |(_, hard)| hard)
}

fn get(pid: i32, resource: libc::__rlimit_resource_t) -> io::Result<(u64, u64)> {
    let mut found = libc::rlimit64 {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `found` outlives the call, which writes one limit into it.
    let outcome = unsafe { libc::prlimit64(pid, resource, std::ptr::null(), &raw mut found) };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok((found.rlim_cur, found.rlim_max))
}
