//! Every key, its name, and what each layer may do to it.

use std::fmt;

use super::setting_key::join;

/// How the layers of a key combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// The values have an order from wide to narrow. The admin's value is a ceiling: the user
    /// may go narrower, not wider. The project may go narrower than both.
    Narrower,
    /// The values have no order. The admin's value is fixed; else the layer that speaks last wins.
    Free,
    /// A list that forbids or hides: what any layer names stays in it.
    Unite,
    /// A list that permits. The admin's list bounds the user's; names outside it are dropped.
    Within,
}

/// Whether a project file has a say about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProjectMay {
    /// It may set the key, within the key's rule.
    Set,
    /// What it sets is ignored with a warning.
    NotSet,
}

/// A configuration key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Key {
    /// Whether a call without a description is refused.
    RequireDescription,
    /// Commands that never run.
    BlockedCommands,
    /// The name of an agent that gives none.
    Agent,
    /// What confines runs.
    Sandbox,
    /// How long a run may take that asks for nothing else.
    Timeout,
    /// How long a run may ask for.
    MaxTimeout,
    /// How many characters of each stream a result holds.
    MaxOutput,
    /// Which part of too long an output a result holds.
    Keep,
    /// How much of a task's output is stored.
    LogQuota,
    /// What happens to a run whose log is full.
    OnLogFull,
    /// What happens to processes that outlive their run.
    Survivors,
    /// How long a run has between SIGTERM and SIGKILL.
    TermGrace,
    /// Values to mask.
    SecretValues,
    /// Variables whose values are masked.
    SecretNames,
    /// Variables of the caller that a run gets in addition.
    EnvironmentPass,
    /// How long a keeper stays without work.
    KeeperIdle,
    /// How many versions of each managed script are kept.
    ScriptsKeepVersions,
    /// How long a managed script may take.
    ScriptsMaxTimeout,
    /// How many background tasks of one agent may run at a time.
    TasksPerAgent,
    /// How much the logs of all tasks may hold together.
    TasksTotalLog,
    /// How many tasks that have ended are kept.
    TasksKeep,
    /// How long a task that has ended is kept.
    TasksMaxAge,
    /// How much the caches of an agent in a project may hold.
    CachesQuota,
    /// How long an ask can be answered.
    ApprovalsExpire,
    /// How long a run waits for an answer.
    ApprovalsWait,
    /// How many asks of one agent may wait at a time.
    ApprovalsMostPending,
    /// Whether the desktop is told about a new ask.
    ApprovalsNotifyDesktop,
    /// A command that gets every new ask.
    ApprovalsNotifyCommand,
    /// `approvals.out_of_band`.
    ApprovalsOutOfBand,
    /// Where the head of the audit trail is anchored.
    AuditAnchors,
    /// The ready-made capabilities that a profile starts from.
    ProfilePreset,
    /// What happens to a command that no rule knows.
    ProfileDefault,
    /// What the home of a run is.
    ProfileHome,
    /// Protections that a run may go without.
    ProfileOptional,
    /// The rules for commands.
    ProfileRule,
    /// What becomes of what a class refuses.
    ProfileRefused,
    /// Further paths that may be read.
    ProfileRead,
    /// Further paths that may be written.
    ProfileWrite,
    /// Paths that are not to be seen.
    ProfileDeny,
    /// What the network is.
    ProfileNetwork,
    /// The only programs that may run.
    ProfileCommands,
    /// Classes of commands that are refused otherwise.
    ProfileClasses,
    /// How much memory a run may use.
    ProfileMemory,
    /// How many processes a run may have.
    ProfileProcesses,
    /// How much processor time a run may use.
    ProfileCpuTime,
    /// How much of the processors a run may use at a time.
    ProfileCpuShare,
    /// How many files a process may have open.
    ProfileOpenFiles,
    /// How large a file may become.
    ProfileFileSize,
    /// How large the room's `/tmp` is.
    ProfileTmpSize,
    /// How much a run may add to the disk.
    ProfileDiskSize,
    /// The profile of an agent.
    AgentProfile,
}

