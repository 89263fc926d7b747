//! A process that was made ahead of time to become a command.
//!
//! Making a process, and putting on Landlock and the filters, takes a good part of a start. So it
//! is done while there is nothing else to do: the process waits, gets its order, and
//! executes it as soon as it may. It is made by a process with a single thread, so unlike
//! everything else between clone and exec it may allocate.

use std::ffi::{c_int, c_void};
use std::os::fd::{BorrowedFd, RawFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::init::{Room, confine_command, filter_calls, leave, tell};
use super::limits::OpenFiles;
use super::memory::take_back_pages;
use super::spawn::{Ahead, Plan, Pointers, Prepared, STACK_BYTES, check, follow, reset_signals};
use super::wait_for_order::{Told, close_all_but, receive};
use crate::launch::{FIRST_INHERITED, PLACES, Stage};
use crate::relay::Relay;
use crate::report::Record;

/// What the first process gives to what becomes the command of a room.
pub(super) struct InRoom<'a, 'b> {
    pub(super) room: &'a Room<'b>,
    pub(super) line: RawFd,
}

/// Makes what becomes the command of a room, from its first process. Returns its number inside.
///
/// They share their memory until it executes: to give up memory of its own would take longer than
/// all the rest. Meanwhile the first process only waits for it, and leaves `what` in its place.
pub(super) fn in_room(what: &InRoom<'_, '_>) -> Result<i32, (Stage, c_int)> {
    let top = what.room.stack.wrapping_add(STACK_BYTES);
    let top = top.wrapping_sub(top.addr() % 16);
    // SAFETY: the child has a stack of its own, which no other process uses; what it is given
    // outlives it, as the caller promises.
    let made = unsafe {
        libc::clone(
            become_command,
            top.cast::<c_void>(),
            libc::CLONE_VM | libc::SIGCHLD,
            std::ptr::from_ref(what).cast_mut().cast::<c_void>(),
        )
    };
    check(Stage::Clone, made)?;
    Ok(made)
}

extern "C" fn become_command(argument: *mut c_void) -> c_int {
    // SAFETY: `in_room` passed this, and its caller keeps it alive.
    let what = unsafe { &*argument.cast::<InRoom<'_, '_>>() };
    close_all_but([Some(what.line), what.room.ruleset]);
    wait(what.room, what.line)
}

/// The process's whole life before it executes.
fn wait(room: &Room<'_>, line: RawFd) -> ! {
    let line = match move_up(line) {
        Ok(line) => line,
        Err(failed) => give_up(line, failed),
    };
    let ahead = match get_ready(room, line) {
        Ok(ahead) => ahead,
        Err(failed) => give_up(line, failed),
    };
    // SAFETY: it is ours, and stays open until the command executes.
    let socket = unsafe { BorrowedFd::borrow_raw(ahead.line) };
    // The keeper goes on when it has given the order, so both are to have a processor.
    if let Ok(relay) = Relay::of(socket) {
        let mut order = [PollFd::new(&relay, PollFlags::IN)];
        while poll(&mut order, None) == Err(Errno::INTR) {}
    }
    // Without an order, the keeper has closed its end.
    let told = receive(socket).unwrap_or_else(|| leave());
    perform(room, told, ahead)
}

fn give_up(line: RawFd, (stage, errno): (Stage, c_int)) -> ! {
    tell(line, &Record::Failed(stage, errno));
    leave()
}

/// Puts on what does not depend on the order.
fn get_ready(room: &Room<'_>, line: RawFd) -> Result<Ahead, (Stage, c_int)> {
    // SAFETY: the path is a constant.
    let null = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    check(Stage::Descriptors, null)?;
    // The lowest numbers are for the streams of the command.
    // SAFETY: takes no memory.
    let null = unsafe { libc::fcntl(null, libc::F_DUPFD_CLOEXEC, 3) };
    check(Stage::Descriptors, null)?;
    reset_signals();
    take_back_pages();
    let heard = confine_command(room, line)?;
    filter_calls(room, heard)?;
    tell(line, &Record::Ready);
    Ok(Ahead { line, null })
}

/// Gives the line a number above everything that a command inherits.
fn move_up(line: RawFd) -> Result<RawFd, (Stage, c_int)> {
    const LOWEST: RawFd = FIRST_INHERITED + 8;
    const _: () = assert!(PLACES <= 4);
    // SAFETY: takes no memory.
    let moved = unsafe { libc::fcntl(line, libc::F_DUPFD_CLOEXEC, LOWEST) };
    check(Stage::Descriptors, moved)?;
    // SAFETY: takes no memory; from here on the other number is used.
    unsafe { libc::close(line) };
    Ok(moved)
}

/// Carries out an order. What it works on is never dropped: its descriptors are closed on the way.
fn perform(room: &Room<'_>, told: Told, ahead: Ahead) -> ! {
    let Told {
        order,
        standard,
        inherited,
        release,
    } = told;
    let room = Room {
        namespaces: Vec::new(),
        groups: Vec::new(),
        limits: room.limits.clone(),
        directory: order.directory,
        ..*room
    };
    let prepared = Prepared {
        program: order.program,
        arguments: order.arguments,
        environment: order.environment,
        directory: None,
        standard,
        inherited,
        mark: order.mark,
        open_files: order
            .open_files
            .map(|(soft, hard)| OpenFiles { soft, hard }),
        new_session: order.new_session,
        // A run with a terminal gets a first process of its own.
        takes_terminal: false,
        dies_with_caller: false,
        is_wrapper: false,
        groups: Vec::new(),
        release,
        room: Some(room),
    };
    let pointers = Pointers::to(&prepared);
    match follow(&Plan::new(&prepared, &pointers).carried_out_by(ahead)) {
        Err(failed) => give_up(ahead.line, failed),
        Ok(()) => leave(),
    }
}
