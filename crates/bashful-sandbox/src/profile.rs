//! What a run may do: the input of the sandbox.
//!
//! A profile is data about paths that were resolved already: absolute, canonical,
//! existing. This crate does not know who decides what goes in.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use crate::backend::Backend;

/// What a run may do.
///
/// It travels from an engine to its keeper, hence it can be written as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The root that the session works in. It is readable; whether it is also writable is said by
    /// the list `write`.
    pub workspace: PathBuf,
    /// Further files and directories that may be read, with all that is below them.
    pub read: Vec<PathBuf>,
    /// Files and directories that may be written, with all that is below them.
    pub write: Vec<WriteRoot>,
    /// Existing files and directories that are not to be seen, also below a root that
    /// may be read or written.
    pub hide: Vec<PathBuf>,
    /// Links that are there though nothing else of their directories is, with where each leads.
    #[serde(default)]
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Directories that are there and empty, such as the real home.
    pub empty: Vec<PathBuf>,
    /// What the network is.
    pub network: Network,
    /// The hosts of a network by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The only programs that may run, the shell included; any visible one if absent.
    pub commands: Option<Vec<PathBuf>>,
    /// How much memory, time and disk it may use.
    pub resources: Resources,
    /// Protections that the run may go without.
    pub optional: Vec<Protection>,
    /// What is reported of what it runs into.
    #[serde(default)]
    pub reporting: Reporting,
    /// What the person's own git configuration obeys: relative paths of hooks below the top of
    /// each work tree, absolute ones of hooks and of included files. They are protected.
    #[serde(default)]
    pub git_obeys: Vec<PathBuf>,
}

/// What is reported of what a run runs into. It changes nothing about what the run may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reporting {
    /// Limits, and what was held back.
    Limits,
    /// Also what it was denied, as far as that is cheap to learn: everything but reading.
    #[default]
    Usual,
    /// Also files that it opens for reading and does not see. Every open costs more.
    Reads,
}

/// A file or directory that may be written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteRoot {
    /// The file or directory, absolute and canonical.
    pub path: PathBuf,
    /// How writes take effect.
    pub mode: WriteMode,
    /// Whether what would execute on the host later is protected in it.
    pub protect: bool,
}

/// How writes take effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// At once, in place.
    Direct,
}

/// What the network of a room is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// The room's own loopback and nothing else.
    Off,
    /// The host's.
    On,
    /// The same as off but for the hosts of the profile, to which a gate leads.
    Named,
}

impl Network {
    /// Whether it is the room's own, without an interface to anywhere.
    pub fn is_own(self) -> bool {
        self != Self::On
    }
}

/// How much a run may use. What is absent is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Bytes of memory of all its processes together.
    pub memory: Option<u64>,
    /// Processes and threads at a time.
    pub processes: Option<u64>,
    /// Processor time of all its processes together, in milliseconds.
    pub cpu_time_ms: Option<u64>,
    /// Processor share in percent of one core: 200 is two cores.
    pub cpu_share: Option<u32>,
    /// Open files of each process.
    pub open_files: Option<u64>,
    /// Bytes of the largest file.
    pub file_size: Option<u64>,
    /// Bytes of the room's `/tmp` and `/dev/shm` together. Where no control group counts memory,
    /// no more than `memory` has.
    pub tmp_size: Option<u64>,
    /// Bytes that it may add to the disks that it writes to, as the keeper sees them.
    pub disk_size: Option<u64>,
}

/// What a sandbox enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protection {
    /// Reading and writing files.
    Filesystem,
    /// Reaching the network.
    Network,
    /// Which programs run.
    Commands,
    /// Seeing and touching other processes.
    Processes,
    /// Memory, processor and the like.
    Resources,
    /// Which user and group the run is.
    Identity,
}

impl Protection {
    /// What it is called in profiles and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Filesystem => "filesystem",
            Self::Network => "network",
            Self::Commands => "commands",
            Self::Processes => "processes",
            Self::Resources => "resources",
            Self::Identity => "identity",
        }
    }
}

/// How well a protection is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing holds it.
    None,
    /// The kernel holds a part of it.
    Partial,
    /// The kernel holds it.
    Full,
}

