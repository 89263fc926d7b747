//! Attributes of mounts.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// What is changed on a mount.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Attributes<'a> {
    pub(crate) set: u64,
    /// Shows every id of the file system as another one.
    pub(crate) id_map: Option<BorrowedFd<'a>>,
    /// Cuts it off from mounts and unmounts elsewhere.
    pub(crate) private: bool,
}

pub(crate) const READ_ONLY: u64 = 0x1;
pub(crate) const NO_SETUID: u64 = 0x2;
pub(crate) const NO_DEVICES: u64 = 0x4;
pub(crate) const NO_EXECUTE: u64 = 0x8;
const ID_MAP: u64 = 0x0010_0000;

#[repr(C)]
struct MountAttribute {
    attr_set: u64,
    attr_clr: u64,
    propagation: u64,
    userns_fd: u64,
}

/// Whether the mounts below are meant too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// With everything mounted below.
    Whole,
    /// This mount only.
    Single,
}

/// Changes the attributes of the mount at `path` below `directory`.
pub(crate) fn set_attributes(
    directory: impl AsFd,
    path: &CStr,
    attributes: &Attributes<'_>,
    depth: Depth,
) -> io::Result<()> {
    let attribute = MountAttribute {
        attr_set: attributes.set | attributes.id_map.map_or(0, |_| ID_MAP),
        attr_clr: 0,
        propagation: if attributes.private {
            libc::MS_PRIVATE
        } else {
            0
        },
        userns_fd: attributes
            .id_map
            .and_then(|fd| u64::try_from(fd.as_raw_fd()).ok())
            .unwrap_or(0),
    };
    let recursive = match depth {
        Depth::Whole => libc::AT_RECURSIVE,
        Depth::Single => 0,
    };
    // SAFETY: the path and the attribute are valid during the call, which reads them.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            directory.as_fd().as_raw_fd(),
            path.as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_SYMLINK_NOFOLLOW | recursive,
            &raw const attribute,
            size_of::<MountAttribute>(),
        )
    };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
