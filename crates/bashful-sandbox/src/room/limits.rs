//! Limits as the kernel takes them, and which of them a run ran into.

use crate::cgroup::Cgroup;
use crate::plan::{Plan, RunLimit};
use crate::profile::Violation;
use crate::room::Confined;
use crate::sys::limits::hard_limit;
use crate::{Ended, ExitStatus};

impl Confined {
    /// Which limits it ran into, as the kernel counted.
    pub fn violations(&self, plan: &Plan, ended: Option<Ended>) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut add = |kind: &str, missing: &str, source: &str, note: String| {
            found.push(Violation {
                kind: kind.to_owned(),
                path: None,
                missing: missing.to_owned(),
                source: source.to_owned(),
                note: Some(note),
            });
        };
        if let Some(events) = self.group.as_ref().map(Cgroup::events) {
            if events.out_of_memory > 0 {
                let limit = plan.group.memory.unwrap_or(0);
                add(
                    "memory",
                    "resources.memory",
                    "cgroup",
                    format!(
                        "the kernel ended processes that needed more than {limit} bytes together"
                    ),
                );
            }
            if events.processes_refused > 0 {
                let limit = plan.group.processes.unwrap_or(0);
                add(
                    "processes",
                    "resources.processes",
                    "cgroup",
                    format!("more than {limit} processes at a time were refused"),
                );
            }
        }
        let signal = ended.map(|ended| ended.status);
        let by = |number: i32| match signal {
            Some(ExitStatus::Signal(signal)) if signal == number => Some("rlimit"),
            // A shell tells the signal of its last command in its own exit code.
            Some(ExitStatus::Code(code)) if code == 128 + number => Some("exit_code"),
            _ => None,
        };
        for limit in &plan.limits {
            match limit {
                RunLimit::FileSize(bytes) => {
                    if let Some(source) = by(libc::SIGXFSZ) {
                        add(
                            "file_size",
                            "resources.file_size",
                            source,
                            format!("a file grew to its limit of {bytes} bytes"),
                        );
                    }
                }
                RunLimit::CpuSeconds(seconds) => {
                    if let Some(source) = by(libc::SIGXCPU) {
                        add(
                            "cpu_time",
                            "resources.cpu_time",
                            source,
                            format!("a process used up {seconds} s of processor time"),
                        );
                    }
                }
                _ => {}
            }
        }
        found
    }
}

impl RunLimit {
    pub(super) fn as_raw(self) -> (libc::__rlimit_resource_t, libc::rlimit64) {
        let (resource, value) = match self {
            // One byte: at nothing at all the kernel would still feed a program that takes
            // core dumps, outside and as root.
            Self::NoCore => (libc::RLIMIT_CORE, 1),
            Self::OpenFiles(value) => (libc::RLIMIT_NOFILE, value),
            Self::FileSize(value) => (libc::RLIMIT_FSIZE, value),
            Self::Processes(value) => (libc::RLIMIT_NPROC, value),
            Self::Memory(value) => (libc::RLIMIT_DATA, value),
            Self::CpuSeconds(value) => (libc::RLIMIT_CPU, value),
        };
        // Nobody may raise what the caller was given.
        let hard = hard_limit(resource);
        let value = value.min(hard);
        // At the soft limit of time there is a signal that tells why; at the hard one not.
        let later = match self {
            Self::CpuSeconds(_) => 5,
            _ => 0,
        };
        let limit = libc::rlimit64 {
            rlim_cur: value,
            rlim_max: value.saturating_add(later).min(hard),
        };
        (resource, limit)
    }
}
