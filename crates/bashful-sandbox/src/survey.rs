//! What this host offers for a profile, looked at before anything is built.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::backend::Backend;
use crate::cgroup::{Cgroups, Offers, shared_groups};
use crate::freshness::Inode;
use crate::linked::loosen;
use crate::profile::{Network, Profile};
use crate::protect::{Protected, inspect};
use crate::room::{can_capture, can_map, id_map};
use crate::sys::attempt::{Attempt, attempt};
use crate::sys::landlock;

mod links;
mod names;
mod programs;
mod root_only;

use names::{name_service_files, user_tables};
pub(crate) use programs::AllowedPrograms;
use programs::allowed_programs;
pub(crate) use root_only::StillSo;

/// Which user and group a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// The user who asks, in a user namespace of its own.
    Own {
        /// The user id that the run has, inside and outside.
        user: u32,
        /// The group id that the run has.
        group: u32,
    },
    /// Root asks; the run is the owner of the workspace. That is root itself where a wrapper
    /// program builds and the kernel lets no process make a user namespace.
    Owner {
        /// The user id of that owner.
        user: u32,
        /// The group id that the run gets.
        group: u32,
    },
    /// Root asks and owns the workspace; the run is an ordinary user for whom root's
    /// files look like its own, by id-mapped mounts.
    Mapped {
        /// The user and group.
        user: u32,
    },
    /// Root asks, and the file system refuses id-mapped mounts: a user namespace in
    /// which this user stands for root's files, without root's other rights.
    SingleId {
        /// The user and group as seen inside.
        user: u32,
    },
}

impl Identity {
    /// Whether root's files are the run's own: by a user namespace, or because the run is
    /// root, though without any right of root's.
    pub fn stands_for_root(self) -> bool {
        matches!(self, Self::SingleId { .. } | Self::Owner { user: 0, .. })
    }
}

/// What kind of file is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A directory, not a link to one.
    Directory,
    /// A symbolic link, and where it leads.
    Link(PathBuf),
    /// A regular file, or any other kind.
    File,
}

/// What this host offers for a profile.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The backend that will enforce the plan.
    pub(crate) backend: Backend,
    pub(crate) identity: Identity,
    pub(crate) landlock: u32,
    /// Whether connections of a room with named hosts are captured.
    pub(crate) captures: bool,
    pub(crate) offers: Offers,
    /// The top of the system's tree: what exists of the usual directories.
    pub(crate) system: Vec<(PathBuf, Kind)>,
    /// What exists of what the profile names.
    pub(crate) kinds: BTreeMap<PathBuf, Kind>,
    /// Those of them that are root's.
    pub(crate) of_root: BTreeSet<PathBuf>,
    pub(crate) protected: Vec<(PathBuf, Protected)>,
    pub(crate) allowed: Option<AllowedPrograms>,
    /// Single files that libraries need and that lie elsewhere.
    pub(crate) extra_read: Vec<PathBuf>,
    /// What is hidden besides what the profile names: other names of the same files, and
    /// what only root may read where the run stands for root.
    pub(crate) also_hidden: Vec<(PathBuf, Kind)>,
    /// Where the run stands for root and a plan is to be used again: what notices that more has
    /// to be hidden from the run.
    pub(crate) root_only: Option<Arc<StillSo>>,
    /// Files that the run sees in another form.
    pub(crate) texts: Vec<(PathBuf, String)>,
    /// Where the person's own configuration has git look for hooks, below the top of a tree.
    pub(crate) git_obeys: Vec<PathBuf>,
    /// What existed, by which a replacement is noticed.
    pub(crate) fingerprint: Vec<(PathBuf, Option<Inode>)>,
}

/// What a survey is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// For runs: it may be used for more than one, as long as it holds.
    ToUse,
    /// Only to show what would be done.
    ToTell,
}

/// The directories of the system that every run sees, as far as they exist.
pub const SYSTEM_DIRECTORIES: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/sys/devices/system",
];

impl Survey {
    /// Looks at this host for this profile.
    pub fn of(profile: &Profile) -> io::Result<Self> {
        Self::with_cache(profile, None)
    }

    /// The same, with a directory where slow findings are kept.
    pub fn with_cache(profile: &Profile, cache: Option<&Path>) -> io::Result<Self> {
        Self::for_backend(profile, cache, Backend::Native)
    }

    /// The same for another backend.
    pub fn for_backend(
        profile: &Profile,
        cache: Option<&Path>,
        backend: Backend,
    ) -> io::Result<Self> {
        let offers = shared_groups().offers().clone();
        Self::with_offers(profile, cache, offers, backend, Wanted::ToUse)
    }

    /// The same for a process that will not build anything: what a keeper that it starts
    /// would find. No process changes its place.
    pub fn look(profile: &Profile, cache: Option<&Path>, backend: Backend) -> io::Result<Self> {
        Self::with_offers(profile, cache, Cgroups::look(), backend, Wanted::ToTell)
    }

