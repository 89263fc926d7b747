//! Handing what was written to the disk, before someone waits for it.

use std::os::fd::{AsFd, AsRawFd};

/// Begins to put what was written to a file on its disk, and waits for nothing. Two files that have
/// to be synced together are both begun first: then the second sync finds its work done.
pub fn begin_writeback(file: impl AsFd) {
    // SAFETY: a plain system call on a descriptor that is open as long as it is borrowed. That it
    // fails is no matter: the sync that follows does all of it.
    unsafe {
        libc::sync_file_range(file.as_fd().as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE);
    }
}
