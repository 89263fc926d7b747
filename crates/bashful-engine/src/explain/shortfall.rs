//! What would not be enforced in full, and why.

use bashful_sandbox::{Level, Plan, Protection};
use serde::Serialize;

use super::limits::{Holder, PlannedLimit};
use crate::config::Choice as _;

/// A protection that is not enforced in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Shortfall {
    /// Which.
    pub protection: Protection,
    /// How far it is.
    pub level: Level,
    /// Why.
    pub reason: String,
}

/// What falls short in a plan.
pub(super) fn of(plan: &Plan, limits: &[PlannedLimit]) -> Vec<Shortfall> {
    let short = |protection| {
        let level = plan.enforcement.of(protection);
        (level < Level::Full).then(|| Shortfall {
            protection,
            level,
            reason: reason(protection, plan, limits),
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

fn reason(protection: Protection, plan: &Plan, limits: &[PlannedLimit]) -> String {
    match protection {
        Protection::Network => format!(
            "Landlock is version {}, and keeping the host's abstract sockets out of reach \
             needs version 6 (Linux 6.12)",
            plan.landlock
        ),
        Protection::Resources => resources(limits),
        Protection::Identity => "the workspace is root's, and its file system takes no id-mapped \
             mounts: inside, a user namespace alone stands between the run and root"
            .to_owned(),
        Protection::Commands => {
            "Landlock is missing, without which programs cannot be told apart".to_owned()
        }
        Protection::Filesystem | Protection::Processes => {
            "this host cannot close them off".to_owned()
        }
    }
}

fn resources(limits: &[PlannedLimit]) -> String {
    let names = |holder: Holder| {
        let shared = ["memory", "processes", "cpu_time", "cpu_share"];
        let held = limits.iter().filter(|limit| limit.held_by == holder);
        let held = held.filter(|limit| shared.contains(&limit.what));
        held.map(|limit| limit.what.replace('_', " "))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (each, nobody) = (names(Holder::Rlimit), names(Holder::Nobody));
    let mut reason = "no control group of this process is usable".to_owned();
    if !each.is_empty() {
        reason = format!("{reason}; held for each process only: {each}");
    }
    if !nobody.is_empty() {
        reason = format!("{reason}; not held: {nobody}");
    }
    reason
}
