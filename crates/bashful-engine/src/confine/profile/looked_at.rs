//! What bounds were found from, so that the next run need not find them again.
//!
//! A file whose text counts, and a link, is known by its inode, its size and the time of its last
//! change; a directory on the way by being a directory there, for what counts in it is known by
//! itself. The names come from the last time that bounds were found, and are looked at before they
//! are found again: whatever changes after that look is seen by the next.
//!
//! Not seen is what leaves no trace in a file's times: a change on another machine of a network
//! file system for as long as the kernel does not ask for it.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::ConfineRequest;
use super::git::GitObeys;
use super::roots::own_places;
use super::secrets::system::{self, is_at_rest};
use super::toolchains::Toolchains;

/// The most links that are followed for one path; the kernel follows as many.
const MOST_LINKS: usize = 40;

/// The names of what was looked at, besides the secrets of the system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LookedAt {
    /// Files whose text counts, and that people change while an engine runs.
    files: Vec<PathBuf>,
    /// Others whose text counts.
    around: Vec<PathBuf>,
    /// What counts by where it leads, and whether it is there.
    places: Vec<PathBuf>,
    /// Directories whose list of names counts.
    lists: Vec<PathBuf>,
}

impl LookedAt {
    /// For a run that sees its workspace, the system, toolchains and what is the engine's, and that
    /// declares nothing else. In these lists secrets of homes would come into being.
    pub(super) fn of(
        request: &ConfineRequest<'_>,
        git: &GitObeys,
        tools: Toolchains,
        homes: Vec<PathBuf>,
    ) -> Self {
        let home = request.real_home.map(Path::to_owned);
        let engine = request.engine_reads.iter().chain(request.engine_writes);
        let places = own_places(request).into_iter().chain(home);
        let around = git.around.iter().cloned().chain(tools.texts);
        let mut lists: Vec<PathBuf> = tools.lists.into_iter().chain(homes).collect();
        lists.sort();
        lists.dedup();
        Self {
            files: git.own.clone(),
            around: around.collect(),
            places: places.chain(engine.cloned()).chain(tools.places).collect(),
            lists,
        }
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        let texts = self.files.iter().chain(&self.around);
        texts.chain(&self.places).chain(&self.lists)
    }
}

/// What was there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Seen {
    /// With the kernel's number for why.
    Nothing(Option<i32>),
    Directory {
        owner: u32,
    },
    /// A file whose text counts, or a link.
    Text {
        inode: (u64, u64),
        changed: (i64, i64),
        size: u64,
    },
    /// Any other file.
    File,
}

impl Seen {
    /// A directory, for its list of names.
    fn list(path: &Path) -> Self {
        match fs::metadata(path) {
            Err(error) => Self::Nothing(error.raw_os_error()),
            Ok(about) => Self::as_text(&about),
        }
    }

    /// What a path leads to, for its text.
    fn text(path: &Path) -> Self {
        Self::of(fs::metadata(path), |_| true)
    }

    /// One step on the way to a file: only a link counts.
    fn step(path: &Path) -> Self {
        Self::of(fs::symlink_metadata(path), Metadata::is_symlink)
    }

    fn of(about: io::Result<Metadata>, counts: impl FnOnce(&Metadata) -> bool) -> Self {
        match about {
            Err(error) => Self::Nothing(error.raw_os_error()),
            Ok(about) if about.is_dir() => Self::Directory { owner: about.uid() },
            Ok(about) if counts(&about) => Self::as_text(&about),
            Ok(_) => Self::File,
        }
    }

    fn as_text(about: &Metadata) -> Self {
        Self::Text {
            inode: (about.dev(), about.ino()),
            changed: (about.ctime(), about.ctime_nsec()),
            size: about.size(),
        }
    }

    /// Whether a change would show.
    fn is_at_rest(&self, began: SystemTime) -> bool {
        match self {
            Self::Text { changed, .. } => is_at_rest(changed.0, began),
            Self::Nothing(_) | Self::Directory { .. } | Self::File => true,
        }
    }
}

/// What all these names were at one time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    names: LookedAt,
    files: Vec<Seen>,
    around: Vec<Seen>,
    lists: Vec<Seen>,
    /// Every step on the way to each of them.
    steps: BTreeMap<PathBuf, Seen>,
    secrets: Arc<system::Remembered>,
    readable: Vec<PathBuf>,
    /// Whether everything that changed afterwards shows.
    pub(crate) sees_all: bool,
}

impl Fingerprint {
    /// Looks at them.
    pub(crate) fn of(names: LookedAt) -> Self {
        let began = SystemTime::now();
        let secrets = system::known();
        let mut steps = BTreeMap::new();
        for path in names.all() {
            follow(path, &mut steps, MOST_LINKS);
        }
        let texts = |names: &[PathBuf]| -> Vec<Seen> {
            let texts = names.iter().map(|path| Seen::text(path));
            texts.collect()
        };
        let (files, around) = (texts(&names.files), texts(&names.around));
        let lists: Vec<Seen> = names.lists.iter().map(|path| Seen::list(path)).collect();
        let mut all = files
            .iter()
            .chain(&around)
            .chain(&lists)
            .chain(steps.values());
        Self {
            sees_all: secrets.is_at_rest(began) && all.all(|seen| seen.is_at_rest(began)),
            files,
            around,
            lists,
            steps,
            readable: secrets.readable(),
            secrets,
            names,
        }
    }

    /// What was looked at.
    pub(crate) fn names(&self) -> &LookedAt {
        &self.names
    }

    /// Whether the files are what they were, and the directories that hold secrets of the system:
    /// a few looks, for every run.
    pub(crate) fn files_stand(&self) -> bool {
        stand(&self.names.files, &self.files) && self.secrets.is_current()
    }

    /// Whether all the rest is what it was: for a run some time after the last.
    pub(crate) fn places_stand(&self) -> bool {
        let mut steps = self.steps.iter();
        let mut lists = self.names.lists.iter().zip(&self.lists);
        stand(&self.names.around, &self.around)
            && lists.all(|(path, seen)| Seen::list(path) == *seen)
            && steps.all(|(path, seen)| Seen::step(path) == *seen)
            && self.secrets.readable() == self.readable
    }
}

fn stand(names: &[PathBuf], seen: &[Seen]) -> bool {
    let mut all = names.iter().zip(seen);
    all.all(|(path, seen)| Seen::text(path) == *seen)
}

/// Notes every step that the kernel takes to a path.
fn follow(path: &Path, steps: &mut BTreeMap<PathBuf, Seen>, links_left: usize) {
    let mut here = PathBuf::new();
    let mut rest = path.components();
    while let Some(part) = rest.next() {
        here.push(part);
        if part == Component::RootDir {
            continue;
        }
        let seen = steps
            .entry(here.clone())
            .or_insert_with(|| Seen::step(&here));
        match seen {
            Seen::Directory { .. } => {}
            Seen::Nothing(_) | Seen::File => return,
            Seen::Text { .. } => {
                if let (Ok(target), Some(left)) = (fs::read_link(&here), links_left.checked_sub(1))
                {
                    here.pop();
                    here.push(target);
                    here.push(rest.as_path());
                    follow(&here, steps, left);
                }
                return;
            }
        }
    }
}
