//! The limits that hold where nothing was said: what leaves this host usable.

use std::sync::OnceLock;

use bashful_policy::ResourceLimits;
use bashful_sandbox::kernel_text;

const GIBIBYTE: u64 = 1 << 30;

/// Enough for every build, few enough to leave a host usable.
const USUAL_PROCESSES: u64 = 4096;

/// What holds where nothing was said.
pub(crate) fn usual_limits() -> ResourceLimits {
    let memory = memory();
    ResourceLimits {
        memory: memory.map(|total| total / 4 * 3),
        processes: Some(USUAL_PROCESSES),
        file_size: Some(4 * GIBIBYTE),
        tmp_size: Some(memory.map_or(2 * GIBIBYTE, |total| {
            (total / 4).max(2 * GIBIBYTE).min(total / 2)
        })),
        disk_size: Some(16 * GIBIBYTE),
        ..ResourceLimits::default()
    }
}

/// The host's memory in bytes. It does not change while a process lives.
pub(crate) fn memory() -> Option<u64> {
    static MEMORY: OnceLock<Option<u64>> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let text = kernel_text("/proc/meminfo").ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("MemTotal:"))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kibibytes.checked_mul(1024)
    })
}
