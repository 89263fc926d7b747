//! How much a run may use: what was asked for, checked against the host, else the usual.

use crate::base::usual_limits::{memory, usual_limits};

use bashful_policy::ResourceLimits;
use bashful_sandbox::{Resources, kernel_text};

use crate::model::error::confine::ConfineError;

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

fn number_in(path: &str) -> Option<u64> {
    kernel_text(path).ok()?.trim().parse().ok()
}
