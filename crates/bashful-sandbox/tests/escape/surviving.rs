//! Living on after the run has ended, or after the room is gone.

use crate::abandoned;
use crate::case::{Case, Place};

const CLASS: &str = "surviving";

/// The host looks for processes with the marker afterwards.
fn bash(name: &'static str, code: &'static str) -> Case {
    Case::bash(CLASS, name, code).felt_only()
}

/// A run that leaves a process of its own behind and stays.
const DAEMON: &str = r#"
    if os.fork() == 0:
        os.setsid(); null = os.open("/dev/null", O_RDWR)
        for number in range(3): os.dup2(null, number)
        os.execv("/bin/sleep", [E["MARKER"], "300"])
    time.sleep(0.2); ready()"#;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        bash("in_the_background", r#"
            (exec -a "$MARKER" sleep 300 >/dev/null 2>&1) & sleep 0.2; reached"#),
        bash("in_a_session_of_its_own", r#"
            setsid bash -c 'exec -a "$MARKER" sleep 300' >/dev/null 2>&1 & sleep 0.2; reached"#),
        bash("forked_twice", r#"
            ( ( setsid bash -c 'exec -a "$MARKER" sleep 300' </dev/null >/dev/null 2>&1 & ) & )
            sleep 0.3; reached"#),
        bash("deaf_to_hangup", r#"
            nohup bash -c 'exec -a "$MARKER" sleep 300' >/dev/null 2>&1 & sleep 0.2; reached"#),
        bash("deaf_to_all_signals", r#"
            (trap '' TERM HUP INT QUIT USR1 USR2 PIPE; exec -a "$MARKER" sleep 300 >/dev/null 2>&1) &
            sleep 0.2; reached"#),
        bash("stopped", r#"
            (exec -a "$MARKER" sleep 300 >/dev/null 2>&1) & sleep 0.1; kill -STOP $!; reached"#),
        bash("left_by_a_killed_leader", r#"
            (exec -a "$MARKER" sleep 300 >/dev/null 2>&1) & sleep 0.1; echo "blocked: killed"; kill -KILL $$"#)
            .may_be_killed(),
        bash("many_at_once", r#"
            for _ in {1..30}; do (exec -a "$MARKER" sleep 300 >/dev/null 2>&1) & done
            sleep 0.3; reached"#),
        Case::python(CLASS, "handing_on_from_child_to_child", r#"
            # Each generation lives a moment and starts the next: a hunter by number comes late.
            import sys
            if os.fork() == 0:
                os.setsid()
                null = os.open("/dev/null", O_RDWR)
                for number in range(3): os.dup2(null, number)
                for _ in range(400):
                    if os.fork(): os._exit(0)
                    time.sleep(0.01)
                    if _ == 20: os.execv("/bin/bash", [E["MARKER"], "-c", "sleep 300; true"])
            time.sleep(0.6); reached()"#)
            .felt_only(),
        Case::python(CLASS, "adopted_by_another_reaper", r#"
            call("prctl", 36, 1, 0, 0, 0)
            if os.fork() == 0:
                if os.fork() == 0:
                    os.setsid(); null = os.open("/dev/null", O_RDWR)
                    for number in range(3): os.dup2(null, number)
                    os.execv("/bin/sleep", [E["MARKER"], "300"])
                os._exit(0)
            time.sleep(0.2); reached()"#)
            .felt_only(),
        Case::python(CLASS, "after_the_room", "reached()")
            .helper(Place::SameRoom, DAEMON)
            .attack(abandoned::close_the_room)
            .felt_only(),
        Case::python(CLASS, "after_the_keeper", "reached()")
            .helper(Place::SameRoom, DAEMON)
            .attack(abandoned::kill_the_keeper)
            .felt_only(),
    ]
}
