//! Which keeper a control group belongs to: the name of its directory says so.

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::tree::{Process, Status};

/// The keeper that a group belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owner {
    /// The keeper's process, by number and start time.
    pub(super) process: Process,
    /// The process namespace in which that is its number. A keeper in another one cannot
    /// tell whether it lives.
    pub(super) namespace: u64,
}

impl Owner {
    /// The calling process.
    pub(super) fn current() -> Option<Self> {
        let pid = i32::try_from(std::process::id()).ok()?;
        Some(Self {
            process: Process::find(pid)?,
            namespace: fs::metadata("/proc/self/ns/pid").ok()?.ino(),
        })
    }

    /// The directory name of the group that this keeper calls `name`.
    pub(super) fn directory_name(self, name: &str) -> String {
        let Process { pid, started } = self.process;
        format!("bashful-{pid}-{started}-{}-{name}", self.namespace)
    }

    /// Who made the directory of this name, if it is one of ours.
    pub(super) fn of(directory_name: &str) -> Option<Self> {
        let mut parts = directory_name.strip_prefix("bashful-")?.splitn(4, '-');
        let pid = number(parts.next()?)?.try_into().ok()?;
        let started = number(parts.next()?)?;
        let namespace = number(parts.next()?)?;
        parts.next().filter(|name| is_name(name))?;
        Some(Self {
            process: Process { pid, started },
            namespace,
        })
    }

    /// Whether it has ended for sure, as seen by `observer`.
    pub(super) fn has_ended(self, observer: Self) -> bool {
        self.namespace == observer.namespace
            && Status::of(self.process.pid)
                .is_none_or(|status| status.started != self.process.started || status.has_ended())
    }
}

/// Whether this can be the last part of a directory name.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(plain)
}

/// A number spelled as we spell it: digits only.
fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

const LONGEST_NAME: usize = 64;
