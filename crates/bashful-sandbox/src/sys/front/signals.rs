//! Signals that a front passes on to the stand-in.

use core::mem::MaybeUninit;
use core::ptr::read_volatile;

use super::kernel::{close, numbers, system};
use crate::sys::front_wire::Header;

/// Signals that end the command, or that it may handle, as one bit each. Those that only stop the
/// front are left to it: the command goes on, as it does when the whole program is stopped.
const CAUGHT: u64 =
    bit(numbers::SIGINT) | bit(numbers::SIGTERM) | bit(numbers::SIGHUP) | bit(numbers::SIGQUIT);

const fn bit(signal: usize) -> u64 {
    1 << (signal - 1)
}

/// Signals that wait to be passed on.
pub(super) struct Signals {
    pub(super) descriptor: usize,
}

impl Signals {
    /// Catches them; what was blocked before goes into the header.
    pub(super) fn catch(header: &mut Header) -> Option<Self> {
        change_mask(numbers::SIG_BLOCK, CAUGHT, Some(&mut header.blocked));
        let set = CAUGHT;
        let flags = numbers::O_CLOEXEC | numbers::O_NONBLOCK;
        let asked = [usize::MAX, (&raw const set).addr(), 8, flags, 0, 0];
        let Some(descriptor) = system(numbers::SIGNALFD4, asked) else {
            change_mask(numbers::SIG_SETMASK, header.blocked, None);
            return None;
        };
        Some(Self { descriptor })
    }

    /// The number of the next one.
    pub(super) fn next(&self) -> Option<usize> {
        let mut record = MaybeUninit::<[u32; 32]>::uninit();
        let asked = [self.descriptor, record.as_mut_ptr().addr(), 128, 0, 0, 0];
        if system(numbers::READ, asked) != Some(128) {
            return None;
        }
        // SAFETY: the kernel filled the record, which begins with the number.
        Some(unsafe { read_volatile(record.as_ptr().cast::<u32>()) } as usize)
    }

    /// What came meanwhile is for us now.
    pub(super) fn give_back(self, header: &Header) {
        close(self.descriptor);
        unblock(header);
    }
}

/// Blocks again what was blocked before, and nothing else.
pub(super) fn unblock(header: &Header) {
    change_mask(numbers::SIG_SETMASK, header.blocked, None);
}

fn change_mask(how: usize, set: u64, old: Option<&mut u64>) {
    let old = old.map_or(0, |old| core::ptr::from_mut(old).addr());
    system(
        numbers::RT_SIGPROCMASK,
        [how, (&raw const set).addr(), old, 8, 0, 0],
    );
}
