//! Landlock rulesets: made in one process, applied in another.
//!
//! The ruleset of a room is built once and travels as a descriptor to every run,
//! where a single system call between clone and exec applies it. That is why these
//! three calls are here and not in a library that does both in one process.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

#[repr(C)]
struct RulesetAttribute {
    handled_access_fs: u64,
    handled_access_net: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    allowed_access: u64,
    parent_fd: c_int,
}

const CREATE_RULESET_VERSION: u32 = 1;
const RULE_PATH_BENEATH: c_int = 1;

/// The version of Landlock that this kernel has; 0 where it has none.
pub(crate) fn version() -> u32 {
    // SAFETY: a null attribute of size 0 is what asking for the version wants.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<c_void>(),
            0_usize,
            CREATE_RULESET_VERSION,
        )
    };
    u32::try_from(version).unwrap_or(0)
}

/// A new ruleset that handles these file rights and scopes.
pub(crate) fn create(rights: u64, scopes: u64) -> io::Result<OwnedFd> {
    let attribute = RulesetAttribute {
        handled_access_fs: rights,
        handled_access_net: 0,
        scoped: scopes,
    };
    // Kernels that know no scopes want the shorter attribute.
    let size = if scopes == 0 {
        std::mem::offset_of!(RulesetAttribute, scoped)
    } else {
        size_of::<RulesetAttribute>()
    };
    // SAFETY: the attribute is valid for `size` bytes during the call.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const attribute,
            size,
            0_u32,
        )
    };
    let fd = c_int::try_from(fd).unwrap_or(-1);
    if fd == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call returned a new descriptor that no other code owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Restricts this thread, and what it will start, to what the ruleset allows. It must have given up
/// to gain privileges.
pub(crate) fn restrict(ruleset: impl AsFd) -> io::Result<()> {
    // SAFETY: takes numbers and no memory, and the descriptor is borrowed.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_landlock_restrict_self,
            ruleset.as_fd().as_raw_fd(),
            0_u32,
        )
    };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Allows these rights below this file or directory.
pub(crate) fn allow(ruleset: impl AsFd, beneath: impl AsFd, rights: u64) -> io::Result<()> {
    let rule = PathBeneath {
        allowed_access: rights,
        parent_fd: beneath.as_fd().as_raw_fd(),
    };
    // SAFETY: the rule is valid during the call, and both descriptors are borrowed.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_fd().as_raw_fd(),
            RULE_PATH_BENEATH,
            &raw const rule,
            0_u32,
        )
    };
    if outcome == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
