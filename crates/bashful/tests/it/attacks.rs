//! What a hostile command does to its keeper, its record and its own disguise.

use std::time::Duration;

use serde_json::json;

use crate::support::{Running, World, eventually, is_alive, start_of};

/// A python program whose first thread ends while another goes on: the kernel then
/// shows the process as a zombie.
const HEADLESS: &str = r"
import ctypes, os, threading, time
threading.Thread(target=lambda: (time.sleep(60), os._exit(0))).start()
print(os.getpid(), flush=True)
ctypes.CDLL(None).syscall(60, 0)
";

#[test]
fn a_process_without_its_first_thread_is_ended_and_listed() {
    let world = World::new();
    world.write("headless.py", HEADLESS);
    let (code, result) = world.json(&["/usr/bin/python3 headless.py & sleep 0.5; exit 0"]);
    let pid = result["stdout"].as_str().unwrap().trim().parse().unwrap();
    assert_eq!(code, 0);
    assert_eq!(result["survivors"][0]["fate"], "killed", "{result}");
    assert!(
        eventually(|| start_of(pid).is_none()),
        "it lives on as {pid}"
    );
}

#[test]
fn a_keeper_that_its_command_stops_goes_on() {
    let world = World::new();
    let ended = world.ended(&["--timeout", "2s", "--json", "kill -STOP $PPID; sleep 60"]);
    assert_eq!(ended.outcome().json().1["status"], "timed_out");
    assert!(ended.took < Duration::from_secs(30), "{:?}", ended.took);
}

#[test]
fn a_limit_on_the_size_of_files_ends_the_log_and_not_the_run() {
    let world = World::new();
    let script = "ulimit -f 8; exec \"$0\" run --json 'head -c 100000 /dev/zero; exit 3'";
    let mut command = world.program("/bin/bash");
    command.args(["-c", script]).arg(crate::support::binary());
    let (code, result) = Running::start(command).end().outcome().json();
    let found = json!([
        code,
        result["exit_code"],
        result["log_end"],
        result["stdout_bytes"]
    ]);
    assert_eq!(found, json!([3, 3, "write_failed", 100_000]));
}

#[test]
fn writers_from_outside_cannot_hold_the_keeper() {
    let world = World::new();
    let victim = world.start(&[
        "--session",
        "s",
        "--json",
        "echo $$ > leader; sleep 1; echo bye",
    ]);
    assert!(eventually(|| world.workspace().join("leader").exists()));
    let flood = "for i in 1 2 3; do timeout 20 yes >/proc/$(cat leader)/fd/1 & done; wait";
    let ended = world.ended(&["--session", "s", "--json", "--timeout", "3s", flood]);
    // The victim ends all the same, and with its pipe the flood.
    assert!(ended.took < Duration::from_secs(15), "{:?}", ended.took);
    assert_eq!(victim.end().outcome().json().1["exit_code"], 0);
}

#[test]
fn the_result_of_a_lost_run_keeps_to_its_limits() {
    let world = World::new();
    let (code, result) = world.json(&[
        "--max-output",
        "10",
        "--keep",
        "tail",
        "seq 1 20000; sleep 0.3; kill -9 $PPID; sleep 60",
    ]);
    assert_eq!(
        json!([code, result["status"], result["truncated"]]),
        json!([125, "broken", true])
    );
    assert_eq!(result["stdout_bytes"], 108_894);
    let stdout = result["stdout"].as_str().unwrap();
    assert_eq!(
        stdout,
        "[Output truncated: showing last 10 chars of 108894 chars]\n999\n20000\n"
    );
}

#[test]
fn a_survivors_command_line_shows_no_secret() {
    let world = World::new();
    world.write("token", "planted-secret-9\n");
    let text = "T=$(cat token); setsid sh -c \"sleep 60; : $T\" & echo started";
    let mut command = world.run_command(&["--json", text]);
    command.env("MY_TOKEN", "planted-secret-9");
    let outcome = Running::start(command).end().outcome();
    let (_, result) = outcome.json();
    let shown = result["survivors"].to_string();
    assert!(shown.contains("sh -c sleep 60; : [masked]"), "{shown}");
    assert!(!outcome.stderr.contains("planted-secret-9"), "{outcome:?}");
    assert!(
        !world
            .records()
            .iter()
            .any(|record| record.to_string().contains("planted-secret-9"))
    );
}

#[test]
fn a_silent_keeper_is_an_error_and_starts_nothing_twice() {
    let world = World::new();
    world.run(&["--session", "s", "true"]);
    let (keeper, started) = world.living_keepers()[0];
    assert!(is_alive(keeper, started));
    // Stopped again and again, so that its guard cannot help in time.
    let stop = format!(
        "for i in $(seq 120); do kill -STOP {keeper}; sleep 0.1; done; kill -CONT {keeper}"
    );
    let mut stopper = world.program("/bin/bash");
    stopper.args(["-c", &stop]);
    let stopper = Running::start(stopper);
    let ended = world.ended(&[
        "--session",
        "s",
        "--json",
        "--timeout",
        "20s",
        "echo once >> ran",
    ]);
    assert!(ended.took < Duration::from_secs(60), "{:?}", ended.took);
    stopper.end();
    let count = std::fs::read_to_string(world.workspace().join("ran")).unwrap_or_default();
    assert!(count.lines().count() <= 1, "{count}");
}

#[test]
fn a_directory_that_is_gone_is_named() {
    let world = World::new();
    let mut command = world.program("/bin/bash");
    command.args([
        "-c",
        "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" run 'echo x'",
    ]);
    command.arg(crate::support::binary());
    let outcome = Running::start(command).end().outcome();
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("the current directory `.` does not exist"),
        "{outcome:?}"
    );
}
