//! What a front and a resident say to each other.
//!
//! Both are the same executable file, which the resident looks up, so this may change at will.

/// The socket's name, in the directory of sockets.
pub(super) const SOCKET: &[u8] = b"resident.sock";

/// The variable that has every call do its work itself.
pub(super) const ALONE: &[u8] = b"BASHFUL_ALONE=";

/// What a call begins with; the texts of arguments and variables follow.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) magic: u64,
    /// Signals that were blocked, a bit each.
    pub(super) blocked: u64,
    pub(super) arguments: u32,
    pub(super) variables: u32,
}

pub(super) const MAGIC: u64 = u64::from_ne_bytes(*b"bashful1");

/// A stand-in is there. Only then does the front send its call: what waits in line at a resident that
/// is stuck would keep the front's streams open.
pub(super) const READY: u8 = b'R';
/// The resident has the ticket and runs the command; its process comes along.
pub(super) const TAKEN: u8 = b'T';
/// The front has hidden itself from what is to run.
pub(super) const HIDDEN: u8 = b'H';
/// It is over; the exit code follows.
pub(super) const ENDED: u8 = b'E';

/// How many descriptors come with a call: the streams, the directory and the ticket.
pub(super) const DESCRIPTORS: usize = 5;

/// Descriptors beside a message, as the kernel wants them.
#[repr(C, align(8))]
pub(super) struct Descriptors {
    length: usize,
    level: i32,
    kind: i32,
    numbers: [i32; DESCRIPTORS],
}

impl Descriptors {
    pub(super) fn of(numbers: [usize; DESCRIPTORS]) -> Self {
        Self {
            length: 16 + 4 * DESCRIPTORS,
            level: 1,
            kind: 1,
            numbers: numbers.map(|number| i32::try_from(number).unwrap_or(-1)),
        }
    }

    /// The first of those that came.
    pub(super) fn first(&self) -> usize {
        // SAFETY: the kernel may have written to it.
        let first = unsafe { core::ptr::read_volatile(&raw const self.numbers[0]) };
        usize::try_from(first).unwrap_or(0)
    }
}
