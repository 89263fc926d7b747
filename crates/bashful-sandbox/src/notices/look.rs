//! Whether a wall is in the way of an attempt, looked up in the run's own tree.

mod words;

use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, FileType, accessat};
use rustix::io::Errno;

use super::address::leads_out;
use super::told::Attempt;
use super::tree::{Found, Last, Spot, Tree};
use crate::backend::Backend;
use crate::kernel_file::kernel_bytes;
use crate::plan::{Entry, Plan, Right};
use crate::profile::{Network, Violation};
use crate::survey::Identity;
pub(super) use words::{SOURCE, is_own, without_remedy_if_own};
use words::{closed, hidden, in_directory, in_hosts_tmp, is_for_passing_files, unlisted};

/// Links that are followed to where a file would be made.
const MOST_LINKS: usize = 8;

/// Both trees, to compare them.
#[derive(Debug, Default)]
pub(super) struct Looker {
    run: Option<Tree>,
    /// Opened when it is needed.
    host: OnceCell<Option<Tree>>,
    /// What the run may write though no plan says so: its own directory, where its tree is the
    /// host's one.
    own: Option<PathBuf>,
    /// Directories in which names could be made and removed when that was last looked at.
    open: RefCell<HashSet<PathBuf>>,
}

/// No more of them than this are remembered.
const MOST_OPEN: usize = 256;

