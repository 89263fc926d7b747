//! The Landlock rules of a template: a second wall behind the mounts.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, open, openat2};

use super::build::{BuildError, BuildStep, at};
use crate::plan::{Plan, Right};
use crate::sys::landlock::{allow, create};

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIRECTORY: u64 = 1 << 3;
/// Removing and making of every kind.
const REMOVE_AND_MAKE: u64 = 0b1_1111_1111 << 4;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const DEVICE_CALLS: u64 = 1 << 15;
/// Rights that a rule can give for a path that is not a directory.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CALLS;

const ABSTRACT_SOCKETS: u64 = 1;
const SIGNALS: u64 = 1 << 1;

/// Makes the ruleset; called in the finished tree.
pub(super) fn make_ruleset(plan: &Plan) -> Result<Option<OwnedFd>, BuildError> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let here = open("/", flags, Mode::empty()).map_err(at(BuildStep::Landlock, "/"))?;
    landlock_ruleset(plan, &[], here.as_fd())
}

/// Makes the ruleset for a finished tree, seen from outside.
pub(crate) fn landlock_ruleset(
    plan: &Plan,
    more: &[(PathBuf, Right)],
    root: BorrowedFd<'_>,
) -> Result<Option<OwnedFd>, BuildError> {
    if plan.landlock == 0 {
        return Ok(None);
    }
    let known = known(plan.landlock);
    let scopes = if plan.landlock >= 6 {
        ABSTRACT_SOCKETS | SIGNALS
    } else {
        0
    };
    let ruleset = create(known, scopes).map_err(at(BuildStep::Landlock, "/"))?;
    for (path, right) in plan.rules.iter().chain(more) {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let below = below(path);
        let place = openat2(root, below, flags, Mode::empty(), ResolveFlags::IN_ROOT)
            .map_err(at(BuildStep::Landlock, path))?;
        let about = fstat(&place).map_err(at(BuildStep::Landlock, path))?;
        let mut rights = match right {
            Right::Read => READ_FILE | READ_DIRECTORY,
            Right::Write => WRITE_FILE | REMOVE_AND_MAKE | REFER | TRUNCATE,
            Right::Execute => EXECUTE,
            Right::Device => DEVICE_CALLS | WRITE_FILE | TRUNCATE,
        } & known;
        if FileType::from_raw_mode(about.st_mode) != FileType::Directory {
            rights &= OF_FILES;
        }
        if rights != 0 {
            allow(&ruleset, &place, rights).map_err(at(BuildStep::Landlock, path))?;
        }
    }
    Ok(Some(ruleset))
}

/// The path as seen from a root.
fn below(path: &Path) -> &Path {
    match path.strip_prefix("/") {
        Ok(below) if !below.as_os_str().is_empty() => below,
        _ => Path::new("."),
    }
}

/// The file rights that this version of Landlock knows.
pub(crate) fn known(version: u32) -> u64 {
    let mut rights = (1 << 13) - 1;
    if version >= 2 {
        rights |= REFER;
    }
    if version >= 3 {
        rights |= TRUNCATE;
    }
    if version >= 5 {
        rights |= DEVICE_CALLS;
    }
    rights
}
