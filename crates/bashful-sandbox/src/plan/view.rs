//! The file tree of a run, as a list of things to put in place.
//!
//! Shallow before deep: what is named more exactly comes later and wins.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use super::{ROOM_DIRECTORY, commands};
use crate::profile::Profile;
use crate::protect::Watch;
use crate::survey::{Identity, Kind, Survey};

/// One file or directory in the tree, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Entry {
    /// An empty directory.
    Directory {
        /// Its path in the run's tree.
        path: PathBuf,
    },
    /// A symbolic link.
    Link {
        /// Its path in the run's tree.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A file of ours, read-only.
    Text {
        /// Its path in the run's tree.
        path: PathBuf,
        /// What is in it.
        text: String,
    },
    /// A file or directory of the host.
    Bind {
        /// Its path, the same on the host and in the run's tree.
        path: PathBuf,
        /// What may be done with it.
        access: Access,
        /// Whether it is a directory.
        is_directory: bool,
        /// Whether root's files in it look like the run's own.
        mapped: bool,
    },
    /// A directory of the host without some of the programs in it.
    Without {
        /// Its path, the same on the host and in the run's tree.
        path: PathBuf,
        /// What is taken away, below it.
        programs: Vec<PathBuf>,
    },
    /// A file system of the room's own.
    Private {
        /// The mount point in the run's tree.
        path: PathBuf,
        /// Which of the room's file systems.
        which: Private,
    },
    /// A directory that cannot be moved away.
    Pin {
        /// Its path in the run's tree.
        path: PathBuf,
    },
    /// A file or directory that cannot be changed.
    Freeze {
        /// Its path in the run's tree.
        path: PathBuf,
    },
    /// An empty, closed directory in place of the real one.
    HideDirectory {
        /// The path of the real one.
        path: PathBuf,
    },
    /// An empty, closed file in place of the real one.
    HideFile {
        /// The path of the real one.
        path: PathBuf,
    },
    /// A private copy of a repository's configuration, behind a link.
    GitConfig {
        /// Where git looks for it.
        path: PathBuf,
        /// Where the copy is.
        copy: PathBuf,
    },
}

/// What a run may do with a file or directory of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reading, and executing programs in it.
    Read,
    /// Reading only: programs in it do not execute.
    Data,
    /// Reading and writing.
    Write,
    /// Reading and writing; programs in it do not execute.
    WriteData,
    /// Reading and writing a device.
    Device,
    /// A program that may run.
    Program,
}

/// The file systems that a room has for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Private {
    /// `/tmp`.
    Tmp,
    /// `/dev/shm`.
    SharedMemory,
    /// `/dev/pts`.
    Terminals,
    /// The room's own directory.
    Room,
    /// `/proc`, which every run mounts anew.
    Proc,
}

impl Entry {
    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::Directory { path }
            | Self::Link { path, .. }
            | Self::Text { path, .. }
            | Self::Bind { path, .. }
            | Self::Without { path, .. }
            | Self::Private { path, .. }
            | Self::Pin { path }
            | Self::Freeze { path }
            | Self::HideDirectory { path }
            | Self::HideFile { path }
            | Self::GitConfig { path, .. } => path,
        }
    }
}

pub(super) struct View {
    pub(super) entries: Vec<Entry>,
    pub(super) watched: Vec<Watch>,
    pub(super) git_configs: BTreeMap<PathBuf, PathBuf>,
}

const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

