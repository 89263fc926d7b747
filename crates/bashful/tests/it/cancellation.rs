//! Ctrl-C once is graceful, twice is now; nothing is left behind.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Marker, World};

#[test]
fn cancellation_leaves_no_process_behind() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let text = format!("echo before; setsid {0} & {0}", marker.sleep());
        let running = world.start(&[&text]);
        marker.wait_for(2);
        running.signal(Signal::INT);
        let outcome = running.end().outcome();
        marker.assert_gone();
        let stderr = "bashful: error: the command was cancelled\n";
        assert_eq!(outcome, world.ran(130, "before\n", stderr));
    });
}

#[test]
fn cancellation_in_json() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let running = world.start(&["--json", &marker.sleep()]);
        marker.wait_for(1);
        running.signal(Signal::INT);
        let (code, result) = running.end().outcome().json();
        marker.assert_gone();
        let found = json!([
            code,
            result["status"],
            result["success"],
            result["exit_status"],
            result["timed_out"],
            result.get("exit_code"),
            result["signal"]
        ]);
        let expected = json!([
            130,
            "cancelled",
            false,
            "hard_failure",
            false,
            null,
            "SIGTERM"
        ]);
        assert_eq!(found, expected);
        let record = &world.records()[0];
        let found = json!([record["phase"], record["ending"], record["signal"]]);
        assert_eq!(found, json!(["finished", "cancelled", 15]));
    });
}

#[test]
fn once_is_graceful() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let text = format!(
            "trap 'echo cleaned up; exit 0' TERM; {} & wait",
            marker.sleep()
        );
        let running = world.start(&[&text]);
        marker.wait_for(1);
        running.signal(Signal::INT);
        let outcome = running.end().outcome();
        marker.assert_gone();
        let stderr = "bashful: error: the command was cancelled\n";
        assert_eq!(outcome, world.ran(130, "cleaned up\n", stderr));
    });
}

#[test]
fn once_waits_for_the_grace() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let text = format!("trap '' TERM; {}", marker.sleep());
        let running = world.start(&["--json", &text]);
        marker.wait_for(1);
        let asked = Instant::now();
        running.signal(Signal::INT);
        let (code, result) = running.end().outcome().json();
        marker.assert_gone();
        assert_eq!(json!([code, result["signal"]]), json!([130, "SIGKILL"]));
        assert!(asked.elapsed() >= Duration::from_secs(2), "no grace");
        assert!(asked.elapsed() < Duration::from_secs(20), "too much grace");
    });
}

#[test]
fn twice_is_now() {
    World::in_both(|world| {
        world.configure("[limits]\nterm_grace = \"60s\"\n");
        let marker = Marker::fresh();
        let text = format!("trap '' TERM; setsid {0} & {0}", marker.sleep());
        let mut running = world.start(&["--json", &text]);
        marker.wait_for(2);
        let asked = Instant::now();
        // Two that come at the same moment count as one, so this goes on until it is heard.
        while !running.is_over() && asked.elapsed() < Duration::from_secs(30) {
            running.signal(Signal::INT);
            std::thread::sleep(Duration::from_millis(400));
        }
        let (code, result) = running.end().outcome().json();
        marker.assert_gone();
        let found = json!([code, result["status"], result["signal"]]);
        assert_eq!(found, json!([130, "cancelled", "SIGKILL"]));
        assert!(asked.elapsed() < Duration::from_secs(30), "it waited");
    });
}

#[test]
fn other_requests_to_end_are_the_same() {
    World::in_both(|world| {
        for signal in [Signal::TERM, Signal::HUP] {
            let marker = Marker::fresh();
            let running = world.start(&[marker.sleep()]);
            marker.wait_for(1);
            running.signal(signal);
            let outcome = running.end().outcome();
            marker.assert_gone();
            let stderr = "bashful: error: the command was cancelled\n";
            assert_eq!(outcome, world.ran(130, "", stderr), "{signal:?}");
        }
    });
}
