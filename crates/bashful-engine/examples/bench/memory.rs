//! What our processes take: this one and its keepers.

use std::collections::BTreeSet;
use std::fs;

/// The resident memory of this process and of all keepers of this executable, in KiB.
pub(crate) fn ours() -> u64 {
    let own = std::process::id().to_string();
    let Ok(entries) = fs::read_dir("/proc") else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|pid| *pid == own || is_keeper(pid))
        .filter_map(|pid| resident(&pid))
        .sum()
}

/// All keepers of this executable: the children of guards. All that they make looks like them.
pub(crate) fn keepers() -> BTreeSet<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_guard = |pid: &String| is_keeper(pid) && !parent(pid).is_some_and(|it| is_keeper(&it));
    pids.filter(|pid| is_keeper(pid) && parent(pid).as_ref().is_some_and(is_guard))
        .collect()
}

fn parent(pid: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    Some(line.trim().to_owned())
}

/// What the children of a process have for themselves, with their share of what is shared, in KiB;
/// none where that may not be looked at. An understudy is below one of them, and has the same memory.
pub(crate) fn of_children(pid: &str) -> Option<u64> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    let own = |child: &str| -> Option<u64> {
        let rollup = fs::read_to_string(format!("/proc/{child}/smaps_rollup")).ok()?;
        let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    children.split_whitespace().map(own).sum()
}

fn is_keeper(pid: &str) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.ends_with(b"__bashful-keeper\0"))
}

fn resident(pid: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    // Memory that is shared with the executable's file is counted once per process; so be it.
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
