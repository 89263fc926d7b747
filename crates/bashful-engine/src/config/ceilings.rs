//! What the admin file holds fast.

use std::time::Duration;

use super::choice::{Keep, OnLogFull, Sandbox, Survivors};
use super::raw::{RawConfig, Said};

/// What the admin file sets: the widest that flags and environment may give.
///
/// `None` means that the admin file does not bind this key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ceilings {
    /// `true`: a description cannot be made optional.
    pub require_description: Option<bool>,
    /// The one name an agent that gives none can have.
    pub agent: Option<String>,
    /// The most for `limits.timeout`.
    pub timeout: Option<Duration>,
    /// The most for `limits.max_timeout`.
    pub max_timeout: Option<Duration>,
    /// The most for `limits.max_output`.
    pub max_output: Option<usize>,
    /// The one value of `limits.keep`.
    pub keep: Option<Keep>,
    /// The most for `limits.log_quota`.
    pub log_quota: Option<u64>,
    /// `Stop`: a run whose log is full cannot go on.
    pub on_log_full: Option<OnLogFull>,
    /// `Kill`: survivors cannot be adopted.
    pub survivors: Option<Survivors>,
    /// The most for `limits.term_grace`.
    pub term_grace: Option<Duration>,
    /// The only variables that may be passed on in addition.
    pub environment_pass: Option<Vec<String>>,
    /// The most for `keeper.idle`.
    pub keeper_idle: Option<Duration>,
    /// The most for `approvals.expire`.
    pub approvals_expire: Option<Duration>,
    /// The most for `approvals.wait`.
    pub approvals_wait: Option<Duration>,
    /// The most for `approvals.most_pending`.
    pub approvals_most_pending: Option<usize>,
    /// The weakest sandbox that runs may have; none at all only if that says so.
    pub sandbox: Option<Sandbox>,
}

impl Ceilings {
    pub(super) fn of(admin: &RawConfig) -> Self {
        fn value<T: Clone>(said: Option<&Said<T>>) -> Option<T> {
            said.map(|said| said.value.clone())
        }
        Self {
            require_description: value(admin.require_description.as_ref()),
            agent: value(admin.agent.as_ref()),
            timeout: value(admin.limits.timeout.as_ref()),
            max_timeout: value(admin.limits.max_timeout.as_ref()),
            max_output: value(admin.limits.max_output.as_ref()),
            keep: value(admin.limits.keep.as_ref()),
            log_quota: value(admin.limits.log_quota.as_ref()),
            on_log_full: value(admin.limits.on_log_full.as_ref()),
            survivors: value(admin.limits.survivors.as_ref()),
            term_grace: value(admin.limits.term_grace.as_ref()),
            environment_pass: value(admin.environment.pass.as_ref()),
            keeper_idle: value(admin.keeper.idle.as_ref()),
            approvals_expire: value(admin.approvals.expire.as_ref()),
            approvals_wait: value(admin.approvals.wait.as_ref()),
            approvals_most_pending: value(admin.approvals.most_pending.as_ref()),
            sandbox: value(admin.sandbox.as_ref()),
        }
    }
}
