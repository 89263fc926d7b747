//! When runs were going on in which root, and what they left there that git would act upon.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::place::InRoom;
use bashful_sandbox::{Activity, Examination, Ground, Profile, Scope, Stay, Violation};

/// The diary of a keeper.
#[derive(Debug, Default)]
pub(crate) struct Diary {
    /// Where it is kept, for every keeper of this user.
    pub(crate) directory: PathBuf,
    roots: BTreeMap<PathBuf, Activity>,
    /// What was held back of runs that told no more: the next one tells it.
    pub(super) recovered: Vec<Violation>,
}

/// That a run is going on in a root.
#[derive(Debug)]
pub(super) struct Page(PathBuf, Stay);

/// How long a keeper searches for what a killed keeper's runs left.
const PATIENCE: Duration = Duration::from_secs(5);

impl Diary {
    /// A run begins in these roots. Without a record it does not: what it leaves could pass
    /// for the person's.
    pub(super) fn begin(&mut self, grounds: &[Ground]) -> io::Result<Vec<Page>> {
        let mut pages = Vec::new();
        for ground in grounds {
            let begun = self.of(ground.root()).and_then(Activity::begin);
            match begun {
                Ok(stay) => pages.push(Page(ground.root().to_owned(), stay)),
                Err(error) => {
                    self.end(&pages);
                    return Err(error);
                }
            }
        }
        Ok(pages)
    }

    /// It has ended, and what it left was looked at.
    pub(super) fn end(&mut self, pages: &[Page]) {
        for Page(root, stay) in pages {
            if let Some(activity) = self.roots.get_mut(root) {
                activity.end(stay);
            }
        }
    }

    /// Examinations of what a run left in the roots that these pages are about.
    pub(crate) fn examinations(&self, place: &InRoom, tag: &str) -> Vec<Examination> {
        let each = place.freshness().grounds().iter().filter_map(|ground| {
            let mut moments = self.roots.get(ground.root())?.moments();
            let page = place
                .pages
                .iter()
                .find(|Page(root, _)| root == ground.root());
            if let Some(Page(_, stay)) = page {
                moments = moments.since(stay.began());
            }
            Examination::begin(ground, moments, Scope::Repositories, tag)
        });
        each.collect()
    }

    /// Holds back what runs left whose keeper was killed, in the roots of this profile. Each
    /// root is looked up once.
    pub(super) fn recover(&mut self, profile: &Profile) {
        for root in profile.write.iter().filter(|root| root.protect) {
            if self.roots.contains_key(&root.path) || !root.path.is_dir() {
                continue;
            }
            let Ok(activity) = self.of(&root.path) else {
                // The run will not begin either.
                continue;
            };
            let Some(since) = activity.abandoned_since() else {
                continue;
            };
            let ground = Ground::before(&root.path, profile, since);
            let moments = activity.moments().since(since);
            if let Some(mut left) = Examination::begin(&ground, moments, Scope::Everything, "lost")
            {
                left.finish(PATIENCE);
                self.recovered.extend(left.into_violations());
            }
            if let Some(activity) = self.roots.get_mut(&root.path) {
                activity.end_abandoned();
            }
        }
    }

    pub(super) fn take_recovered(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.recovered)
    }

    fn of(&mut self, root: &Path) -> io::Result<&mut Activity> {
        if !self.roots.contains_key(root) {
            let opened = Activity::open(&self.directory, root).map_err(|error| {
                let place = self.directory.display();
                let what = "it must be a directory of yours with plain files";
                io::Error::new(error.kind(), format!("`{place}`: {error}; {what}"))
            })?;
            self.roots.insert(root.to_owned(), opened);
        }
        self.roots
            .get_mut(root)
            .ok_or(io::ErrorKind::NotFound.into())
    }
}