impl Looker {
    pub(super) fn new(own: Option<PathBuf>) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }

    /// Whether the run's tree has been opened.
    pub(super) fn is_ready(&self) -> bool {
        self.run.is_some()
    }

    /// Uses this as the run's tree, which all its processes share.
    pub(super) fn begin(&mut self, run: Tree) {
        self.run = Some(run);
    }

    /// How often it could not be found out what is in the way.
    pub(super) fn unknown(&self) -> u64 {
        let host = self.host.get().and_then(Option::as_ref);
        self.run.iter().chain(host).map(Tree::unknown).sum()
    }

    /// What is in its way.
    pub(super) fn walls(&self, attempt: &Attempt, plan: &Plan) -> Option<Violation> {
        match attempt {
            Attempt::Change(path) => match self.find(path, Last::Followed) {
                Found::There(spot) => self.write_wall(&spot, plan),
                Found::Closed if is_own(path) => Some(words::own(path)),
                Found::Missing | Found::Closed => self.unseen_for_writing(path, plan),
                Found::Unknown => None,
            },
            Attempt::Permit(path) => match self.find(path, Last::Followed) {
                // Landlock has no say in this.
                Found::There(spot) if !spot.mount.read_only => None,
                Found::There(spot) => self.write_wall(&spot, plan),
                Found::Missing | Found::Closed => self.unseen_for_writing(path, plan),
                Found::Unknown => None,
            },
            Attempt::Write(path) if self.is_new_in_open(path) => None,
            Attempt::Write(path) => match self.find(path, Last::Followed) {
                Found::There(spot) => self.write_wall(&spot, plan),
                Found::Closed if is_own(path) => Some(words::own(path)),
                Found::Missing | Found::Closed => self.making(&self.end_of_links(path), plan),
                Found::Unknown => None,
            },
            Attempt::Make(path) => self.making(path, plan),
            Attempt::Remove(path) => self.removing(path, plan),
            Attempt::Move(from, to) => self
                .removing(from, plan)
                .or_else(|| self.parent_wall(to, plan).map(in_directory)),
            Attempt::Execute(path) => self.executing(path, plan),
            Attempt::Enter(path) => self.seeing(path, Last::Followed, plan),
            Attempt::Read(path) => self.reading(path, plan),
            Attempt::Look(path, last) => self.seeing(path, *last, plan),
            Attempt::Nothing => None,
            Attempt::Call(path, is_others) => self.calling(path, *is_others),
            // Only where there is no network at all: a gate tells of what it refuses.
            Attempt::Connect(_) if plan.network != Network::Off => None,
            Attempt::Connect(bytes) => leads_out(bytes).map(|address| Violation {
                kind: "network".to_owned(),
                address: Some(address.to_string()),
                missing: "network".to_owned(),
                source: SOURCE.to_owned(),
                note: Some(match address.port() {
                    53 => "asked for the address of a name, without a network".to_owned(),
                    _ => "there is no network".to_owned(),
                }),
                ..Violation::default()
            }),
        }
    }

    /// What is at this path, to be connected to.
    pub(super) fn open(&self, path: &Path) -> Result<OwnedFd, Errno> {
        self.run.as_ref().ok_or(Errno::ACCESS)?.open_end(path)
    }

    /// A socket that the run was not connected to. One that nobody listens at any more is no wall.
    fn calling(&self, path: &Path, is_others: bool) -> Option<Violation> {
        let spot = match self.find(path, Last::Followed) {
            Found::There(spot) => spot,
            _ => self.on_host(path, Last::Followed)?,
        };
        if spot.kind != FileType::Socket {
            return None;
        }
        let note = if is_others {
            "a run with other rights has made it; only those with the same rights connect to each other"
        } else if is_bound_on_host(&spot.path) {
            "it belongs to the host; inside, only sockets that were made there can be connected to"
        } else {
            return None;
        };
        Some(Violation {
            kind: "socket".to_owned(),
            path: Some(spot.path),
            source: SOURCE.to_owned(),
            note: Some(note.to_owned()),
            ..Violation::default()
        })
    }

    /// Whether nothing is at this path, not even a link, in a directory that is known to be open.
    fn is_new_in_open(&self, path: &Path) -> bool {
        self.is_in_open(path) && matches!(self.find(path, Last::Itself), Found::Missing)
    }

    fn is_in_open(&self, path: &Path) -> bool {
        let open = self.open.borrow();
        path.parent().is_some_and(|parent| open.contains(parent))
    }

    /// Making a file where nothing is.
    fn making(&self, path: &Path, plan: &Plan) -> Option<Violation> {
        if self.is_in_open(path) {
            return None;
        }
        match self.find(path, Last::Itself) {
            Found::There(_) | Found::Unknown => None,
            Found::Missing | Found::Closed => self.parent_wall(path, plan),
        }
    }

    fn removing(&self, path: &Path, plan: &Plan) -> Option<Violation> {
        let spot = match self.find(path, Last::Itself) {
            Found::There(spot) => spot,
            Found::Unknown => return None,
            Found::Missing | Found::Closed => {
                // In a directory that it sees, the name is simply not there.
                let parent = self.find(path.parent()?, Last::Followed);
                let is_hosts = self.on_host(path, Last::Itself).is_some();
                let is_hidden = matches!(parent, Found::Missing | Found::Closed) && is_hosts;
                let wall = is_hidden.then(|| self.parent_wall(path, plan)).flatten();
                return wall.map(in_directory);
            }
        };
        let wall = self.parent_wall(path, plan).map(in_directory);
        // What is mounted there cannot be taken away either.
        wall.or_else(|| {
            let mounted = spot.mount.read_only;
            mounted.then(|| self.write_wall(&spot, plan)).flatten()
        })
    }

    /// Whether names can be made and removed where this path lies.
    fn parent_wall(&self, path: &Path, plan: &Plan) -> Option<Violation> {
        let name = path.file_name()?;
        let parent = path.parent()?;
        if self.is_in_open(path) {
            return None;
        }
        match self.find(parent, Last::Followed) {
            // Where only mounts decide, it is the same for all names in it.
            Found::There(above) if !above.mount.read_only && !rules_decide(plan) => {
                let mut open = self.open.borrow_mut();
                if open.len() >= MOST_OPEN {
                    open.clear();
                }
                open.insert(parent.to_owned());
                None
            }
            Found::There(above) => {
                let is_hosts_tmp = rules_decide(plan) && is_for_passing_files(&above.path);
                let spot = Spot {
                    path: above.path.join(name),
                    kind: FileType::RegularFile,
                    ..above
                };
                let wall = self.write_wall(&spot, plan)?;
                Some(if is_hosts_tmp {
                    in_hosts_tmp(spot.path)
                } else {
                    wall
                })
            }
            Found::Closed if is_own(parent) => Some(words::own(path)),
            Found::Missing | Found::Closed => {
                let wall = self.unseen_for_writing(parent, plan)?;
                let path = wall.path.as_ref().map(|parent| parent.join(name));
                Some(Violation { path, ..wall })
            }
            Found::Unknown => None,
        }
    }

    fn executing(&self, path: &Path, plan: &Plan) -> Option<Violation> {
        let listed = plan.survey.allowed.is_some();
        let is_program = |spot: &Spot| spot.kind == FileType::RegularFile && spot.mode & 0o111 != 0;
        match self.find(path, Last::Followed) {
            Found::There(spot) if self.is_allowed(&spot.path, Right::Execute, plan) => None,
            Found::There(spot) if listed && spot.kind == FileType::RegularFile => {
                Some(unlisted(spot.path))
            }
            Found::There(spot) if rules_decide(plan) && is_program(&spot) => {
                Some(closed("execute", spot.path))
            }
            Found::Missing | Found::Closed => {
                let there = self.on_host(path, Last::Followed).filter(is_program)?;
                let wall = self.unseen("execute", path, Last::Followed)?;
                // Directories of programs have several names.
                Some(if listed { unlisted(there.path) } else { wall })
            }
            _ => None,
        }
    }

    fn reading(&self, path: &Path, plan: &Plan) -> Option<Violation> {
        if let Found::There(spot) = self.find(path, Last::Followed) {
            let is_kept = matches!(spot.kind, FileType::RegularFile | FileType::Directory);
            let is_ruled_out =
                rules_decide(plan) && !self.is_allowed(&spot.path, Right::Read, plan);
            if is_ruled_out && is_kept {
                return Some(closed("read", spot.path));
            }
        }
        self.seeing(path, Last::Followed, plan)
    }

    /// Whether it is out of sight, whatever Landlock says, which lets everything be looked at.
    fn seeing(&self, path: &Path, last: Last, plan: &Plan) -> Option<Violation> {
        match self.find(path, last) {
            Found::There(spot) => {
                let covers = |entry: &Entry| match entry {
                    Entry::HideDirectory { path } | Entry::HideFile { path } => spot.path == *path,
                    _ => false,
                };
                let is_covered = has_own_mounts(plan) && plan.view.iter().any(covers);
                is_covered.then(|| hidden("read", spot.path))
            }
            Found::Missing | Found::Closed => self.unseen("read", path, last),
            Found::Unknown => None,
        }
    }

    fn find(&self, path: &Path, last: Last) -> Found {
        let run = self.run.as_ref();
        run.map_or(Found::Unknown, |run| run.find(path, last))
    }

    /// Where a link leads that leads to nothing: that is where a file would be made.
    fn end_of_links(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let run = self.run.as_ref();
            let target = run.and_then(|run| run.target(&path));
            let (Some(target), Some(parent)) = (target, path.parent()) else {
                break;
            };
            path = parent.join(target);
        }
        path
    }

    /// What the host has there.
    fn on_host(&self, path: &Path, last: Last) -> Option<Spot> {
        let host = self.host.get_or_init(|| Tree::of("self"));
        match host.as_ref()?.find(path, last) {
            Found::There(spot) => Some(spot),
            _ => None,
        }
    }

    /// A file or directory that the host has and the run does not see, by its one name: that is
    /// what would have to be opened, whatever links lead there.
    fn unseen(&self, kind: &str, path: &Path, last: Last) -> Option<Violation> {
        let there = self.on_host(path, last)?;
        // It may have come into being since: then both have it.
        let is_absent = matches!(self.find(path, last), Found::Missing | Found::Closed);
        let named = (there.path != path && kind == "execute").then(|| path.to_owned());
        (is_absent && !is_own(path) && !is_own(&there.path)).then(|| Violation {
            named,
            ..hidden(kind, there.path)
        })
    }

    /// The same for what would be written, if the user may do so outside.
    fn unseen_for_writing(&self, path: &Path, plan: &Plan) -> Option<Violation> {
        let wall = self.unseen("write", path, Last::Followed)?;
        let there = self.on_host(path, Last::Followed)?;
        self.user_may_write(&there, plan).then_some(wall)
    }

    /// Whether a rule of Landlock allows it.
    fn is_allowed(&self, path: &Path, right: Right, plan: &Plan) -> bool {
        let mut rules = plan.rules.iter();
        rules.any(|(at, allowed)| *allowed == right && path.starts_with(at))
            || self.own.as_ref().is_some_and(|own| path.starts_with(own))
    }

    /// Why it cannot be written, if the sandbox is in the way.
    fn write_wall(&self, spot: &Spot, plan: &Plan) -> Option<Violation> {
        // Devices, pipes and sockets are written to wherever they are.
        let is_kept = matches!(spot.kind, FileType::RegularFile | FileType::Directory);
        let ruled_out = rules_decide(plan) && !self.is_allowed(&spot.path, Right::Write, plan);
        if !is_kept || !(spot.mount.read_only || ruled_out) {
            return None;
        }
        let frozen = plan.view.iter().any(|entry| match entry {
            Entry::Freeze { path } => spot.path.starts_with(path),
            _ => false,
        });
        let (missing, note) = if is_own(&spot.path) {
            return Some(words::own(&spot.path));
        } else if frozen {
            // No flag and no grant opens it.
            ("", "it would be executed outside, and is protected")
        } else if self.user_may_write(spot, plan) {
            ("paths_write", "it may only be read")
        } else {
            // Without a sandbox it would be the same, so the sandbox has no part in it.
            return None;
        };
        Some(Violation {
            kind: if frozen { "protected" } else { "write" }.to_owned(),
            path: Some(spot.path.clone()),
            missing: missing.to_owned(),
            source: SOURCE.to_owned(),
            note: Some(note.to_owned()),
            ..Violation::default()
        })
    }

    /// Whether the sandbox is all that is in the way. A run that is another user than the caller
    /// gets a name on the file with the right to write it.
    fn user_may_write(&self, spot: &Spot, plan: &Plan) -> bool {
        if !matches!(plan.identity, Identity::Own { .. }) {
            return true;
        }
        let there = self.on_host(&spot.path, Last::Followed);
        let there = there.or_else(|| self.on_host(spot.path.parent()?, Last::Followed));
        there.is_some_and(|there| {
            // A server would have to be asked.
            !there.mount.local
                || accessat(CWD, &there.path, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
        })
    }
}

/// Whether a process of the host has bound a socket to this path. By the text alone: this is for a
/// report.
fn is_bound_on_host(path: &Path) -> bool {
    let Ok(table) = kernel_bytes("/proc/net/unix") else {
        return false;
    };
    let path = path.as_os_str().as_bytes();
    let mut lines = table.split(|byte| *byte == b'\n');
    lines.any(|line| {
        line.strip_suffix(path)
            .is_some_and(|before| before.ends_with(b" "))
    })
}

/// Whether Landlock decides what may be opened, since the tree is the host's.
fn rules_decide(plan: &Plan) -> bool {
    matches!(plan.backend(), Backend::Landlock | Backend::Firejail) && plan.landlock > 0
}

/// Whether mounts cover what is hidden and protected.
fn has_own_mounts(plan: &Plan) -> bool {
    plan.backend() != Backend::Landlock
}
