//! What the doctor says about a host with parts missing, and what mends it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};

use super::is_root;
use crate::support::{Host, World};

/// The finding of this name in a part of a diagnosis.
fn finding<'a>(told: &'a Value, part: &str, name: &str) -> &'a Value {
    let all = told[part].as_array().unwrap();
    let found = all.iter().find(|finding| finding["name"] == name);
    found.unwrap_or_else(|| panic!("no {part} {name} in {told}"))
}

fn state<'a>(told: &'a Value, part: &str, name: &str) -> &'a str {
    finding(told, part, name)["state"].as_str().unwrap()
}

/// All commands that mend a finding, or what is missing.
fn mends(of: &Value) -> String {
    let all = of["mend"].as_array().cloned().unwrap_or_default();
    let all: Vec<&str> = all.iter().map(|mend| mend.as_str().unwrap()).collect();
    all.join("\n")
}

/// What is missing under this name.
fn missing<'a>(told: &'a Value, what: &str) -> &'a Value {
    let all = told["missing"].as_array().unwrap();
    let found = all.iter().find(|missing| missing["what"] == what);
    found.unwrap_or_else(|| panic!("{what} is not missing in {told}"))
}

/// Hosts on which Bashful's own sandbox cannot be built, what is told of them, and what mends them.
const UNWELL: [(&[&str], &str, &str); 6] = [
    (&["no-filters"], "seccomp", ""),
    (&["docker", "no-landlock"], "landlock", ""),
    (&["no-mounts"], "mounts", ""),
    (
        &["ubuntu"],
        "apparmor",
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        &["sysctl=user/max_user_namespaces:0", "no-namespaces"],
        "max_user_namespaces",
        "sysctl user.max_user_namespaces=",
    ),
    (
        &["docker"],
        "container",
        "--security-opt seccomp=unconfined",
    ),
];

#[test]
fn what_keeps_sandboxes_from_being_built_is_named_with_what_mends_it() {
    for (features, name, mend) in UNWELL {
        let world = World::new();
        let (code, told) = Host::with(features).doctor(&world, &[]);
        assert_eq!(
            (code, &told["ok"]),
            (1, &json!(false)),
            "{features:?}: {told}"
        );
        // Landlock alone stands in where it can, and the profile needs more.
        let stands_in = !features.contains(&"no-filters") && !features.contains(&"no-landlock");
        let (expected, files) = if stands_in {
            ("weak", "partial")
        } else {
            ("failed", "none")
        };
        assert_eq!(state(&told, "host", "sandbox"), expected, "{features:?}");
        assert_eq!(state(&told, "used", "backend"), expected, "{features:?}");
        assert_eq!(told["enforcement"]["filesystem"], files, "{features:?}");
        if stands_in {
            assert_eq!(state(&told, "used", "profile"), "failed", "{features:?}");
            let advice = mends(finding(&told, "used", "profile"));
            assert!(advice.contains("`filesystem`, `processes`"), "{told}");
        }
        assert_eq!(state(&told, "backends", "native"), "failed", "{features:?}");
        assert_ne!(state(&told, "host", name), "ok", "{features:?}: {told}");
        let all = mends(missing(&told, "sandbox"));
        assert!(!all.is_empty() && all.contains(mend), "{features:?}: {all}");
        assert!(
            mends(finding(&told, "host", name)).contains(mend),
            "{features:?}"
        );
    }
}

#[test]
fn user_namespaces_that_cannot_be_made_are_told() {
    let world = World::new();
    let (code, told) = Host::with(&["no-user-namespaces"]).doctor(&world, &[]);
    assert_eq!(state(&told, "host", "user_namespaces"), "weak");
    let words = finding(&told, "host", "user_namespaces")["words"].as_str();
    assert!(words.unwrap().contains("Operation not permitted"), "{told}");
    // Even root needs one, to show its own files as another user's.
    assert_eq!(code, 1, "{told}");
    let by = if is_root() { "bubblewrap" } else { "landlock" };
    assert_eq!(state(&told, "used", "backend"), "weak");
    assert_eq!(told["enforcement"]["backend"], by, "{told}");
    assert_eq!(state(&told, "backends", by), "weak", "{told}");
}

