//! Which limits the control group holds, and which each process carries.

use crate::profile::{Level, Resources};
use crate::survey::Survey;

/// A limit that each process of a run carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunLimit {
    /// No core dumps.
    NoCore,
    /// Open files.
    OpenFiles(u64),
    /// Bytes of a file.
    FileSize(u64),
    /// Processes of the user.
    Processes(u64),
    /// Bytes of data.
    Memory(u64),
    /// Seconds of processor time.
    CpuSeconds(u64),
}

/// What processes carry, and what the group holds.
pub(super) fn divide(resources: &Resources, survey: &Survey) -> (Vec<RunLimit>, Resources) {
    let offers = &survey.offers;
    let mut limits = vec![RunLimit::NoCore];
    limits.extend(resources.open_files.map(RunLimit::OpenFiles));
    limits.extend(resources.file_size.map(RunLimit::FileSize));
    let mut group = Resources::default();
    if offers.memory.is_some() {
        group.memory = resources.memory;
    } else {
        limits.extend(resources.memory.map(RunLimit::Memory));
    }
    if offers.processes.is_some() {
        group.processes = resources.processes;
    } else {
        limits.extend(resources.processes.map(RunLimit::Processes));
    }
    if offers.cpu_time.is_some() {
        group.cpu_time_ms = resources.cpu_time_ms;
    }
    // No single process may take more than all together, whoever counts them.
    let seconds = |millis: u64| millis.div_ceil(1000).max(1);
    limits.extend(resources.cpu_time_ms.map(seconds).map(RunLimit::CpuSeconds));
    if offers.cpu_share.is_some() {
        group.cpu_share = resources.cpu_share;
    }
    (limits, group)
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
