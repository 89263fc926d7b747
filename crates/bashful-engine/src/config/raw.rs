//! What one file says: all-optional mirrors of the keys.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bashful_policy::{Class, NetworkCapability, Otherwise, Preset};
use bashful_sandbox::Protection;

use super::choice::{HomeMode, Keep, OnLogFull, Refused, Sandbox, Survivors};
use super::place::Location;
use super::rules::ConfiguredRule;
use super::secret::SecretValue;

/// A value with the place where it was said.
#[derive(Debug, Clone)]
pub(super) struct Said<T> {
    pub(super) value: T,
    pub(super) place: Location,
}

/// A key that a file may or may not set.
pub(super) type Maybe<T> = Option<Said<T>>;

/// One file; see [`Config`](super::Config) for the meaning of the keys.
#[derive(Debug, Clone, Default)]
pub(super) struct RawConfig {
    pub(super) require_description: Maybe<bool>,
    pub(super) blocked_commands: Maybe<Vec<String>>,
    pub(super) agent: Maybe<String>,
    pub(super) limits: RawLimits,
    pub(super) secrets: RawSecrets,
    pub(super) environment: RawEnvironment,
    pub(super) keeper: RawKeeper,
    pub(super) scripts: RawScripts,
    pub(super) tasks: RawTasks,
    pub(super) caches: RawCaches,
    pub(super) approvals: RawApprovals,
    pub(super) audit: RawAudit,
    pub(super) sandbox: Maybe<Sandbox>,
    pub(super) profiles: BTreeMap<Arc<str>, RawProfile>,
    pub(super) agents: BTreeMap<Arc<str>, Maybe<String>>,
}

/// `[profile.NAME]` with what is below it.
#[derive(Debug, Clone, Default)]
pub(super) struct RawProfile {
    pub(super) preset: Maybe<Preset>,
    pub(super) default: Maybe<Otherwise>,
    pub(super) home: Maybe<HomeMode>,
    pub(super) optional: Maybe<Vec<Protection>>,
    pub(super) rules: Maybe<Vec<ConfiguredRule>>,
    /// `[profile.NAME.class.CLASS] refused = …`.
    pub(super) refused: BTreeMap<Class, Said<Refused>>,
    pub(super) paths_read: Maybe<Vec<String>>,
    pub(super) paths_write: Maybe<Vec<String>>,
    pub(super) paths_deny: Maybe<Vec<String>>,
    pub(super) network: Maybe<NetworkCapability>,
    pub(super) commands: Maybe<Vec<String>>,
    pub(super) classes: Maybe<Vec<String>>,
    pub(super) memory: Maybe<u64>,
    pub(super) processes: Maybe<usize>,
    pub(super) cpu_time: Maybe<Duration>,
    pub(super) cpu_share: Maybe<usize>,
    pub(super) open_files: Maybe<usize>,
    pub(super) file_size: Maybe<u64>,
    pub(super) tmp_size: Maybe<u64>,
    pub(super) disk_size: Maybe<u64>,
}

/// `[limits]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawLimits {
    pub(super) timeout: Maybe<Duration>,
    pub(super) max_timeout: Maybe<Duration>,
    pub(super) max_output: Maybe<usize>,
    pub(super) keep: Maybe<Keep>,
    pub(super) log_quota: Maybe<u64>,
    pub(super) on_log_full: Maybe<OnLogFull>,
    pub(super) survivors: Maybe<Survivors>,
    pub(super) term_grace: Maybe<Duration>,
}

/// `[secrets]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawSecrets {
    pub(super) values: Maybe<Vec<SecretValue>>,
    pub(super) names: Maybe<Vec<String>>,
}

/// `[environment]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawEnvironment {
    pub(super) pass: Maybe<Vec<String>>,
}

/// `[keeper]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawKeeper {
    pub(super) idle: Maybe<Duration>,
}

/// `[scripts]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawScripts {
    pub(super) keep_versions: Maybe<usize>,
    pub(super) max_timeout: Maybe<Duration>,
}

/// `[tasks]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawTasks {
    pub(super) per_agent: Maybe<usize>,
    pub(super) total_log: Maybe<u64>,
    pub(super) keep: Maybe<usize>,
    pub(super) max_age: Maybe<Duration>,
}

/// `[caches]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawCaches {
    pub(super) quota: Maybe<u64>,
}

/// `[approvals]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawApprovals {
    pub(super) expire: Maybe<Duration>,
    pub(super) wait: Maybe<Duration>,
    pub(super) most_pending: Maybe<usize>,
    pub(super) notify_desktop: Maybe<bool>,
    pub(super) notify_command: Maybe<String>,
    pub(super) out_of_band: Maybe<Vec<String>>,
}

/// `[audit]`.
#[derive(Debug, Clone, Default)]
pub(super) struct RawAudit {
    pub(super) anchors: Maybe<Vec<String>>,
}
