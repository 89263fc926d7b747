//! What runs is known, and can be ended from another terminal.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Marker, Running, World, eventually};

const NOTHING: [Value; 0] = [];

/// A sleeper of this agent, running.
fn sleeper(world: &World, agent: &str) -> (Running, Marker) {
    let marker = Marker::fresh();
    let arguments = ["--agent", agent, "--description", "Wait", &marker.sleep()];
    let running = world.start(&arguments);
    marker.wait_for(1);
    assert!(eventually(|| {
        let listed = world.status();
        listed.iter().any(|task| task["command"] == marker.sleep())
    }));
    (running, marker)
}

#[test]
fn running_processes_are_tracked() {
    for world in World::both() {
        assert_eq!(world.status(), NOTHING);
        let (running, marker) = sleeper(&world, "ann");
        let [task] = &world.status()[..] else {
            panic!("not one task")
        };
        let found = json!([
            task["command"],
            task["description"],
            task["agent"],
            task["cwd"],
            task["pid"]
        ]);
        let pid = marker.sleepers()[0];
        let expected = json!([marker.sleep(), "Wait", "ann", world.workspace(), pid]);
        assert_eq!(found, expected);
        let id = task["task_id"].as_str().unwrap();
        assert!(id.starts_with("bash-"), "{task}");
        let log = world.state().join("tasks").join(id).join("out.log");
        assert_eq!(task["output_file"], json!(log));
        for field in ["started_at_ms", "elapsed_ms", "session"] {
            assert!(!task[field].is_null(), "{field} of {task}");
        }
        drop(running);
        marker.assert_gone_soon();
        assert!(eventually(|| world.status().is_empty()));
    }
}

#[test]
fn status_for_a_person() {
    let world = World::new();
    assert_snapshot!(world.screen(&["status"]), @"
    exit code 0
    ----- stdout -----
    Nothing is running.
    ");
    let (_running, marker) = sleeper(&world, "ann");
    // What runs, and not what an agent says that it is for.
    let busy = world.table(&["status"]);
    assert_snapshot!(busy.replace(&marker.sleep(), "[COMMAND]"), @"
    exit code 0
    ----- stdout -----
    TASK  AGENT  TIME  COMMAND
    bash-[ID]  ann  [DURATION]  [COMMAND]
    ");
}

#[test]
fn status_of_one_agent() {
    let world = World::new();
    let (_first, _) = sleeper(&world, "ann");
    let (_second, marker) = sleeper(&world, "bob");
    assert_eq!(world.status().len(), 2);
    let (code, status) = world.call(&["status", "--json", "--agent", "bob"]).json();
    let tasks = status["running"].as_array().unwrap();
    assert_eq!((code, tasks.len()), (0, 1), "{status}");
    assert_eq!(tasks[0]["command"], marker.sleep());
}

#[test]
fn stop_all_ends_everything() {
    let world = World::new();
    let runs = ["ann", "bob", "bob"].map(|agent| sleeper(&world, agent));
    let (code, stopped) = world.call(&["stop", "--all", "--json"]).json();
    let count = stopped["stopped"].as_array().unwrap().len();
    let found = json!([code, count, stopped["still_running"]]);
    assert_eq!(found, json!([0, 3, []]));
    for (running, marker) in runs {
        assert_eq!(running.end().code, 130);
        marker.assert_gone();
    }
    assert_eq!(world.status(), NOTHING);
    for record in world.records() {
        let found = json!([record["phase"], record["ending"]]);
        assert_eq!(found, json!(["finished", "keeper_stopped"]));
    }
}

#[test]
fn stop_all_ends_what_ignores_sigterm() {
    let world = World::new();
    let marker = Marker::fresh();
    let text = format!("trap '' TERM; setsid {0} & {0}", marker.sleep());
    let running = world.start(&["--json", &text]);
    marker.wait_for(2);
    let outcome = world.call(&["stop", "--all"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Stopped 1.\n"));
    marker.assert_gone_soon();
    let (code, result) = running.end().outcome().json();
    assert_eq!(json!([code, result["status"]]), json!([130, "cancelled"]));
}

#[test]
fn stop_agent_ends_only_what_is_theirs() {
    let world = World::new();
    let (first, doomed) = sleeper(&world, "ann");
    let (second, other) = sleeper(&world, "bob");
    let (code, stopped) = world.call(&["stop", "--agent", "ann", "--json"]).json();
    assert_eq!((code, &stopped["stopped"][0]["agent"]), (0, &json!("ann")));
    assert_eq!(first.end().code, 130);
    doomed.assert_gone();
    let [task] = &world.status()[..] else {
        panic!("not one task")
    };
    assert_eq!(task["agent"], "bob");
    assert_eq!(other.sleepers().len(), 1);
    drop(second);
    other.assert_gone_soon();
}

#[test]
fn stop_agent_leaves_another_agent_of_the_same_session_alone() {
    let world = World::new();
    let start = |agent: &str| {
        let marker = Marker::fresh();
        let arguments = ["--session", "s", "--agent", agent, &marker.sleep()];
        let running = world.start(&arguments);
        marker.wait_for(1);
        (running, marker)
    };
    let ((first, doomed), (mut second, other)) = (start("ann"), start("bob"));
    assert!(eventually(|| world.status().len() == 2));
    assert_eq!(world.call(&["stop", "--agent", "ann"]).code, 0);
    assert_eq!(first.end().code, 130);
    doomed.assert_gone();
    assert!(!second.is_over());
    assert_eq!(other.sleepers().len(), 1);
}

#[test]
fn stop_without_anything_running() {
    let world = World::new();
    assert_snapshot!(world.screen(&["stop", "--all"]), @"
    exit code 0
    ----- stdout -----
    Nothing was running.
    ");
    assert_snapshot!(world.screen(&["stop"]), @"
    exit code 2
    ----- stderr -----
    error: the following required arguments were not provided:
      <--all|--agent <NAME>>

    Usage: bashful stop <--all|--agent <NAME>>

    For more information, try '--help'.
    ");
    assert_snapshot!(world.screen(&["stop", "--all", "--agent", "ann"]), @"
    exit code 2
    ----- stderr -----
    error: the argument '--all' cannot be used with '--agent <NAME>'

    Usage: bashful stop <--all|--agent <NAME>>

    For more information, try '--help'.
    ");
}
