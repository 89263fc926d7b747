//! Places that cannot be used: closed doors, full disks, no bash.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::geteuid;
use serde_json::json;

use crate::support::{Outcome, Running, World, binary, ran};

/// A script in a mount namespace of its own, where we may mount; as root or as an
/// ordinary user. `$1` is the executable.
fn with_mounts(world: &World, script: &str) -> Outcome {
    let mut command = world.program("unshare");
    if geteuid().is_root() {
        command.arg("-m");
    } else {
        command.args(["-U", "-r", "-m"]);
    }
    command.args(["bash", "-c", script, "bash"]).arg(binary());
    command.env("STATE", world.path("state"));
    Running::start(command).end().outcome()
}

fn close(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
}

fn open(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn unreadable_cwd() {
    let world = World::new();
    let inner = world.workspace().join("closed");
    fs::create_dir_all(inner.join("below")).unwrap();
    close(&inner);
    // Root enters every directory, so there root gives its rights up.
    let mut command = if geteuid().is_root() {
        let mut command = world.program("setpriv");
        command
            .args(["--bounding-set=-all", "--inh-caps=-all"])
            .arg(binary());
        command
    } else {
        world.program(binary())
    };
    command.args([
        "run",
        "--json",
        "--workspace",
        ".",
        "--cwd",
        "closed",
        "touch ran",
    ]);
    let outcome = Running::start(command).end().outcome();
    open(&inner);
    let (code, error) = outcome.json();
    let found = json!([code, error["error"]["kind"]]);
    assert_eq!(found, json!([2, "unreadable_directory"]), "{error}");
    assert!(!world.state().join("tasks").exists());
}

#[test]
fn unwritable_log() {
    let world = World::new();
    fs::create_dir(world.workspace().join("directory")).unwrap();
    for log in ["missing/log", "directory"] {
        let (code, error) = world.json(&["--log", log, "touch ran"]);
        let found = json!([code, error["error"]["kind"]]);
        assert_eq!(found, json!([2, "unwritable_log"]), "{log}");
    }
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn log_that_is_a_pipe_without_a_reader() {
    let world = World::new();
    let made = world.program("mkfifo").arg("pipe").status().unwrap();
    assert!(made.success());
    let (code, error) = world.json(&["--log", "pipe", "touch ran"]);
    let found = json!([code, error["error"]["kind"]]);
    assert_eq!(found, json!([2, "unwritable_log"]));
}

#[test]
fn state_directory_that_is_a_file() {
    let world = World::new();
    fs::write(world.state(), "in the way").unwrap();
    let outcome = world.run(&["touch ran"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (125, ""));
    assert!(outcome.stderr.contains("cannot write to"), "{outcome:?}");
    assert!(outcome.stderr.contains("XDG_STATE_HOME"), "{outcome:?}");
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn state_directory_on_a_read_only_disk() {
    let world = World::new();
    let script = "mount -t tmpfs -o ro none \"$STATE\" || exit 99
        \"$1\" run --json 'touch ran'";
    let outcome = with_mounts(&world, script);
    let (code, error) = outcome.json();
    assert_eq!(json!([code, error["status"]]), json!([125, "broken"]));
    assert!(outcome.stderr.contains("cannot write to"), "{outcome:?}");
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn full_disk_before_the_start() {
    let world = World::new();
    let script = "mount -t tmpfs -o size=16k none \"$STATE\" || exit 99
        head -c 100000 /dev/zero >\"$STATE/fill\" 2>/dev/null
        \"$1\" run --json 'touch ran'
        code=$?; ls \"$STATE/bashful/tasks\" >left; exit $code";
    let outcome = with_mounts(&world, script);
    let (code, error) = outcome.json();
    assert_eq!(json!([code, error["status"]]), json!([125, "broken"]));
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("no space is left for"), "{outcome:?}");
    assert!(outcome.stderr.contains("free some space"), "{outcome:?}");
    // Nothing ran, so no task is on record.
    assert_eq!(world.read("left"), "");
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn full_disk_during_the_run() {
    let world = World::new();
    let script = "mount -t tmpfs -o size=256k none \"$STATE\" || exit 99
        \"$1\" run --json 'seq 1 200000; touch went-on; exit 3'";
    let (code, result) = with_mounts(&world, script).json();
    let found = json!([
        code,
        result["exit_code"],
        result["log_end"],
        result["truncated"]
    ]);
    assert_eq!(found, json!([3, 3, "write_failed", true]));
    assert_eq!(result["stdout_bytes"], 1_288_895);
    assert!(world.workspace().join("went-on").exists());
}

#[test]
fn a_full_disk_spoils_no_record() {
    let world = World::new();
    // Each question is a record; those that find no room must leave some for the last.
    let script = "mount -t tmpfs -o size=512k none \"$STATE\" || exit 99
        asks='for i in 1 2 3 4 5 6 7 8 9 10; do read -s -t 0.6 -p \"Password $i: \" x; done; exit 3'
        id=$(\"$1\" run --background --tty \"$asks\") || exit 98
        log=$STATE/bashful/tasks/$id/out.log
        for i in $(seq 1 100); do [ -s \"$log\" ] && break; sleep 0.05; done
        head -c 1000000 /dev/zero >\"$STATE/fill\" 2>/dev/null
        \"$1\" wait \"$id\" >/dev/null; echo \"waited $?\" >&2
        rm \"$STATE/fill\"
        \"$1\" tasks show --json \"$id\"";
    let outcome = with_mounts(&world, script);
    let (code, told) = outcome.json();
    let task = &told["task"];
    let found = json!([code, task["state"], task["exit_code"]]);
    assert_eq!(found, json!([0, "finished", 3]), "{outcome:?}");
    assert!(outcome.stderr.contains("waited 3"), "{outcome:?}");
}

#[test]
fn full_disk_during_the_run_is_told_to_a_person() {
    let world = World::new();
    let script = "mount -t tmpfs -o size=256k none \"$STATE\" || exit 99
        \"$1\" run 'seq 1 200000'";
    let outcome = with_mounts(&world, script);
    assert_eq!(outcome.code, 125, "{}", outcome.stderr);
    assert!(outcome.stdout.starts_with("1\n2\n3\n"));
    for told in [
        "the log could not be written in full",
        "it ran and ended with 0",
        "free some space",
    ] {
        assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    }
}

#[test]
fn an_end_that_cannot_be_recorded_is_told_with_what_it_was() {
    // The state directory takes nothing more while the command runs.
    let script = "mount -t tmpfs none \"$STATE\" || exit 99
        (
            until [ -e begun ]; do sleep 0.02; done
            mount --bind \"$STATE\" \"$STATE\" && mount -o remount,bind,ro \"$STATE\" && touch go
        ) &
        \"$1\" run $FLAGS 'touch begun; until [ -e go ]; do sleep 0.02; done; exit 3'";
    let told = |flags: &str| {
        let world = World::new();
        with_mounts(&world, &script.replace("$FLAGS", flags))
    };
    let (code, result) = told("--json").json();
    let found = json!([code, result["exit_code"], result["unrecorded"]]);
    assert_eq!(found, json!([3, 3, true]), "{result}");
    let outcome = told("");
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let words = "it ran, but its end could not be recorded";
    assert!(outcome.stderr.contains(words), "{outcome:?}");
    // Where it can be recorded, nothing is said.
    let (_, result) = World::new().json(&["exit 3"]);
    assert_eq!(result.get("unrecorded"), None, "{result}");
}

#[test]
fn no_bash_on_the_path() {
    let world = World::new();
    let empty = world.path("empty");
    fs::create_dir(&empty).unwrap();
    let mut command = world.run_command(&["--json", "touch ran"]);
    command.env("PATH", &empty);
    let outcome = Running::start(command).end().outcome();
    let (code, error) = outcome.json();
    assert_eq!(json!([code, error["status"]]), json!([125, "broken"]));
    let message = format!("cannot find `bash` on PATH (`{}`)", empty.display());
    assert_eq!(error["error"]["message"], message);
    assert!(outcome.stderr.contains("install bash"), "{outcome:?}");
}

#[test]
fn a_bash_that_is_no_program_is_none() {
    let world = World::new();
    let directory = world.path("programs");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("bash"), "not a program").unwrap();
    let mut command = world.run_command(&["true"]);
    command.env("PATH", &directory);
    let outcome = Running::start(command).end().outcome();
    assert_eq!(outcome.code, 125);
    assert!(outcome.stderr.contains("cannot find `bash`"), "{outcome:?}");
}

#[test]
fn nowhere_to_keep_state() {
    let world = World::new();
    let mut command = world.run_command(&["touch ran"]);
    for name in ["HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    let outcome = Running::start(command).end().outcome();
    assert_eq!(outcome.code, 125);
    assert!(
        outcome.stderr.contains("cannot tell where to keep state"),
        "{outcome:?}"
    );
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn a_runtime_directory_that_others_can_enter_is_not_used() {
    let world = World::new();
    let runtime = world.path("run");
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(
        world.run(&["--session", "s", "echo hi"]),
        ran(0, "hi\n", "")
    );
    assert_eq!(fs::read_dir(&runtime).unwrap().count(), 0);
}
