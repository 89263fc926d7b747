//! What this host offers, for people who ask why a protection is not enforced.
//!
//! Nothing here decides anything: a run surveys what it needs by itself, and only building
//! a sandbox shows whether one can be built.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cgroup::{Cgroups, Offer};
use crate::room::can_map;
use crate::survey::may_mount;
use crate::sys::attempt::{Attempt, attempt};
use crate::sys::{landlock, seccomp};

/// What this host offers to the calling process.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Host {
    /// The release of the kernel, such as `6.8.0`.
    pub kernel: String,
    /// The version of Landlock; 0 where there is none.
    pub landlock: u32,
    /// Whether system calls can be filtered.
    pub system_call_filter: bool,
    /// Whether a user namespace can be made. Root needs one too, to show its files as another
    /// user's.
    pub user_namespaces: Possibility,
    /// Whether mounts can be changed in a namespace of its own.
    pub mounts: Possibility,
    /// Whether a `/proc` of its own can be mounted there.
    pub proc: Possibility,
    /// What can be limited for a whole run, and in which control group.
    pub control_groups: Vec<ControlGroup>,
    /// Whether root's files can be shown as another user's.
    pub id_maps: IdMaps,
}

/// A resource that a control group may limit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ControlGroup {
    /// The limit as a profile names it.
    pub limit: &'static str,
    /// The version of the hierarchy and the directory in which groups can be made; none
    /// where there is no such directory.
    pub place: Option<(u32, PathBuf)>,
}

/// Whether the kernel lets us do this, found by doing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Possibility {
    /// The kernel let us do it.
    Possible,
    /// It did not: the number of its error.
    Refused(i32),
}

impl From<io::Result<()>> for Possibility {
    fn from(outcome: io::Result<()>) -> Self {
        outcome.map_or_else(
            |error| Self::Refused(error.raw_os_error().unwrap_or(libc::EIO)),
            |()| Self::Possible,
        )
    }
}

/// Whether root's files can be shown as another user's at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdMaps {
    /// The file system takes such mounts.
    Possible,
    /// It refuses them.
    Refused,
    /// We are not root, or the path is another user's, so no mapping is needed.
    NotNeeded,
}

impl Host {
    /// Looks at this host, and at the file system of this directory.
    pub fn look(directory: &Path) -> Self {
        let offers = Cgroups::look();
        let control_groups = [
            ("memory", offers.memory),
            ("processes", offers.processes),
            ("cpu_time", offers.cpu_time),
            ("cpu_share", offers.cpu_share),
        ];
        // As a room is built: root with the rights of root mounts in no user namespace.
        let own = if may_mount() {
            libc::CLONE_NEWNS
        } else {
            libc::CLONE_NEWNS | libc::CLONE_NEWUSER
        };
        Self {
            kernel: kernel_release(),
            landlock: landlock::version(),
            system_call_filter: seccomp::is_offered(),
            user_namespaces: attempt(libc::CLONE_NEWUSER, Attempt::Enter).into(),
            mounts: attempt(own, Attempt::CutOff).into(),
            proc: attempt(own | libc::CLONE_NEWPID, Attempt::MountProc).into(),
            control_groups: control_groups
                .into_iter()
                .map(|(limit, offer)| ControlGroup {
                    limit,
                    place: offer.map(place),
                })
                .collect(),
            id_maps: id_maps(directory),
        }
    }
}

/// The release of the running kernel.
fn kernel_release() -> String {
    rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned()
}

fn place(offer: Offer) -> (u32, PathBuf) {
    (offer.version.number(), offer.directory)
}

fn id_maps(directory: &Path) -> IdMaps {
    use std::os::unix::fs::MetadataExt;
    let is_root = rustix::process::geteuid().is_root();
    let of_root = fs::metadata(directory).is_ok_and(|about| about.uid() == 0);
    match is_root && of_root {
        false => IdMaps::NotNeeded,
        true if can_map(directory, crate::survey::FIRST_ID) => IdMaps::Possible,
        true => IdMaps::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host_is_seen_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let host = Host::look(directory.path());
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        assert_eq!(host.kernel, release.trim());
        let limits: Vec<&str> = host.control_groups.iter().map(|one| one.limit).collect();
        assert_eq!(limits, ["memory", "processes", "cpu_time", "cpu_share"]);
        for (version, place) in host
            .control_groups
            .iter()
            .filter_map(|one| one.place.as_ref())
        {
            assert!(matches!(version, 1 | 2) && place.is_dir(), "{place:?}");
        }
        let all = [host.user_namespaces, host.mounts, host.proc];
        assert_eq!(all, [Possibility::Possible; 3]);
        let needs_none = !rustix::process::geteuid().is_root();
        assert_eq!(host.id_maps == IdMaps::NotNeeded, needs_none);
    }

    #[test]
    fn looking_moves_nobody() {
        let before = fs::read("/proc/self/cgroup").unwrap();
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Host::look(directory.path()), Host::look(directory.path()));
        assert_eq!(fs::read("/proc/self/cgroup").unwrap(), before);
    }
}
