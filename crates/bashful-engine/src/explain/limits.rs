//! What a run may use, and who holds it to that.

use bashful_keeper::Spec;
use bashful_sandbox::{Backend, Plan, Profile, RunLimit};
use serde::Serialize;

/// One limit of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlannedLimit {
    /// What is limited, as a profile names it.
    pub what: &'static str,
    /// How much: bytes, milliseconds, percent of one core, or a number of things.
    pub value: u64,
    /// In what it is counted: `bytes`, `milliseconds`, `percent` or `count`.
    pub unit: &'static str,
    /// Who holds it.
    pub held_by: Holder,
}

/// Who holds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Holder {
    /// A control group, for all processes of the run together.
    Cgroup,
    /// The kernel, for each process by itself.
    Rlimit,
    /// The room's own file system.
    Tmpfs,
    /// The keeper, which watches the run and ends it.
    Keeper,
    /// No part of this host: it has nothing to hold the limit with.
    Nobody,
}

/// All limits of a run in a room.
pub(super) fn planned(profile: &Profile, plan: &Plan, spec: &Spec) -> Vec<PlannedLimit> {
    let wished = &profile.resources;
    let carried = |fits: fn(&RunLimit) -> bool| {
        let holder = plan.limits.iter().any(fits).then_some(Holder::Rlimit);
        holder.unwrap_or(Holder::Nobody)
    };
    let by_group =
        |held: Option<u64>, otherwise: Holder| held.map_or(otherwise, |_| Holder::Cgroup);
    // The kernel does not count the processes of root for each user, whatever they carry.
    let processes = if plan.identity.stands_for_root() {
        Holder::Nobody
    } else {
        carried(|limit| matches!(limit, RunLimit::Processes(_)))
    };
    let group = &plan.group;
    let tmp = match plan.backend() {
        Backend::Native => Holder::Tmpfs,
        // There it is a directory of the host.
        _ => Holder::Nobody,
    };
    let cpu_time = carried(|limit| matches!(limit, RunLimit::CpuSeconds(_)));
    let rows = [
        (
            "memory",
            wished.memory,
            "bytes",
            by_group(group.memory, Holder::Keeper),
        ),
        (
            "processes",
            wished.processes,
            "count",
            by_group(group.processes, processes),
        ),
        (
            "cpu_time",
            wished.cpu_time_ms,
            "milliseconds",
            by_group(group.cpu_time_ms, cpu_time),
        ),
        (
            "cpu_share",
            wished.cpu_share.map(u64::from),
            "percent",
            by_group(group.cpu_share.map(u64::from), Holder::Nobody),
        ),
        ("open_files", wished.open_files, "count", Holder::Rlimit),
        ("file_size", wished.file_size, "bytes", Holder::Rlimit),
        ("tmp_size", Some(plan.storage.tmp), "bytes", tmp),
        ("disk_size", wished.disk_size, "bytes", Holder::Keeper),
    ];
    let limits = rows.into_iter().filter_map(|(what, value, unit, held_by)| {
        Some(PlannedLimit {
            what,
            value: value?,
            unit,
            held_by,
        })
    });
    limits.chain(kept(spec)).collect()
}

/// The limits that hold without a sandbox too.
pub(super) fn kept(spec: &Spec) -> Vec<PlannedLimit> {
    let by_keeper = |what, value, unit| PlannedLimit {
        what,
        value,
        unit,
        held_by: Holder::Keeper,
    };
    let timeout = spec.timeout_ms;
    timeout
        .map(|millis| by_keeper("timeout", millis, "milliseconds"))
        .into_iter()
        .chain([by_keeper("log_quota", spec.log_quota, "bytes")])
        .collect()
}
