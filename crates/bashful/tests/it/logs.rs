//! The complete log on disk, its copy, and what happens when it is full.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{Marker, World, ran, seq};

#[test]
fn the_log_is_copied_to_a_file() {
    let world = World::new();
    let outcome = world.run(&["--log", "copy.log", "echo out; sleep 0.2; echo err >&2"]);
    assert_eq!(outcome, ran(0, "out\n", "err\n"));
    assert_eq!(world.read("copy.log"), "out\nerr\n");
}

#[test]
fn the_copy_is_the_output_file() {
    let world = World::new();
    let (_, result) = world.json(&["--log", "copy.log", "echo out"]);
    assert_eq!(
        result["output_file"],
        json!(world.workspace().join("copy.log"))
    );
}

#[test]
fn the_copy_replaces_what_was_there() {
    let world = World::new();
    world.write("copy.log", "something much longer than the new output\n");
    assert_eq!(world.run(&["--log", "copy.log", "echo new"]).code, 0);
    assert_eq!(world.read("copy.log"), "new\n");
}

#[test]
fn the_copy_is_complete_when_the_result_is_cut() {
    let world = World::new();
    let arguments = ["--log", "copy.log", "--max-output", "10", "seq 1 50000"];
    assert_eq!(world.run(&arguments).code, 0);
    let expected = seq(1, 50_000);
    assert!(world.read("copy.log") == expected);
}

#[test]
fn records_are_private() {
    let world = World::new();
    assert_eq!(world.run(&["echo out"]).code, 0);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let tasks = world.state().join("tasks");
    let task = fs::read_dir(tasks).unwrap().next().unwrap().unwrap().path();
    assert_eq!(mode(&task), 0o700);
    for file in ["spec", "state", "out.log", "index"] {
        assert_eq!(mode(&task.join(file)), 0o600, "{file}");
    }
}

#[test]
fn the_log_holds_both_streams_in_order() {
    let world = World::new();
    let text = "echo 1; sleep 0.2; echo 2 >&2; sleep 0.2; echo 3";
    let (_, result) = world.json(&[text]);
    let log = fs::read_to_string(result["output_file"].as_str().unwrap()).unwrap();
    assert_eq!(log, "1\n2\n3\n");
}

#[test]
fn a_full_log_says_so_and_the_command_goes_on() {
    let world = World::new();
    let text = "head -c 2000000 /dev/zero | tr '\\0' x; touch went-on";
    let (code, result) = world.json(&["--log-quota", "64K", text]);
    let found = json!([
        code,
        result["status"],
        result["log_end"],
        result["truncated"],
        result["stdout_bytes"]
    ]);
    assert_eq!(found, json!([0, "success", "quota", true, 2_000_000]));
    let kept = fs::metadata(result["output_file"].as_str().unwrap())
        .unwrap()
        .len();
    assert!((60_000..300_000).contains(&kept), "{kept}");
    assert!(world.workspace().join("went-on").exists());
}

#[test]
fn a_full_log_keeps_the_end_of_the_output() {
    let world = World::new();
    let arguments = [
        "--log-quota",
        "64K",
        "--keep",
        "tail",
        "--max-output",
        "10",
        "head -c 2000000 /dev/zero | tr '\\0' x; printf the-end",
    ];
    let (_, result) = world.json(&arguments);
    let cut = "[Output truncated: showing last 10 chars of 2000007 chars]\nxxxthe-end";
    assert_eq!(result["stdout"], cut);
}

#[test]
fn a_full_log_stops_the_command_when_asked() {
    let world = World::new();
    let marker = Marker::fresh();
    let text = format!("yes {}; touch went-on", marker.sleep());
    let arguments = ["--log-quota", "64K", "--on-log-full", "stop", &text];
    let (code, result) = world.json(&arguments);
    marker.assert_gone();
    let found = json!([code, result["status"], result["success"], result["log_end"]]);
    assert_eq!(found, json!([143, "hard_failure", false, "quota"]));
    assert!(
        result["error"].as_str().unwrap().contains("quota"),
        "{result}"
    );
    assert!(!world.workspace().join("went-on").exists());
    assert_eq!(world.records()[0]["ending"], "log_full");
}

#[test]
fn missing_output_is_told_to_a_person_and_is_a_failure() {
    let world = World::new();
    let text = "head -c 2000000 /dev/zero | tr '\\0' x";
    let ended = world.ended(&["--log-quota", "64K", text]);
    assert_eq!(ended.code, 125);
    assert!(ended.stdout.len() < 400_000, "{}", ended.stdout.len());
    let talk = ended.outcome().stderr;
    assert!(talk.contains("of output not shown"), "{talk}");
    assert!(talk.contains("did not fit the log"), "{talk}");
    assert!(talk.contains("raise --log-quota"), "{talk}");
}

#[test]
fn a_log_that_was_full_but_lost_nothing_is_no_matter() {
    // The kept end closes the gap: everything is there.
    let world = World::new();
    let outcome = world.run(&["--log-quota", "1K", "head -c 5000 /dev/zero | tr '\\0' x"]);
    assert_eq!(outcome, ran(0, &"x".repeat(5000), ""));
}
