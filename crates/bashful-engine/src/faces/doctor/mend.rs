//! What to do about what a host lacks.

use bashful_sandbox::{Host, IdMaps, Possibility};

use super::restrictions::{self, Restriction};

/// How to let sandboxes be built.
pub(super) fn building(restrictions: impl IntoIterator<Item = Restriction>) -> Vec<String> {
    let known = restrictions.into_iter().map(Restriction::mend);
    let mut mend: Vec<String> = known.map(str::to_owned).collect();
    if mend.is_empty() {
        mend.push("let this user make user namespaces and mount in them".to_owned());
    }
    mend
}

/// Whether bubblewrap could build where we cannot. It needs what we need, but that root does
/// without user namespaces there, and that Ubuntu's AppArmor lets it do what others may not.
pub(super) fn bubblewrap_could_help(host: &Host) -> bool {
    let is_let = |possibility| possibility == Possibility::Possible;
    let is_root = rustix::process::geteuid().is_root();
    let namespaces = is_root || is_let(host.user_namespaces);
    let present: Vec<Restriction> = restrictions::present().collect();
    let in_the_way = [Restriction::Container, Restriction::Run];
    if present.iter().any(|one| in_the_way.contains(one)) && !is_let(host.mounts) {
        return false;
    }
    present.contains(&Restriction::AppArmor)
        || namespaces && is_let(host.mounts) && is_let(host.proc)
}

/// How to get a program that may confine where we cannot; nothing where it is there already.
pub(super) fn bubblewrap(host: &Host) -> Option<String> {
    if !bubblewrap_could_help(host) {
        return None;
    }
    let found = bashful_sandbox::find_wrapper(bashful_sandbox::Backend::Bubblewrap);
    let is_missing = matches!(found, Err(bashful_sandbox::WrapperError::Missing { .. }));
    is_missing.then(|| super::programs::install("bubblewrap"))
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
pub(super) fn identity(id_maps: IdMaps) -> Vec<String> {
    let mut mend = vec![
        "run Bashful as an ordinary user".to_owned(),
        "or give the workspace to one: chown -R USER WORKSPACE".to_owned(),
    ];
    if id_maps == IdMaps::Refused {
        mend.push("or keep the workspace on ext4, xfs, btrfs or tmpfs".to_owned());
    }
    mend
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
    fn there_is_always_something_to_do() {
        assert_eq!(building([]).len(), 1);
        assert_eq!(building(Restriction::ALL).len(), Restriction::ALL.len());
    }
}
