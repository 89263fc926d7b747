//! What a run adds to the disk is bounded, whichever of its processes writes and however.

use std::fs;
use std::path::Path;

use rustix::process::geteuid;
use serde_json::{Value, json};

use super::kinds;
use crate::support::{Running, World, binary};

const MEBIBYTE: u64 = 1 << 20;

/// The space that a directory takes on disk.
fn space_of(directory: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries
        .map(|entry| entry.metadata().unwrap().blocks() * 512)
        .sum()
}

/// Each writes 300 MiB if it is left alone, and takes its time, so that a busy machine can look.
const WRITERS: [(&str, &str); 5] = [
    (
        "many that end",
        "for i in $(seq 30); do head -c 10M /dev/zero > $i; sleep 0.03; done",
    ),
    (
        "one without a parent",
        "setsid bash -c '(for i in $(seq 30); do head -c 10M /dev/zero; sleep 0.03; done > file) &' \
         & sleep 6",
    ),
    (
        "through memory",
        "python3 -c \"
import mmap, time
for number in range(30):
    file = open(str(number), 'w+b')
    file.truncate(10 << 20)
    mmap.mmap(file.fileno(), 10 << 20).write(bytes(10 << 20))
    time.sleep(0.03)\"",
    ),
    (
        "whose parent does not wait",
        "python3 -c \"
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for number in range(30):
    if os.fork() == 0:
        with open(str(number), 'wb') as file:
            for _ in range(10):
                file.write(bytes(1 << 20))
                time.sleep(0.01)
        os._exit(0)
    time.sleep(0.03)
time.sleep(1)\"",
    ),
    (
        "without writing",
        "for i in $(seq 30); do fallocate -l 10M $i; done",
    ),
];

#[test]
fn what_is_added_to_the_disk_is_bounded() {
    for (what, text) in WRITERS {
        let text = format!("{text}; echo all");
        let world = World::unjudged();
        let flags = ["--allow", "fork-bomb", "--disk-size", "60M"];
        let (_, result) = world.json(&[&flags[..], &[&text]].concat());
        let told = &result["sandbox_violations"][0];
        assert_eq!(
            json!([
                result["stdout"],
                kinds(&result),
                told["missing"],
                told["flag"],
                told["source"]
            ]),
            json!([
                "",
                ["disk"],
                "resources.disk_size",
                "--disk-size 120M",
                "keeper"
            ]),
            "{what}: {result}"
        );
        let space = space_of(&world.workspace());
        assert!(space < 250 * MEBIBYTE, "{what}: {space}");
        // Where more is allowed, it goes to its end.
        let world = World::unjudged();
        let flags = ["--allow", "fork-bomb", "--disk-size", "2G"];
        let (_, result) = world.json(&[&flags[..], &[&text]].concat());
        assert_eq!(
            json!([result["stdout"], kinds(&result)]),
            json!(["all\n", []]),
            "{what}: {result}"
        );
        let space = space_of(&world.workspace());
        assert!(space >= 290 * MEBIBYTE, "{what}: {space}");
    }
}

#[test]
fn what_a_run_in_bubblewrap_adds_to_the_disk_is_bounded() {
    let [(_, text), ..] = WRITERS;
    let world = World::unjudged();
    let flags = ["--sandbox", "bubblewrap", "--disk-size", "60M"];
    let (_, result) = world.json(&[&flags[..], &[text]].concat());
    assert_eq!(kinds(&result), ["disk"], "{result}");
    assert!(space_of(&world.workspace()) < 250 * MEBIBYTE);
}

/// What is set aside at once is stopped before it is there.
#[test]
fn space_is_not_set_aside_beyond_the_bound() {
    let world = World::unjudged();
    let (_, result) = world.json(&["--disk-size", "60M", "fallocate -l 900M file; echo all"]);
    assert_eq!(
        json!([result["stdout"], kinds(&result)]),
        json!(["", ["disk"]]),
        "{result}"
    );
    assert_eq!(space_of(&world.workspace()), 0);
}

#[test]
fn writing_the_same_again_adds_nothing() {
    let text = "python3 -c \"
import os, time
file = os.open('file', os.O_CREAT | os.O_WRONLY)
for _ in range(200):
    os.pwrite(file, bytes(1 << 20), 0)
    os.fsync(file)
\"; echo all";
    // On a disk of its own, where nothing else takes space meanwhile.
    let (result, _) = on_a_small_disk(&["--disk-size", "60M", text]);
    assert_eq!(
        json!([result["stdout"], kinds(&result)]),
        json!(["all\n", []]),
        "{result}"
    );
}

/// Runs this on a disk of 400 MiB of which 100 are free. What is free afterwards, in blocks.
fn on_a_small_disk(arguments: &[&str]) -> (Value, u64) {
    let world = World::unjudged();
    let script = "mount -t tmpfs -o size=400m none \"$WORK\" || exit 99
        cd \"$WORK\" && head -c 300M /dev/zero > fill
        program=$1; shift; \"$program\" run --json --policy none \"$@\"
        stat -f -c %a . > \"$LEFT\"";
    let mut command = world.program("unshare");
    if geteuid().is_root() {
        command.arg("-m");
    } else {
        command.args(["-U", "-r", "-m"]);
    }
    command.args(["bash", "-c", script, "bash"]).arg(binary());
    command.args(arguments).env("WORK", world.workspace());
    command.env("LEFT", world.path("left"));
    let outcome = Running::start(command).end().outcome();
    let result = serde_json::from_str(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
    let left = fs::read_to_string(world.path("left")).unwrap();
    (result, left.trim().parse().unwrap())
}

#[test]
fn a_run_is_ended_before_the_disk_is_full() {
    let text = "for i in $(seq 100); do head -c 2M /dev/zero > $i || echo full; sleep 0.03; done; echo all";
    let (result, left) = on_a_small_disk(&[text]);
    let told = &result["sandbox_violations"][0];
    assert_eq!(
        json!([result["stdout"], kinds(&result), told["missing"]]),
        json!(["", ["disk"], ""]),
        "{result}"
    );
    assert!(left > 0, "{result}");
    // Less than what a nearly full disk may still get.
    let (result, _) = on_a_small_disk(&["head -c 40M /dev/zero > file; sleep 0.3; echo all"]);
    assert_eq!(
        json!([result["stdout"], kinds(&result)]),
        json!(["all\n", []]),
        "{result}"
    );
}
