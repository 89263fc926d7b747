//! What a simulated host lacks is gone there, and is there on the real one.

use std::fs;

use super::is_root;
use crate::support::{Host, World};

/// This host, through the same door.
fn real() -> Host {
    Host::with::<&str>(&[])
}

/// Whether this text of bash succeeds on a host.
fn succeeds(host: &Host, world: &World, text: &str) -> bool {
    host.bash(world, text).code == 0
}

/// A command that works here, and does not with this feature.
const GONE: [(&str, &str); 11] = [
    ("no-user-namespaces", "unshare -U true"),
    ("no-user-namespaces=ENOSPC", "unshare -U true"),
    ("no-namespaces", "unshare -U true"),
    ("no-mounts", "unshare -Urm mount -t tmpfs none /mnt"),
    ("masked-proc", "unshare -Urpf --mount-proc true"),
    ("no-cgroups", "[[ -n $(ls /sys/fs/cgroup) ]]"),
    ("no-program=/usr/bin/bwrap", "bwrap --version"),
    ("program=/usr/bin/bwrap:exit 3", "bwrap --version"),
    ("no-program=/usr/bin/firejail", "[[ -f /usr/bin/firejail ]]"),
    ("ubuntu", "unshare -Urm true"),
    ("docker", "unshare -U true"),
];

#[test]
fn what_is_taken_away_is_there_on_the_real_host_only() {
    let world = World::new();
    for (feature, text) in GONE {
        assert!(succeeds(&real(), &world, text), "{text} fails on this host");
        let lacking = Host::with(&[feature]);
        assert!(!succeeds(&lacking, &world, text), "{feature}: {text}");
    }
}

/// Prints the version of Landlock, and what becomes of rulesets with the rights and scopes of
/// versions 1, 2, 3, 5 and 6.
const LANDLOCK: &str = r#"/usr/bin/python3 -I -c '
import ctypes, struct
call = ctypes.CDLL(None, use_errno=True).syscall
print(call(444, None, 0, 1), end="")
for attribute in (0x1fff,), (0x3fff,), (0x7fff,), (0xffff,), (1, 0, 1):
    bytes = struct.pack("Q" * len(attribute), *attribute)
    print(" -" if call(444, bytes, len(bytes), 0) < 0 else " +", end="")
'"#;

#[test]
fn landlock_is_as_old_as_it_says() {
    let world = World::new();
    let told = |features: &[&str]| Host::with(features).bash(&world, LANDLOCK).stdout;
    let here = told(&[]);
    let (version, rulesets) = here.split_once(' ').unwrap();
    assert!(
        version.parse::<u32>().unwrap() >= 6,
        "Landlock is {version}"
    );
    assert_eq!(rulesets, "+ + + + +");
    assert_eq!(told(&["landlock=1"]), "1 + - - - -");
    assert_eq!(told(&["landlock=4"]), "4 + + + - -");
    assert_eq!(told(&["landlock=5"]), "5 + + + + -");
    assert_eq!(told(&["landlock=6"]), "6 + + + + +");
    assert_eq!(told(&["no-landlock"]), "-1 - - - - -");
    assert_eq!(told(&["no-landlock=EOPNOTSUPP"]), "-1 - - - - -");
}

#[test]
fn settings_are_what_they_are_said_to_be() {
    let world = World::new();
    for name in ["user/max_user_namespaces", "kernel/a_setting_of_tomorrow"] {
        let host = Host::with(&[format!("sysctl={name}:17")]);
        let told = host.bash(
            &world,
            &format!("cat /proc/sys/{name} /proc/sys/kernel/ostype"),
        );
        assert_eq!(told.stdout, "17\nLinux\n", "{name}");
    }
}

#[test]
fn files_are_on_an_overlay_and_changes_go_with_the_host() {
    let world = World::new();
    world.write("before", "kept");
    let text = "stat -f -c %T . && cat before && echo changed > before && echo new > new";
    let told = Host::with(&["overlay-root"]).bash(&world, text);
    assert_eq!((told.code, told.stdout.as_str()), (0, "overlayfs\nkept"));
    assert_eq!(world.read("before"), "kept");
    assert!(!world.workspace().join("new").exists());
}

#[test]
fn nothing_executes_where_it_must_not() {
    let world = World::new();
    let text = "cp /bin/true ours && ./ours";
    assert!(succeeds(&real(), &world, text));
    let workspace = world.workspace();
    let host = Host::with(&[format!("noexec={}", workspace.display())]);
    assert_eq!(host.bash(&world, text).code, 126);
}

#[test]
fn a_container_has_no_more_rights_than_containers_have() {
    let world = World::new();
    let text = "grep CapEff /proc/self/status; (echo x > /proc/sys/kernel/hostname) || echo kept; \
                mkdir /sys/fs/cgroup/*/ours || echo kept";
    let told = Host::with(&["docker"]).bash(&world, text);
    let rights = if is_root() { "a80425fb" } else { "00000000" };
    assert_eq!(
        told.stdout,
        format!("CapEff:\t00000000{rights}\nkept\nkept\n")
    );
}

#[test]
fn the_real_host_stays_as_it_is() {
    let world = World::new();
    let here = world.path("").display().to_string();
    // Other processes may mount meanwhile. What these hosts mount has this source, or is here.
    let mounts = || -> Vec<String> {
        let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let ours =
            |line: &&str| line.contains(" host ") || line.contains(here.trim_end_matches('/'));
        table.lines().filter(ours).map(str::to_owned).collect()
    };
    for feature in [
        "docker",
        "ubuntu",
        "masked-proc",
        "no-cgroups",
        "landlock=3",
    ] {
        let told = Host::with(&[feature]).bash(&world, "echo; id -u");
        let user = rustix::process::geteuid().as_raw();
        assert_eq!(told.stdout, format!("\n{user}\n"), "{feature}");
    }
    assert_eq!(mounts(), Vec::<String>::new());
}

#[test]
fn a_feature_that_nobody_knows_starts_nothing() {
    let world = World::new();
    let mut command = world.program("touch");
    command.arg("made");
    let host = Host::with(&["no-such-thing"]);
    let ended = crate::support::Running::start(host.on(&command)).end();
    assert_eq!(ended.code, 99);
    assert!(!world.workspace().join("made").exists());
}
