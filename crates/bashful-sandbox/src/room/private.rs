//! The room's own file systems: made with its first template, taken over by the others.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, move_mount, unmount,
};

use super::assemble::{c_path, cover};
use super::build::{BuildError, BuildStep, at};
use crate::plan::{Plan, Private, ROOM_DIRECTORY, Storage};
use crate::survey::Identity;
use crate::sys::mounts::{Attributes, Depth, NO_EXECUTE, set_attributes};

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

/// What a room has for itself, by place.
const OWN: [(Private, &str); 3] = [
    (Private::Room, ROOM_DIRECTORY),
    (Private::SharedMemory, "/dev/shm"),
    (Private::Tmp, "/tmp"),
];

/// The directories that the first of them begins with.
const IN_ROOM: [&str; 2] = ["home", "git"];

/// Whether only these would have to be made anew in a copy of a template by this plan: nothing
/// else is mounted in them.
pub(super) fn can_be_replaced(plan: &Plan) -> bool {
    let is_below = |path: &Path| {
        OWN.iter()
            .any(|(_, own)| path != Path::new(own) && path.starts_with(own))
    };
    plan.has_own() && !plan.view.iter().any(|entry| is_below(entry.path()))
}

/// Puts new ones in the place of another room's, in a copy of its template.
pub(super) fn replace_own(plan: &Plan) -> Result<(), BuildError> {
    take_away_own()?;
    // Its root is not seen: one of its parts lies above it.
    let memory = Path::new("/tmp");
    in_memory(memory, plan.storage.tmp, plan)?;
    for (which, path) in OWN {
        make_private_for(which, Path::new(path), memory, plan)?;
    }
    Ok(())
}

/// Takes away what another room has for itself. Whoever takes a mount away waits until no processor
/// looks at it any more; so they are put below one of them, and go together.
fn take_away_own() -> Result<(), BuildError> {
    let flags = UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
    let room = Path::new(ROOM_DIRECTORY);
    for ((_, path), below) in OWN.into_iter().skip(1).zip(IN_ROOM) {
        // Runs may have put something else there.
        let below = room.join(below);
        if move_mount(CWD, path, CWD, &below, MoveMountFlags::empty()).is_err() {
            unmount(path, flags).map_err(at(BuildStep::Base, path))?;
        }
    }
    unmount(room, flags).map_err(at(BuildStep::Base, room))
}

/// Makes one of them at this place, as runs by this plan see it.
pub(super) fn make_private_for(
    which: Private,
    path: &Path,
    memory: &Path,
    plan: &Plan,
) -> Result<(), BuildError> {
    make_private(which, path, memory, plan)?;
    let set = attributes_of(which, plan);
    let Some(place) = c_path(path).filter(|_| set != 0) else {
        return Ok(());
    };
    // Only this template's view of it: others may execute there.
    let closed = Attributes {
        set,
        ..Attributes::default()
    };
    set_attributes(CWD, &place, &closed, Depth::Single).map_err(at(BuildStep::Base, path))
}

/// With a list of commands, nothing that a run can write executes.
pub(super) fn attributes_of(which: Private, plan: &Plan) -> u64 {
    let data = matches!(which, Private::Tmp | Private::SharedMemory | Private::Room);
    let listed = plan.survey.allowed.is_some() && data;
    if listed { NO_EXECUTE } else { 0 }
}

/// Makes one of them at this place, which exists. `/tmp` and `/dev/shm` are parts of one file
/// system, which is made at `memory` with the first of them: they share its size.
fn make_private(which: Private, path: &Path, memory: &Path, plan: &Plan) -> Result<(), BuildError> {
    match which {
        Private::Tmp | Private::SharedMemory => {
            if fs::symlink_metadata(memory).is_err() {
                make_directory(memory)?;
                in_memory(memory, plan.storage.tmp, plan)?;
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
            in_memory(path, plan.storage.own, plan)?;
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

fn in_memory(path: &Path, size: u64, plan: &Plan) -> Result<(), BuildError> {
    let owner = match plan.identity {
        Identity::Owner { user, group } => format!(",uid={user},gid={group}"),
        Identity::Mapped { user } => format!(",uid={user},gid={user}"),
        // In a user namespace they belong to the user who owns it.
        Identity::Own { .. } | Identity::SingleId { .. } => String::new(),
    };
    let names = Storage::names(size);
    tmpfs(
        path,
        &format!("mode=0755,size={size},nr_inodes={names}{owner}"),
    )
}

/// Directories of the room's own that runs may use: a home, and places for copies.
fn make_home(room: &Path, plan: &Plan) -> Result<(), BuildError> {
    for name in IN_ROOM {
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