impl Level {
    /// The word for it in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

/// What the kernel enforces for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Enforcement {
    /// The backend. Records of older versions do not name it.
    #[serde(default)]
    pub backend: Backend,
    /// Reading and writing files.
    pub filesystem: Level,
    /// Reaching the network.
    pub network: Level,
    /// Which programs run.
    pub commands: Level,
    /// Seeing and touching other processes.
    pub processes: Level,
    /// Memory, processor and the like.
    pub resources: Level,
    /// Which user and group the run is.
    pub identity: Level,
}

impl Enforcement {
    /// No protection at all.
    pub const NONE: Self = Self {
        backend: Backend::Native,
        filesystem: Level::None,
        network: Level::None,
        commands: Level::None,
        processes: Level::None,
        resources: Level::None,
        identity: Level::None,
    };

    /// How well this is enforced.
    pub fn of(&self, protection: Protection) -> Level {
        match protection {
            Protection::Filesystem => self.filesystem,
            Protection::Network => self.network,
            Protection::Commands => self.commands,
            Protection::Processes => self.processes,
            Protection::Resources => self.resources,
            Protection::Identity => self.identity,
        }
    }
}

/// What a limit or a protection stopped, as the kernel or the keeper saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// What was tried: `write`, `read`, `execute`, `command`, `network`, `socket`, `syscall`,
    /// `memory`, `processes`, `file_size`, `disk`, `cpu_time`, `protected`, `git_config`;
    /// `unlisted` stands for those that are too many.
    pub kind: String,
    /// The path it was about.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_text",
        default
    )]
    pub path: Option<PathBuf>,
    /// The name by which the run tried it, where links lead from that to the path.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_text",
        default
    )]
    pub named: Option<PathBuf>,
    /// What would have to be opened, if not the path itself: names are taken away from the
    /// directory that they are in.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_text",
        default
    )]
    pub needs: Option<PathBuf>,
    /// The network address it was about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub address: Option<String>,
    /// The system call that was refused.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub syscall: Option<String>,
    /// What would have to be granted, such as `resources.memory`; empty if nothing opens it.
    pub missing: String,
    /// What saw it: `cgroup`, `rlimit`, `keeper`, `seccomp`, `landlock`, `audit`.
    pub source: String,
    /// What became of it, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
    /// How often it was tried, where that was counted.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub times: u64,
    /// The limit that was reached, as it is set: bytes, processes, or milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<u64>,
    /// The narrowest flag of `bashful run` that would permit it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub flag: Option<String>,
    /// What helps where no flag does, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub advice: Option<String>,
}

impl Violation {
    /// That there were more of a kind than are told one by one; none if there were not.
    pub fn untold(count: usize) -> Option<Self> {
        (count > 0).then(|| Self {
            kind: "unlisted".to_owned(),
            source: "keeper".to_owned(),
            note: Some(format!("{count} more were held back, and are not listed")),
            ..Self::default()
        })
    }
}

/// What was looked at while a run went on, so that a caller does not take silence for an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookout {
    /// The kernel reported calls by which the run may have met a wall.
    #[serde(default)]
    pub calls: bool,
    /// Of opens for reading, too.
    #[serde(default)]
    pub reads: bool,
    /// The kernel's own record was read, which has refused system calls.
    #[serde(default)]
    pub record: bool,
    /// Calls of which the keeper could not find out what they are about, or where they lead.
    #[serde(default)]
    pub unknown: u64,
}

/// What may have happened to a run, guessed from how it ended. No violation: a program can end
/// like that by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// What it may have run into, as the kind of a violation.
    pub kind: String,
    /// What would have to be granted then.
    pub missing: String,
    /// What it is guessed from: `exit_code` or `output`.
    pub source: String,
    /// What it may be, in one sentence.
    pub note: String,
    /// The path that it is about.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_text",
        default
    )]
    pub path: Option<PathBuf>,
    /// The limit that may have been reached, as it is set.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<u64>,
    /// The narrowest flag of `bashful run` that would permit it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub flag: Option<String>,
}

/// A path as text. What is not UTF-8 is replaced in it: a name that a run chose must not spoil
/// the record of the run.
#[expect(clippy::ref_option, reason = "serde asks like this")]
fn as_text<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    let text = path.as_ref().map(|path| path.to_string_lossy());
    text.serialize(to)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
fn is_zero(times: &u64) -> bool {
    *times == 0
}
