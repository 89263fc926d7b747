//! Whether what a plan rests on is still so, asked before every run; and whether
//! something appeared that was not there, asked after it.
//!
//! Both must cost next to nothing, so absent names are not looked up one by one: as
//! long as the directory that lacks them has not changed, they are absent still.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::plan::Plan;
use crate::profile::Violation;
use crate::protect::{Guard, Protected, Watch, read_small};
use crate::room::hold_back;

/// One thing's identity on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Inode {
    device: u64,
    number: u64,
    /// Numbers are reused at once by some file systems; moments are not.
    born: Option<SystemTime>,
}

impl Inode {
    /// Of something that is open.
    pub(crate) fn of_open(file: impl AsFd) -> Option<Self> {
        let file = fs::File::from(file.as_fd().try_clone_to_owned().ok()?);
        Some(Self::from_metadata(&file.metadata().ok()?))
    }

    fn from_metadata(about: &fs::Metadata) -> Self {
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
    /// Writable roots, and the repositories right below each that were known.
    roots: Vec<(PathBuf, BTreeSet<PathBuf>)>,
    /// Directories of repositories, in which git writes through links.
    linked: Vec<Watch>,
    /// What is frozen or a private copy, and what it was. Its mount goes along when
    /// somebody gives it another name; what takes its place then is the run's.
    covered: Vec<(Watch, Option<Inode>)>,
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
        let roots = plan.survey.protected.iter();
        Self {
            existing: plan.survey.fingerprint.clone(),
            absent,
            roots: roots
                .map(|(root, _)| (root.clone(), repositories_below(root).collect()))
                .collect(),
            linked: linked_in(&plan.survey.protected),
            covered: plan.survey.protected.iter().flat_map(covered_in).collect(),
        }
    }

    /// Whether everything is as it was.
    pub fn holds(&mut self) -> bool {
        let same = |(path, inode): &(PathBuf, Option<Inode>)| Inode::of(path) == *inode;
        self.existing.iter().all(same) && self.absent.iter_mut().all(Absent::holds)
    }

    /// Holds back what appeared; `tag` goes into its new name.
    pub fn hold_back(&mut self, tag: &str) -> Vec<Violation> {
        // A root that is another by now is not ours to change anything in.
        let roots: Vec<(PathBuf, Option<Inode>)> = self.existing.clone();
        let hold_back = |watched: &[Watch], tag: &str| {
            let is_same = |root: &Path, inode: Inode| {
                let known = roots.iter().find(|(path, _)| path == root);
                known.is_some_and(|(_, known)| *known == Some(inode))
            };
            hold_back(watched, tag, &is_same)
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
        found.extend(hold_back(&self.linked, tag));
        for (root, known) in &self.roots {
            for repository in repositories_below(root) {
                if !known.contains(&repository) {
                    found.extend(hold_back(&guards_of(root, &repository), tag));
                }
            }
        }
        found
    }

    /// Holds back what took the place of something that was covered.
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
        hold_back(&replaced, tag, &is_same)
    }

    /// What is no longer the thing that it was.
    pub fn replaced(&self) -> Vec<PathBuf> {
        let gone = self
            .existing
            .iter()
            .filter(|(path, inode)| Inode::of(path) != *inode);
        gone.map(|(path, _)| path.clone()).collect()
    }
}

/// The repositories that have no links in them now; one that has them is the user's doing.
fn linked_in(protected: &[(PathBuf, Protected)]) -> Vec<Watch> {
    // A root may be a single file, which has nothing in it.
    let own = protected
        .iter()
        .filter(|(root, _)| root.is_dir())
        .map(|(root, _)| (root, PathBuf::from(".git")));
    let others = protected
        .iter()
        .flat_map(|(_, found)| &found.git_directories);
    own.map(|(root, path)| (root.clone(), path))
        .chain(others.map(|path| (path.clone(), PathBuf::from("."))))
        .filter(|(root, path)| !has_links(&root.join(path)))
        .map(|(root, path)| Watch {
            root,
            path,
            guard: Guard::Links,
        })
        .collect()
}

fn has_links(repository: &Path) -> bool {
    ["", "logs", "refs", "info"].iter().any(|name| {
        let entries = fs::read_dir(repository.join(name)).into_iter().flatten();
        let mut entries = entries.flatten();
        entries.any(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
    })
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

/// Repositories right below a root: git looks into them from above, as submodules.
fn repositories_below(root: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    directories
        .map(|entry| entry.path().join(".git"))
        .filter(|git| fs::symlink_metadata(git).is_ok())
}

/// What must not be in a repository that a run made, below the root.
fn guards_of(root: &Path, repository: &Path) -> Vec<Watch> {
    let below = repository.strip_prefix(root).unwrap_or(repository);
    let watch = |path: PathBuf, guard| Watch {
        root: root.to_owned(),
        path,
        guard,
    };
    // Worktrees of the workspace's own repository are as good as that.
    let own = root.join(".git");
    let is_worktree = read_small(repository).is_some_and(|text| {
        let named = text.strip_prefix("gitdir:").map(str::trim);
        let directory =
            named.and_then(|named| repository.parent()?.join(named).canonicalize().ok());
        directory.is_some_and(|directory| {
            let common = read_small(&directory.join("commondir"));
            directory.parent() == Some(own.join("worktrees").as_path())
                && common.is_some_and(|common| common.trim() == "../..")
        })
    });
    if is_worktree {
        return Vec::new();
    }
    if !repository.is_dir() {
        return vec![watch(below.to_owned(), Guard::Hold)];
    }
    vec![
        watch(below.join("hooks"), Guard::Hooks),
        watch(below.join("config"), Guard::GitConfig),
        watch(below.join("commondir"), Guard::Hold),
        watch(below.join("config.worktree"), Guard::Hold),
        watch(below.to_owned(), Guard::Links),
    ]
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