pub(super) fn compile(profile: &Profile, survey: &Survey) -> View {
    let listed = survey.allowed.is_some();
    let mut entries = Vec::new();
    let whole = profile.write.iter().any(|root| root.path == Path::new("/"));
    if whole {
        // The host's tree as it is, but for processes and devices.
        entries.push(bind(Path::new("/"), Access::Write, survey));
        entries.push(private("/proc", Private::Proc));
        entries.push(Entry::HideDirectory {
            path: "/dev".into(),
        });
        entries.extend(devices());
        // A run that stands for root could change the kernel's settings there.
        entries.push(Entry::Freeze {
            path: "/sys".into(),
        });
    } else {
        entries.extend(skeleton(profile, survey));
        entries.extend(declared(profile, survey, listed));
    }
    let mut watched = Vec::new();
    let mut git_configs = BTreeMap::new();
    let mut pins = BTreeSet::new();
    let mut frozen = BTreeSet::new();
    for (root, found) in &survey.protected {
        watched.extend(found.watched.iter().cloned());
        for path in &found.frozen {
            // From the outermost root on: whatever lies between could be moved away.
            let top = found
                .git_directories
                .iter()
                .filter(|directory| path.starts_with(directory))
                .min_by_key(|directory| directory.components().count())
                .unwrap_or(root);
            pins.extend(between(top, path));
            frozen.insert(path.clone());
        }
        for path in &found.git_configs {
            let copy = Path::new(ROOM_DIRECTORY)
                .join(format!("git/{:016x}", digest(path)))
                .join("config");
            pins.extend(path.parent().into_iter().map(Path::to_owned));
            git_configs.insert(path.clone(), copy);
        }
    }
    entries.extend(
        pins.difference(&frozen)
            .filter(|pin| !is_root(profile, survey, pin))
            .map(|path| Entry::Pin { path: path.clone() }),
    );
    entries.extend(frozen.into_iter().map(|path| Entry::Freeze { path }));
    entries.extend(git_configs.iter().map(|(path, copy)| Entry::GitConfig {
        path: path.clone(),
        copy: copy.clone(),
    }));
    entries.extend(pins_in_private(&entries));
    // A stable sort: among equals the later stays later.
    entries.sort_by_key(|entry| entry.path().components().count());
    let hidden = hidden(profile, survey, &entries);
    entries.extend(hidden);
    entries.sort_by_key(|entry| entry.path().components().count());
    View {
        entries,
        watched,
        git_configs,
    }
}

/// What every room has.
fn skeleton(profile: &Profile, survey: &Survey) -> Vec<Entry> {
    let mut entries = Vec::new();
    for path in [
        "/dev", "/proc", "/run", "/tmp", "/var", "/home", "/mnt", "/srv",
    ] {
        entries.push(Entry::Directory { path: path.into() });
    }
    for (path, kind) in &survey.system {
        entries.push(match kind {
            Kind::Link(target) => Entry::Link {
                path: path.clone(),
                target: target.clone(),
            },
            _ if survey.allowed.is_some() && !path.starts_with("/usr") => {
                bind(path, Access::Data, survey)
            }
            _ => bind(path, Access::Read, survey),
        });
    }
    for path in &profile.empty {
        entries.push(Entry::Directory { path: path.clone() });
    }
    entries.extend(devices());
    // Where a path of the host's is to be seen below it, it is a directory.
    let written = profile.write.iter().map(|root| &root.path);
    let named = [&profile.workspace].into_iter().chain(&profile.read);
    let links = profile.links.iter().map(|(path, _)| path);
    let mut named = named.chain(written).chain(&profile.empty).chain(links);
    if named.any(|path| path.starts_with("/var/tmp")) {
        entries.push(Entry::Directory {
            path: "/var/tmp".into(),
        });
    } else {
        entries.push(link("/var/tmp", "/tmp"));
    }
    entries.push(link("/var/run", "/run"));
    for (path, which) in [
        ("/proc", Private::Proc),
        ("/tmp", Private::Tmp),
        (ROOM_DIRECTORY, Private::Room),
    ] {
        entries.push(private(path, which));
    }
    for (path, text) in &survey.texts {
        entries.push(Entry::Text {
            path: path.clone(),
            text: text.clone(),
        });
    }
    if let Some(allowed) = &survey.allowed {
        entries.extend(commands::entries(allowed));
    }
    entries
}

/// The devices that programs cannot do without, and nothing else.
fn devices() -> Vec<Entry> {
    let nodes = DEVICES.iter().map(|name| Entry::Bind {
        path: Path::new("/dev").join(name),
        access: Access::Device,
        is_directory: false,
        mapped: false,
    });
    let links = [
        link("/dev/fd", "/proc/self/fd"),
        link("/dev/stdin", "/proc/self/fd/0"),
        link("/dev/stdout", "/proc/self/fd/1"),
        link("/dev/stderr", "/proc/self/fd/2"),
        link("/dev/ptmx", "pts/ptmx"),
        private("/dev/shm", Private::SharedMemory),
        private("/dev/pts", Private::Terminals),
    ];
    nodes.chain(links).collect()
}

fn link(path: &str, target: &str) -> Entry {
    Entry::Link {
        path: path.into(),
        target: target.into(),
    }
}

