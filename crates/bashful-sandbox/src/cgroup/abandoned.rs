//! Control groups of keepers that ended without removing them.

use std::fs;
use std::path::Path;

use super::find::Cgroups;
use super::limits::Controller;
use super::owner::Owner;

impl Cgroups {
    /// Removes groups whose keeper no longer lives, and returns how many directories
    /// went. One that still has processes stays; so do those beyond a bound, for the
    /// next time.
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

const MOST_ENTRIES: usize = 20_000;
const MOST_REMOVALS: usize = 1_000;
