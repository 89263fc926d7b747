//! The shape of a result: the names of its fields are a contract.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Marker, Walls, World};

fn names(object: &Value) -> BTreeSet<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// What every result of a command that ran has.
const ALWAYS: [&str; 20] = [
    "v",
    "status",
    "success",
    "command",
    "exit_status",
    "stdout",
    "stderr",
    "truncated",
    "stdout_bytes",
    "stderr_bytes",
    "output_file",
    "duration_ms",
    "timed_out",
    "task_id",
    "agent",
    "session",
    "decision",
    "enforcement",
    "usage",
    "exit_code",
];

fn with<'a>(base: impl IntoIterator<Item = &'a str>, more: &[&'a str]) -> BTreeSet<&'a str> {
    base.into_iter().chain(more.iter().copied()).collect()
}

#[test]
fn fields_of_a_success() {
    let world = World::new();
    let (code, result) = world.json(&["echo out; echo err >&2"]);
    assert_eq!(code, 0);
    assert_eq!(names(&result), with(ALWAYS, &[]));
    let id = result["task_id"].as_str().unwrap();
    let enforcement = &result["enforcement"];
    let expected = json!({
        "v": 1, "status": "success", "success": true, "command": "echo out; echo err >&2",
        "exit_code": 0, "exit_status": "success", "stdout": "out\n", "stderr": "err\n",
        "truncated": false, "stdout_bytes": 4, "stderr_bytes": 4, "timed_out": false,
        "output_file": world.state().join("tasks").join(id).join("out.log"),
        "duration_ms": result["duration_ms"], "task_id": id, "agent": "default",
        "session": result["session"], "usage": result["usage"],
        "enforcement": {
            "backend": "native", "filesystem": "full", "network": "full", "commands": "full",
            "processes": "full", "resources": enforcement["resources"],
            "identity": enforcement["identity"],
        },
        "decision": {
            "effect": "allow", "layer": "builtin", "rule": result["decision"]["rule"],
            "reason": result["decision"]["reason"], "fact": result["decision"]["fact"],
            "span": result["decision"]["span"],
        },
    });
    assert_eq!(result, expected);
    // Without control groups limits hold for each process, not for the whole run.
    let levels = ["full", "partial"];
    let resources = enforcement["resources"].as_str().unwrap();
    assert!(levels.contains(&resources), "{resources}");
    // Root's runs become `nobody` where the file system can show files as theirs.
    let identity = enforcement["identity"].as_str().unwrap();
    let is_root = rustix::process::geteuid().is_root();
    assert!(
        levels[..=usize::from(is_root)].contains(&identity),
        "{identity}"
    );
    assert!(id.starts_with("bash-"), "{id}");
    assert!(result["session"].as_str().unwrap().starts_with("session-"));
    assert_eq!(
        names(&result["usage"]),
        BTreeSet::from(["cpu_ms", "max_rss_kib"])
    );
}

#[test]
fn enforcement_without_a_sandbox() {
    let world = World::without_walls();
    let (_, result) = world.json(&["true"]);
    assert_eq!(names(&result), with(ALWAYS, &[]));
    let expected = json!({
        "backend": "none", "filesystem": "none", "network": "none", "commands": "none",
        "processes": "none", "resources": "none", "identity": "none",
    });
    assert_eq!(result["enforcement"], expected);
}

#[test]
fn fields_of_a_failure() {
    let world = World::new();
    let (code, result) = world.json(&["exit 3"]);
    assert_eq!(names(&result), with(ALWAYS, &[]));
    let found = json!([
        code,
        result["status"],
        result["success"],
        result["exit_code"]
    ]);
    assert_eq!(found, json!([3, "soft_failure", false, 3]));
}

#[test]
fn fields_of_a_killed_command() {
    let world = World::unjudged();
    let (_, result) = world.json(&["kill -KILL $$"]);
    let without_code = ALWAYS.into_iter().filter(|name| *name != "exit_code");
    assert_eq!(names(&result), with(without_code, &["signal"]));
    assert_eq!(result["signal"], "SIGKILL");
}

#[test]
fn fields_that_were_given() {
    let world = World::new();
    let arguments = [
        "--agent",
        "ann",
        "--session",
        "talk",
        "-d",
        "Say nothing",
        "true",
    ];
    let (_, result) = world.json(&arguments);
    assert_eq!(names(&result), with(ALWAYS, &["description"]));
    let found = json!([result["agent"], result["session"], result["description"]]);
    assert_eq!(found, json!(["ann", "talk", "Say nothing"]));
}

#[test]
fn fields_of_survivors() {
    for world in World::both() {
        let marker = Marker::fresh();
        let (_, result) = world.json(&[format!("{} & echo $!", marker.sleep())]);
        marker.assert_gone();
        assert_eq!(names(&result), with(ALWAYS, &["survivors"]));
        let told: i64 = result["stdout"].as_str().unwrap().trim().parse().unwrap();
        let pid = match world.walls() {
            Walls::Nothing => told,
            // The number that it had on the machine.
            Walls::Sandbox => result["survivors"][0]["pid"].as_i64().unwrap(),
        };
        let expected = json!([{ "pid": pid, "command": marker.sleep(), "fate": "killed" }]);
        assert_eq!(result["survivors"], expected);
    }
}

#[test]
fn fields_of_a_refusal() {
    let world = World::new();
    let (code, result) = world.json(&["rm -rf /"]);
    assert_eq!(code, 120);
    let expected = [
        "v",
        "status",
        "success",
        "command",
        "stdout",
        "stderr",
        "truncated",
        "stdout_bytes",
        "stderr_bytes",
        "duration_ms",
        "timed_out",
        "agent",
        "session",
        "decision",
    ];
    assert_eq!(names(&result), BTreeSet::from(expected));
    let decision = [
        "effect",
        "rule",
        "layer",
        "reason",
        "span",
        "fact",
        "capability",
        "suggestion",
    ];
    assert_eq!(names(&result["decision"]), BTreeSet::from(decision));
}

#[test]
fn fields_of_an_error() {
    let world = World::new();
    let (code, result) = world.json(&[" "]);
    let expected = json!({
        "v": 1, "status": "broken", "success": false,
        "error": {
            "kind": "empty_command", "message": "the command is empty",
            "hint": "give a command to run",
        },
    });
    assert_eq!((code, result), (2, expected));
}

#[test]
fn one_object_on_one_line() {
    let world = World::new();
    let outcome = world.run(&["--json", "printf 'a\\nb\\n\\033[31m'"]);
    assert_eq!(outcome.stdout.lines().count(), 1, "{outcome:?}");
    assert!(outcome.stdout.ends_with("}\n"), "{outcome:?}");
    assert!(!outcome.stdout.contains('\u{1b}'), "{outcome:?}");
}

#[test]
fn ids_sort_by_time() {
    let world = World::new();
    let id = || {
        world.json(&["true"]).1["task_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let ids = [id(), id(), id()];
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(ids, sorted);
}
