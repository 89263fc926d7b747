//! Making a forked process forget what it inherited.

use std::ffi::{CStr, c_char};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use super::fork::own_status_if_single_threaded;

/// Closes every descriptor above 2 except this one.
///
/// Only for a process that was just forked and will never return to the code that
/// owns those descriptors.
pub fn close_all_but(kept: OwnedFd) -> io::Result<OwnedFd> {
    close_all_but_these(&[kept.as_fd()])?;
    Ok(kept)
}

/// The same, and several are kept.
pub(crate) fn close_all_but_these(kept: &[BorrowedFd<'_>]) -> io::Result<()> {
    let numbers = kept.iter().map(|kept| u32::try_from(kept.as_raw_fd()));
    let mut numbers: Vec<u32> = numbers
        .collect::<Result<_, _>>()
        .map_err(|_| io::ErrorKind::InvalidInput)?;
    numbers.sort_unstable();
    let mut first = 3;
    for kept in numbers.into_iter().map(Some).chain([None]) {
        let last = kept.map_or(u32::MAX, |kept| kept.saturating_sub(1));
        if first <= last {
            // SAFETY: takes no memory; the code that owned these descriptors does not run in
            // this process, as the caller promises by its nature.
            if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0_u32) } == -1 {
                return Err(io::Error::last_os_error());
            }
        }
        first = kept.map_or(first, |kept| first.max(kept + 1));
    }
    Ok(())
}

unsafe extern "C" {
    /// Where libc keeps the environment.
    static mut environ: *mut *mut c_char;
}

/// Overwrites the environment that this process was started with, which the kernel
/// shows to others in `/proc/PID/environ`. From then on the environment is empty.
/// Refused when there is another thread, which might be reading it.
pub fn forget_environment() -> io::Result<()> {
    let (start, length) = region(&own_status_if_single_threaded()?, ENVIRONMENT_START)?;
    // SAFETY: the kernel says that this is our environment block, which is writable
    // memory of ours, and no other thread reads it.
    unsafe { std::ptr::write_bytes(start, 0, length) };
    // SAFETY: libc's own pointer; an empty environment is a valid one.
    unsafe { environ = std::ptr::null_mut() };
    Ok(())
}

/// Makes these the environment, each `NAME=value`. Only where there is a single thread.
pub(super) fn replace_environment(variables: Vec<Box<CStr>>) {
    let pointers = variables.into_iter().map(|variable| {
        // The environment lasts as long as the process.
        Box::leak(variable).as_ptr().cast_mut()
    });
    let pointers: Vec<*mut c_char> = pointers.chain([std::ptr::null_mut()]).collect();
    // SAFETY: libc's own pointer; what it points to is never freed, and ends with a null.
    unsafe { environ = Vec::leak(pointers).as_mut_ptr() };
}

/// Overwrites the arguments that this process was started with, which every process can
/// read in `/proc/PID/cmdline`, by a title. Only for a process that will not look at
/// its arguments again.
pub fn replace_arguments(title: &str) -> io::Result<()> {
    let (start, length) = region(&own_status_if_single_threaded()?, ARGUMENTS_START)?;
    // SAFETY: the kernel says that this is our argument block, which is writable
    // memory of ours, and no other thread reads it.
    unsafe { std::ptr::write_bytes(start, 0, length) };
    // One byte stays zero: the end of the title.
    let shown = title.len().min(length.saturating_sub(1));
    // SAFETY: at most as many bytes as both have, and the two do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(title.as_ptr(), start, shown) };
    Ok(())
}

/// Fields of `/proc/self/stat`, counted from the state; the end of the region follows.
const ARGUMENTS_START: usize = 45;
const ENVIRONMENT_START: usize = 47;

/// Where a block that the kernel shows to others lies in our memory, and its length, by our status.
fn region(status: &str, field: usize) -> io::Result<(*mut u8, usize)> {
    let mut numbers = status.split_ascii_whitespace().skip(field);
    let mut next = || {
        numbers
            .next()
            .and_then(|number| number.parse::<usize>().ok())
    };
    match (next(), next()) {
        (Some(start), Some(end)) if start != 0 && start <= end => {
            Ok((std::ptr::with_exposed_provenance_mut(start), end - start))
        }
        _ => Err(io::Error::other(
            "the kernel does not say where the arguments of this process are",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_regions_are_what_proc_shows() {
        for (field, file) in [(ARGUMENTS_START, "cmdline"), (ENVIRONMENT_START, "environ")] {
            let shown = std::fs::read(format!("/proc/self/{file}")).unwrap();
            let status = std::fs::read_to_string("/proc/self/stat").unwrap();
            let (_, fields) = status.rsplit_once(") ").unwrap();
            let (start, length) = region(fields, field).unwrap();
            // SAFETY: the kernel says that this is memory of ours, which no other thread writes.
            let memory = unsafe { std::slice::from_raw_parts(start.cast_const(), length) };
            assert_eq!(memory, shown);
        }
    }
}
