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

/// All keepers of this executable.
pub(crate) fn keepers() -> BTreeSet<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    pids.filter(|pid| is_keeper(pid)).collect()
}

/// How many processes there are below one, and what they have for themselves, with their share of
/// what is shared, in KiB; none where that may not be looked at.
pub(crate) fn below(pid: &str) -> Option<(usize, u64)> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    let mut all = (0, 0);
    for child in children.split_whitespace() {
        let rollup = fs::read_to_string(format!("/proc/{child}/smaps_rollup")).ok()?;
        let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
        let own: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        let (count, memory) = below(child)?;
        all = (all.0 + 1 + count, all.1 + own + memory);
    }
    Some(all)
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
