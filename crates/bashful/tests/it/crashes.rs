//! `kill -9` of the caller that waits and of the keeper: the run ends, the record is true.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Marker, Running, World, eventually, is_alive, parent_of};

const TREE: &str = "echo before; setsid SLEEP & (trap '' TERM; exec SLEEP) & SLEEP";

/// Three sleepers that are hard to end, running.
fn start(world: &World, arguments: &[&str]) -> (Running, Marker) {
    let marker = Marker::fresh();
    let text = TREE.replace("SLEEP", &marker.sleep());
    let running = world.start(&[arguments, &[text.as_str()]].concat());
    marker.wait_for(3);
    assert!(eventually(|| !world.records().is_empty()));
    (running, marker)
}

#[test]
fn killing_the_command_line_ends_its_run_and_the_record_says_so() {
    World::in_both(|world| {
        let (running, marker) = start(world, &[]);
        running.signal(Signal::KILL);
        assert_eq!(running.end().code, 128 + 9);
        marker.assert_gone_soon();
        assert!(eventually(|| world.records()[0]["phase"] == "finished"));
        let record = &world.records()[0];
        assert_eq!(record["ending"], "caller_gone", "{record}");
        assert_eq!(world.status(), [] as [Value; 0]);
        assert!(eventually(|| world.living_keepers().is_empty()));
    });
}

#[test]
fn killing_the_command_line_leaves_other_runs_of_its_session_alone() {
    World::in_both(|world| {
        let (running, doomed) = start(world, &["--session", "s"]);
        let other = Marker::fresh();
        let text = format!("{}; echo end", other.sleep());
        let second = world.start(&["--session", "s", &text]);
        other.wait_for(1);
        running.signal(Signal::KILL);
        doomed.assert_gone_soon();
        assert_eq!(other.sleepers().len(), 1);
        second.signal(Signal::INT);
        assert_eq!(second.end().code, 130);
        assert_eq!(world.keepers().len(), 1);
    });
}

#[test]
fn killing_the_keeper_ends_its_runs_and_the_caller_is_told() {
    World::in_both(|world| {
        let (running, marker) = start(world, &[]);
        let (pid, started) = world.kill_keeper();
        let outcome = running.end().outcome();
        let stderr = "bashful: error: the keeper of this run died, and the run with it; \
                      how far it got is not known\n";
        assert_eq!(outcome, world.ran(125, "before\n", stderr));
        marker.assert_gone_soon();
        assert!(!is_alive(pid, started));
        assert_eq!(world.status(), [] as [Value; 0]);
        let outcome = world.call(&["status"]);
        assert_eq!(outcome.stdout, "Nothing is running.\n");
    });
}

#[test]
fn killing_the_keeper_in_json() {
    World::in_both(|world| {
        let (running, marker) = start(world, &["--json"]);
        world.kill_keeper();
        let (code, result) = running.end().outcome().json();
        marker.assert_gone_soon();
        let found = json!([
            code,
            result["status"],
            result["success"],
            result["stdout"],
            result.get("exit_code")
        ]);
        assert_eq!(found, json!([125, "broken", false, "before\n", null]));
        assert!(
            result["error"].as_str().unwrap().contains("keeper"),
            "{result}"
        );
        // The keeper could write no more than that it ran; its lock, now free, says the rest.
        let record = &world.records()[0];
        assert_eq!(
            json!([record["phase"], record["id"]]),
            json!(["running", result["task_id"]])
        );
        // The keeper, which knew what was enforced, is gone.
        assert_eq!(result.get("enforcement"), None);
    });
}

#[test]
fn killing_the_keeper_ends_all_runs_of_its_session() {
    World::in_both(|world| {
        let (first, one) = start(world, &["--session", "s"]);
        let (second, two) = start(world, &["--session", "s"]);
        world.kill_keeper();
        assert_eq!((first.end().code, second.end().code), (125, 125));
        one.assert_gone_soon();
        two.assert_gone_soon();
        assert_eq!(world.status(), [] as [Value; 0]);
    });
}

#[test]
fn a_session_goes_on_after_its_keeper_was_killed() {
    World::in_both(|world| {
        assert_eq!(world.run(&["--session", "s", "true"]).code, 0);
        world.kill_keeper();
        let outcome = world.run(&["--session", "s", "echo again"]);
        assert_eq!(outcome, world.ran(0, "again\n", ""));
    });
}

#[test]
fn killing_the_keeper_ends_adopted_tasks() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let text = format!("setsid {} & echo hi", marker.sleep());
        assert_eq!(world.run(&["--survivors", "adopt", &text]).code, 0);
        assert_eq!(world.status().len(), 1);
        world.kill_keeper();
        marker.assert_gone_soon();
        assert_eq!(world.status(), [] as [Value; 0]);
    });
}

#[test]
fn killing_both_leaves_nothing() {
    World::in_both(|world| {
        let (running, marker) = start(world, &[]);
        running.signal(Signal::KILL);
        world.kill_keeper();
        assert_eq!(running.end().code, 128 + 9);
        marker.assert_gone_soon();
        assert_eq!(world.status(), [] as [Value; 0]);
    });
}

#[test]
fn an_adopted_task_outlives_its_caller() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let text = format!("{} & echo hi", marker.sleep());
        assert_eq!(world.run(&["--survivors", "adopt", &text]).code, 0);
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!((marker.sleepers().len(), world.status().len()), (1, 1));
        assert_eq!(world.call(&["stop", "--all"]).code, 0);
        marker.assert_gone();
    });
}

/// The process between the keeper and the command, which is the first of the room.
fn first_process(world: &World) -> Pid {
    let [task] = &world.status()[..] else {
        panic!("not one task")
    };
    let leader = i32::try_from(task["pid"].as_i64().unwrap()).unwrap();
    let first = parent_of(leader);
    assert_eq!(parent_of(first), world.living_keepers()[0].0);
    Pid::from_raw(first).unwrap()
}

#[test]
fn killing_the_first_process_of_a_room_ends_the_run_and_is_told() {
    let world = World::new();
    let (running, marker) = start(&world, &["--json"]);
    let first = first_process(&world);
    kill_process(first, Signal::KILL).unwrap();
    let (code, result) = running.end().outcome().json();
    marker.assert_gone();
    let found = json!([code, result["status"], result["signal"], result["stdout"]]);
    assert_eq!(found, json!([137, "hard_failure", "SIGKILL", "before\n"]));
    assert_eq!(world.records()[0]["phase"], "finished");
}

#[test]
fn a_stopped_first_process_of_a_room_does_not_keep_the_run_alive() {
    let world = World::new();
    let (running, marker) = start(&world, &["--json"]);
    let first = first_process(&world);
    kill_process(first, Signal::STOP).unwrap();
    running.signal(Signal::INT);
    let (code, result) = running.end().outcome().json();
    marker.assert_gone();
    assert_eq!(json!([code, result["status"]]), json!([130, "cancelled"]));
}
