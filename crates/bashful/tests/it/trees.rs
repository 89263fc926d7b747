//! The whole tree ends, whatever its members do to get away.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{Marker, World};

/// Stops the last process in the background, once it is the sleeper it is to be.
const STOP: &str = "until grep -q sleep /proc/$!/comm; do sleep 0.02; done; kill -STOP $!";

/// Starts this text, in which `SLEEP` is a sleeper, waits until there are this many, interrupts
/// once, and checks that no sleeper is left when `bashful` has ended.
fn cancelled(text: &str, sleepers: usize) {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let running = world.start(&["--json", &text.replace("SLEEP", &marker.sleep())]);
        marker.wait_for(sleepers);
        running.signal(Signal::INT);
        let ended = running.end();
        marker.assert_gone();
        let (code, result) = ended.outcome().json();
        assert_eq!(json!([code, result["status"]]), json!([130, "cancelled"]));
        assert_eq!(world.status(), [] as [serde_json::Value; 0]);
    });
}

/// The same, but at the time limit.
fn timed_out(text: &str) {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let command = text.replace("SLEEP", &marker.sleep());
        let ended = world.ended(&["--json", "--timeout", "2s", &command]);
        marker.assert_gone();
        let (code, result) = ended.outcome().json();
        assert_eq!(json!([code, result["status"]]), json!([124, "timed_out"]));
        assert!(ended.took < Duration::from_secs(20), "{:?}", ended.took);
    });
}

#[test]
fn children_in_the_background() {
    cancelled("SLEEP & SLEEP & SLEEP", 3);
}

#[test]
fn a_pipeline() {
    cancelled("SLEEP | SLEEP | cat", 2);
}

#[test]
fn one_that_ignores_sigterm() {
    cancelled("trap '' TERM; SLEEP", 1);
}

#[test]
fn one_that_ignores_everything_it_can() {
    cancelled("trap '' TERM INT HUP QUIT USR1 USR2 PIPE; SLEEP & SLEEP", 2);
}

#[test]
fn one_in_a_session_of_its_own() {
    cancelled("setsid SLEEP & SLEEP", 2);
}

#[test]
fn one_in_a_session_of_its_own_that_ignores_sigterm() {
    cancelled("setsid bash -c \"trap '' TERM; SLEEP\" & SLEEP", 2);
}

#[test]
fn one_that_forked_twice() {
    cancelled("( ( SLEEP & ) & ); SLEEP", 2);
}

#[test]
fn one_that_forked_twice_into_a_session_of_its_own_and_ignores_sigterm() {
    cancelled("( (trap '' TERM; setsid SLEEP & ) & ); SLEEP", 2);
}

#[test]
fn one_that_is_stopped() {
    cancelled(&format!("SLEEP & {STOP}; SLEEP"), 2);
}

#[test]
fn one_that_is_stopped_and_ignores_sigterm() {
    cancelled(&format!("(trap '' TERM; exec SLEEP) & {STOP}; SLEEP"), 2);
}

#[test]
fn one_that_holds_the_output_open() {
    cancelled("setsid SLEEP >/dev/stdout 2>&1 & SLEEP", 2);
}

#[test]
fn one_without_an_environment() {
    cancelled("env -i setsid SLEEP & env -i SLEEP", 2);
}

#[test]
fn one_in_another_directory_with_closed_streams() {
    cancelled("(cd / && exec setsid SLEEP <&- >&- 2>&-) & SLEEP", 2);
}

#[test]
fn a_stopped_leader() {
    cancelled("SLEEP & kill -STOP $$; SLEEP", 1);
}

#[test]
fn many_at_once() {
    cancelled("for i in {1..50}; do setsid SLEEP & done; wait", 50);
}

#[test]
fn all_of_them_at_the_time_limit() {
    timed_out(
        "setsid SLEEP & env -i setsid SLEEP & ( ( trap '' TERM; setsid SLEEP & ) & )
         SLEEP & kill -STOP $!
         (trap '' TERM; exec SLEEP) & kill -STOP $!
         trap '' TERM; SLEEP",
    );
}

#[test]
fn a_tree_that_keeps_forking_at_the_time_limit() {
    timed_out("trap '' TERM; f() { SLEEP & sleep 0.01; }; while :; do f; done");
}

#[test]
fn what_forks_again_when_asked_to_end() {
    cancelled(
        "trap 'setsid SLEEP & setsid SLEEP &' TERM; while :; do SLEEP & wait $!; done",
        1,
    );
}

#[test]
fn runs_beside_it_are_not_touched() {
    World::in_both(|world| {
        let (doomed, other) = (Marker::fresh(), Marker::fresh());
        let start = |marker: &Marker| {
            let text = format!("setsid {0} & {0}", marker.sleep());
            let running = world.start(&["--session", "shared", &text]);
            marker.wait_for(2);
            running
        };
        let (first, second) = (start(&doomed), start(&other));
        first.signal(Signal::INT);
        assert_eq!(first.end().code, 130);
        doomed.assert_gone();
        assert_eq!(other.sleepers().len(), 2);
        second.signal(Signal::INT);
        assert_eq!(second.end().code, 130);
        other.assert_gone();
    });
}
