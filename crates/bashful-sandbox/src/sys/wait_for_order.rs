//! A first process that was made ahead of time: it waits, then starts what it is told.
//!
//! It is a fork of a process with a single thread, so unlike everything else between
//! clone and exec it may allocate.

use std::ffi::c_int;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use super::init::{Room, leave, start};
use super::limits::OpenFiles;
use super::spawn::{Plan, Pointers, Prepared};
use crate::launch::{MOST_INHERITED, PLACES, Stage};
use crate::order::{MOST_BYTES, Order};

/// Waits for an order and carries it out; ends if none comes.
pub(super) fn start_what_is_told(room: &Room<'_>) -> Result<i32, (Stage, c_int)> {
    close_all_but([Some(room.report), room.ruleset]);
    super::memory::take_back_pages();
    // SAFETY: the keeper gave us this descriptor, and it stays open until the end.
    let socket = unsafe { BorrowedFd::borrow_raw(room.report) };
    let Some((order, standard, inherited)) = receive(socket) else {
        leave();
    };
    let inner = Room {
        namespaces: Vec::new(),
        groups: Vec::new(),
        unified: None,
        limits: room.limits.clone(),
        directory: order.directory,
        terminal: None,
        waits: false,
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
        // A run with a terminal never waits.
        takes_terminal: false,
        dies_with_caller: false,
        is_wrapper: false,
        groups: Vec::new(),
        room: Some(inner),
    };
    let pointers = Pointers::to(&prepared);
    let mut plan = Plan::new(&prepared, &pointers);
    start(&mut plan, room)
}

pub(super) type Streams = [Option<OwnedFd>; 3];
pub(super) type Inherited = [Option<OwnedFd>; PLACES];

pub(super) fn receive(socket: BorrowedFd<'_>) -> Option<(Order, Streams, Inherited)> {
    let mut message = vec![0; MOST_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3 + MOST_INHERITED))];
    let (length, descriptors) = receive_message(socket, &mut message, &mut space)?;
    let order = Order::decode(message.get(..length)?)?;
    let (standard, inherited) = hand_out(&order, descriptors.into_iter())?;
    Some((order, standard, inherited))
}

/// One message: how long it is, and the descriptors that came along.
pub(super) fn receive_message(
    socket: BorrowedFd<'_>,
    message: &mut [u8],
    space: &mut [MaybeUninit<u8>],
) -> Option<(usize, Vec<OwnedFd>)> {
    let mut ancillary = RecvAncillaryBuffer::new(space);
    let received = loop {
        let mut slices = [IoSliceMut::new(message)];
        match recvmsg(socket, &mut slices, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            received => break received.ok()?,
        }
    };
    let descriptors = ancillary
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        })
        .flatten();
    Some((received.bytes, descriptors.collect()))
}

/// Which descriptor is which: the streams of the order, then what is inherited.
pub(super) fn hand_out(
    order: &Order,
    mut descriptors: impl Iterator<Item = OwnedFd>,
) -> Option<(Streams, Inherited)> {
    let mut standard = [const { None }; 3];
    for (stream, given) in standard.iter_mut().zip(order.streams) {
        if given {
            *stream = Some(above_standard(&descriptors.next()?)?);
        }
    }
    let mut inherited = [const { None }; PLACES];
    for (index, place) in (0..).zip(inherited.iter_mut()) {
        if index < order.inherited {
            *place = Some(above_standard(&descriptors.next()?)?);
        }
    }
    Some((standard, inherited))
}

/// What becomes descriptor 0, 1 or 2 must not be among them already.
pub(super) fn above_standard(fd: &OwnedFd) -> Option<OwnedFd> {
    rustix::io::fcntl_dupfd_cloexec(fd, 3).ok()
}

/// While it waits it must hold nothing of the keeper's: whoever waits for the end of a
/// pipe would wait for us.
pub(super) fn close_all_but(kept: [Option<c_int>; 2]) {
    let mut kept: Vec<u32> = kept.iter().flatten().map(|fd| fd.unsigned_abs()).collect();
    kept.sort_unstable();
    let mut from = 0;
    for fd in kept.into_iter().chain([u32::MAX]) {
        if fd > from {
            // SAFETY: takes no memory; nothing in this range is used any more.
            unsafe { libc::syscall(libc::SYS_close_range, from, fd - 1, 0_u32) };
        }
        from = fd.saturating_add(1);
    }
}
