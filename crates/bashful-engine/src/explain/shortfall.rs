//! What would not be enforced in full, and why.

use bashful_sandbox::{Backend, Level, Plan, Profile, Protection};
use serde::Serialize;

use super::limits::{Holder, PlannedLimit};
use crate::config::Choice as _;

/// A protection that is not enforced in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Shortfall {
    /// The protection that falls short.
    pub protection: Protection,
    /// How far it is.
    pub level: Level,
    /// Why it falls short on this host, in words for people.
    pub reason: String,
}

/// What falls short in a plan.
pub(super) fn of(plan: &Plan, profile: &Profile, limits: &[PlannedLimit]) -> Vec<Shortfall> {
    let known = Known {
        plan,
        profile,
        limits,
    };
    let short = |protection| {
        let level = plan.enforcement.of(protection);
        (level < Level::Full).then(|| Shortfall {
            protection,
            level,
            reason: known.reason(protection),
        })
    };
    let all = Protection::ALL.iter().map(|(_, protection)| *protection);
    all.filter_map(short).collect()
}

/// All of it: there is no sandbox.
pub(super) fn everything() -> Vec<Shortfall> {
    let all = Protection::ALL.iter();
    all.map(|(_, protection)| Shortfall {
        protection: *protection,
        level: Level::None,
        reason: "no sandbox, as asked".to_owned(),
    })
    .collect()
}

/// What is known about a run.
struct Known<'a> {
    plan: &'a Plan,
    profile: &'a Profile,
    limits: &'a [PlannedLimit],
}

impl Known<'_> {
    fn reason(&self, protection: Protection) -> String {
        let Self {
            plan,
            profile,
            limits,
        } = self;
        let known = plan.reason(protection, profile);
        match protection {
            Protection::Network => format!(
                "Landlock is version {}, and keeping the host's abstract sockets out of reach \
                 needs version 6 (Linux 6.12)",
                plan.landlock
            ),
            Protection::Resources => match (plan.backend(), resources(limits)) {
                (_, None) => known.to_owned(),
                (Backend::Native, Some(unheld)) => unheld,
                (_, Some(unheld)) if profile.resources.tmp_size.is_none() => unheld,
                (_, Some(unheld)) => format!("{known}; {unheld}"),
            },
            _ => known.to_owned(),
        }
    }
}

/// What no control group holds; none if that is nothing.
fn resources(limits: &[PlannedLimit]) -> Option<String> {
    let names = |holder: Holder| {
        let shared = ["memory", "processes", "cpu_time", "cpu_share"];
        let held = limits.iter().filter(|limit| limit.held_by == holder);
        let held = held.filter(|limit| shared.contains(&limit.what));
        held.map(|limit| limit.what.replace('_', " "))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (each, nobody) = (names(Holder::Rlimit), names(Holder::Nobody));
    if each.is_empty() && nobody.is_empty() {
        return None;
    }
    let mut reason = "no control group of this process is usable".to_owned();
    if !each.is_empty() {
        reason = format!("{reason}; held for each process only: {each}");
    }
    if !nobody.is_empty() {
        reason = format!("{reason}; not held: {nobody}");
    }
    Some(reason)
}
