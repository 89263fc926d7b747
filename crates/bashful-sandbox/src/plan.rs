//! From a profile and what the host offers to a plan: pure, printable, applied as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::backend::Backend;
use crate::profile::{Enforcement, Level, Network, Profile, Protection, Reporting, Resources};
use crate::protect::Watch;
use crate::seccomp::{
    CommandsRule, Filter, FilterOptions, Ground, MemoryRule, NoticeOptions, Refusal, SocketsRule,
    TracingRule,
};
use crate::survey::{Identity, Kind, Survey};

mod commands;
mod held;
mod levels;
mod limits;
mod view;

pub use held::Holding;
pub use limits::{RunLimit, Storage};
pub use view::{Access, Entry, Private};

/// What will be done for a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The user and group that the run is.
    pub identity: Identity,
    /// What the network is.
    pub network: Network,
    /// The hosts of a network by name, as the gate reads them.
    pub hosts: Vec<String>,
    /// The file tree, in the order in which it is put together.
    pub view: Vec<Entry>,
    /// What Landlock allows, by path.
    pub rules: Vec<(PathBuf, Right)>,
    /// Limits that each process carries.
    pub limits: Vec<RunLimit>,
    /// Limits that the control group holds.
    pub group: Resources,
    /// What a room's own file systems may hold.
    pub storage: Storage,
    /// What a run may add to the disks that it writes to, in bytes.
    pub disk_size: Option<u64>,
    /// What is watched because it does not exist.
    pub watched: Vec<Watch>,
    /// Repository configurations that become private copies, by their place in the room.
    pub git_configs: BTreeMap<PathBuf, PathBuf>,
    /// Which calls are refused.
    pub(crate) filter: Filter,
    /// The same where the kernel makes no listener for its calls: nobody carries connects out.
    pub(crate) unheard: Option<Filter>,
    /// Those of them that the kernel is to record, where the keeper reads its record.
    pub(crate) telling: Filter,
    /// Which calls are reported.
    pub(crate) notices: Option<Noticing>,
    /// The version of Landlock that is used; 0 where there is none.
    pub landlock: u32,
    /// What all this amounts to.
    pub enforcement: Enforcement,
    pub(crate) survey: Survey,
}

/// The calls that the kernel reports to the keeper.
#[derive(Debug, Clone)]
pub(crate) struct Noticing {
    pub(crate) what: NoticeOptions,
    pub(crate) filter: Filter,
}

/// What Landlock allows at a path besides reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Right {
    /// Reading files and directories.
    Read,
    /// Making, changing and removing.
    Write,
    /// Executing the programs there.
    Execute,
    /// Device calls, such as those that set up a terminal.
    Device,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The profile demands a protection that this host cannot enforce.
    #[error(
        "the backend {backend} does not enforce this in full here: {}",
        told(short)
    )]
    Unenforceable {
        /// The backend that would enforce the plan.
        backend: Backend,
        /// What falls short.
        short: Vec<Short>,
    },
    /// The profile contradicts itself.
    #[error("`{}` {problem}", path.display())]
    Contradiction {
        /// The path that the problem is about.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// A protection that falls short of what a profile demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Short {
    /// The protection that the profile demands.
    pub protection: Protection,
    /// How far it could be.
    pub level: Level,
    /// Why it is no more here, for a person.
    pub reason: &'static str,
}

fn told(short: &[Short]) -> String {
    let one = |short: &Short| {
        let (protection, level) = (short.protection.as_str(), short.level.as_str());
        format!("{protection} ({level}): {}", short.reason)
    };
    let all: Vec<String> = short.iter().map(one).collect();
    all.join("; ")
}

/// Where the room keeps what is its own.
pub const ROOM_DIRECTORY: &str = "/run/bashful";