#[test]
fn what_a_profile_can_do_without_is_no_reason_to_be_unwell() {
    let world = World::new();
    world.configure(
        "[profile.default]\noptional = ['filesystem', 'processes', 'resources', 'identity']\n",
    );
    let (code, told) = Host::with(&["no-namespaces"]).doctor(&world, &[]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(told["enforcement"]["backend"], "landlock");
    assert_eq!(state(&told, "checks", "processes"), "weak", "{told}");
    for name in ["files", "system", "network", "calls"] {
        assert_eq!(state(&told, "checks", name), "ok", "{told}");
    }
}

/// Firejail serves no users of the system, such as `nobody`; that is told in its words.
fn is_refused_firejail(told: &Value) -> bool {
    let words = told["words"].as_str().unwrap();
    !is_root() && words.contains("not allowed to use Firejail")
}

#[test]
fn every_backend_is_told_with_what_it_enforces() {
    let world = World::new();
    let (code, told) = Host::with::<&str>(&[]).doctor(&world, &[]);
    assert_eq!(code, 0, "{told}");
    // This machine has them all, and they are used.
    for (name, files) in [
        ("native", "full"),
        ("bubblewrap", "full"),
        ("firejail", "partial"),
        ("landlock", "partial"),
    ] {
        let offer = finding(&told, "backends", name);
        if name == "firejail" && is_refused_firejail(offer) {
            continue;
        }
        assert_eq!(offer["enforcement"]["filesystem"], files, "{told}");
        assert_eq!(offer["enforcement"]["network"], "full", "{told}");
    }
    assert_eq!(told["enforcement"]["backend"], "native");
    world.configure("sandbox = 'bubblewrap'\n");
    let (code, told) = Host::with::<&str>(&[]).doctor(&world, &[]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(told["enforcement"]["backend"], "bubblewrap");
    let words = finding(&told, "used", "backend")["words"].as_str();
    assert!(words.unwrap().contains("bubblewrap"), "{told}");
    let version = finding(&told, "programs", "bwrap")["words"].as_str();
    assert!(version.unwrap().contains("(bubblewrap "), "{told}");
}

#[test]
fn a_masked_proc_matters_to_ordinary_users() {
    let world = World::new();
    let (code, told) = Host::with(&["masked-proc"]).doctor(&world, &[]);
    let (expected, told_state) = if is_root() { (0, "ok") } else { (1, "weak") };
    assert_eq!(
        (code, state(&told, "host", "proc")),
        (expected, told_state),
        "{told}"
    );
}

#[test]
fn landlock_is_told_as_it_is() {
    let world = World::new();
    for (feature, told_state) in [
        ("no-landlock", "failed"),
        ("landlock=3", "weak"),
        ("landlock=6", "ok"),
    ] {
        let (code, told) = Host::with(&[feature]).doctor(&world, &[]);
        assert_eq!(
            (code, state(&told, "host", "landlock")),
            (0, told_state),
            "{told}"
        );
        if told_state != "ok" {
            assert!(mends(missing(&told, "network")).contains("kernel") || feature == "landlock=3");
            assert!(!mends(missing(&told, "network")).is_empty());
        }
    }
}

#[test]
fn control_groups_that_cannot_be_made_are_told() {
    for feature in ["no-cgroups", "read-only-cgroups"] {
        let world = World::new();
        let (code, told) = Host::with(&[feature]).doctor(&world, &[]);
        assert_eq!(
            (code, state(&told, "host", "memory")),
            (0, "weak"),
            "{told}"
        );
        assert_eq!(told["enforcement"]["resources"], "partial");
        assert!(mends(missing(&told, "resources")).contains("systemd-run"));
    }
}

#[test]
fn what_stands_between_a_run_and_root_is_told() {
    let world = World::new();
    let (code, told) = Host::with(&["overlay-root"]).doctor(&world, &[]);
    assert_eq!(code, 0, "{told}");
    if is_root() {
        assert_eq!(state(&told, "host", "id_maps"), "weak");
        assert_eq!(told["enforcement"]["identity"], "partial");
        assert!(!mends(missing(&told, "identity")).is_empty());
    }
}

#[test]
fn what_was_found_outside_is_not_believed_inside() {
    let world = World::new();
    let remembered = |told: &Value| told["remembered"].clone();
    let here = Host::with::<&str>(&[]);
    assert_eq!(remembered(&here.doctor(&world, &[]).1), json!(false));
    assert_eq!(remembered(&here.doctor(&world, &[]).1), json!(true));
    for features in [["no-mounts"], ["no-namespaces"], ["docker"]] {
        let (code, told) = Host::with(&features).doctor(&world, &[]);
        assert_eq!((code, remembered(&told)), (1, json!(false)), "{features:?}");
    }
    assert_eq!(remembered(&here.doctor(&world, &[]).1), json!(true));
}

#[test]
fn programs_are_there_or_can_be_installed() {
    let world = World::new();
    let told = |features: &[&str]| Host::with(features).doctor(&world, &[]).1;
    let here = told(&[]);
    for name in ["bash", "git", "shellcheck", "bwrap"] {
        assert_eq!(state(&here, "programs", name), "ok", "{here}");
    }
    let firejail = finding(&here, "programs", "firejail");
    assert!(
        firejail["state"] == "ok" || is_refused_firejail(firejail),
        "{here}"
    );
    let without = told(&["no-program=/usr/bin/shellcheck"]);
    assert_eq!(state(&without, "programs", "shellcheck"), "weak");
    assert!(mends(finding(&without, "programs", "shellcheck")).contains("shellcheck"));
    // What is not needed need not be installed.
    let without = told(&["no-program=/usr/bin/bwrap"]);
    assert_eq!(state(&without, "programs", "bwrap"), "ok");
    // Nor what would not help.
    let without = told(&["no-program=/usr/bin/bwrap", "no-mounts"]);
    assert_eq!(state(&without, "programs", "bwrap"), "ok");
    if is_root() {
        let without = told(&["no-program=/usr/bin/bwrap", "no-user-namespaces"]);
        assert_eq!(state(&without, "programs", "bwrap"), "weak", "{without}");
        assert!(mends(finding(&without, "programs", "bwrap")).contains("bubblewrap"));
    }
}

#[test]
fn directories_that_others_can_enter_are_told_and_mended() {
    let world = World::new();
    let state_directory = world.state();
    fs::create_dir(&state_directory).unwrap();
    let mode = |mode| fs::set_permissions(&state_directory, fs::Permissions::from_mode(mode));
    let told = || world.call(&["doctor", "--json"]).json();
    mode(0o777).unwrap();
    let (code, unwell) = told();
    assert_eq!(
        (code, state(&unwell, "places", "state")),
        (1, "failed"),
        "{unwell}"
    );
    assert!(mends(finding(&unwell, "places", "state")).contains("chmod 700 "));
    mode(0o755).unwrap();
    let (code, weak) = told();
    assert_eq!(
        (code, state(&weak, "places", "state")),
        (0, "weak"),
        "{weak}"
    );
    let (_, repaired) = world.call(&["doctor", "--repair", "--json"]).json();
    assert_eq!(repaired["closed"], json!([state_directory]));
    assert_eq!(state(&told().1, "places", "state"), "ok");
}

#[test]
fn what_a_dead_keeper_left_is_told_and_taken_away() {
    let world = World::new();
    let runtime = world.path("run/bashful");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).unwrap();
    let socket = runtime.join("dead.sock");
    drop(UnixListener::bind(&socket).unwrap());
    let told = || world.call(&["doctor", "--json"]).json().1;
    assert_eq!(state(&told(), "places", "keepers"), "weak");
    let (_, repaired) = world.call(&["doctor", "--repair", "--json"]).json();
    assert_eq!(repaired["removed_sockets"], json!([socket]));
    assert_eq!(state(&told(), "places", "keepers"), "ok");
}

#[test]
fn a_configuration_that_cannot_be_read_is_told() {
    let world = World::new();
    world.configure("sandbox = \"none\"\n");
    let told = || world.call(&["doctor", "--json"]).json();
    let (code, without) = told();
    assert_eq!(
        (code, state(&without, "used", "backend")),
        (0, "weak"),
        "{without}"
    );
    world.configure("no such thing\n");
    let (code, unread) = told();
    assert_eq!(
        (code, state(&unread, "used", "configuration")),
        (1, "failed"),
        "{unread}"
    );
    let people = world.call(&["doctor"]);
    assert!(
        people
            .stdout
            .ends_with("✗ Nothing can run until what is marked ✗ above is fixed\n")
    );
}

#[test]
fn clients_are_told_with_what_sets_them_up() {
    let world = World::new();
    let told = || world.call(&["doctor", "--json"]).json();
    fs::create_dir(world.path("home/.codex")).unwrap();
    let (code, found) = told();
    assert_eq!(
        (code, state(&found, "clients", "codex")),
        (0, "weak"),
        "{found}"
    );
    assert_eq!(
        mends(finding(&found, "clients", "codex")),
        "bashful mcp install codex"
    );
    let set_up = world.call(&["mcp", "install", "codex", "--yes"]);
    assert_eq!(set_up.code, 0, "{set_up:?}");
    assert_eq!(state(&told().1, "clients", "codex"), "ok");
}
