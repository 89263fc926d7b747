//! Whether what a plan rests on is still so, asked before every run; and whether a name
//! appeared that was not there, asked after it.
//!
//! Both must cost next to nothing, so absent names are not looked up one by one: as
//! long as the directory that lacks them has not changed, they are absent still.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::left_behind::{Ground, relative_in};
use crate::linked::Linked;
use crate::plan::Plan;
use crate::profile::{Network, Violation};
use crate::protect::{Guard, Protected, Watch};
use crate::room::{HeldBy, hold_back};
use crate::survey::StillSo;

/// The identity of a file or directory on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Inode {
    device: u64,
    number: u64,
    /// Numbers are reused at once by some file systems; moments are not.
    born: Option<SystemTime>,
}

impl Inode {
    /// The identity of an open file or directory.
    pub(crate) fn of_open(file: impl AsFd) -> Option<Self> {
        let file = fs::File::from(file.as_fd().try_clone_to_owned().ok()?);
        Some(Self::from_metadata(&file.metadata().ok()?))
    }

    pub(crate) fn from_metadata(about: &fs::Metadata) -> Self {
        Self {
            device: about.dev(),
            number: about.ino(),
            born: about.created().ok(),
        }
    }

    pub(crate) fn of(path: &Path) -> Option<Self> {
        Some(Self::from_metadata(&fs::symlink_metadata(path).ok()?))
    }
}

/// What a plan rests on.
#[derive(Debug, Clone)]
pub struct Freshness {
    existing: Vec<(PathBuf, Option<Inode>)>,
    absent: Vec<Absent>,
    /// Writable roots, in which runs may leave repositories.
    grounds: Vec<Ground>,
    /// Worktrees in these roots, which a run may take away.
    linked: Vec<Linked>,
    network: Network,
    /// What appeared while the run did nothing, and when it last changed: it is the person's.
    accepted: Vec<(Watch, Option<Change>)>,
    /// What is frozen or a private copy, and what it was. Its mount goes along when a run gives
    /// it another name; what takes its place then is the run's.
    covered: Vec<(Watch, Option<Inode>)>,
    /// Whether the run stands for root, and what notices that more has to be hidden from it.
    stands_for_root: bool,
    root_only: Option<Arc<StillSo>>,
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
pub(crate) struct Change {
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// Clocks of file systems are coarse: a change so recent may be followed by another
/// that carries the same time.
const RECENT: Duration = Duration::from_millis(50);

impl Change {
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let about = fs::symlink_metadata(path).ok()?;
        Some(Self {
            inode: about.ino(),
            seconds: about.ctime(),
            nanoseconds: about.ctime_nsec(),
        })
    }

    /// The same, unless it was so recent that another one may look like it.
    fn of(directory: &Path) -> Option<Self> {
        let change = Self::at(directory)?;
        let changed = Duration::new(
            u64::try_from(change.seconds).ok()?,
            u32::try_from(change.nanoseconds).ok()?,
        );
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        (now > changed + RECENT).then_some(change)
    }
}

impl Freshness {
    /// What this plan rests on, which was looked at a moment ago.
    pub fn of(plan: &Plan) -> Self {
        let mut absent: Vec<Absent> = Vec::new();
        // Most names lie in the same few directories, and each of these is looked at once.
        let mut there: HashMap<PathBuf, bool> = HashMap::new();
        for watch in &plan.watched {
            let whole = watch.root.join(&watch.path);
            let directory = whole
                .ancestors()
                .skip(1)
                .find(|above| {
                    let known = there.get(*above).copied();
                    known.unwrap_or_else(|| {
                        let found = fs::symlink_metadata(above).is_ok();
                        there.insert(above.to_path_buf(), found);
                        found
                    })
                })
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
            grounds: grounds_of(plan),
            linked: plan
                .survey
                .protected
                .iter()
                .flat_map(|(_, found)| Linked::of(found))
                .collect(),
            network: plan.network,
            accepted: Vec::new(),
            covered: plan.survey.protected.iter().flat_map(covered_in).collect(),
            stands_for_root: plan.identity.stands_for_root(),
            root_only: plan.survey.root_only.clone(),
        }
    }

    /// Whether everything is as it was.
    pub fn holds(&mut self) -> bool {
        let same = |(path, inode): &(PathBuf, Option<Inode>)| Inode::of(path) == *inode;
        self.existing.iter().all(same) && self.absent.iter_mut().all(Absent::holds)
    }

    /// Whether another run may go by the same plan: everything is as it was, and a run that stands
    /// for root does not see what root made since.
    pub fn holds_for_another(&mut self) -> bool {
        let told = self.root_only.as_ref().is_some_and(|still| still.holds());
        (told || !self.stands_for_root) && self.holds()
    }

    /// The roots in which a run may leave repositories behind.
    pub fn grounds(&self) -> &[Ground] {
        &self.grounds
    }

