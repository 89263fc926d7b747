//! The other names of denied files: a hard link is as good as the name that is denied.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::roots::Roots;
use super::view::{SYSTEM, is_below, is_system, simplify};
use super::walk::{Bound, Step};
use crate::model::error::confine::ConfineError;

/// The most entries that are looked at, denied and visible ones together.
const MOST_ENTRIES: usize = 200_000;

/// A file, whatever it is called: device and inode, with the number of names not yet found.
type Wanted = HashMap<(u64, u64), u64>;

/// All other names below the roots of the files that are denied or lie in a denied directory.
pub(super) fn other_names(denied: &[PathBuf], roots: &Roots) -> Result<Vec<PathBuf>, ConfineError> {
    let mut bound = Bound::new("other names of what is denied", MOST_ENTRIES);
    let wanted = wanted(denied, &mut bound)?;
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut search = Search {
        denied,
        wanted,
        found: Vec::new(),
    };
    // Toolchains are large, and all other names are usually found before.
    let (mut large, mut places): (Vec<PathBuf>, Vec<PathBuf>) = roots
        .all()
        .map(Path::to_owned)
        .partition(|place| roots.tools.contains(place));
    simplify(&mut large);
    // Only root links into system directories, so they matter for what lies there itself.
    if denied.iter().any(|path| is_system(path)) {
        let system = SYSTEM.iter().filter_map(|path| fs::canonicalize(path).ok());
        places.extend(system);
    }
    simplify(&mut places);
    for place in places.iter().chain(&large) {
        search.look(place, &mut bound)?;
    }
    Ok(search.found)
}

/// The denied files that have names elsewhere.
fn wanted(denied: &[PathBuf], bound: &mut Bound) -> Result<Wanted, ConfineError> {
    let mut wanted = Wanted::new();
    let mut note = |metadata: &Metadata| {
        if !metadata.is_dir() && metadata.nlink() > 1 {
            let left = wanted.entry(identity(metadata)).or_insert(metadata.nlink());
            *left = left.saturating_sub(1);
        }
    };
    for path in denied {
        let Ok(metadata) = fs::symlink_metadata(path) else {
            continue;
        };
        note(&metadata);
        if metadata.is_dir() {
            bound.walk(path, |entry, kind| {
                if !kind.is_dir()
                    && let Ok(metadata) = entry.metadata()
                {
                    note(&metadata);
                }
                Ok(Step::Into)
            })?;
        }
    }
    wanted.retain(|_, left| *left > 0);
    Ok(wanted)
}

struct Search<'a> {
    denied: &'a [PathBuf],
    wanted: Wanted,
    found: Vec<PathBuf>,
}

impl Search<'_> {
    fn look(&mut self, place: &Path, bound: &mut Bound) -> Result<(), ConfineError> {
        if self.wanted.is_empty() || is_below(place, self.denied) {
            return Ok(());
        }
        match fs::symlink_metadata(place) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) => {
                self.compare(&metadata, || place.to_owned());
                return Ok(());
            }
            Err(_) => return Ok(()),
        }
        bound.walk(place, |entry, kind| {
            if kind.is_dir() {
                let denied = is_below(&entry.path(), self.denied);
                return Ok(if denied { Step::Over } else { Step::Into });
            }
            if let Ok(metadata) = entry.metadata()
                && metadata.nlink() > 1
                && !self.denied.contains(&entry.path())
            {
                self.compare(&metadata, || entry.path());
            }
            Ok(if self.wanted.is_empty() {
                Step::Stop
            } else {
                Step::Over
            })
        })
    }

    fn compare(&mut self, metadata: &Metadata, path: impl FnOnce() -> PathBuf) {
        let identity = identity(metadata);
        if let Some(left) = self.wanted.get_mut(&identity) {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.wanted.remove(&identity);
            }
            self.found.push(path());
        }
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}
