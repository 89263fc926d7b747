//! Time limits: the hard one ends the command, the soft one only says so.

use std::time::Duration;

use serde_json::json;

use crate::support::{Marker, World, ran, seq};

#[test]
fn timeout_kills_and_flags() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let command = format!("echo before; {}", marker.sleep());
        let (code, result) = world.json(&["--timeout", "1s", &command]);
        marker.assert_gone();
        let found = json!([
            code,
            result["status"],
            result["timed_out"],
            result["success"],
            result["exit_status"],
            result.get("exit_code"),
            result["stdout"]
        ]);
        let expected = json!([
            124,
            "timed_out",
            true,
            false,
            "hard_failure",
            null,
            "before\n"
        ]);
        assert_eq!(found, expected);
        assert!(result["duration_ms"].as_u64().unwrap() >= 1000, "{result}");
    });
}

#[test]
fn timeout_ends_soon_after_its_time() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let ended = world.ended(&["--timeout", "1s", &marker.sleep()]);
        marker.assert_gone();
        assert!(ended.took >= Duration::from_secs(1), "{:?}", ended.took);
        assert!(ended.took < Duration::from_secs(10), "{:?}", ended.took);
    });
}

#[test]
fn timeout_is_told_to_a_person() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let command = format!("echo before; {}", marker.sleep());
        let outcome = world.run(&["--timeout", "1s", &command]);
        let stderr = "bashful: error: the command reached its time limit and was ended\n\
             bashful: hint: `--timeout TIME` gives it longer; `--background` lets it go on without a limit\n";
        assert_eq!(outcome, world.ran(124, "before\n", stderr));
        marker.assert_gone();
        // Who asks later is told the same.
        let explained = world.call(&["explain", "--last"]).stdout;
        for line in stderr.lines() {
            let said = line.rsplit_once(": ").unwrap().1;
            assert!(explained.contains(said), "{explained}");
        }
    });
}

#[test]
fn timeout_of_a_command_that_answers_sigterm() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let command = format!(
            "trap 'echo got term; exit 0' TERM; {} & wait",
            marker.sleep()
        );
        let (code, result) = world.json(&["--timeout", "1s", &command]);
        marker.assert_gone();
        let found = json!([
            code,
            result["status"],
            result["timed_out"],
            result["stdout"]
        ]);
        assert_eq!(found, json!([124, "timed_out", true, "got term\n"]));
    });
}

#[test]
fn an_orphan_is_asked_too_before_it_is_killed() {
    World::in_both(|world| {
        // Its parent is gone before the limit, so it belongs to the keeper by then, or
        // to the first process of its room.
        let orphan =
            "(setsid bash -c 'trap \"echo got term; exit\" TERM; while :; do sleep 0.1; done' &)";
        let (code, result) = world.json(&["--timeout", "1s", &format!("{orphan}; sleep 60")]);
        let found = json!([code, result["status"], result["stdout"]]);
        assert_eq!(found, json!([124, "timed_out", "got term\n"]));
    });
}

#[test]
fn sigterm_comes_first_and_sigkill_after_the_grace() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let command = format!(
            "trap 'echo got term' TERM; while :; do {} & wait $!; done",
            marker.sleep()
        );
        let (code, result) = world.json(&["--timeout", "1s", &command]);
        marker.assert_gone();
        let found = json!([code, result["status"], result["signal"], result["stdout"]]);
        assert_eq!(found, json!([124, "timed_out", "SIGKILL", "got term\n"]));
        let duration = result["duration_ms"].as_u64().unwrap();
        assert!((3000..60_000).contains(&duration), "{result}");
    });
}

#[test]
fn the_grace_can_be_configured() {
    World::in_both(|world| {
        world.configure("[limits]\nterm_grace = \"100ms\"\n");
        let marker = Marker::fresh();
        let command = format!("trap '' TERM; {}", marker.sleep());
        let (code, result) = world.json(&["--timeout", "1s", &command]);
        marker.assert_gone();
        let found = json!([code, result["status"], result["signal"]]);
        assert_eq!(found, json!([124, "timed_out", "SIGKILL"]));
    });
}

#[test]
fn long_but_within_timeout() {
    let world = World::new();
    let outcome = world.run(&["--timeout", "60s", "echo start; sleep 3; echo end"]);
    assert_eq!(outcome, ran(0, "start\nend\n", ""));
}

#[test]
fn the_default_timeout_comes_from_the_configuration() {
    let world = World::new();
    world.configure("[limits]\ntimeout = \"1s\"\n");
    let marker = Marker::fresh();
    let (code, result) = world.json(&[marker.sleep()]);
    marker.assert_gone();
    assert_eq!(json!([code, result["timed_out"]]), json!([124, true]));
}

#[test]
fn the_soft_limit_warns_and_the_command_goes_on() {
    World::in_both(|world| {
        let outcome = world.run(&["--warn-after", "300ms", "sleep 1; echo done"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "done\n"));
        let talk = outcome
            .stderr
            .strip_prefix(world.notice())
            .unwrap_or_default();
        assert!(talk.starts_with("! Still running after "), "{outcome:?}");
        assert_eq!(talk.lines().count(), 1, "{outcome:?}");
    });
}

#[test]
fn output_before_a_timeout_is_complete() {
    let world = World::new();
    let marker = Marker::fresh();
    let command = format!("seq 1 20000; {}", marker.sleep());
    let outcome = world.run(&["--timeout", "3s", &command]);
    let expected = seq(1, 20_000);
    assert_eq!(outcome.code, 124);
    assert!(outcome.stdout == expected, "{} bytes", outcome.stdout.len());
    marker.assert_gone();
}
