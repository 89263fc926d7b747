//! Who calls: this process, or the front that it stands in for.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use bashful_sandbox::FrontLine;

/// The process that a stand-in acts for; 0: this one.
pub(crate) static CALLER: AtomicI32 = AtomicI32::new(0);

/// The way to the front of this stand-in.
pub(crate) static FRONT: OnceLock<FrontLine> = OnceLock::new();

/// The process that calls: this one, or the front that it stands in for.
pub(crate) fn caller() -> i32 {
    match CALLER.load(Ordering::Relaxed) {
        0 => rustix::process::getpid().as_raw_pid(),
        front => front,
    }
}

/// Waits until the front, if there is one, has hidden its own secrets.
pub(crate) fn front_has_hidden() -> io::Result<()> {
    FRONT.get().map_or(Ok(()), FrontLine::wait_until_hidden)
}