    /// Takes what appeared for the person's: the run did nothing since. If it changes
    /// later, that may be the run's doing.
    pub fn accept(&mut self) {
        for absent in &mut self.absent {
            if !absent.may_have_changed() {
                continue;
            }
            let there =
                |watch: &mut Watch| fs::symlink_metadata(watch.root.join(&watch.path)).is_ok();
            for watch in absent.names.extract_if(.., there) {
                let change = Change::at(&watch.root.join(&watch.path));
                self.accepted.push((watch, change));
            }
        }
    }

    /// Holds back what appeared; `tag` goes into its new name.
    pub fn hold_back(&mut self, tag: &str) -> Vec<Violation> {
        // A root that was replaced by now is not ours to change anything in.
        let roots: Vec<(PathBuf, Option<Inode>)> = self.existing.clone();
        let network = self.network;
        let searched = self.grounds.first().map(|ground| &ground.searched);
        let searched = searched.map(Rc::clone).unwrap_or_default();
        let hold_back = |watched: &[Watch], tag: &str| {
            let is_same = |root: &Path, inode: Inode| {
                let known = roots.iter().find(|(path, _)| path == root);
                known.is_some_and(|(_, known)| *known == Some(inode))
            };
            let by = HeldBy {
                tag,
                network,
                searched: &searched,
            };
            hold_back(watched, by, &is_same)
        };
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
        let changed = |(watch, change): &mut (Watch, Option<Change>)| {
            Change::at(&watch.root.join(&watch.path)) != *change
        };
        let changed = self.accepted.extract_if(.., changed);
        let changed: Vec<Watch> = changed.map(|(watch, _)| watch).collect();
        found.extend(hold_back(&changed, tag));
        let astray = self.linked.iter_mut();
        let astray: Vec<Watch> = astray.flat_map(|one| one.astray(&searched)).collect();
        found.extend(hold_back(&astray, tag));
        found
    }

    /// Holds back what took the place of a covered file or directory.
    pub fn hold_back_in_place(&mut self, tag: &str) -> Vec<Violation> {
        let replaced: Vec<Watch> = self
            .covered
            .iter()
            .filter(|(watch, inode)| {
                let now = Inode::of(&watch.root.join(&watch.path));
                now.is_some() && now != *inode
            })
            .map(|(watch, _)| watch.clone())
            .collect();
        let is_same = |root: &Path, inode: Inode| {
            let known = self.existing.iter().find(|(path, _)| path == root);
            known.is_some_and(|(_, known)| *known == Some(inode))
        };
        let by = HeldBy {
            tag,
            network: self.network,
            searched: &[],
        };
        hold_back(&replaced, by, &is_same)
    }

    /// What was replaced by another file or directory.
    pub fn replaced(&self) -> Vec<PathBuf> {
        let gone = self
            .existing
            .iter()
            .filter(|(path, inode)| Inode::of(path) != *inode);
        gone.map(|(path, _)| path.clone()).collect()
    }
}

/// The writable roots that are directories, and those of worktrees' repositories elsewhere.
fn grounds_of(plan: &Plan) -> Vec<Ground> {
    let mut grounds = Vec::new();
    let protected = plan.survey.protected.iter();
    let searched =
        protected.flat_map(|(root, found)| [root].into_iter().chain(&found.git_directories));
    let searched = Rc::new(searched.cloned().collect());
    for (root, found) in &plan.survey.protected {
        let covered: BTreeSet<PathBuf> = found
            .frozen
            .iter()
            .chain(&found.git_configs)
            .cloned()
            .collect();
        let covered = Rc::new(covered);
        let all = [root].into_iter().chain(&found.git_directories);
        for root in all.filter(|root| root.is_dir()) {
            grounds.push(Ground {
                root: root.clone(),
                inode: Inode::of(root),
                searched: Rc::clone(&searched),
                covered: Rc::clone(&covered),
                hooks: relative_in(&plan.survey.git_obeys),
                network: plan.network,
            });
        }
    }
    grounds
}

fn covered_in((root, found): &(PathBuf, Protected)) -> Vec<(Watch, Option<Inode>)> {
    let watch = |path: &PathBuf, guard| {
        // Those of a worktree lie in the directories that git needs.
        let mut roots = [root].into_iter().chain(&found.git_directories);
        let root = roots.find(|root| path.starts_with(root))?;
        let below = path.strip_prefix(root).ok()?.to_owned();
        let watch = Watch {
            root: root.clone(),
            path: below,
            guard,
        };
        Some((watch, Inode::of(path)))
    };
    let guard_of = |path: &PathBuf| {
        if path.file_name().is_some_and(|name| name == "hooks") {
            Guard::Hooks
        } else {
            Guard::Hold
        }
    };
    let frozen = found
        .frozen
        .iter()
        .filter_map(|path| watch(path, guard_of(path)));
    let configs = found.git_configs.iter();
    let configs = configs.filter_map(|path| watch(path, Guard::GitConfig));
    frozen.chain(configs).collect()
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
