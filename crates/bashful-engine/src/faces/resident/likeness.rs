//! Whether a front has exactly the rights of this process.
//!
//! A stand-in does for a front what the front could do itself, and nothing else. A front in another
//! namespace, root directory or control group, with other rights, groups or filters, or under
//! another label is not served: it does its work where and as it is.

use std::io;

use bashful_sandbox::kernel_text;
use rustix::fs::{AtFlags, Mode, OFlags, open, openat, statat};
use rustix::io::Errno;

const NAMESPACES: [&str; 8] = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"];

/// What the kernel says of a process that must be alike.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Likeness {
    /// The executable: the same file has the same version.
    program: (u64, u64),
    root: (u64, u64),
    namespaces: [(u64, u64); NAMESPACES.len()],
    /// Users, groups, capabilities, filters.
    rights: Vec<String>,
    label: String,
    groups: String,
}

/// How a front stands to this process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It may be served, with this umask and these signals ignored, a bit each.
    Alike { umask: u32, ignored: u64 },
    /// It is of another version.
    OtherProgram,
    /// It has other rights, or cannot be looked at.
    Unlike,
}

impl Likeness {
    pub(super) fn own() -> io::Result<Self> {
        Self::of("self").map(|(likeness, _)| likeness)
    }

    /// Compares a process with this one.
    pub(super) fn compare(&self, pid: i32) -> Standing {
        let Ok((other, status)) = Self::of(&pid.to_string()) else {
            return Standing::Unlike;
        };
        if other.program != self.program {
            return Standing::OtherProgram;
        }
        let number = |name: &str, base: u32| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            u64::from_str_radix(line.trim(), base).ok()
        };
        let umask = number("Umask:", 8).and_then(|umask| u32::try_from(umask).ok());
        match (umask, number("SigIgn:", 16)) {
            (Some(umask), Some(ignored)) if other == *self => Standing::Alike { umask, ignored },
            _ => Standing::Unlike,
        }
    }

    fn of(process: &str) -> io::Result<(Self, String)> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let place = open(format!("/proc/{process}"), flags, Mode::empty())?;
        let of_it = openat(&place, "ns", flags, Mode::empty())?;
        let mut namespaces = [(0, 0); NAMESPACES.len()];
        for (place, name) in namespaces.iter_mut().zip(NAMESPACES) {
            *place = match statat(&of_it, name, AtFlags::empty()) {
                // Older kernels do not have all of them.
                Err(Errno::NOENT) => (0, 0),
                found => found.map(|found| (found.st_dev, found.st_ino))?,
            };
        }
        let identity = |name: &str| {
            let found = statat(&place, name, AtFlags::empty())?;
            io::Result::Ok((found.st_dev, found.st_ino))
        };
        let status = kernel_text(format!("/proc/{process}/status"))?;
        let rights = status.lines().filter(|line| {
            let name = line.split(':').next().unwrap_or_default();
            matches!(name, "Uid" | "Gid" | "Groups" | "NoNewPrivs")
                || name.starts_with("Cap")
                || name.starts_with("Seccomp")
        });
        let likeness = Self {
            program: identity("exe")?,
            root: identity("root")?,
            namespaces,
            rights: rights.map(str::to_owned).collect(),
            label: kernel_text(format!("/proc/{process}/attr/current")).unwrap_or_default(),
            groups: kernel_text(format!("/proc/{process}/cgroup")).unwrap_or_default(),
        };
        Ok((likeness, status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_like_itself_and_unlike_others() {
        let own = Likeness::own().unwrap();
        let pid = rustix::process::getpid().as_raw_pid();
        assert!(matches!(own.compare(pid), Standing::Alike { .. }));
        // An ordinary user cannot look at the first process; root finds another program there.
        assert!(!matches!(own.compare(1), Standing::Alike { .. }));
        assert_eq!(own.compare(i32::MAX), Standing::Unlike);
        let mut other = Likeness::own().unwrap();
        other.rights.pop();
        assert_eq!(other.compare(pid), Standing::Unlike);
    }
}
