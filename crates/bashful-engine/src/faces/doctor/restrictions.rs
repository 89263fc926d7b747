//! Settings that are known to keep sandboxes from being built.
//!
//! They are read here, and only here: not to tell what works, but to name the one to change when
//! a sandbox cannot be built.

use std::fs;
use std::path::Path;

use bashful_sandbox::Mark;

/// What is known to keep sandboxes from being built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restriction {
    /// Ubuntu's AppArmor takes the rights away that a user namespace gives.
    AppArmor,
    /// Debian's switch is off.
    Switch,
    /// Their number is limited to none.
    Number,
    /// A container's own filter refuses.
    Container,
    /// This process is in a run of ours, which refuses.
    Run,
}

/// The settings by name, with the value that restricts.
const SETTINGS: [(Restriction, &str, &str); 3] = [
    (
        Restriction::AppArmor,
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
    ),
    (
        Restriction::Switch,
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
    ),
    (
        Restriction::Number,
        "/proc/sys/user/max_user_namespaces",
        "0",
    ),
];

/// What tells a container.
const CONTAINER: [&str; 2] = ["/.dockerenv", "/run/.containerenv"];

/// What is known to be in the way on this host.
pub(super) fn present() -> impl Iterator<Item = Restriction> {
    let is =
        |path: &str, value: &str| fs::read_to_string(path).is_ok_and(|text| text.trim() == value);
    let settings = SETTINGS
        .into_iter()
        .filter(move |(_, path, value)| is(path, value))
        .map(|(restriction, ..)| restriction);
    let contained = CONTAINER.iter().any(|path| Path::new(path).exists());
    let pid = rustix::process::getpid().as_raw_pid();
    let run = Mark::of(pid).is_some_and(Mark::is_set);
    settings
        .chain(contained.then_some(Restriction::Container))
        .chain(run.then_some(Restriction::Run))
}

impl Restriction {
    #[cfg(test)]
    pub(super) const ALL: [Self; 5] = [
        Self::AppArmor,
        Self::Switch,
        Self::Number,
        Self::Container,
        Self::Run,
    ];

    /// Its name among findings.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AppArmor => "apparmor",
            Self::Switch => "userns_clone",
            Self::Number => "max_user_namespaces",
            Self::Container => "container",
            Self::Run => "run",
        }
    }

    /// What it means.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::AppArmor => {
                "AppArmor takes the rights away that a user namespace gives to an ordinary user"
            }
            Self::Switch => {
                "ordinary users may not make user namespaces (unprivileged_userns_clone)"
            }
            Self::Number => "no user namespace may be made (max_user_namespaces is 0)",
            Self::Container => "this is a container, whose own filter and mounts come first",
            Self::Run => "this is a run of Bashful, in which no other sandbox is built",
        }
    }

    /// What takes it away.
    pub(super) fn mend(self) -> &'static str {
        match self {
            Self::AppArmor => "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
            Self::Switch => "sudo sysctl kernel.unprivileged_userns_clone=1",
            Self::Number => "sudo sysctl user.max_user_namespaces=15000",
            Self::Container => {
                "start the container with --security-opt seccomp=unconfined \
                 --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
            }
            Self::Run => {
                "change this outside: the caller that starts a run says what it may do (`--read`, `--write`)"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_restriction_names_what_to_change() {
        let words = [
            "kernel.apparmor_restrict_unprivileged_userns=0",
            "kernel.unprivileged_userns_clone=1",
            "user.max_user_namespaces=",
            "--security-opt",
            "outside",
        ];
        for (restriction, words) in Restriction::ALL.into_iter().zip(words) {
            assert!(restriction.mend().contains(words), "{restriction:?}");
            assert!(!restriction.words().is_empty());
        }
    }
}
