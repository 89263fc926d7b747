//! The front's line to a resident: its address, and messages with descriptors beside them.

use core::mem::MaybeUninit;
use core::ptr::{read_volatile, write_volatile};

use super::PATIENCE;
use super::kernel::{close, numbers, system};
use crate::sys::front_wire::{Descriptors, READY};

/// The address of a socket.
#[repr(C)]
pub(super) struct Address {
    family: u16,
    path: MaybeUninit<[u8; 108]>,
    length: usize,
}

impl Address {
    pub(super) fn new() -> Self {
        Self {
            family: 1,
            path: MaybeUninit::uninit(),
            length: 0,
        }
    }

    /// Adds so many bytes of a text, or all up to its end; false where they do not fit.
    pub(super) fn text(&mut self, text: *const u8, most: usize) -> bool {
        let mut position = 0;
        while position < most {
            // SAFETY: it is within the text, which has so many bytes or an end.
            let byte = unsafe { read_volatile(text.wrapping_add(position)) };
            if byte == 0 {
                break;
            }
            if self.length >= 107 {
                return false;
            }
            let place = self
                .path
                .as_mut_ptr()
                .cast::<u8>()
                .wrapping_add(self.length);
            // SAFETY: it is within the path, as was just looked up.
            unsafe { write_volatile(place, byte) };
            self.length += 1;
            position += 1;
        }
        true
    }

    /// A connection to somebody of our own user.
    pub(super) fn connect(&mut self) -> Option<usize> {
        let kind = numbers::SOCK_SEQPACKET | numbers::O_CLOEXEC | numbers::O_NONBLOCK;
        let socket = system(numbers::SOCKET, [numbers::AF_UNIX, kind, 0, 0, 0, 0])?;
        let asked = [socket, (&raw const *self).addr(), 2 + self.length, 0, 0, 0];
        if system(numbers::CONNECT, asked).is_some() {
            let mut peer = [0_u32; 3];
            let mut length = 12_u32;
            let asked = [
                socket,
                numbers::SOL_SOCKET,
                numbers::SO_PEERCRED,
                peer.as_mut_ptr().addr(),
                (&raw mut length).addr(),
                0,
            ];
            let told = system(numbers::GETSOCKOPT, asked);
            let us = system(numbers::GETEUID, [0; 6]);
            // SAFETY: it is one of three numbers.
            let user = unsafe { read_volatile(peer.as_ptr().wrapping_add(1)) };
            if told.is_some() && us == Some(user as usize) {
                return Some(socket);
            }
        }
        close(socket);
        None
    }
}

#[repr(C)]
pub(super) struct Part {
    pub(super) start: *const u8,
    pub(super) length: usize,
}

#[repr(C)]
pub(super) struct Message {
    pub(super) name: usize,
    pub(super) name_length: usize,
    pub(super) parts: *const Part,
    pub(super) part_count: usize,
    pub(super) control: *mut Descriptors,
    pub(super) control_length: usize,
    pub(super) flags: usize,
}

/// Waits until a stand-in is there; false if none comes in time.
pub(super) fn is_ready(connection: usize) -> bool {
    matches!(poll([connection, usize::MAX], PATIENCE), Some([true, _]))
        && matches!(receive(connection), Some((READY, _, _)))
}

/// What was said, the byte behind it, and the descriptor that came with it.
pub(super) fn receive(connection: usize) -> Option<(u8, u8, Option<usize>)> {
    let mut said = [0_u8; 2];
    let part = Part {
        start: said.as_mut_ptr().cast_const(),
        length: 2,
    };
    let mut control = Descriptors::of([0; 5]);
    let mut message = Message {
        name: 0,
        name_length: 0,
        parts: &raw const part,
        part_count: 1,
        control: &raw mut control,
        control_length: size_of::<Descriptors>(),
        flags: 0,
    };
    let flags = numbers::MSG_CMSG_CLOEXEC;
    let asked = [connection, (&raw mut message).addr(), flags, 0, 0, 0];
    let count = system(numbers::RECVMSG, asked)?;
    if count == 0 {
        return None;
    }
    // SAFETY: two bytes, which the kernel may have written to.
    let [what, more] = unsafe { read_volatile(&raw const said) };
    // SAFETY: the same for what the message says of itself.
    let length = unsafe { read_volatile(&raw const message.control_length) };
    Some((what, more, (length > 0).then(|| control.first())))
}

/// Which of two descriptors can be read; none if a signal came first.
pub(super) fn poll(descriptors: [usize; 2], patience: isize) -> Option<[bool; 2]> {
    #[repr(C)]
    struct Polled {
        descriptor: i32,
        wanted: i16,
        found: i16,
    }
    let mut polled = descriptors.map(|descriptor| Polled {
        descriptor: i32::try_from(descriptor).unwrap_or(-1),
        wanted: 1,
        found: 0,
    });
    let asked = [
        polled.as_mut_ptr().addr(),
        2,
        patience.cast_unsigned(),
        0,
        0,
        0,
    ];
    system(numbers::POLL, asked)?;
    // SAFETY: the kernel may have written to both.
    Some([0, 1].map(|index: usize| unsafe { read_volatile(&raw const polled[index].found) } != 0))
}
