//! What runs left behind in a writable root that git would act upon outside.
//!
//! Git takes programs and addresses from many places: hooks and configuration of any directory
//! that looks like a repository, files that lead to another one, work that was interrupted. A
//! run can make such a place at any depth. So after a run that gave a name to anything, the
//! whole root is searched for repositories, and each of them is looked at.
//!
//! The time of the last change shows whether a file is a run's ([`Moments`]): the
//! kernel's time of change cannot be set by the run. What changed while no run was going on is
//! the person's, and stays.

mod activity;
mod apart;
mod effort;
mod index;
mod name;
mod repository;
mod search;

use std::collections::BTreeSet;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, statat};

pub use activity::{Activity, Moments, Stay};
pub use apart::finish_apart;
pub use effort::Effort;
pub(crate) use effort::Spent;
pub(crate) use index::{is_astray, leads_astray};
pub(crate) use search::open_below;

use crate::freshness::Inode;
use crate::git_config::Hosts;
use crate::linked::loosen;
use crate::profile::{Network, Profile, Violation};
use crate::protect::{Guard, NAMES, Watch, below, inspect, read_small};
use crate::room::{Holding, open_root};
use repository::{hooks_at, obeyed_at, obeyed_by, places_of, places_of_top};
use search::{Found, Kind, Search};

/// What an examination needs to know about a root.
#[derive(Debug, Clone)]
pub struct Ground {
    pub(crate) root: PathBuf,
    pub(crate) inode: Option<Inode>,
    /// All directories that are searched as this one is.
    pub(crate) searched: Rc<Vec<PathBuf>>,
    /// What no run could change: it is covered by a mount, or a private copy.
    pub(crate) covered: Rc<BTreeSet<PathBuf>>,
    /// Where the person's own configuration has git look for hooks, from the top of a tree.
    pub(crate) hooks: Vec<PathBuf>,
    pub(crate) network: Network,
}

/// Which of a root's names are looked at besides its repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// None: they were watched while the run was going on.
    Repositories,
    /// All that is protected at the top: no keeper watched them to the end.
    Everything,
}

/// An examination that is under way.
pub struct Examination {
    ground: Ground,
    moments: Moments,
    tag: String,
    search: Search,
    found: Vec<Violation>,
    /// What more was found.
    untold: usize,
    /// The directory that is looked at was looked at before, though not to the end.
    is_again: bool,
}

/// More than this is counted. Addresses are no part of that: those that cannot be told are held.
const MOST_TOLD: usize = 500;

impl std::fmt::Debug for Examination {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Examination")
            .finish_non_exhaustive()
    }
}

/// Whether an examination is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Everything was looked at.
    Done,
    /// There is more.
    More,
}

impl Examination {
    /// Begins in this root; none if it is not the one that was surveyed, or not a directory.
    pub fn begin(ground: &Ground, moments: Moments, scope: Scope, tag: &str) -> Option<Self> {
        let root = open_root(&ground.root).ok()?;
        if Inode::of_open(&root) != ground.inode {
            return None;
        }
        let mut this = Self {
            ground: ground.clone(),
            moments,
            tag: tag.to_owned(),
            search: Search::of(root),
            found: Vec::new(),
            untold: 0,
            is_again: false,
        };
        if scope == Scope::Everything {
            let root = open_root(&ground.root).ok()?;
            let names = NAMES.iter().map(|name| (PathBuf::from(name), Guard::Hold));
            // Each takes no more than a look and a new name.
            let effort = Effort::of(Duration::from_secs(1));
            this.look(&root, Path::new(""), names.collect(), &effort);
        }
        Some(this)
    }

    /// Goes on until all is looked at or the effort is spent.
    pub fn go_on(&mut self, effort: &Effort) -> Progress {
        while let Some(found) = self.search.next(effort) {
            match found {
                Found::Nothing => {}
                Found::Unreadable(path) => self.tell(&path, "it cannot be looked at"),
                Found::Directory {
                    directory,
                    path,
                    is,
                } => {
                    let mut places = Vec::new();
                    if is.top {
                        places.extend(places_of_top());
                    }
                    let links = is.links.iter().cloned();
                    places.extend(links.map(|link| (link, Guard::Hold)));
                    if is.repository {
                        places.extend(places_of(&path, &is.shared_indexes));
                    }
                    self.look(&directory, &path, places, effort);
                    let elsewhere = self.elsewhere(&path, &is, effort);
                    self.look(&self.search.root(), Path::new(""), elsewhere, effort);
                }
            }
            if effort.is_spent() {
                // What was held back is not there any more the next time.
                self.search.again();
                self.is_again = true;
                return Progress::More;
            }
            self.is_again = false;
        }
        Progress::Done
    }

    /// What git obeys because of this directory, elsewhere below the root.
    fn elsewhere(&self, path: &Path, is: &Kind, effort: &Effort) -> Vec<(PathBuf, Guard)> {
        let root = &self.ground.root;
        let mut places = Vec::new();
        if is.top || is.repository {
            let top = root.join(path);
            let hooks = self.ground.hooks.iter();
            places.extend(hooks.filter_map(|hooks| hooks_at(root, &top, hooks)));
        }
        if is.repository {
            places.extend(obeyed_by(root, path, effort));
        }
        if is.top {
            places.extend(obeyed_at(root, &root.join(path)));
        }
        places
    }

