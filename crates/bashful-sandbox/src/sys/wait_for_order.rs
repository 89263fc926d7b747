//! Hearing what to start: an order, and the descriptors that come with it.

use std::ffi::c_int;
use std::fs::File;
use std::io::{IoSliceMut, Read, Seek, SeekFrom};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::launch::{MOST_TOLD, PLACES};
use crate::order::{AS_FILE, MOST_BYTES, Order};

pub(super) type Streams = [Option<OwnedFd>; 3];
pub(super) type Inherited = [Option<OwnedFd>; PLACES];

/// An order with everything that belongs to it.
pub(super) struct Told {
    pub(super) order: Order,
    pub(super) standard: Streams,
    pub(super) inherited: Inherited,
    /// The descriptor through which the engine says that the command may execute.
    pub(super) release: Option<OwnedFd>,
}

/// Waits for an order; none if the keeper has closed its end.
pub(super) fn receive(socket: BorrowedFd<'_>) -> Option<Told> {
    let mut message = vec![0; MOST_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_TOLD))];
    let (length, descriptors) = receive_message(socket, &mut message, &mut space)?;
    let mut descriptors = descriptors.into_iter();
    let message = message.get(..length)?;
    let order = if message == AS_FILE {
        read_order(descriptors.next()?)?
    } else {
        Order::decode(message)?
    };
    hand_out(order, descriptors)
}

/// The order in a file.
pub(super) fn read_order(file: OwnedFd) -> Option<Order> {
    let mut text = Vec::new();
    let mut file = File::from(file);
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_end(&mut text).ok()?;
    Order::decode(&text)
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

/// Which descriptor is which: the streams of the order, what is inherited, and what releases it.
pub(super) fn hand_out(
    order: Order,
    mut descriptors: impl Iterator<Item = OwnedFd>,
) -> Option<Told> {
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
    let mut release = None;
    if order.is_held {
        release = Some(above_standard(&descriptors.next()?)?);
    }
    Some(Told {
        order,
        standard,
        inherited,
        release,
    })
}

/// What becomes descriptor 0, 1 or 2 must not be among them already.
pub(super) fn above_standard(fd: &OwnedFd) -> Option<OwnedFd> {
    rustix::io::fcntl_dupfd_cloexec(fd, 3).ok()
}

/// While it waits it must hold nothing of the keeper's: a process that waits for the end of
/// a pipe would wait for us.
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
