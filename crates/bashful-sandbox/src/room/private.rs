//! The room's own file systems: made with its first template, taken over by the others.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, OpenTreeFlags, mount};

use super::assemble::cover;
use super::build::{BuildError, BuildStep, at};
use crate::plan::{Plan, Private, ROOM_DIRECTORY, Storage};
use crate::survey::Identity;

/// Opens the directory of the private copies and the room's `/tmp`, in a finished template.
/// No run has been there yet.
pub(super) fn open_own(plan: &Plan) -> Result<[OwnedFd; 2], BuildError> {
    let open = |path: &str| {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).map_err(at(BuildStep::Base, path))
    };
    if plan.has_own() {
        Ok([open(&format!("{ROOM_DIRECTORY}/git"))?, open("/tmp")?])
    } else {
        Ok([open("/")?, open("/")?])
    }
}

/// Makes one of them at this place, which exists. `/tmp` and `/dev/shm` are parts of one file
/// system, which is made at `memory` with the first of them: they share its size.
pub(super) fn make_private(
    which: Private,
    path: &Path,
    memory: &Path,
    plan: &Plan,
) -> Result<(), BuildError> {
    let owner = match plan.identity {
        Identity::Owner { user, group } => format!(",uid={user},gid={group}"),
        Identity::Mapped { user } => format!(",uid={user},gid={user}"),
        // In a user namespace they belong to the user who owns it.
        Identity::Own { .. } | Identity::SingleId { .. } => String::new(),
    };
    let in_memory = |path: &Path, mode: &str, size: u64| {
        let names = Storage::names(size);
        tmpfs(
            path,
            &format!("mode={mode},size={size},nr_inodes={names}{owner}"),
        )
    };
    match which {
        Private::Tmp | Private::SharedMemory => {
            if fs::symlink_metadata(memory).is_err() {
                make_directory(memory)?;
                in_memory(memory, "0755", plan.storage.tmp)?;
            }
            let part = memory.join(if which == Private::Tmp { "tmp" } else { "shm" });
            fs::DirBuilder::new()
                .mode(0o1777)
                .create(&part)
                .map_err(at(BuildStep::Base, &part))?;
            give(&part, plan)?;
            cover(&part, path, 0, OpenTreeFlags::empty())
        }
        Private::Room => {
            in_memory(path, "0755", plan.storage.own)?;
            make_home(path, plan)
        }
        Private::Terminals => {
            let options = c"newinstance,ptmxmode=0666,mode=0620";
            let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
            mount("devpts", path, "devpts", flags, Some(options)).map_err(at(BuildStep::Base, path))
        }
        // Every run mounts its own. In a user namespace the kernel allows that only where
        // one can be seen already.
        Private::Proc
            if matches!(
                plan.identity,
                Identity::Owner { .. } | Identity::Mapped { .. }
            ) =>
        {
            Ok(())
        }
        Private::Proc => {
            let flags =
                MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            mount("proc", path, "proc", flags, None).map_err(at(BuildStep::Base, path))
        }
    }
}

/// Directories of the room's own that runs may use: a home, and places for copies.
fn make_home(room: &Path, plan: &Plan) -> Result<(), BuildError> {
    for name in ["home", "git"] {
        let path = room.join(name);
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .map_err(at(BuildStep::Base, &path))?;
        give(&path, plan)?;
    }
    Ok(())
}

/// Gives a path of ours to the user that runs are.
pub(super) fn give(path: &Path, plan: &Plan) -> Result<(), BuildError> {
    let (user, group) = match plan.identity {
        Identity::Owner { user, group } => (user, group),
        Identity::Mapped { user } => (user, user),
        Identity::Own { .. } | Identity::SingleId { .. } => return Ok(()),
    };
    std::os::unix::fs::lchown(path, Some(user), Some(group)).map_err(at(BuildStep::Base, path))
}

pub(super) fn tmpfs(path: impl AsRef<Path>, options: &str) -> Result<(), BuildError> {
    let path = path.as_ref();
    let options = std::ffi::CString::new(options).unwrap_or_default();
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", path, "tmpfs", flags, Some(options.as_c_str()))
        .map_err(at(BuildStep::Base, path))
}

pub(super) fn make_directory(path: impl AsRef<Path>) -> Result<(), BuildError> {
    let path = path.as_ref();
    fs::DirBuilder::new()
        .mode(0o755)
        .create(path)
        .map_err(at(BuildStep::Base, path))
}
