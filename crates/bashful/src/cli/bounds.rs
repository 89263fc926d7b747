//! The flags that say what a command may do.

use std::time::Duration;

use bashful_engine::config::{HomeMode, Sandbox, Wish};
use bashful_engine::{
    CapabilityChanges, EngineBuilder, HostError, NetworkCapability, PolicyMode, Preset, Reporting,
    ResourceLimits,
};
use clap::{Args, ValueEnum};

use super::{choice, duration, size};

// What a command may do. Whatever is named here comes on top of the profile. (A comment with three
// strokes would become the help of the verb that has these flags.)
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "What the command may do")]
pub(crate) struct BoundsArguments {
    /// What confines the command [default: the strongest that works here].
    #[arg(long, value_name = "BACKEND", value_parser = choice::<Sandbox>())]
    pub(crate) sandbox: Option<Sandbox>,
    /// A ready-made set of rights; `full` is dangerous [default: workspace].
    #[arg(long, value_name = "PRESET", value_parser = choice::<Preset>())]
    pub(crate) preset: Option<Preset>,
    /// Let it read this file or directory; repeatable.
    #[arg(long, value_name = "PATH")]
    pub(crate) read: Vec<String>,
    /// Let it write this file or directory; repeatable.
    #[arg(long, value_name = "PATH")]
    pub(crate) write: Vec<String>,
    /// Hide this file or directory from it; repeatable.
    #[arg(long, value_name = "PATH")]
    pub(crate) deny: Vec<String>,
    /// off, on, or hosts, as in pypi,example.com:443 [default: off].
    #[arg(long, value_name = "REACH", value_parser = network)]
    pub(crate) network: Option<NetworkCapability>,
    /// Let it run this program and no others; repeatable. An empty name leaves only the
    /// shell's built-ins.
    #[arg(long = "command", value_name = "NAME")]
    pub(crate) commands: Vec<String>,
    /// Memory of all its processes together, such as 2G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Processes and threads at a time.
    #[arg(long, value_name = "COUNT")]
    pub(crate) processes: Option<u64>,
    /// Processor time of all its processes together, such as 90s.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) cpu_time: Option<Duration>,
    /// Processor share in percent of one core.
    #[arg(long, value_name = "PERCENT")]
    pub(crate) cpu_share: Option<u64>,
    /// Open files of each process.
    #[arg(long, value_name = "COUNT")]
    pub(crate) open_files: Option<u64>,
    /// The largest file it may write, such as 500M.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) file_size: Option<u64>,
    /// How much its /tmp holds.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) tmp_size: Option<u64>,
    /// How much it may add to the disk, such as 40G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) disk_size: Option<u64>,
    /// Which directory is its home [default: project].
    #[arg(long, value_name = "WHICH", value_parser = choice::<HomeMode>())]
    pub(crate) home: Option<HomeMode>,
    /// Allow a class of commands that is otherwise refused, such as sudo; repeatable.
    #[arg(long, value_name = "CLASS")]
    pub(crate) allow: Vec<String>,
    /// Also report files that it tries to read but cannot see; every open costs more.
    #[arg(long)]
    pub(crate) trace_reads: bool,
    /// Judge it by this profile [default: the agent's]; `careful` and `confined` always exist.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Whether it is judged before it runs; the sandbox stays on [default: profile].
    #[arg(long, value_name = "WHICH", value_enum)]
    pub(crate) policy: Option<PolicyFlag>,
}

/// Whether commands are judged before they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyFlag {
    /// By the rules of the profile.
    Profile,
    /// Not at all.
    None,
}

impl From<PolicyFlag> for PolicyMode {
    fn from(flag: PolicyFlag) -> Self {
        match flag {
            PolicyFlag::Profile => Self::Profile,
            PolicyFlag::None => Self::None,
        }
    }
}

impl BoundsArguments {
    /// An engine's settings for the policy.
    pub(crate) fn judged(&self, mut builder: EngineBuilder) -> EngineBuilder {
        if let Some(profile) = &self.profile {
            builder = builder.profile_name(profile);
        }
        match self.policy {
            Some(policy) => builder.policy(policy.into()),
            None => builder,
        }
    }

    /// What is reported of what it runs into.
    pub(crate) fn reporting(&self) -> Reporting {
        if self.trace_reads {
            Reporting::Reads
        } else {
            Reporting::Usual
        }
    }

    /// What is asked for on top of the profile.
    pub(crate) fn wish(&self) -> Wish {
        let named = self.commands.iter().filter(|name| !name.is_empty());
        let commands = (!self.commands.is_empty()).then(|| named.cloned().collect());
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Wish {
            preset: self.preset,
            home: self.home,
            changes: CapabilityChanges {
                paths_read: self.read.clone(),
                paths_write: self.write.clone(),
                paths_deny: self.deny.clone(),
                network: self.network.clone(),
                commands,
                resources: ResourceLimits {
                    memory: self.memory,
                    processes: self.processes,
                    cpu_time: self.cpu_time.map(millis),
                    cpu_share: self.cpu_share,
                    open_files: self.open_files,
                    file_size: self.file_size,
                    tmp_size: self.tmp_size,
                    disk_size: self.disk_size,
                },
                classes: self.allow.clone(),
            },
        }
    }
}

/// What a word, or a list of hosts, means for the network.
pub(super) fn network(text: &str) -> Result<NetworkCapability, HostError> {
    NetworkCapability::parse(text)
}
