//! The limits of a control group, and the files that hold them.

use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::io::Errno;

use super::error::CgroupError;
use super::files::Files;
use super::find::Version;
use crate::profile::Resources;

/// A resource that control groups hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Controller {
    Memory,
    Processes,
    CpuShare,
    CpuTime,
}

impl Controller {
    pub(super) const ALL: [Self; 4] =
        [Self::Memory, Self::Processes, Self::CpuShare, Self::CpuTime];

    /// Its name in version 1.
    pub(super) fn legacy_name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "pids",
            Self::CpuShare => "cpu",
            Self::CpuTime => "cpuacct",
        }
    }

    /// Its name in version 2; processor time is counted there without a controller.
    pub(super) fn unified_name(self) -> Option<&'static str> {
        (self != Self::CpuTime).then(|| self.legacy_name())
    }

    /// The file that shows that it is there.
    pub(super) fn file(self, version: Version) -> &'static str {
        match (self, version) {
            (Self::Memory, Version::One) => "memory.limit_in_bytes",
            (Self::Memory, Version::Two) => "memory.max",
            (Self::Processes, _) => "pids.max",
            (Self::CpuShare, Version::One) => "cpu.cfs_quota_us",
            (Self::CpuShare, Version::Two) => "cpu.max",
            (Self::CpuTime, Version::One) => "cpuacct.usage",
            (Self::CpuTime, Version::Two) => "cpu.stat",
        }
    }

    /// Its name in a profile.
    pub(super) fn limit_name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::CpuShare => "cpu_share",
            Self::CpuTime => "cpu_time",
        }
    }

    /// Whether these limits need it.
    pub(super) fn is_needed(self, limits: &Resources) -> bool {
        match self {
            Self::Memory => limits.memory.is_some(),
            Self::Processes => limits.processes.is_some(),
            Self::CpuShare => limits.cpu_share.is_some(),
            Self::CpuTime => limits.cpu_time_ms.is_some(),
        }
    }
}

/// The files of one directory that we made.
pub(super) struct Setter<'a> {
    pub(super) files: &'static dyn Files,
    pub(super) directory: &'a Path,
    pub(super) version: Version,
}

impl Setter<'_> {
    /// What a new group with a memory limit needs besides the limit.
    pub(super) fn prepare_memory(&self) -> Result<(), CgroupError> {
        match self.version {
            // A group inherits this, and one without a killer would just stand still.
            Version::One => self.set_if_there("memory.oom_control", "0"),
            Version::Two => self.set_if_there("memory.oom.group", "1"),
        }
    }

    /// Changes the limit of memory and swap together.
    pub(super) fn memory(&self, old: Option<u64>, new: Option<u64>) -> Result<(), CgroupError> {
        let file = Controller::Memory.file(self.version);
        if let Some(bytes) = new.filter(|&bytes| i64::try_from(bytes).is_err()) {
            // The kernel would take it, silently as "no limit".
            return Err(self.refused(file, &bytes.to_string(), Errno::INVAL.into()));
        }
        if self.version == Version::Two {
            self.set_if_there("memory.swap.max", new.map_or("max", |_| "0"))?;
            return self.set(file, &number_or(new, "max"));
        }
        // The limit of memory never exceeds that of memory and swap.
        let value = number_or(new, "-1");
        let swap = "memory.memsw.limit_in_bytes";
        if new.is_none_or(|new| old.is_some_and(|old| new > old)) {
            self.set_if_there(swap, &value)?;
            self.set(file, &value)
        } else {
            self.set(file, &value)?;
            self.set_if_there(swap, &value)
        }
    }

    /// Changes how many processes and threads there may be.
    pub(super) fn processes(&self, new: Option<u64>) -> Result<(), CgroupError> {
        let file = Controller::Processes.file(self.version);
        self.set(file, &number_or(new, "max"))
    }

    /// Changes the share of processor time, in percent of one core.
    pub(super) fn cpu_share(&self, new: Option<u32>) -> Result<(), CgroupError> {
        let quota = new.map(|percent| u64::from(percent) * PERIOD_MICROSECONDS / 100);
        let file = Controller::CpuShare.file(self.version);
        match self.version {
            // The period of a new group is the same there.
            Version::One => self.set(file, &number_or(quota, "-1")),
            Version::Two => {
                let quota = number_or(quota, "max");
                self.set(file, &format!("{quota} {PERIOD_MICROSECONDS}"))
            }
        }
    }

    fn set(&self, file: &str, value: &str) -> Result<(), CgroupError> {
        let written = self.files.write(&self.directory.join(file), value);
        written.map_err(|source| self.refused(file, value, source))
    }

    fn set_if_there(&self, file: &str, value: &str) -> Result<(), CgroupError> {
        match self.files.write(&self.directory.join(file), value) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            written => written.map_err(|source| self.refused(file, value, source)),
        }
    }

    fn refused(&self, file: &str, value: &str, source: io::Error) -> CgroupError {
        CgroupError::Set {
            path: self.directory.join(file),
            value: value.to_owned(),
            source,
        }
    }
}

fn number_or(number: Option<u64>, absent: &str) -> String {
    number.map_or_else(|| absent.to_owned(), |number| number.to_string())
}

const PERIOD_MICROSECONDS: u64 = 100_000;
