//! Notices of system calls: the kernel holds a call, reports it to a listener, and lets it go on
//! when the listener says so.

use std::ffi::{c_int, c_ulong, c_void};
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};

use super::spawn::check;
use super::terminal::tell_with_descriptor;
use crate::launch::Stage;
use crate::report::Record;
use crate::seccomp::told_refusal;
use crate::sys::init::Room;

/// A call as the kernel saw it: laid out like its `struct seccomp_data`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Call {
    /// The number of the system call on this architecture.
    pub(crate) number: i32,
    architecture: u32,
    instruction: u64,
    /// What is in the registers.
    pub(crate) arguments: [u64; 6],
}

/// A call that waits: laid out like the kernel's `struct seccomp_notif`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Notice {
    id: u64,
    /// The thread that calls, by the number that we know it by.
    pub(crate) thread: u32,
    flags: u32,
    /// What it calls.
    pub(crate) call: Call,
}

/// Laid out like the kernel's `struct seccomp_notif_resp`.
#[repr(C)]
struct Answer {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// Laid out like the kernel's `struct seccomp_notif_addfd`.
#[repr(C)]
struct Given {
    id: u64,
    flags: u32,
    source: u32,
    number: u32,
    number_flags: u32,
}

const _: () = assert!(size_of::<Notice>() == 80 && size_of::<Answer>() == 24);
const _: () = assert!(size_of::<Given>() == 24);

// Requests have the sizes of both in them.
const RECEIVE: c_ulong = 0xc050_2100;
const SEND: c_ulong = 0xc018_2101;
const IS_VALID: c_ulong = 0x4008_2102;
const GIVE: c_ulong = 0x4018_2103;
const SET_FLAGS: c_ulong = 0x4008_2104;
const WAKE_ON_SAME_PROCESSOR: c_ulong = 1;
/// The call returns the number of the descriptor that it is given.
const ANSWER_WITH_IT: u32 = 2;
/// The call is carried out as if the listener had not been told.
const CONTINUE: u32 = 1;

/// The next notice. It waits for one, so ask first whether there is any.
pub(crate) fn receive(listener: impl AsFd) -> io::Result<Notice> {
    let mut notice = Notice::default();
    // SAFETY: the structure has the size that the request names, is all zeroes as the kernel
    // wants it, and outlives the call, which fills it.
    let outcome =
        unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), RECEIVE as _, &raw mut notice) };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(notice)
}

/// Lets the call go on. The process that made it may be gone; then there is nothing to do. A call
/// that the filter left to the listener to be refused never goes on, whoever asks for it.
pub(crate) fn let_go_on(listener: impl AsFd, notice: &Notice) {
    if let Some(refusal) = told_refusal(notice.call.number, &notice.call.arguments) {
        return have_fail(listener, notice, refusal.error);
    }
    let answer = Answer {
        id: notice.id,
        value: 0,
        error: 0,
        flags: CONTINUE,
    };
    // SAFETY: the structure has the size that the request names and outlives the call.
    unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), SEND as _, &raw const answer) };
}

/// Has the call succeed without being carried out: that was done elsewhere.
pub(crate) fn have_succeed(listener: impl AsFd, notice: &Notice) {
    have_fail(listener, notice, 0);
}

/// Has the call fail with this error, without being carried out.
pub(crate) fn have_fail(listener: impl AsFd, notice: &Notice, error: c_int) {
    let answer = Answer {
        id: notice.id,
        value: 0,
        error: -error,
        flags: 0,
    };
    // SAFETY: the structure has the size that the request names and outlives the call.
    unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), SEND as _, &raw const answer) };
}

/// Has the call succeed with a descriptor of this file, without being carried out. An older
/// kernel does not know how; then the call still waits.
pub(crate) fn have_open(
    listener: impl AsFd,
    notice: &Notice,
    file: impl AsFd,
    flags: u64,
) -> io::Result<()> {
    let source = u32::try_from(file.as_fd().as_raw_fd());
    let given = Given {
        id: notice.id,
        flags: ANSWER_WITH_IT,
        source: source.map_err(|_| io::ErrorKind::InvalidInput)?,
        number: 0,
        number_flags: libc::O_CLOEXEC.cast_unsigned() & u32::try_from(flags).unwrap_or_default(),
    };
    let listener = listener.as_fd().as_raw_fd();
    // SAFETY: the structure has the size that the request names and outlives the call.
    if unsafe { libc::ioctl(listener, GIVE as _, &raw const given) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Whether the call still waits. If not, the process that made it is gone, and what was learnt
/// by the number of its thread may be about another one.
pub(crate) fn still_waits(listener: impl AsFd, notice: &Notice) -> bool {
    let fd = listener.as_fd().as_raw_fd();
    // SAFETY: the number has the size that the request names and outlives the call.
    unsafe { libc::ioctl(fd, IS_VALID as _, &raw const notice.id) == 0 }
}

/// Has the kernel hand the processor over with each notice, which is faster. Kernels before 6.6
/// do not know this.
pub(crate) fn hand_over_quickly(listener: impl AsFd) {
    let fd = listener.as_fd().as_raw_fd();
    // SAFETY: takes a number and no memory.
    unsafe { libc::ioctl(fd, SET_FLAGS as _, WAKE_ON_SAME_PROCESSOR) };
}

/// Copies memory of another thread; returns how much there was. The kernel asks whether we might
/// trace that thread.
pub(crate) fn read_memory(thread: u32, address: u64, buffer: &mut [u8]) -> Option<usize> {
    const PAGE: usize = 4096;
    let address = usize::try_from(address).ok()?;
    let thread = libc::pid_t::try_from(thread).ok()?;
    // In two parts: the second page may not be there, and need not be.
    let first = (PAGE - address % PAGE).min(buffer.len());
    let part = |address: usize, length: usize| libc::iovec {
        iov_base: std::ptr::without_provenance_mut::<c_void>(address),
        iov_len: length,
    };
    let theirs = [
        part(address, first),
        part(address.checked_add(first)?, buffer.len() - first),
    ];
    let ours = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast::<c_void>(),
        iov_len: buffer.len(),
    };
    // SAFETY: ours is a buffer that outlives the call; theirs are addresses in another process,
    // which the kernel checks.
    let read = unsafe { libc::process_vm_readv(thread, &raw const ours, 1, theirs.as_ptr(), 2, 0) };
    usize::try_from(read).ok().filter(|read| *read > 0)
}

/// The command's own part: has the kernel report its calls, and sends the listener to the keeper.
/// If the kernel does not offer that, the run goes on without. Only a listener that is lost on the
/// way stops it: its calls would fail.
pub(super) fn give_notice(room: &Room<'_>, socket: RawFd) -> Result<Heard, (Stage, c_int)> {
    let Some(notices) = &room.notices else {
        return Ok(Heard::No);
    };
    let Ok(listener) = notices.install_with_listener() else {
        return Ok(Heard::No);
    };
    let sent = tell_with_descriptor(socket, &Record::Listening, listener);
    // SAFETY: takes no memory; the descriptor is ours and used no more.
    check(Stage::Filter, unsafe { libc::close(listener) })?;
    sent.map_err(|errno| (Stage::Filter, errno))?;
    Ok(Heard::Yes)
}

/// Whether the keeper hears of a command's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// It does.
    Yes,
    /// Nobody does: the kernel has made no listener.
    No,
}
