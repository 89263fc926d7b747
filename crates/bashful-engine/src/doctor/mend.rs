//! What to do about something that is missing.
//!
//! Settings of the kernel are read here, and only here: not to tell what works, but to
//! name the one to change when something does not.

use std::fs;
use std::path::Path;

/// Something that is known to keep sandboxes from being built.
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
}

/// What is known to be in the way on this host.
pub(super) fn restrictions() -> Vec<Restriction> {
    let is =
        |path: &str, value: &str| fs::read_to_string(path).is_ok_and(|text| text.trim() == value);
    let container = ["/.dockerenv", "/run/.containerenv"];
    let all = [
        (
            Restriction::AppArmor,
            is(
                "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
                "1",
            ),
        ),
        (
            Restriction::Switch,
            is("/proc/sys/kernel/unprivileged_userns_clone", "0"),
        ),
        (
            Restriction::Number,
            is("/proc/sys/user/max_user_namespaces", "0"),
        ),
        (
            Restriction::Container,
            container.iter().any(|path| Path::new(path).exists()),
        ),
    ];
    let present = all.into_iter().filter(|(_, present)| *present);
    present.map(|(restriction, _)| restriction).collect()
}

/// How to let sandboxes be built.
pub(super) fn building(restrictions: &[Restriction]) -> Vec<String> {
    let mut mend: Vec<String> = restrictions
        .iter()
        .map(|restriction| {
            match restriction {
                Restriction::AppArmor => {
                    "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
                }
                Restriction::Switch => "sudo sysctl kernel.unprivileged_userns_clone=1",
                Restriction::Number => "sudo sysctl user.max_user_namespaces=15000",
                Restriction::Container => {
                    "start the container with --security-opt seccomp=unconfined \
                     --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
                }
            }
            .to_owned()
        })
        .collect();
    if mend.is_empty() {
        mend.push("let this user make user namespaces and mount in them".to_owned());
    }
    mend
}

/// How to get control groups.
pub(super) fn control_groups(user: u32) -> Vec<String> {
    let run = match user {
        0 => "systemd-run --scope -p Delegate=yes bashful run …",
        _ => "systemd-run --user --scope -p Delegate=yes bashful run …",
    };
    vec![
        run.to_owned(),
        "or log in through systemd, which gives every user a group of their own".to_owned(),
    ]
}

/// How to get a better identity as root.
pub(super) fn identity() -> Vec<String> {
    vec![
        "run Bashful as an ordinary user".to_owned(),
        "or give the workspace to one: chown -R USER WORKSPACE".to_owned(),
        "or keep the workspace on ext4, xfs, btrfs or tmpfs".to_owned(),
    ]
}

/// How to get Landlock.
pub(super) fn landlock(version: u32) -> Vec<String> {
    match version {
        0 => {
            vec!["boot with lsm=landlock,… or use a kernel that has it (5.13 or later)".to_owned()]
        }
        _ => vec!["use Linux 6.12 or later".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_restriction_names_what_to_change() {
        let all = [
            (
                Restriction::AppArmor,
                "kernel.apparmor_restrict_unprivileged_userns=0",
            ),
            (Restriction::Switch, "kernel.unprivileged_userns_clone=1"),
            (Restriction::Number, "user.max_user_namespaces="),
            (Restriction::Container, "--security-opt"),
        ];
        let given: Vec<Restriction> = all.iter().map(|(restriction, _)| *restriction).collect();
        let mended = building(&given);
        assert_eq!(mended.len(), all.len());
        for (mend, (_, words)) in mended.iter().zip(all) {
            assert!(mend.contains(words), "{mend}");
        }
        assert_eq!(building(&[]).len(), 1);
    }
}