impl Plan {
    /// The plan for this profile on the host that was surveyed.
    pub fn compile(profile: &Profile, survey: &Survey) -> Result<Self, PlanError> {
        check(profile)?;
        let view = view::compile(profile, survey);
        let (limits, group) = limits::divide(&profile.resources, survey);
        let storage = Storage::of(&profile.resources, survey);
        let enforcement = levels::of(profile, survey);
        let what = noticing(profile, survey.backend);
        let sockets = if what.is_some_and(|what| what.sockets) {
            SocketsRule::Own
        } else {
            SocketsRule::Pairs
        };
        let options = FilterOptions {
            commands: match profile.commands {
                Some(_) => CommandsRule::Listed,
                None => CommandsRule::Any,
            },
            landlock: match survey.backend {
                Backend::Native | Backend::Bubblewrap => None,
                Backend::Firejail | Backend::Landlock => Some(survey.landlock),
            },
            ground: match (survey.backend, profile.network) {
                (Backend::Landlock, Network::Off | Network::Named) => Ground::SharedWithoutNetwork,
                (Backend::Landlock, Network::On) => Ground::Shared,
                _ => Ground::Apart,
            },
            memory: if storage.memory.is_some() {
                MemoryRule::Uncounted
            } else {
                MemoryRule::Counted
            },
            sockets,
            // A listed program that is traced would do whatever its tracer wants.
            tracing: match (survey.backend, &profile.commands) {
                (Backend::Native, None) => TracingRule::Own,
                _ => TracingRule::Refused,
            },
        };
        let filter = Filter::new(&options);
        let notices = what.map(|what| Noticing {
            what,
            filter: Filter::of_notices(what, &filter),
        });
        let unheard = (sockets == SocketsRule::Own).then(|| {
            Filter::new(&FilterOptions {
                sockets: SocketsRule::Pairs,
                ..options
            })
        });
        let plan = Self {
            identity: survey.identity,
            network: profile.network,
            hosts: profile.hosts.clone(),
            rules: match survey.backend {
                Backend::Native | Backend::Bubblewrap => rules(survey, &view.entries),
                Backend::Firejail | Backend::Landlock => open_rules(survey, &view.entries),
            },
            view: view.entries,
            limits,
            group,
            storage,
            disk_size: profile.resources.disk_size,
            watched: view.watched,
            git_configs: view.git_configs,
            telling: filter.of_telling(),
            filter,
            unheard,
            notices,
            landlock: survey.landlock,
            enforcement,
            survey: survey.clone(),
        };
        plan.refuse_what_falls_short(profile)?;
        Ok(plan)
    }

    /// The paths of the host that it may write.
    pub fn written(&self) -> impl Iterator<Item = &Path> {
        self.view.iter().filter_map(|entry| match entry {
            Entry::Bind {
                path,
                access: Access::Write | Access::WriteData,
                ..
            } => Some(path.as_path()),
            _ => None,
        })
    }

    /// The limit of memory, if no control group holds all processes to it.
    pub fn uncounted_memory(&self) -> Option<u64> {
        self.storage.memory
    }

    /// Whether the room has file systems of its own: not where the run uses the host's whole tree,
    /// as it is.
    pub(crate) fn has_own(&self) -> bool {
        let mut view = self.view.iter();
        view.any(|entry| entry.path() == Path::new(ROOM_DIRECTORY))
    }

    /// The backend that enforces it.
    pub fn backend(&self) -> Backend {
        self.survey.backend
    }

    /// Whether this is a symbolic link on the host.
    pub(crate) fn is_link(&self, path: &Path) -> bool {
        matches!(self.survey.kinds.get(path), Some(Kind::Link(_)))
    }

    /// The refused system calls, in groups, with reasons.
    pub fn refused_calls(&self) -> Vec<Refusal> {
        self.filter.describe()
    }

