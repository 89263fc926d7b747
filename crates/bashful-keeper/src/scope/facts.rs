//! What counts for where a keeper lives, read from files that need no rights.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::decide::{PREFIX, USER_SLICE};
use super::logind;

/// The facts that decide where a keeper lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and all combinations exist"
)]
pub(super) struct Facts {
    /// systemd is the first process, here and not only outside.
    pub(super) systemd: bool,
    pub(super) is_root: bool,
    /// The unit that this process is in.
    pub(super) place: Place,
    /// The unit, or a slice that would be left with it, limits memory or processor.
    pub(super) limited: bool,
    /// The user's manager stays when the user is logged out.
    pub(super) lingers: bool,
    /// A logout kills what is left in the session.
    pub(super) kills: bool,
}

/// Which kind of unit a process is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A scope of a keeper.
    Keeper,
    /// The scope of a login session, `session-….scope`.
    Session,
    /// A unit of the user's manager.
    UserManager,
    /// A service of the system, or a scope.
    Service,
    /// No unit that systemd would stop, such as `init.scope`, or none that can be seen.
    Elsewhere,
}

impl Facts {
    pub(super) fn look() -> Self {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let user = geteuid();
        Self {
            systemd: is_booted(),
            is_root: user.is_root(),
            place: Place::of(&groups),
            limited: is_limited(&groups, Path::new("/sys/fs/cgroup"), user.as_raw()),
            lingers: !user.is_root() && logind::lingers(user.as_raw()),
            kills: logind::kills(user.is_root()),
        }
    }
}

/// Whether systemd is the first process of this process namespace. In a room, and in any
/// container without its own systemd, it is not, whatever of the host is visible there.
pub(super) fn is_booted() -> bool {
    Path::new("/run/systemd/system").is_dir()
        && fs::read("/proc/1/comm").is_ok_and(|name| name == b"systemd\n")
}

/// The group that systemd knows a process by, from the text of `/proc/PID/cgroup`.
fn managed(groups: &str) -> Option<&str> {
    let path = |start: &str| {
        let mut lines = groups.lines();
        lines.find_map(|line| line.split_once(':')?.1.strip_prefix(start))
    };
    path("name=systemd:")
        .or_else(|| path(":"))
        // One with dots is outside the control group namespace.
        .filter(|path| path.starts_with('/') && !path.split('/').any(|part| part == ".."))
}

/// The names of all units in that group's path, the innermost last.
pub(super) fn units(groups: &str) -> impl Iterator<Item = &str> {
    managed(groups).into_iter().flat_map(|path| path.split('/'))
}

impl Place {
    pub(super) fn of(groups: &str) -> Self {
        let has = |start: &str, end: &str| {
            units(groups).any(|unit| unit.starts_with(start) && unit.ends_with(end))
        };
        if has(PREFIX, ".scope") {
            Self::Keeper
        } else if has("user@", ".service") {
            Self::UserManager
        } else if has("session-", ".scope") {
            Self::Session
        } else if units(groups).any(|unit| unit == "init.scope") {
            Self::Elsewhere
        } else if has("", ".service") || has("", ".scope") {
            Self::Service
        } else {
            Self::Elsewhere
        }
    }
}

/// Files that limit a group, and what says that they do not.
const LIMITS: [(&str, &str, &str); 6] = [
    ("", "memory.max", "max"),
    ("", "memory.high", "max"),
    ("", "memory.swap.max", "max"),
    ("", "cpu.max", "max"),
    ("memory", "memory.limit_in_bytes", "9223372036854771712"),
    ("cpu", "cpu.cfs_quota_us", "-1"),
];

/// Whether a limit would be left behind by going to where scopes of keepers are.
pub(super) fn is_limited(groups: &str, mounted: &Path, user: u32) -> bool {
    let Some(path) = managed(groups) else {
        return false;
    };
    let target = if user == 0 {
        PathBuf::from("/system.slice")
    } else {
        let slice = format!("/user.slice/user-{user}.slice/user@{user}.service");
        Path::new(&slice).join(USER_SLICE)
    };
    let left = Path::new(path)
        .ancestors()
        .filter(|group| !target.starts_with(group));
    left.flat_map(|group| LIMITS.map(|limit| (group, limit)))
        .any(|(group, (hierarchy, file, none))| {
            let group = group.strip_prefix("/").unwrap_or(group);
            let value = fs::read_to_string(mounted.join(hierarchy).join(group).join(file));
            value.is_ok_and(|value| !value.starts_with(none))
        })
}
