//! The resolved configuration: every value is there.

use std::collections::BTreeMap;
use std::time::Duration;

use super::choice::{Keep, OnLogFull, Sandbox, Survivors};
use super::profile::Profile;
use super::secret::SecretValue;

/// What Bashful goes by, after all layers have spoken.
///
/// `Config::default()` is what holds when no file exists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Whether a call without a description is refused.
    pub require_description: bool,
    /// Commands that never run.
    pub blocked_commands: Vec<String>,
    /// The name of an agent that gives none.
    pub agent: String,
    /// What a run may use.
    pub limits: Limits,
    /// What is masked.
    pub secrets: Secrets,
    /// What a run gets from its caller's environment.
    pub environment: Environment,
    /// How keepers behave.
    pub keeper: Keeper,
    /// What is kept of managed scripts, and how long they may take.
    pub scripts: Scripts,
    /// How many tasks there may be, and what is kept of them.
    pub tasks: Tasks,
    /// What is kept of that which tools cache.
    pub caches: Caches,
    /// How a person is asked.
    pub approvals: Approvals,
    /// What happens to the audit trail.
    pub audit: Audit,
    /// What confines runs.
    pub sandbox: Sandbox,
    /// The profiles that a file speaks about; see [`Config::profile_for`].
    pub profiles: BTreeMap<String, Profile>,
    /// The profile of each agent that a file names.
    pub agents: BTreeMap<String, String>,
    /// Those of them that the admin file holds fast.
    pub(super) fixed_agents: BTreeMap<String, String>,
}

/// What a run may use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long a run may take that asks for nothing else; never above `max_timeout`.
    pub timeout: Duration,
    /// How long a run may ask for.
    pub max_timeout: Duration,
    /// How many characters of each stream a result holds.
    pub max_output: usize,
    /// Which part of too long an output a result holds.
    pub keep: Keep,
    /// How many bytes of a task's output are stored.
    pub log_quota: u64,
    /// What happens to a run whose log is full.
    pub on_log_full: OnLogFull,
    /// What happens to processes that outlive their run.
    pub survivors: Survivors,
    /// How long a run has between SIGTERM and SIGKILL.
    pub term_grace: Duration,
}

/// What is masked in output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Secrets {
    /// Texts that are masked wherever they appear.
    pub values: Vec<SecretValue>,
    /// Names of variables whose values are masked, in addition to key-like names.
    pub names: Vec<String>,
}

/// What a run gets from its caller's environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Environment {
    /// Names of variables that are passed on in addition to the usual few.
    pub pass: Vec<String>,
}

/// How keepers behave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Keeper {
    /// How long a keeper stays without work.
    pub idle: Duration,
}

/// What is kept of managed scripts, and how long they may take.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scripts {
    /// How many versions of each are kept. The current one and the approved one always are.
    pub keep_versions: usize,
    /// How long a script may take.
    pub max_timeout: Duration,
}

/// How many tasks there may be, and what is kept of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tasks {
    /// How many background tasks of one agent may run at a time.
    pub per_agent: usize,
    /// How many bytes the logs of all tasks may hold together; the oldest that have ended go.
    pub total_log: u64,
    /// How many tasks that have ended are kept.
    pub keep: usize,
    /// How long a task that has ended is kept.
    pub max_age: Duration,
}

/// What is kept of that which tools cache.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caches {
    /// How many bytes the caches of an agent in a project may hold; those that were not used for the
    /// longest time go.
    pub quota: u64,
}

/// How a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Approvals {
    /// How long an ask can be answered.
    pub expire: Duration,
    /// How long a run waits for an answer that no person at its terminal can give; zero: it
    /// returns at once.
    pub wait: Duration,
    /// How many asks of one agent may wait at a time.
    pub most_pending: usize,
    /// Whether the desktop is told about a new ask.
    pub notify_desktop: bool,
    /// A command that gets every new ask as a JSON line on standard input; empty: none.
    pub notify_command: String,
    /// Rules, capabilities and classes that the dialogue of an MCP client is not enough for.
    pub out_of_band: Vec<String>,
}

/// What happens to the audit trail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// Where the head of the trail is anchored: `file:/path`, `journald` or `command:…`.
    pub anchors: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            require_description: false,
            blocked_commands: Vec::new(),
            agent: "default".to_owned(),
            limits: Limits::default(),
            secrets: Secrets::default(),
            environment: Environment::default(),
            keeper: Keeper::default(),
            scripts: Scripts::default(),
            tasks: Tasks::default(),
            caches: Caches::default(),
            approvals: Approvals::default(),
            audit: Audit::default(),
            sandbox: Sandbox::default(),
            profiles: BTreeMap::new(),
            agents: BTreeMap::new(),
            fixed_agents: BTreeMap::new(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(120),
            max_timeout: Duration::from_secs(600),
            max_output: 30_000,
            keep: Keep::HeadTail,
            log_quota: 1 << 30,
            on_log_full: OnLogFull::Auto,
            survivors: Survivors::Kill,
            term_grace: Duration::from_secs(2),
        }
    }
}

impl Default for Keeper {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(300),
        }
    }
}

impl Default for Scripts {
    fn default() -> Self {
        Self {
            // All of them: more than any author makes.
            keep_versions: 1_000_000,
            max_timeout: Duration::from_secs(30 * 60),
        }
    }
}

impl Default for Caches {
    fn default() -> Self {
        Self { quota: 10 << 30 }
    }
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            per_agent: 64,
            total_log: 10 << 30,
            keep: 1000,
            max_age: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

impl Default for Approvals {
    fn default() -> Self {
        Self {
            expire: Duration::from_secs(900),
            wait: Duration::ZERO,
            most_pending: 32,
            notify_desktop: false,
            notify_command: String::new(),
            out_of_band: Vec::new(),
        }
    }
}
