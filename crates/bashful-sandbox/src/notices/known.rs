//! Calls that can change files, and two that only look as if they could.

use std::os::fd::AsFd;

use rustix::fs::{Mode, OFlags, open};

use super::told::{argument, text};
use crate::seccomp::{Act, NoticeOptions};
use crate::sys::notices::{Notice, have_fail, have_open};
use crate::tree::Status;

/// Whether a call can change a file, or give it a name. Its number and its flags show that. They
/// are in registers: no other thread changes them while the call waits.
pub(super) fn changes_files(notice: &Notice, what: NoticeOptions) -> bool {
    let Some((_, watched)) = what.of_call(notice.call.number) else {
        return true;
    };
    match watched.act {
        Act::Open { flags } => argument(notice, flags).is_none_or(|flags| flags & WRITING != 0),
        Act::Write
        | Act::Change
        | Act::Permit
        | Act::Make
        | Act::Move
        | Act::Bind { .. } => true,
        Act::Remove
        | Act::Execute
        | Act::Enter
        | Act::Look { .. }
        | Act::Connect { .. }
        | Act::Listen
        // Of a file that was opened for writing before.
        | Act::Allocate { .. } => false,
    }
}

const WRITING: u64 = (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) as u64;

/// Answers an open of `/dev/null` for writing with such a descriptor, and bash's look for a
/// terminal, which no run without one has, with the error that it would get. The path that was
/// read is the one that counts: the call itself is not carried out.
///
/// Where none of the run's processes can have a terminal yet, it is not looked up for this one.
pub(super) fn answer_known(
    listener: impl AsFd,
    notice: &Notice,
    what: NoticeOptions,
    has_none: bool,
) -> Known {
    let Some((_, watched)) = what.of_call(notice.call.number) else {
        return Known::No(None);
    };
    let Act::Open { flags } = watched.act else {
        return Known::No(None);
    };
    let Some(flags) = argument(notice, flags) else {
        return Known::No(None);
    };
    let path = text(notice, watched.path);
    let is_answered = match path.as_deref() {
        Some(b"/dev/null") if flags & EXCLUSIVE == 0 => {
            let mode = OFlags::from_bits_truncate(u32::try_from(flags).unwrap_or_default());
            let mode = (mode & OFlags::ACCMODE) | OFlags::CLOEXEC;
            let file = open("/dev/null", mode, Mode::empty());
            file.is_ok_and(|file| have_open(&listener, notice, &file, flags).is_ok())
        }
        Some(b"/dev/tty") if flags == LOOK_FOR_TERMINAL && (has_none || !has_terminal(notice)) => {
            have_fail(&listener, notice, libc::ENXIO);
            true
        }
        _ => false,
    };
    if is_answered {
        Known::Answered
    } else {
        Known::No(path)
    }
}

/// Whether a call is one of those two.
pub(super) enum Known {
    /// It is, and does not wait any more.
    Answered,
    /// It is not; its path, as far as it was read.
    No(Option<Vec<u8>>),
}

fn has_terminal(notice: &Notice) -> bool {
    let thread = i32::try_from(notice.thread).ok();
    let status = thread.and_then(Status::of);
    status.is_none_or(|status| status.terminal != 0)
}

const LOOK_FOR_TERMINAL: u64 = (libc::O_RDWR | libc::O_NONBLOCK) as u64;
/// Flags with which opening it fails.
const EXCLUSIVE: u64 = (libc::O_EXCL | libc::O_DIRECTORY | libc::O_PATH) as u64;