    fn refuse_what_falls_short(&self, profile: &Profile) -> Result<(), PlanError> {
        let enough = |protection| match protection {
            // The identity of a run matters less once it can do nothing; but root is root.
            Protection::Identity => Level::Partial,
            _ => Level::Full,
        };
        let all = [
            Protection::Filesystem,
            Protection::Network,
            Protection::Commands,
            Protection::Processes,
            Protection::Resources,
            Protection::Identity,
        ]
        .into_iter();
        let short: Vec<Short> = all
            .map(|protection| Short {
                protection,
                level: self.enforcement.of(protection),
                reason: self.reason(protection, profile),
            })
            .filter(|short| short.level < enough(short.protection))
            .filter(|short| !profile.optional.contains(&short.protection))
            .collect();
        if short.is_empty() {
            return Ok(());
        }
        Err(PlanError::Unenforceable {
            backend: self.backend(),
            short,
        })
    }
}

fn noticing(profile: &Profile, backend: Backend) -> Option<NoticeOptions> {
    let what = NoticeOptions {
        reads: profile.reporting == Reporting::Reads,
        network: profile.network == Network::Off,
        // In the trees of others it is not known whose socket is whose.
        sockets: backend == Backend::Native,
    };
    (profile.reporting != Reporting::Limits).then_some(what)
}

fn check(profile: &Profile) -> Result<(), PlanError> {
    let wrong = |path: &Path, problem| {
        Err(PlanError::Contradiction {
            path: path.to_owned(),
            problem,
        })
    };
    let written = profile.write.iter().map(|root| &root.path);
    for path in [&profile.workspace]
        .into_iter()
        .chain(&profile.read)
        .chain(written)
        .chain(&profile.hide)
        .chain(&profile.empty)
    {
        if !path.is_absolute() {
            return wrong(path, "is not absolute");
        }
    }
    for hidden in &profile.hide {
        if profile.workspace.starts_with(hidden) {
            return wrong(hidden, "is hidden, and the workspace lies in it");
        }
        if profile.write.iter().any(|root| root.path == *hidden) {
            return wrong(hidden, "is both hidden and writable");
        }
    }
    Ok(())
}

fn rules(survey: &Survey, view: &[Entry]) -> Vec<(PathBuf, Right)> {
    let mut rules = vec![(PathBuf::from("/"), Right::Read)];
    match &survey.allowed {
        None => rules.push((PathBuf::from("/"), Right::Execute)),
        Some(allowed) => {
            for path in commands::executable(allowed) {
                rules.push((path, Right::Execute));
            }
        }
    }
    for entry in view {
        match entry {
            Entry::Bind {
                path,
                access: Access::Write | Access::WriteData,
                ..
            }
            | Entry::Private { path, .. } => rules.push((path.clone(), Right::Write)),
            _ => {}
        }
    }
    rules.push((PathBuf::from("/dev"), Right::Device));
    rules
}

/// The same where the host's tree is not closed off: only what is named may be seen.
fn open_rules(survey: &Survey, view: &[Entry]) -> Vec<(PathBuf, Right)> {
    let mut rules = Vec::new();
    let executable = survey.allowed.as_ref().map(commands::executable);
    for entry in view {
        let path = entry.path().to_owned();
        match entry {
            Entry::Bind { access, .. } => {
                rules.push((path.clone(), Right::Read));
                match access {
                    Access::Device => rules.push((path, Right::Device)),
                    Access::Write | Access::WriteData => {
                        rules.push((path.clone(), Right::Write));
                        if executable.is_none() {
                            rules.push((path, Right::Execute));
                        }
                    }
                    Access::Read | Access::Data | Access::Program if executable.is_none() => {
                        rules.push((path, Right::Execute));
                    }
                    Access::Read | Access::Data | Access::Program => {}
                }
            }
            Entry::Private {
                which: Private::Proc,
                ..
            } => rules.push((path, Right::Read)),
            _ => {}
        }
    }
    rules.extend(
        executable
            .into_iter()
            .flatten()
            .map(|path| (path, Right::Execute)),
    );
    rules
}
