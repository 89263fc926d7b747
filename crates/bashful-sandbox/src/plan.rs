//! From a profile and what the host offers to a plan: pure, printable, applied as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::profile::{Enforcement, Level, Network, Profile, Protection, Resources};
use crate::protect::Watch;
use crate::seccomp::{CommandsRule, Filter, FilterOptions, Refusal};
use crate::survey::{Identity, Survey};

mod commands;
mod limits;
mod view;

pub use limits::RunLimit;
pub use view::{Access, Entry, Private};

/// What will be done for a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Who the run is.
    pub identity: Identity,
    /// What the network is.
    pub network: Network,
    /// The file tree, in the order in which it is put together.
    pub view: Vec<Entry>,
    /// What Landlock allows, by path.
    pub rules: Vec<(PathBuf, Right)>,
    /// Limits that each process carries.
    pub limits: Vec<RunLimit>,
    /// Limits that the control group holds.
    pub group: Resources,
    /// What a room's own file systems may hold, in bytes.
    pub tmp_size: u64,
    /// What is watched because it does not exist.
    pub watched: Vec<Watch>,
    /// Repository configurations that become private copies, by their place in the room.
    pub git_configs: BTreeMap<PathBuf, PathBuf>,
    /// Which calls are refused.
    pub(crate) filter: Filter,
    /// The version of Landlock that is used; 0 is none.
    pub landlock: u32,
    /// What all this amounts to.
    pub enforcement: Enforcement,
    pub(crate) survey: Survey,
}

/// What Landlock allows at a path besides reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Right {
    /// Reading files and directories.
    Read,
    /// Making, changing and removing.
    Write,
    /// Executing.
    Execute,
    /// Device calls.
    Device,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Something must be enforced that this host cannot.
    #[error("this host cannot enforce {protection:?} ({level:?}): {reason}")]
    Unenforceable {
        /// What.
        protection: Protection,
        /// How far it could be.
        level: Level,
        /// Why.
        reason: &'static str,
    },
    /// The profile contradicts itself.
    #[error("`{}` {problem}", path.display())]
    Contradiction {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// Where the room keeps what is its own.
pub const ROOM_DIRECTORY: &str = "/run/bashful";

impl Plan {
    /// The plan for this profile on the host that was surveyed.
    pub fn compile(profile: &Profile, survey: &Survey) -> Result<Self, PlanError> {
        check(profile)?;
        let view = view::compile(profile, survey);
        let (limits, group) = limits::divide(&profile.resources, survey);
        let enforcement = Enforcement {
            filesystem: Level::Full,
            network: network_level(profile, survey),
            commands: match (&profile.commands, survey.landlock) {
                // Without it the loader and scripts would be ways round the list.
                (Some(_), 0) => Level::Partial,
                _ => Level::Full,
            },
            processes: Level::Full,
            resources: limits::level(&profile.resources, survey),
            identity: match survey.identity {
                Identity::SingleId { .. } => Level::Partial,
                Identity::Own { .. } | Identity::Owner { .. } | Identity::Mapped { .. } => {
                    Level::Full
                }
            },
        };
        let filter = Filter::new(&FilterOptions {
            commands: match profile.commands {
                Some(_) => CommandsRule::Listed,
                None => CommandsRule::Any,
            },
        });
        let plan = Self {
            identity: survey.identity,
            network: profile.network,
            rules: rules(survey, &view.entries),
            view: view.entries,
            limits,
            group,
            tmp_size: profile.resources.tmp_size.unwrap_or(DEFAULT_TMP),
            watched: view.watched,
            git_configs: view.git_configs,
            filter,
            landlock: survey.landlock,
            enforcement,
            survey: survey.clone(),
        };
        plan.refuse_what_falls_short(profile)?;
        Ok(plan)
    }

    /// The refused system calls, in groups, with reasons.
    pub fn refused_calls(&self) -> Vec<Refusal> {
        self.filter.describe()
    }

    fn refuse_what_falls_short(&self, profile: &Profile) -> Result<(), PlanError> {
        let all = [
            (Protection::Filesystem, "the file tree cannot be closed off"),
            (
                Protection::Network,
                "Landlock is too old to keep the host's abstract sockets out of reach",
            ),
            (
                Protection::Commands,
                "Landlock is missing, without which programs cannot be told apart",
            ),
            (Protection::Processes, "processes cannot be closed off"),
            (
                Protection::Resources,
                "no control group is usable, so some limits hold for each process only",
            ),
        ];
        for (protection, reason) in all {
            let level = self.enforcement.of(protection);
            if level < Level::Full && !profile.optional.contains(&protection) {
                return Err(PlanError::Unenforceable {
                    protection,
                    level,
                    reason,
                });
            }
        }
        Ok(())
    }
}

const DEFAULT_TMP: u64 = 1 << 30;

/// Landlock keeps abstract sockets apart since its sixth version; without it a room
/// that shares the host's network could reach them.
fn network_level(profile: &Profile, survey: &Survey) -> Level {
    match profile.network {
        Network::Off => Level::Full,
        // The filter lets no run make a unix socket of any kind.
        Network::On if survey.landlock >= 6 => Level::Full,
        Network::On => Level::Partial,
    }
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
