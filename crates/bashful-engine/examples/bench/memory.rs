//! What our processes take: this one and its keepers.

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

fn is_keeper(pid: &str) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.ends_with(b"__bashful-keeper\0"))
}

fn resident(pid: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    // Memory that is shared with the executable's file is counted once per process; so be it.
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
