//! Control groups of keepers that ended without removing them.

use std::fs;
use std::path::{Path, PathBuf};

use super::find::Cgroups;
use super::limits::Controller;
use super::owner::Owner;
use super::places::mounted;

impl Cgroups {
    /// Removes groups whose keeper no longer lives, and returns how many directories
    /// went. One that still has processes stays for the next time; so do those beyond a bound.
    pub(crate) fn remove_abandoned(&self) -> usize {
        let mut directories: Vec<&Path> = Vec::new();
        for controller in Controller::ALL {
            if let Some(offer) = self.offers.of(controller)
                && !directories.contains(&offer.directory.as_path())
            {
                directories.push(&offer.directory);
            }
        }
        directories.into_iter().map(|it| self.clean(it)).sum()
    }

    fn clean(&self, directory: &Path) -> usize {
        let (Ok(entries), Some(own)) = (fs::read_dir(directory), self.owner) else {
            return 0;
        };
        let is_abandoned = |entry: &fs::DirEntry| {
            let owner = entry.file_name().to_str().and_then(Owner::of);
            owner.is_some_and(|owner| owner.has_ended(own))
        };
        entries
            .flatten()
            .take(MOST_ENTRIES)
            .filter(is_abandoned)
            .take(MOST_REMOVALS)
            .filter(|entry| self.files.remove(&entry.path()).is_ok())
            .count()
    }
}

/// Groups of keepers that no longer live.
#[derive(Debug, Default)]
pub struct AbandonedGroups {
    /// The directories that went.
    pub removed: Vec<PathBuf>,
    /// How many stay: they still have processes, or belong to another user.
    pub left: usize,
}

/// Removes the groups of keepers that no longer live from all hierarchies that are mounted here.
/// This looks at every group of the host, so it is too slow to do for a run.
pub fn remove_abandoned_groups() -> AbandonedGroups {
    let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let Some(own) = Owner::current() else {
        return AbandonedGroups::default();
    };
    let mut open: Vec<PathBuf> = mounted(&mounts);
    let mut abandoned = Vec::new();
    let mut seen = 0;
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if seen >= MOST_ENTRIES || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            seen += 1;
            let owner = entry.file_name().to_str().and_then(Owner::of);
            if owner.is_some_and(|owner| owner.has_ended(own)) {
                abandoned.push(entry.path());
            }
            open.push(entry.path());
        }
    }
    // What is below was found later, and goes first.
    abandoned.reverse();
    let found = abandoned.len();
    abandoned.retain(|path| fs::remove_dir(path).is_ok());
    AbandonedGroups {
        left: found - abandoned.len(),
        removed: abandoned,
    }
}

const MOST_ENTRIES: usize = 20_000;
const MOST_REMOVALS: usize = 1_000;