    fn with_offers(
        profile: &Profile,
        cache: Option<&Path>,
        offers: Offers,
        backend: Backend,
        wanted: Wanted,
    ) -> io::Result<Self> {
        let mut protected = Vec::new();
        for root in profile.write.iter().filter(|root| root.protect) {
            let mut found = inspect(&root.path, &profile.git_obeys);
            let roots = [root.path.clone()];
            let others = links::other_names(&found.frozen, &roots)?;
            found.frozen.extend(others);
            protected.push((root.path.clone(), found));
        }
        let roots: Vec<PathBuf> = [&profile.workspace]
            .into_iter()
            .chain(&profile.read)
            .chain(profile.write.iter().map(|root| &root.path))
            .cloned()
            .collect();
        let also_hidden = links::other_names(&profile.hide, &roots)?;
        loosen(&mut protected);
        let mut kinds = BTreeMap::new();
        let mut of_root = BTreeSet::new();
        let mut fingerprint = Vec::new();
        let written = profile.write.iter().map(|root| &root.path);
        let own = protected.iter().flat_map(|(_, found)| {
            found
                .frozen
                .iter()
                .chain(&found.git_configs)
                .chain(&found.git_directories)
        });
        for path in [&profile.workspace]
            .into_iter()
            .chain(&profile.read)
            .chain(written)
            .chain(&profile.hide)
            .chain(own)
        {
            if kinds.contains_key(path) {
                continue;
            }
            let tell = |error: io::Error| {
                io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
            };
            let about = fs::symlink_metadata(path).map_err(tell)?;
            if about.uid() == 0 {
                of_root.insert(path.clone());
            }
            kinds.insert(path.clone(), Kind::of(path, &about).map_err(tell)?);
            fingerprint.push((path.clone(), Some(Inode::from_metadata(&about))));
        }
        fingerprint.sort();
        let system = SYSTEM_DIRECTORIES
            .iter()
            .filter_map(|path| {
                let path = Path::new(path);
                let about = fs::symlink_metadata(path).ok()?;
                Some((path.to_owned(), Kind::of(path, &about).ok()?))
            })
            .collect();
        let identity = identify(profile, backend)?;
        let (for_root, root_only) = match wanted {
            _ if !identity.stands_for_root() => (Vec::new(), None),
            Wanted::ToUse => root_only::find_and_watch(),
            Wanted::ToTell => (root_only::find(), None),
        };
        let also_hidden = also_hidden.into_iter().map(|path| (path, Kind::File));
        Ok(Self {
            backend,
            identity,
            landlock: landlock::version(),
            captures: profile.network == Network::Named
                && backend == Backend::Native
                // The process that only tells may have threads, and tries nothing.
                && (wanted == Wanted::ToTell || can_capture()),
            offers,
            system,
            kinds,
            of_root,
            protected,
            allowed: allowed_programs(profile, cache)?,
            extra_read: name_service_files(profile),
            also_hidden: for_root.into_iter().chain(also_hidden).collect(),
            root_only,
            texts: user_tables(identity, profile),
            git_obeys: profile.git_obeys.clone(),
            fingerprint,
        })
    }
}

impl Kind {
    fn of(path: &Path, about: &fs::Metadata) -> io::Result<Self> {
        Ok(if about.is_dir() {
            Self::Directory
        } else if about.is_symlink() {
            Self::Link(fs::read_link(path)?)
        } else {
            Self::File
        })
    }
}

/// Finds and makes what every survey of this process rests on, and every room, whatever is asked.
pub fn look_ahead() {
    shared_groups();
    if rustix::process::geteuid().is_root() && may_mount() {
        // Where that fails, the first room says why.
        let _ = id_map(fresh_user(), fresh_user());
    }
}

/// The user that a run is for which root's own user would be too much. One for each keeper, so that
/// what one room's processes count is not another's.
fn fresh_user() -> u32 {
    FIRST_ID + std::process::id() % 0x0010_0000
}

/// Ids far above those of people and services, and below those that mean nothing.
pub(crate) const FIRST_ID: u32 = 0x7000_0000;

/// Ids below belong to the system on every usual host.
const FIRST_OF_PEOPLE: u32 = 1000;

fn identify(profile: &Profile, backend: Backend) -> io::Result<Identity> {
    let user = rustix::process::geteuid().as_raw();
    if user != 0 {
        let group = rustix::process::getegid().as_raw();
        return Ok(Identity::Own { user, group });
    }
    let about = fs::metadata(&profile.workspace)?;
    let fresh = fresh_user();
    // The whole tree has mounts that take no map: there the run stands for root.
    let whole = profile.write.iter().any(|root| root.path == Path::new("/"));
    if whole || !may_mount() {
        return Ok(Identity::SingleId { user: fresh });
    }
    if about.uid() != 0 {
        return Ok(Identity::Owner {
            user: about.uid(),
            // A group of people; those of the system have rights of their own.
            group: match about.gid() {
                group @ FIRST_OF_PEOPLE.. => group,
                _ => names::primary_group(about.uid()).unwrap_or(about.uid()),
            },
        });
    }
    let all_map = backend == Backend::Native
        && profile
            .write
            .iter()
            .map(|root| &root.path)
            .chain([&profile.workspace])
            .all(|path| can_map(path, fresh));
    Ok(if all_map {
        Identity::Mapped { user: fresh }
    } else if backend == Backend::Bubblewrap && !offers_user_namespaces() {
        Identity::Owner { user: 0, group: 0 }
    } else {
        Identity::SingleId { user: fresh }
    })
}

/// Whether the kernel lets us make a user namespace.
fn offers_user_namespaces() -> bool {
    attempt(libc::CLONE_NEWUSER, Attempt::Enter).is_ok()
}

/// Whether we are root with the rights of root, and not in a container that took them.
pub(crate) fn may_mount() -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| {
        sets.effective
            .contains(rustix::thread::CapabilitySet::SYS_ADMIN)
    })
}
