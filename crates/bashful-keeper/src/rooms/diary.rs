//! When runs were going on in which root, and what they left there that git would act upon.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bashful_sandbox::{Activity, Examination, Ground, Moments, Profile, Scope, Stay, Violation};

use super::place::InRoom;
use crate::run::{Apart, Searched, incomplete};

/// The diary of a keeper.
#[derive(Debug, Default)]
pub(crate) struct Diary {
    /// Where it is kept, for every keeper of this user.
    pub(crate) directory: PathBuf,
    roots: BTreeMap<PathBuf, Activity>,
    /// What was held back of runs that told no more: the next one tells it.
    pub(super) recovered: Vec<Violation>,
    /// What runs of killed keepers left in these roots is searched.
    lost: Option<(Apart, Vec<PathBuf>)>,
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

    /// Whether what runs left whose keeper was killed has been held back, in the roots of this
    /// profile: before that nothing is planned for them. What takes long is done by a process of its
    /// own, and this is asked again.
    pub(super) fn is_recovered(&mut self, profile: &Profile) -> bool {
        if let Some((mut apart, roots)) = self.lost.take() {
            if !apart.has_told() && !apart.is_late() {
                self.lost = Some((apart, roots));
                return false;
            }
            self.have_recovered(&roots, apart.found());
        }
        let mut roots = Vec::new();
        let mut going = Vec::new();
        for root in profile.write.iter().filter(|root| root.protect) {
            let Some((moments, since)) = self.abandoned_in(&root.path) else {
                continue;
            };
            let ground = Ground::before(&root.path, profile, since);
            going.extend(Examination::begin(
                &ground,
                moments,
                Scope::Everything,
                "lost",
            ));
            roots.push(root.path.clone());
        }
        match Apart::search(going, PATIENCE, PATIENCE * 2) {
            Ok(Searched::Apart(apart)) => {
                self.lost = Some((apart, roots));
                return false;
            }
            Ok(Searched::Done(found)) => self.have_recovered(&roots, found),
            Err(error) => self.have_recovered(&roots, vec![incomplete(&error.to_string())]),
        }
        true
    }

    /// Whether such a search goes on.
    pub(super) fn is_recovering(&self) -> bool {
        self.lost.is_some()
    }

    /// The process that is at it.
    pub(super) fn searcher(&self) -> Option<i32> {
        self.lost.as_ref().map(|(apart, _)| apart.pid())
    }

    /// The moments of runs in a root, and when the oldest began that no keeper looked after.
    fn abandoned_in(&mut self, root: &Path) -> Option<(Moments, SystemTime)> {
        // If that cannot be told, the run will not begin either.
        let activity = self.of(root).ok().filter(|_| root.is_dir())?;
        if !activity.may_be_abandoned().unwrap_or(true) {
            return None;
        }
        let since = activity.abandoned_since()?;
        Some((activity.moments().since(since), since))
    }

    fn have_recovered(&mut self, roots: &[PathBuf], found: Vec<Violation>) {
        self.recovered.extend(found);
        for root in roots {
            if let Some(activity) = self.roots.get_mut(root) {
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
