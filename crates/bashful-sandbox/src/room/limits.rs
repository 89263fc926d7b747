//! Limits as the kernel takes them, and which of them a run ran into.

use crate::cgroup::Cgroup;
use crate::plan::{Plan, RunLimit};
use crate::profile::{Hint, Violation};
use crate::room::Confined;
use crate::sys::limits::hard_limit;
use crate::{Ended, ExitStatus};

impl Confined {
    /// Which limits it ran into, as the kernel counted.
    pub fn violations(&self, plan: &Plan, ended: Option<Ended>) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut add = |limit: Reached, source: &str| {
            found.push(Violation {
                kind: limit.kind.to_owned(),
                missing: limit.missing.to_owned(),
                source: source.to_owned(),
                note: Some(limit.note),
                limit: limit.limit,
                ..Violation::default()
            });
        };
        if let Some(events) = self.group.as_ref().map(Cgroup::events) {
            if events.out_of_memory > 0 {
                let limit = plan.group.memory;
                let bytes = limit.unwrap_or(0);
                let reached = Reached {
                    kind: "memory",
                    missing: "resources.memory",
                    note: format!(
                        "the kernel ended processes that needed more than {bytes} bytes together"
                    ),
                    limit,
                };
                add(reached, "cgroup");
            }
            if events.processes_refused > 0 {
                let limit = plan.group.processes;
                let most = limit.unwrap_or(0);
                let reached = Reached {
                    kind: "processes",
                    missing: "resources.processes",
                    note: format!("more than {most} processes at a time were refused"),
                    limit,
                };
                add(reached, "cgroup");
            }
        }
        for (limit, by) in ended_at(plan, ended) {
            if by == By::Signal {
                add(limit, "rlimit");
            }
        }
        found
    }

    /// What it may have run into, guessed from how it ended.
    pub fn hints(plan: &Plan, ended: Option<Ended>) -> Vec<Hint> {
        let guessed = ended_at(plan, ended).into_iter();
        let guessed = guessed.filter(|(_, by)| *by == By::ExitCode);
        let hint = |limit: Reached| Hint {
            kind: limit.kind.to_owned(),
            missing: limit.missing.to_owned(),
            source: "exit_code".to_owned(),
            note: format!("its exit code is as if {}", limit.note),
            path: None,
            limit: limit.limit,
            flag: None,
        };
        guessed.map(|(limit, _)| hint(limit)).collect()
    }
}

/// Limits at which the kernel sends a signal, if the run ended as if by that.
fn ended_at(plan: &Plan, ended: Option<Ended>) -> Vec<(Reached, By)> {
    let by = |number: i32| match ended?.status {
        ExitStatus::Signal(signal) if signal == number => Some(By::Signal),
        // A shell passes the signal of its last command on in its own exit code.
        ExitStatus::Code(code) if code == 128 + number => Some(By::ExitCode),
        _ => None,
    };
    let reached = plan.limits.iter().filter_map(|limit| match limit {
        RunLimit::FileSize(bytes) => Some((
            Reached {
                kind: "file_size",
                missing: "resources.file_size",
                note: format!("a file grew to its limit of {bytes} bytes"),
                limit: Some(*bytes),
            },
            by(libc::SIGXFSZ)?,
        )),
        RunLimit::CpuSeconds(seconds) => Some((
            Reached {
                kind: "cpu_time",
                missing: "resources.cpu_time",
                note: format!("a process used up {seconds} s of processor time"),
                limit: seconds.checked_mul(1000),
            },
            by(libc::SIGXCPU)?,
        )),
        _ => None,
    });
    reached.collect()
}

/// A limit that a run came to.
struct Reached {
    kind: &'static str,
    missing: &'static str,
    note: String,
    /// As it is set.
    limit: Option<u64>,
}

/// How that is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Signal,
    /// Not at all: any program can exit like that.
    ExitCode,
}

impl RunLimit {
    /// Which limit, its soft and its hard value.
    pub(crate) fn as_numbers(self) -> (u32, u64, u64) {
        let (which, limit) = self.as_raw();
        (which, limit.rlim_cur, limit.rlim_max)
    }

    pub(super) fn as_raw(self) -> (libc::__rlimit_resource_t, libc::rlimit64) {
        let (resource, value) = match self {
            // One byte: with zero the kernel would still feed a program that takes
            // core dumps, outside and as root.
            Self::NoCore => (libc::RLIMIT_CORE, 1),
            Self::OpenFiles(value) => (libc::RLIMIT_NOFILE, value),
            Self::FileSize(value) => (libc::RLIMIT_FSIZE, value),
            Self::Processes(value) => (libc::RLIMIT_NPROC, value),
            Self::CpuSeconds(value) => (libc::RLIMIT_CPU, value),
        };
        // A process may not raise what the caller was given.
        let hard = hard_limit(resource);
        let value = value.min(hard);
        // At the soft limit of time a signal shows why a process ended; at the hard one not.
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