/// What the profile names.
fn declared(profile: &Profile, survey: &Survey, listed: bool) -> Vec<Entry> {
    let (read, write) = if listed {
        (Access::Data, Access::WriteData)
    } else {
        (Access::Read, Access::Write)
    };
    let mut entries = Vec::new();
    let written = |path: &Path| profile.write.iter().any(|root| root.path == path);
    for path in [&profile.workspace].into_iter().chain(&profile.read) {
        if !written(path) {
            entries.push(bind(path, read, survey));
        }
    }
    for path in &survey.extra_read {
        entries.push(bind(path, Access::Data, survey));
    }
    for root in &profile.write {
        entries.push(bind(&root.path, write, survey));
    }
    // What is in a part of the host's tree is there anyway.
    for (path, target) in &profile.links {
        let shown = |entry: &Entry| match entry {
            Entry::Bind { path: bound, .. } => path.starts_with(bound),
            _ => false,
        };
        if !entries.iter().any(shown) {
            entries.push(Entry::Link {
                path: path.clone(),
                target: target.clone(),
            });
        }
    }
    for (_, found) in &survey.protected {
        for path in &found.git_directories {
            let covered = profile
                .write
                .iter()
                .any(|root| path.starts_with(&root.path));
            let twice = found
                .git_directories
                .iter()
                .any(|other| other != path && path.starts_with(other));
            if !covered && !twice {
                entries.push(bind(path, write, survey));
            }
        }
    }
    entries
}

/// What lies below the room's own `/tmp` has directories above it that belong to the room:
/// they are pinned, or a run could put others in their place for the next one.
fn pins_in_private(entries: &[Entry]) -> Vec<Entry> {
    let mut pinned = BTreeSet::new();
    for entry in entries {
        let Entry::Bind { path, .. } = entry else {
            continue;
        };
        for private in ["/tmp", "/dev/shm"].map(Path::new) {
            pinned.extend(between(private, path));
        }
    }
    // Not what is there anyway, or lies in a part of the host's tree.
    pinned.retain(|path| {
        !entries.iter().any(|entry| match entry {
            Entry::Bind { path: bound, .. } => path.starts_with(bound),
            _ => false,
        })
    });
    let make = pinned
        .iter()
        .map(|path| Entry::Directory { path: path.clone() });
    let pin = pinned.iter().map(|path| Entry::Pin { path: path.clone() });
    make.chain(pin).collect()
}

/// What is taken out of sight: only where a directory above it is in sight.
fn hidden(profile: &Profile, survey: &Survey, entries: &[Entry]) -> Vec<Entry> {
    let in_sight = |path: &Path| {
        let above = entries.iter().rev().find(|entry| {
            path.starts_with(entry.path())
                && matches!(entry, Entry::Bind { .. } | Entry::Private { .. })
        });
        matches!(above, Some(Entry::Bind { .. }))
    };
    let named = profile.hide.iter().map(|path| {
        let is_directory = survey.kinds.get(path) == Some(&Kind::Directory);
        (path, is_directory)
    });
    let also = survey
        .also_hidden
        .iter()
        .filter(|(path, _)| !profile.hide.contains(path))
        .map(|(path, kind)| (path, *kind == Kind::Directory));
    named
        .chain(also)
        .filter(|(path, _)| in_sight(path))
        // In a hidden directory there is nothing left to hide.
        .filter(|(path, _)| {
            let mut hidden = profile.hide.iter();
            !hidden.any(|other| other != *path && path.starts_with(other))
        })
        .map(|(path, is_directory)| {
            let path = path.clone();
            if is_directory {
                Entry::HideDirectory { path }
            } else {
                Entry::HideFile { path }
            }
        })
        .collect()
}

fn bind(path: &Path, access: Access, survey: &Survey) -> Entry {
    let is_directory = match survey.kinds.get(path) {
        Some(kind) => *kind == Kind::Directory,
        None => path.is_absolute() && !survey.extra_read.iter().any(|file| file == path),
    };
    let is_system = survey.system.iter().any(|(system, _)| system == path);
    let mapped = match survey.identity {
        Identity::Mapped { .. } => !is_system,
        // The owner's own files stay as they are; root's would be out of reach.
        Identity::Owner { .. } => !is_system && survey.of_root.contains(path),
        Identity::Own { .. } | Identity::SingleId { .. } => false,
    };
    Entry::Bind {
        path: path.to_owned(),
        access,
        is_directory,
        mapped,
    }
}

fn private(path: &str, which: Private) -> Entry {
    Entry::Private {
        path: path.into(),
        which,
    }
}

fn is_root(profile: &Profile, survey: &Survey, path: &Path) -> bool {
    profile.write.iter().any(|root| root.path == path)
        || survey
            .protected
            .iter()
            .any(|(_, found)| found.git_directories.iter().any(|own| own == path))
}

/// The directories strictly between a root and a path below it.
fn between(root: &Path, path: &Path) -> Vec<PathBuf> {
    path.ancestors()
        .skip(1)
        .take_while(|above| *above != root && above.starts_with(root))
        .map(Path::to_owned)
        .collect()
}

/// A name for a path that is the same in every run of a room.
fn digest(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}
