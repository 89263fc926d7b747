//! Which limits the control group holds, and which each process carries.

use crate::profile::{Level, Resources};
use crate::survey::Survey;

/// A limit that each process of a run carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunLimit {
    /// No core dumps.
    NoCore,
    /// Open files of the process.
    OpenFiles(u64),
    /// Bytes of a file.
    FileSize(u64),
    /// Processes of the user.
    Processes(u64),
    /// Seconds of processor time.
    CpuSeconds(u64),
}

/// What processes carry, and what the group holds. No process carries a limit of memory: one of
/// addresses would refuse what is never touched, which sanitizers and runtimes reserve by the
/// terabyte. Where no group counts memory, the keeper looks at what is really in use.
pub(super) fn divide(resources: &Resources, survey: &Survey) -> (Vec<RunLimit>, Resources) {
    let offers = &survey.offers;
    let mut limits = vec![RunLimit::NoCore];
    limits.extend(resources.open_files.map(RunLimit::OpenFiles));
    limits.extend(resources.file_size.map(RunLimit::FileSize));
    let mut group = Resources::default();
    if offers.memory.is_some() {
        group.memory = resources.memory;
    }
    if offers.processes.is_some() {
        group.processes = resources.processes;
    } else {
        limits.extend(resources.processes.map(RunLimit::Processes));
    }
    if offers.cpu_time.is_some() {
        group.cpu_time_ms = resources.cpu_time_ms;
    }
    // No single process may take more than all together, with or without a group to count.
    let seconds = |millis: u64| millis.div_ceil(1000).max(1);
    limits.extend(resources.cpu_time_ms.map(seconds).map(RunLimit::CpuSeconds));
    if offers.cpu_share.is_some() {
        group.cpu_share = resources.cpu_share;
    }
    (limits, group)
}

/// What the file systems of a room that lie in memory may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    /// Bytes of `/tmp` and `/dev/shm` together.
    pub tmp: u64,
    /// Bytes of the room's own home and its private copies.
    pub own: u64,
    /// What was asked for as `tmp`.
    asked: u64,
    /// The limit of memory, where no control group counts it.
    pub(super) memory: Option<u64>,
}

const DEFAULT_TMP: u64 = 1 << 30;
const MOST_OWN: u64 = 256 << 20;
/// Bytes for which a file system has one name: enough for real work. A name takes about one
/// kibibyte of the kernel's memory.
const BYTES_PER_NAME: u64 = 8192;

impl Storage {
    /// What lies in these files counts as memory of the run. Where no control group counts that,
    /// the file systems are no larger than its limit: both together, their names included.
    pub(super) fn of(resources: &Resources, survey: &Survey) -> Self {
        let memory = resources.memory.filter(|_| survey.offers.memory.is_none());
        Self::within(memory, resources.tmp_size.unwrap_or(DEFAULT_TMP))
    }

    fn within(memory: Option<u64>, asked: u64) -> Self {
        let bytes = memory.map_or(u64::MAX, |memory| memory / 8 * 7);
        let own = MOST_OWN.min(bytes / 8);
        Self {
            tmp: asked.min(bytes - own),
            own,
            asked,
            memory,
        }
    }

    /// How many names a file system of this size has.
    pub(crate) fn names(bytes: u64) -> u64 {
        (bytes / BYTES_PER_NAME).clamp(1_000, 500_000)
    }

    /// The limit that `tmp` follows from, and its value.
    pub(crate) fn limit_of_tmp(&self) -> Option<(&'static str, u64)> {
        let memory = self.memory.filter(|_| self.tmp < self.asked);
        let memory = memory.map(|memory| ("resources.memory", memory));
        memory.or(Some(("resources.tmp_size", self.asked)))
    }

    /// The same for `own`; none if no limit opens more.
    pub(crate) fn limit_of_own(&self) -> Option<(&'static str, u64)> {
        let memory = self.memory.filter(|_| self.own < MOST_OWN);
        memory.map(|memory| ("resources.memory", memory))
    }
}

/// How well the limits hold.
pub(super) fn level(resources: &Resources, survey: &Survey) -> Level {
    let offers = &survey.offers;
    let held = [
        (resources.memory.is_some(), offers.memory.is_some()),
        (resources.processes.is_some(), offers.processes.is_some()),
        (resources.cpu_time_ms.is_some(), offers.cpu_time.is_some()),
        (resources.cpu_share.is_some(), offers.cpu_share.is_some()),
    ];
    let whole = held.iter().all(|(wanted, offered)| *offered || !*wanted);
    // Root's own processes are not counted by anything but a group.
    let uncounted = survey.identity.stands_for_root()
        && resources.processes.is_some()
        && offers.processes.is_none();
    match (whole, uncounted) {
        (true, _) => Level::Full,
        (false, false) => Level::Partial,
        (false, true) => Level::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEBIBYTE: u64 = 1 << 20;

    fn storage(memory: Option<u64>, tmp_size: Option<u64>) -> Storage {
        Storage::within(memory, tmp_size.unwrap_or(DEFAULT_TMP))
    }

    #[test]
    fn where_nothing_counts_memory_files_and_names_together_fit_its_limit() {
        for memory in [1, 7, 4096, 96 * MEBIBYTE, 256 * MEBIBYTE, 8 << 30] {
            for tmp in [None, Some(1), Some(u64::MAX)] {
                let storage = storage(Some(memory), tmp);
                let bytes = storage.tmp + storage.own;
                assert!(bytes <= memory / 8 * 7, "{memory} {storage:?}");
                if memory >= 96 * MEBIBYTE {
                    let names = Storage::names(storage.tmp) + Storage::names(storage.own);
                    assert!(bytes + names * 1024 <= memory, "{memory} {storage:?}");
                }
            }
        }
    }

    #[test]
    fn the_limit_that_binds_is_named() {
        let limits = |memory, tmp| {
            let storage = storage(memory, tmp);
            (storage.limit_of_tmp(), storage.limit_of_own())
        };
        let (large, small) = (64 << 30, 256 * MEBIBYTE);
        let by_memory = Some(("resources.memory", small));
        let by_size = |size| Some(("resources.tmp_size", size));
        assert_eq!(limits(None, None), (by_size(DEFAULT_TMP), None));
        assert_eq!(limits(Some(large), None), (by_size(DEFAULT_TMP), None));
        assert_eq!(limits(Some(small), None), (by_memory, by_memory));
        assert_eq!(limits(Some(small), Some(8)), (by_size(8), by_memory));
    }
}
