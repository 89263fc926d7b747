//! Programs that pass for one that confines, and are not used.

use std::os::unix::fs::PermissionsExt;

use super::is_root;
use super::runs::{NO_BWRAP, NO_FIREJAIL, ROOT_BY_FIREJAIL, USER_BY_LANDLOCK, check};
use crate::support::{Host, World};

/// What passes for `bwrap` when it is asked what it is, and then does this.
fn pretended(does: &str) -> String {
    let options = "--args --as-pid-1 --bind --cap-drop --clearenv --dev --die-with-parent --perms \
                   --proc --remount-ro --ro-bind --seccomp --unshare-cgroup-try";
    format!(
        "program=/usr/bin/bwrap:case $1 in --version) echo bubblewrap 0.9;; --help) echo {options};; \
         *) {does};; esac"
    )
}

#[test]
fn a_broken_or_strange_bubblewrap_is_not_used() {
    let in_place = |script: &str| format!("program=/usr/bin/bwrap:{script}");
    for bwrap in [
        in_place("exit 1"),
        in_place("echo nonsense; exit 0"),
        in_place("echo 'bubblewrap 0.4 --args --bind --dev --proc --seccomp'"),
        in_place("while :; do :; done"),
        pretended("exit 1"),
        pretended("sleep 60"),
        // Hollow: what it is to confine runs, and is not confined.
        pretended("while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\""),
        pretended("while [ \"$1\" != -- ]; do shift; done; shift; \"$@\""),
        "setuid-program=/usr/bin/bwrap".to_owned(),
    ] {
        let expected = if is_root() {
            ROOT_BY_FIREJAIL
        } else {
            USER_BY_LANDLOCK
        };
        check(&["no-user-namespaces".to_owned(), bwrap], expected);
    }
}

#[test]
fn a_program_on_path_is_not_what_confines() {
    let world = World::new();
    let place = world.path("home/bin");
    std::fs::create_dir(&place).unwrap();
    for name in ["bwrap", "firejail"] {
        let path = place.join(name);
        let script = format!("#!/bin/sh\ntouch {}/called\nexit 1\n", place.display());
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let host = Host::with(&["no-user-namespaces", NO_BWRAP, NO_FIREJAIL]);
    let mut command = world.run_command(&["--json", "echo ran"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", place.display()));
    let (_, told) = host.end(&command).json();
    let message = told["error"]["message"].as_str().unwrap();
    assert!(message.contains("backend landlock "), "{told}");
    assert!(!place.join("called").exists());
}
