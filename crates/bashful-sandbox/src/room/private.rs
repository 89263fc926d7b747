//! The room's own file systems: made with its first template, taken over by the others.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, mount};

use super::build::{BuildError, BuildStep, at};
use crate::plan::{Plan, Private, ROOM_DIRECTORY};
use crate::survey::Identity;

/// Opens the directory of the private copies and the room's `/tmp`, in a finished template.
/// No run has been there yet.
pub(super) fn open_own(plan: &Plan) -> Result<[OwnedFd; 2], BuildError> {
    let open = |path: &str| {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).map_err(at(BuildStep::Base, path))
    };
    // Where the host's whole tree is used, the room has nothing of its own.
    let has_own = plan
        .view
        .iter()
        .any(|entry| entry.path() == Path::new(ROOM_DIRECTORY));
    if has_own {
        Ok([open(&format!("{ROOM_DIRECTORY}/git"))?, open("/tmp")?])
    } else {
        Ok([open("/")?, open("/")?])
    }
}

/// Makes one of them at this place, which exists.
pub(super) fn make_private(which: Private, path: &Path, plan: &Plan) -> Result<(), BuildError> {
    let owner = match plan.identity {
        Identity::Owner { user, group } => format!(",uid={user},gid={group}"),
        Identity::Mapped { user } => format!(",uid={user},gid={user}"),
        // In a user namespace they are whose namespace it is.
        Identity::Own { .. } | Identity::SingleId { .. } => String::new(),
    };
    let size = plan.tmp_size;
    // Enough for real work, and a bound on the kernel memory that names take.
    let names = (size / 4096).clamp(10_000, 500_000);
    match which {
        Private::Tmp | Private::SharedMemory => tmpfs(
            path,
            &format!("mode=1777,size={size},nr_inodes={names}{owner}"),
        ),
        Private::Room => {
            tmpfs(path, &format!("mode=0755,size=256m,nr_inodes=50k{owner}"))?;
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

/// Gives something of ours to the user that runs are.
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
