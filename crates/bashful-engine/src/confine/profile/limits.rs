//! How much a run may use: what was asked for, checked against the host, else the usual.

use std::sync::OnceLock;

use bashful_policy::ResourceLimits;
use bashful_sandbox::{Resources, kernel_text};

use crate::model::error::confine::ConfineError;

const GIBIBYTE: u64 = 1 << 30;

/// Enough for every build, few enough to leave a host usable.
const USUAL_PROCESSES: u64 = 4096;

/// The limits of a run.
pub(super) fn resources(asked: &ResourceLimits) -> Result<Resources, ConfineError> {
    for (name, value) in ResourceLimits::NAMES.into_iter().zip(asked.values()) {
        match value {
            None => {}
            Some(0) => return Err(ConfineError::ZeroLimit { name }),
            Some(given) => {
                if let Some(most) = most(name).filter(|most| given > *most) {
                    return Err(ConfineError::BeyondHost { name, given, most });
                }
            }
        }
    }
    let limits = usual_limits().with(asked);
    Ok(Resources {
        memory: limits.memory,
        processes: limits.processes,
        cpu_time_ms: limits.cpu_time,
        // It was compared with the cores of this host, so it is far below the maximum.
        cpu_share: limits
            .cpu_share
            .map(|share| u32::try_from(share).unwrap_or(u32::MAX)),
        open_files: limits.open_files,
        file_size: limits.file_size,
        tmp_size: limits.tmp_size,
        disk_size: limits.disk_size,
    })
}

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

/// The most that a limit can mean on this host.
fn most(name: &str) -> Option<u64> {
    match name {
        "memory" | "tmp_size" => memory(),
        "processes" => number_in("/proc/sys/kernel/pid_max"),
        "open_files" => number_in("/proc/sys/fs/nr_open"),
        "cpu_share" => {
            let cores = std::thread::available_parallelism().ok()?.get();
            u64::try_from(cores).ok()?.checked_mul(100)
        }
        _ => None,
    }
}

/// The host's memory in bytes. It does not change while a process lives.
fn memory() -> Option<u64> {
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

fn number_in(path: &str) -> Option<u64> {
    kernel_text(path).ok()?.trim().parse().ok()
}
