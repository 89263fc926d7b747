//! Whether what a plan rests on is still so, asked before every run; and whether
//! something appeared that was not there, asked after it.
//!
//! Both must cost next to nothing, so absent names are not looked up one by one: as
//! long as the directory that lacks them has not changed, they are absent still.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::plan::Plan;
use crate::profile::Violation;
use crate::protect::Watch;
use crate::room::hold_back;

/// One thing's identity on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Inode {
    device: u64,
    number: u64,
}

impl Inode {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let about = fs::symlink_metadata(path).ok()?;
        Some(Self {
            device: about.dev(),
            number: about.ino(),
        })
    }
}

/// What a plan rests on.
#[derive(Debug, Clone)]
pub struct Freshness {
    existing: Vec<(PathBuf, Option<Inode>)>,
    absent: Vec<Absent>,
}

/// Names that a directory lacks.
#[derive(Debug, Clone)]
struct Absent {
    /// The deepest directory on the way that exists.
    directory: PathBuf,
    unchanged_since: Option<Change>,
    names: Vec<Watch>,
}

/// When a directory last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// Clocks of file systems are coarse: a change so recent may be followed by another
/// that carries the same time.
const RECENT: Duration = Duration::from_millis(50);

impl Change {
    fn of(directory: &Path) -> Option<Self> {
        let about = fs::symlink_metadata(directory).ok()?;
        let changed = Duration::new(
            u64::try_from(about.ctime()).ok()?,
            u32::try_from(about.ctime_nsec()).ok()?,
        );
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        (now > changed + RECENT).then_some(Self {
            inode: about.ino(),
            seconds: about.ctime(),
            nanoseconds: about.ctime_nsec(),
        })
    }
}

impl Freshness {
    /// What this plan rests on, which was looked at a moment ago.
    pub fn of(plan: &Plan) -> Self {
        let mut absent: Vec<Absent> = Vec::new();
        for watch in &plan.watched {
            let whole = watch.root.join(&watch.path);
            let directory = whole
                .ancestors()
                .skip(1)
                .find(|above| fs::symlink_metadata(above).is_ok())
                .unwrap_or(&watch.root)
                .to_owned();
            match absent.iter_mut().find(|one| one.directory == directory) {
                Some(one) => one.names.push(watch.clone()),
                None => absent.push(Absent {
                    directory,
                    unchanged_since: None,
                    names: vec![watch.clone()],
                }),
            }
        }
        Self {
            existing: plan.survey.fingerprint.clone(),
            absent,
        }
    }

    /// Whether everything is as it was.
    pub fn holds(&mut self) -> bool {
        let same = |(path, inode): &(PathBuf, Option<Inode>)| Inode::of(path) == *inode;
        self.existing.iter().all(same) && self.absent.iter_mut().all(Absent::holds)
    }

    /// Holds back what appeared; `tag` goes into its new name.
    pub fn hold_back(&mut self, tag: &str) -> Vec<Violation> {
        let mut found = Vec::new();
        for absent in &mut self.absent {
            if !absent.may_have_changed() {
                continue;
            }
            let change = Change::of(&absent.directory);
            let held = hold_back(&absent.names, tag);
            absent.unchanged_since = change.filter(|_| absent.lacks_all());
            found.extend(held);
        }
        found
    }
}

impl Absent {
    fn may_have_changed(&self) -> bool {
        let now = Change::of(&self.directory);
        now.is_none() || now != self.unchanged_since
    }

    fn holds(&mut self) -> bool {
        if !self.may_have_changed() {
            return true;
        }
        let change = Change::of(&self.directory);
        let still = self.lacks_all();
        self.unchanged_since = change.filter(|_| still);
        still
    }

    /// Whether the directory has not even the first part of any of the paths. Once it
    /// has, what happens below no longer shows in the directory itself.
    fn lacks_all(&self) -> bool {
        self.names.iter().all(|watch| {
            let whole = watch.root.join(&watch.path);
            let below = whole.strip_prefix(&self.directory).ok();
            let first = below.and_then(|below| below.iter().next());
            first.is_none_or(|first| fs::symlink_metadata(self.directory.join(first)).is_err())
        })
    }
}