    /// Goes on until all is looked at or the time is over, which is reported.
    pub fn finish(&mut self, patience: Duration) {
        if self.go_on(&Effort::of(patience)) == Progress::More {
            let rest = self.search.rest();
            self.tell(
                &rest,
                "there is too much to look at; the rest was not searched for repositories",
            );
        }
    }

    /// Another process goes on with it, and closes what it opened.
    fn hand_over(&mut self) {
        self.search.leave_open();
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.search.descriptor()
    }

    /// What was held back.
    pub fn into_violations(mut self) -> Vec<Violation> {
        self.found.extend(Violation::untold(self.untold));
        self.found
    }

    fn look(
        &mut self,
        directory: &OwnedFd,
        path: &Path,
        places: Vec<(PathBuf, Guard)>,
        effort: &Effort,
    ) {
        let whole = self.ground.root.join(path);
        // Some of it is for what else is found there.
        let room = (MOST_TOLD - 100).saturating_sub(self.found.len());
        let mut holding = Holding::new(&self.tag, &self.moments, &self.ground, effort, room);
        for (place, guard) in places {
            if effort.spend(1).is_err() {
                break;
            }
            if self.ground.covered.contains(&whole.join(&place)) {
                continue;
            }
            // Most are not there, and need no more than this look.
            if statat(directory, &place, AtFlags::SYMLINK_NOFOLLOW).is_err()
                && !place.as_os_str().is_empty()
            {
                continue;
            }
            let watch = Watch {
                root: whole.clone(),
                path: place,
                guard,
            };
            holding.look(&watch, directory);
        }
        let led_to = std::mem::take(&mut holding.led_to);
        for violation in holding.into_found() {
            if self.is_again && self.found.contains(&violation) {
                continue;
            }
            if self.found.len() < MOST_TOLD {
                self.found.push(violation);
            } else {
                self.untold += 1;
            }
        }
        let root = &self.ground.root;
        let inside = led_to.into_iter().filter_map(|(path, guard)| {
            let real = path.canonicalize().ok()?;
            Some((below(root, &real)?, guard))
        });
        let inside: Vec<_> = inside.collect();
        if !inside.is_empty() {
            // No link is on the way any more.
            self.look(&self.search.root(), Path::new(""), inside, effort);
        }
    }

    fn tell(&mut self, path: &Path, what: &str) {
        self.found.push(Violation {
            kind: "protected".to_owned(),
            path: Some(self.ground.root.join(path)),
            missing: "paths_write".to_owned(),
            source: "keeper".to_owned(),
            note: Some(format!(
                "{what}; do not use git there without looking first"
            )),
            ..Violation::default()
        });
    }
}

/// Those that begin at the top of every work tree.
pub(crate) fn relative_in(obeyed: &[PathBuf]) -> Vec<PathBuf> {
    let relative = obeyed.iter().filter(|path| path.is_relative());
    relative.cloned().collect()
}

impl Ground {
    /// A root before anything is planned for it. What is protected there and existed at this
    /// time was covered in the runs that began since.
    pub fn before(root: &Path, profile: &Profile, since: SystemTime) -> Self {
        let written = profile.write.iter().filter(|root| root.protect);
        let roots = written.map(|root| root.path.clone());
        let mut all: Vec<_> = roots
            .map(|root| {
                let found = inspect(&root, &profile.git_obeys);
                (root, found)
            })
            .collect();
        loosen(&mut all);
        let searched = all.iter();
        let searched =
            searched.flat_map(|(root, found)| [root].into_iter().chain(&found.git_directories));
        let searched: Vec<PathBuf> = searched.cloned().collect();
        let of_root = all.into_iter().find(|(path, _)| path == root);
        let found = of_root.map(|(_, found)| found).unwrap_or_default();
        let protected = found.frozen.into_iter().chain(found.git_configs);
        let old = |path: &PathBuf| {
            let about = std::fs::symlink_metadata(path);
            let born = about.and_then(|about| about.created());
            born.is_ok_and(|born| born < since)
        };
        Self {
            root: root.to_owned(),
            inode: Inode::of(root),
            searched: Rc::new(searched),
            covered: Rc::new(protected.filter(old).collect()),
            hooks: relative_in(&profile.git_obeys),
            network: profile.network,
        }
    }

    /// The hosts that git may be made to contact by what runs wrote here: those of the person's
    /// configuration at the top. One that no mount covered may be a run's, and names none.
    pub(crate) fn hosts(&self) -> Hosts {
        let mut hosts = Hosts::for_runs_with(self.network);
        let config = self.root.join(".git/config");
        if self.covered.contains(&config) {
            hosts.add(read_small(&config).unwrap_or_default().as_bytes());
        }
        hosts
    }

    /// The path of the writable root.
    pub fn root(&self) -> &Path {
        &self.root
    }
}
