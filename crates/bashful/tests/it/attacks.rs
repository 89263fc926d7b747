//! What a hostile command does to its keeper, its record and its own disguise.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Marker, Running, Walls, World, eventually, is_alive};

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
    for world in World::both() {
        world.write("headless.py", HEADLESS);
        let (code, result) = world.json(&["/usr/bin/python3 headless.py & sleep 0.5; exit 0"]);
        assert_eq!(code, 0, "{result}");
        let [survivor] = &result["survivors"].as_array().unwrap()[..] else {
            panic!("not one survivor: {result}")
        };
        assert_eq!(survivor["fate"], "killed", "{result}");
        // It looks like a zombie to any process: it has ended only when it is gone.
        let entry = PathBuf::from(format!("/proc/{}", survivor["pid"]));
        assert!(eventually(|| !entry.exists()), "it lives on: {survivor}");
    }
}

#[test]
fn a_keeper_that_its_command_stops_goes_on() {
    for world in World::both() {
        let text = "kill -STOP $PPID; echo $?; sleep 60";
        let ended = world.ended(&["--timeout", "2s", "--json", text]);
        let (_, result) = ended.outcome().json();
        assert_eq!(result["status"], "timed_out", "{result}");
        assert!(ended.took < Duration::from_secs(30), "{:?}", ended.took);
        // In a sandbox there is no keeper that it could stop.
        let stopped = match world.walls() {
            Walls::Sandbox => "1\n",
            Walls::Nothing => "0\n",
        };
        assert_eq!(result["stdout"], stopped, "{result}");
    }
}

#[test]
fn a_limit_on_the_size_of_files_ends_the_log_and_not_the_run() {
    let world = World::unjudged();
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

/// Starts a victim and, beside it, what floods the output of every process it finds under
/// the victim's number. How the victim ended, and how long the flood took.
fn flooded(world: &World) -> (Value, Duration) {
    let victim = world.start(&[
        "--session",
        "s",
        "--json",
        "echo $$ > leader; sleep 1; echo bye",
    ]);
    assert!(eventually(|| world.workspace().join("leader").exists()));
    let flood = "for i in 1 2 3; do timeout 20 yes >/proc/$(cat leader)/fd/1 & done; wait";
    let flags = [
        "--session",
        "s",
        "--json",
        "--timeout",
        "3s",
        "--allow",
        "disk-fill",
    ];
    let ended = world.ended(&[&flags[..], &[flood]].concat());
    (victim.end().outcome().json().1, ended.took)
}

#[test]
fn writers_from_outside_cannot_hold_the_keeper() {
    let (victim, took) = flooded(&World::without_walls());
    // The victim ends all the same, and with its pipe the flood.
    assert!(took < Duration::from_secs(15), "{took:?}");
    assert_eq!(victim["exit_code"], 0, "{victim}");
}

#[test]
fn in_a_sandbox_nobody_writes_to_another_runs_output() {
    let (victim, took) = flooded(&World::unjudged());
    assert!(took < Duration::from_secs(15), "{took:?}");
    let found = json!([victim["exit_code"], victim["stdout"]]);
    assert_eq!(found, json!([0, "bye\n"]));
}

/// What is left of a run that printed this much and whose keeper was killed.
fn assert_lost_within_limits(code: i32, result: &Value) {
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

const CUT: [&str; 4] = ["--max-output", "10", "--keep", "tail"];

#[test]
fn the_result_of_a_lost_run_keeps_to_its_limits() {
    for world in World::both() {
        let marker = Marker::fresh();
        let text = format!("seq 1 20000; {}", marker.sleep());
        let running = world.start(&[&["--json"], &CUT[..], &[&text]].concat());
        marker.wait_for(1);
        // The keeper writes its log as it reads.
        let is_logged = || {
            let tasks = fs::read_dir(world.state().join("tasks")).unwrap().flatten();
            let mut logs = tasks.map(|task| task.path().join("out.log"));
            logs.any(|log| fs::metadata(log).is_ok_and(|about| about.len() == 108_894))
        };
        assert!(eventually(is_logged));
        world.kill_keeper();
        let (code, result) = running.end().outcome().json();
        assert_lost_within_limits(code, &result);
        marker.assert_gone_soon();
    }
}

#[test]
fn a_command_that_kills_its_keeper_is_lost() {
    let world = World::without_walls();
    let text = "seq 1 20000; sleep 0.3; kill -9 $PPID; sleep 60";
    let (code, result) = world.json(&[&CUT[..], &[text]].concat());
    assert_lost_within_limits(code, &result);
}

#[test]
fn in_a_sandbox_no_command_kills_its_keeper() {
    let world = World::unjudged();
    // One signal after the other to the first process of the room and to all processes.
    let text = "for signal in KILL STOP TERM INT HUP SEGV ABRT USR1; do
            kill -$signal $PPID && echo $signal reached it
        done 2>/dev/null
        trap '' TERM HUP INT
        kill -TERM -1; kill -HUP -1; kill -INT -1; echo still here; exit 3";
    let (code, result) = world.json(&[text]);
    let found = json!([code, result["status"], result["stdout"]]);
    assert_eq!(found, json!([3, "soft_failure", "still here\n"]));
}

#[test]
fn a_survivors_command_line_shows_no_secret() {
    let world = World::unjudged();
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
    let world = World::unjudged();
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
    let world = World::unjudged();
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
