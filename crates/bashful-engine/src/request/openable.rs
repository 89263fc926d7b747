//! Which directory a person's yes could open, so that a path outside of a run's roots is written.
//!
//! A person is asked about a directory and not about a file: new files count as existing ones do.
//! What is never asked about is what a yes would open too much with: a home, the system, what holds
//! the workspace, what is hidden, what Bashful keeps, and where the host looks for programs.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use bashful_policy::{Directory, Openable};
use rustix::fs::Access;

use crate::base::real::real;
use crate::config::env as variables;
use crate::model::places::Places;
use crate::request::context::RunContext;
use crate::request::settings::Settings;

/// Never opened, nor anything below: the system's own, and what it keeps.
const CLOSED: [&str; 20] = [
    "/bin",
    "/boot",
    "/dev",
    "/efi",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/proc",
    "/run",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
    "/var/cache",
    "/var/lib",
    "/var/log",
    "/var/spool",
];

/// Never opened themselves, because they hold what belongs to many; what is below can be.
const SHARED: [&str; 10] = [
    "/", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/tmp", "/var", "/var/tmp",
];

/// What a home has: there can be more of them than the host says.
const OF_A_HOME: [&str; 5] = [".ssh", ".bashrc", ".profile", ".gnupg", ".bash_history"];

/// Where a run stands on its host, as it was asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ground {
    workspace: PathBuf,
    home: Option<String>,
    path: Option<String>,
    kept: Vec<PathBuf>,
}

impl Ground {
    pub(crate) fn of(settings: &Settings, context: &RunContext<'_>) -> Self {
        let Places {
            state,
            runtime,
            cache,
        } = settings.places.clone();
        let of_caller = |name: &str| settings.environment.get(name).cloned();
        Self {
            workspace: context.workspace.clone(),
            home: of_caller(variables::HOME),
            path: of_caller("PATH"),
            kept: [state, runtime, cache]
                .into_iter()
                .chain(settings.configuration())
                .collect(),
        }
    }
}

/// What must not be opened for a run, as the host is now.
#[derive(Debug)]
pub(crate) struct Surroundings {
    workspace: PathBuf,
    homes: Vec<PathBuf>,
    /// What Bashful keeps, and where programs are looked for: also what holds it stays closed.
    kept: Vec<PathBuf>,
    /// What is mounted: what lies in another directory would be opened with it.
    mounts: Vec<Mount>,
}

/// A file system of the host.
#[derive(Debug)]
struct Mount {
    at: PathBuf,
    /// A server or a program answers for it, or never does: nothing there is looked at.
    may_wait: bool,
}

/// Kinds of file systems that others answer for, and how the names of such kinds begin.
const MAY_WAIT: [&str; 11] = [
    "9p", "afs", "autofs", "ceph", "cifs", "coda", "fuse", "gluster", "lustre", "nfs", "smb",
];

impl Surroundings {
    pub(crate) fn of(ground: Ground) -> Self {
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let others = passwd.lines().filter_map(|line| line.split(':').nth(5));
        let homes = ground.home.into_iter().chain(others.map(str::to_owned));
        let path = ground.path.unwrap_or_default();
        let programs = std::env::split_paths(&path);
        Self {
            workspace: ground.workspace,
            homes: as_they_are(homes.map(PathBuf::from)),
            kept: as_they_are(ground.kept.into_iter().chain(programs)),
            mounts: mounts(),
        }
    }

    /// What a yes could open for this path, which is absolute and without links.
    pub(crate) fn openable(&self, path: &Path) -> Openable {
        Openable {
            write: self.for_writing(path),
            delete: path.parent().and_then(|parent| self.existing(parent)),
        }
    }

    /// The directory in which this path would be written or made.
    pub(crate) fn for_writing(&self, path: &Path) -> Option<Directory> {
        if self.may_wait(path) {
            return None;
        }
        let there = path
            .ancestors()
            .find(|one| one.symlink_metadata().is_ok())?;
        if there == path && !path.is_dir() {
            return self.existing(path.parent()?);
        }
        self.existing(there).or_else(|| self.missing(there, path))
    }

    /// Whether a yes could open this directory to be read.
    pub(crate) fn for_reading(&self, directory: &Path) -> bool {
        let is_itself = || real(directory).is_ok_and(|real| real == directory);
        self.is_plain(directory)
            && is_itself()
            && directory.is_dir()
            && named(directory, false).is_some()
    }

    /// A directory that is there.
    fn existing(&self, directory: &Path) -> Option<Directory> {
        let open = self.is_plain(directory) && is_writable(directory);
        open.then(|| named(directory, false)).flatten()
    }