/// One row of the table: full name, rule, and whether a project has a say.
struct Row(&'static str, Rule, ProjectMay);

const fn limit(name: &'static str) -> Row {
    Row(name, Rule::Narrower, ProjectMay::Set)
}

impl Key {
    /// Every key, in the order in which they are shown: as in the default file.
    pub const ALL: [Self; 51] = [
        Self::RequireDescription,
        Self::BlockedCommands,
        Self::Agent,
        Self::Sandbox,
        Self::Timeout,
        Self::MaxTimeout,
        Self::MaxOutput,
        Self::Keep,
        Self::LogQuota,
        Self::OnLogFull,
        Self::Survivors,
        Self::TermGrace,
        Self::SecretValues,
        Self::SecretNames,
        Self::EnvironmentPass,
        Self::KeeperIdle,
        Self::ScriptsKeepVersions,
        Self::ScriptsMaxTimeout,
        Self::TasksPerAgent,
        Self::TasksTotalLog,
        Self::TasksKeep,
        Self::TasksMaxAge,
        Self::CachesQuota,
        Self::ApprovalsExpire,
        Self::ApprovalsWait,
        Self::ApprovalsMostPending,
        Self::ApprovalsNotifyDesktop,
        Self::ApprovalsNotifyCommand,
        Self::ApprovalsOutOfBand,
        Self::AuditAnchors,
        Self::ProfilePreset,
        Self::ProfileDefault,
        Self::ProfileHome,
        Self::ProfileOptional,
        Self::ProfileRule,
        Self::ProfileRefused,
        Self::ProfileRead,
        Self::ProfileWrite,
        Self::ProfileDeny,
        Self::ProfileNetwork,
        Self::ProfileCommands,
        Self::ProfileClasses,
        Self::ProfileMemory,
        Self::ProfileProcesses,
        Self::ProfileCpuTime,
        Self::ProfileCpuShare,
        Self::ProfileOpenFiles,
        Self::ProfileFileSize,
        Self::ProfileTmpSize,
        Self::ProfileDiskSize,
        Self::AgentProfile,
    ];

    /// The table of layers. This is the one place that says who may change what; the code in
    /// `resolve.rs` only carries it out.
    ///
    /// What counts as narrower: `true` for `require_description`; less for a duration, size or
    /// count; `stop` for `on_log_full`; `kill` for `survivors`; `native`, then `auto`, then the
    /// others from strong to weak for `sandbox`; `ask`
    /// and then `deny` for what no rule knows; `deny` for what a class refuses; a preset or network that gives less; a home that is not the real one.
    const fn row(self) -> Row {
        use ProjectMay::{NotSet, Set};
        use Rule::{Free, Narrower, Unite, Within};
        match self {
            Self::RequireDescription => Row("require_description", Narrower, Set),
            Self::BlockedCommands => Row("blocked_commands", Unite, Set),
            // Rules hang on the agent's name, so a repository does not choose it.
            Self::Agent => Row("default_agent", Free, NotSet),
            Self::Sandbox => Row("sandbox", Narrower, Set),
            Self::Timeout => Row("limits.timeout", Narrower, Set),
            Self::MaxTimeout => Row("limits.max_timeout", Narrower, Set),
            Self::MaxOutput => Row("limits.max_output", Narrower, Set),
            // Which end of the output is shown gives no run a right.
            Self::Keep => Row("limits.keep", Free, Set),
            Self::LogQuota => Row("limits.log_quota", Narrower, Set),
            Self::OnLogFull => Row("limits.on_log_full", Narrower, Set),
            Self::Survivors => Row("limits.survivors", Narrower, Set),
            Self::TermGrace => Row("limits.term_grace", Narrower, Set),
            // What is masked shapes what a person sees; a repository does not blank it out.
            Self::SecretValues => Row("secrets.values", Unite, NotSet),
            Self::SecretNames => Row("secrets.names", Unite, NotSet),
            Self::EnvironmentPass => Row("environment.pass", Within, NotSet),
            // A keeper serves a session, not a project.
            Self::KeeperIdle => Row("keeper.idle", Narrower, NotSet),
            // Scripts are the user's, in whatever project they run.
            Self::ScriptsKeepVersions => Row("scripts.keep_versions", Free, NotSet),
            Self::ScriptsMaxTimeout => Row("scripts.max_timeout", Narrower, Set),
            // Tasks of all projects are kept together, so no project decides on them.
            Self::TasksPerAgent => Row("tasks.per_agent", Narrower, NotSet),
            Self::TasksTotalLog => Row("tasks.total_log", Narrower, NotSet),
            Self::TasksKeep => Row("tasks.keep", Narrower, NotSet),
            Self::TasksMaxAge => Row("tasks.max_age", Narrower, NotSet),
            // So are caches.
            Self::CachesQuota => Row("caches.quota", Narrower, NotSet),
            // Who is asked and for how long is between the person and the admin.
            Self::ApprovalsExpire => Row("approvals.expire", Narrower, NotSet),
            Self::ApprovalsWait => Row("approvals.wait", Narrower, NotSet),
            Self::ApprovalsMostPending => Row("approvals.most_pending", Narrower, NotSet),
            Self::ApprovalsNotifyDesktop => Row("approvals.notify_desktop", Free, NotSet),
            // A repository does not run commands outside the sandbox.
            Self::ApprovalsNotifyCommand => Row("approvals.notify_command", Free, NotSet),
            // Asking elsewhere takes nothing from any caller.
            Self::ApprovalsOutOfBand => Row("approvals.out_of_band", Unite, Set),
            // What is checked against an anchor is checked against all of them.
            Self::AuditAnchors => Row("audit.anchors", Unite, NotSet),
            Self::ProfilePreset => Row("profile.*.preset", Narrower, Set),
            Self::ProfileDefault => Row("profile.*.default", Narrower, Set),
            Self::ProfileHome => Row("profile.*.home", Narrower, Set),
            Self::ProfileOptional => Row("profile.*.optional", Within, Set),
            // Rules that allow do not count in a project file; see `profiles.rs`.
            Self::ProfileRule => Row("profile.*.rule", Unite, Set),
            Self::ProfileRefused => Row("profile.*.class", Narrower, Set),
            Self::ProfileRead => Row("profile.*.capabilities.paths_read", Within, Set),
            Self::ProfileWrite => Row("profile.*.capabilities.paths_write", Within, Set),
            Self::ProfileDeny => Row("profile.*.capabilities.paths_deny", Unite, Set),
            Self::ProfileNetwork => Row("profile.*.capabilities.network", Narrower, Set),
            Self::ProfileCommands => Row("profile.*.capabilities.commands", Within, Set),
            Self::ProfileClasses => Row("profile.*.capabilities.classes", Within, Set),
            Self::ProfileMemory => limit("profile.*.capabilities.resources.memory"),
            Self::ProfileProcesses => limit("profile.*.capabilities.resources.processes"),
            Self::ProfileCpuTime => limit("profile.*.capabilities.resources.cpu_time"),
            Self::ProfileCpuShare => limit("profile.*.capabilities.resources.cpu_share"),
            Self::ProfileOpenFiles => limit("profile.*.capabilities.resources.open_files"),
            Self::ProfileFileSize => limit("profile.*.capabilities.resources.file_size"),
            Self::ProfileTmpSize => limit("profile.*.capabilities.resources.tmp_size"),
            Self::ProfileDiskSize => limit("profile.*.capabilities.resources.disk_size"),
            // A repository does not choose whose rules hold.
            Self::AgentProfile => Row("agent.*.profile", Free, NotSet),
        }
    }

    /// The full name, such as `limits.timeout`. A `*` in it stands for the name of a profile or
    /// agent.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// How the layers combine.
    pub const fn rule(self) -> Rule {
        self.row().1
    }

    /// Whether a project file has a say.
    pub const fn project_may(self) -> ProjectMay {
        self.row().2
    }

    /// The key with this full name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The section and the name inside it; the section is empty for a top-level key.
    pub(super) fn split(self) -> (&'static str, &'static str) {
        self.name().rsplit_once('.').unwrap_or(("", self.name()))
    }

    /// The key with this name in this section. A name with a dot in it, which TOML allows in
    /// quotes, is no key: it must not become a second way to say `limits.timeout`.
    pub(super) fn find(section: &str, name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|key| key.split() == (section, name))
    }

    /// Whether `name` is a section, such as `limits` or `profile.*`.
    pub(super) fn is_section(name: &str) -> bool {
        let below = |key: Self| {
            key.name()
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        !name.is_empty() && Self::ALL.into_iter().any(below)
    }

    /// Whether the sections in this one are named by the user.
    pub(super) fn is_named_by_users(section: &str) -> bool {
        !section.is_empty() && Self::is_section(&format!("{section}.*"))
    }

    /// The known name nearest to `name`, which was found in `section`.
    pub(super) fn nearest(section: &str, name: &str) -> Option<String> {
        /// Longer names are no typing errors, and comparing them costs time.
        const LONGEST: usize = 64;
        const ALIKE: f64 = 0.8;
        if name.len() > LONGEST {
            return None;
        }
        let name = name.to_lowercase().replace('-', "_");
        // Exactly this name in another section, or a full name in quotes, is the better guess.
        if let Some(key) = Self::ALL
            .into_iter()
            .find(|key| key.split().1 == name || key.name() == name)
        {
            return Some(key.name().to_owned());
        }
        let (score, best) = Self::names_in(section)
            .map(|known| (strsim::jaro_winkler(&name, known), known))
            .max_by(|left, right| left.0.total_cmp(&right.0))?;
        (score >= ALIKE).then(|| join(section, best))
    }

    /// What may stand directly in a section: its keys and the sections in it.
    fn names_in(section: &str) -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter_map(move |key| {
            let rest = match section {
                "" => key.name(),
                _ => key.name().strip_prefix(section)?.strip_prefix('.')?,
            };
            rest.split('.').next().filter(|name| *name != "*")
        })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
