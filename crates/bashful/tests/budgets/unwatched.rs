//! Page faults and wakes, which a tracer would change: the kernel's own counters, before and after
//! each run without one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::scenario::Role;

/// What the kernel has counted for a process so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) faults: u64,
    /// How often one of its threads gave up the processor to wait.
    pub(crate) wakes: u64,
}

impl Counters {
    /// Those of a process, also of a zombie. Threads that have ended take their wakes along.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let faults = fields.split_whitespace().nth(7)?.parse().ok()?;
        let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
        let wakes = threads.filter_map(|thread| wakes_of(&thread.path())).sum();
        Some(Self { faults, wakes })
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            faults: self.faults.saturating_sub(before.faults),
            wakes: self.wakes.saturating_sub(before.wakes),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            faults: self.faults + other.faults,
            wakes: self.wakes + other.wakes,
        }
    }

    pub(crate) fn to_line(self) -> String {
        format!("{} {}", self.faults, self.wakes)
    }

    /// What [`Self::to_line`] has written; none of an empty line.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let (faults, wakes) = line.trim().split_once(' ')?;
        Some(Self {
            faults: faults.parse().ok()?,
            wakes: wakes.parse().ok()?,
        })
    }
}

fn wakes_of(thread: &Path) -> Option<u64> {
    let status = fs::read_to_string(thread.join("status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line?.trim().parse().ok()
}

/// The counters of a keeper and of all processes that were started by the path of a copy of the
/// executables, which no other process runs.
pub(crate) struct Snapshot(BTreeMap<i32, Counters>);

impl Snapshot {
    pub(crate) fn take(executables: &Path, keeper: i32) -> Self {
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let place = executables.as_os_str().as_encoded_bytes();
        let is_ours = |pid: &i32| {
            let line = || fs::read(format!("/proc/{pid}/cmdline"));
            *pid == keeper || line().is_ok_and(|line| line.starts_with(place))
        };
        let ours = pids.filter(is_ours);
        Self(
            ours.filter_map(|pid| Some((pid, Counters::of(pid)?)))
                .collect(),
        )
    }

    /// What keeper and engine did since another snapshot. The engine is every process that lives
    /// from run to run and is not the keeper, nor the process that only starts the command line; a
    /// first process does not live that long.
    pub(crate) fn since(
        &self,
        before: &Self,
        keeper: i32,
        harness: Option<i32>,
    ) -> BTreeMap<Role, Counters> {
        let mut roles = BTreeMap::new();
        for (pid, counters) in &self.0 {
            let Some(earlier) = before.0.get(pid).filter(|_| Some(*pid) != harness) else {
                continue;
            };
            let role = if *pid == keeper {
                Role::Keeper
            } else {
                Role::Engine
            };
            let sum: &mut Counters = roles.entry(role).or_default();
            *sum = sum.and(counters.since(*earlier));
        }
        roles
    }
}