    /// Whether it is one to ask about, as far as the host tells.
    fn is_plain(&self, directory: &Path) -> bool {
        !self.may_wait(directory)
            && self.may_be_opened(directory)
            && !OF_A_HOME
                .iter()
                .any(|name| directory.join(name).symlink_metadata().is_ok())
            && !self.is_another_name(directory)
    }

    /// A directory on the way to `path` that is not there, in one that is and stays closed.
    fn missing(&self, there: &Path, path: &Path) -> Option<Directory> {
        let name = path.strip_prefix(there).ok()?.components().next()?;
        let directory = there.join(name);
        let stays_closed = SHARED.iter().any(|shared| there == Path::new(shared))
            || self.homes.iter().any(|home| home == there)
            || self.workspace.starts_with(there);
        let open = stays_closed && self.may_be_opened(&directory) && is_writable(there);
        open.then(|| named(&directory, true)).flatten()
    }

    /// Whether a directory with this name is one to ask about.
    fn may_be_opened(&self, directory: &Path) -> bool {
        let is = |known: &str| directory == Path::new(known);
        let below = |known: &&str| directory.starts_with(*known);
        let is_home = directory.parent() == Some(Path::new("/home"));
        let holds_or_is_in =
            |one: &PathBuf| one.starts_with(directory) || directory.starts_with(one);
        !SHARED.iter().any(|shared| is(shared))
            && !CLOSED.iter().any(below)
            && !is_home
            && !self.homes.iter().any(|home| home.starts_with(directory))
            && !self.workspace.starts_with(directory)
            && !directory.starts_with(&self.workspace)
            && !self.kept.iter().any(holds_or_is_in)
            && !self.is_hidden(directory)
            && !self
                .mounts
                .iter()
                .any(|mount| mount.at != directory && mount.at.starts_with(directory))
    }

    /// Whether a look at this path may never end.
    fn may_wait(&self, path: &Path) -> bool {
        let around = self
            .mounts
            .iter()
            .filter(|mount| path.starts_with(&mount.at));
        let nearest = around.max_by_key(|mount| mount.at.components().count());
        nearest.is_some_and(|mount| mount.may_wait)
    }

    /// Whether a name on the way is hidden, and not on the way to the workspace as well.
    fn is_hidden(&self, directory: &Path) -> bool {
        let hidden = |part: &Path| {
            let name = part.file_name().map(std::ffi::OsStr::as_encoded_bytes);
            name.is_some_and(|name| name.starts_with(b"."))
        };
        let mut parts = directory.ancestors();
        parts.any(|part| hidden(part) && !self.workspace.starts_with(part))
    }

    /// Whether it is another name of a home or of what holds the workspace, by a mount.
    fn is_another_name(&self, directory: &Path) -> bool {
        let identity = |path: &Path| {
            let found = path.metadata().ok()?;
            Some((found.dev(), found.ino()))
        };
        let Some(own) = identity(directory) else {
            return true;
        };
        let around = self.workspace.ancestors();
        let homes = self.homes.iter().map(PathBuf::as_path);
        around.chain(homes).any(|one| identity(one) == Some(own))
    }
}

/// Where something is mounted on this host.
fn mounts() -> Vec<Mount> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounts = table.lines().filter_map(|line| {
        let at = line.split(' ').nth(4)?;
        let kind = line.split_once(" - ").map_or("", |(_, kind)| kind);
        Some(Mount {
            // What lies in a name with other odd signs is found by the part before them.
            at: PathBuf::from(at.replace("\\040", " ")),
            may_wait: MAY_WAIT.iter().any(|known| kind.starts_with(known)),
        })
    });
    mounts.collect()
}

/// Makes the directories that a yes opens and that are not there, each in one that is.
pub(crate) fn make_missing(directories: &[String]) {
    for directory in directories.iter().map(Path::new) {
        let Some(parent) = directory.parent() else {
            continue;
        };
        // Where it fails, the run finds that the directory is not there, and a person is asked again.
        if real(parent).is_ok_and(|found| found == parent) {
            let _ = fs::create_dir(directory);
        }
    }
}

/// These without the links on their way, each as given where it is not there.
fn as_they_are(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let absolute = paths.filter(|path| path.is_absolute());
    let known = absolute.filter(|path| path.parent().is_some());
    known.map(|path| real(&path).unwrap_or(path)).collect()
}

fn is_writable(directory: &Path) -> bool {
    let access = Access::WRITE_OK | Access::EXEC_OK;
    rustix::fs::access(directory, access).is_ok()
        && real(directory).is_ok_and(|real| real == directory)
        && directory.is_dir()
}

fn named(directory: &Path, missing: bool) -> Option<Directory> {
    let text = directory.to_str()?;
    let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    let is_plain = directory.components().all(plain)
        && !text.chars().any(char::is_control)
        && !text.contains(['*', '?', '[', '~']);
    is_plain.then(|| Directory {
        path: text.to_owned(),
        missing,
    })
}
