//! Nothing outlives the run but what was adopted, and nothing outlives the room.

use std::fs;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};

use super::output;
use crate::support::{Marker, World, eventually, parent_of};

#[test]
fn daemons_do_not_outlive_the_run() {
    let world = World::unjudged();
    for way in [
        "{} & disown",
        "nohup {} > /dev/null 2>&1 &",
        "setsid {} &",
        "setsid -f {}",
        "(setsid setsid {} > /dev/null 2>&1 < /dev/null &)",
        "(trap '' HUP INT; exec setsid {}) &",
        "python3 -c \"import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execvp('sleep', '{}'.split())
    os._exit(0)\"",
    ] {
        let marker = Marker::fresh();
        let text = format!(
            "{}\nsleep 0.1; echo over",
            way.replace("{}", &marker.sleep())
        );
        let outcome = world.run(&["--session", "s", &text]);
        assert_eq!(outcome.stdout, "over\n", "{way}: {outcome:?}");
        marker.assert_gone();
    }
}

#[test]
fn a_run_that_is_cancelled_or_late_leaves_nothing() {
    let world = World::unjudged();
    let marker = Marker::fresh();
    let text = format!("setsid -f {0}; (trap '' TERM; {0}) & {0}", marker.sleep());
    let outcome = world.run(&["--session", "s", "--timeout", "500ms", &text]);
    assert_eq!(outcome.code, 124, "{outcome:?}");
    marker.assert_gone();
    let text = format!("setsid -f {0}; {0} & {0}", marker.sleep());
    let run = world.start(&["--session", "s", &text]);
    marker.wait_for(3);
    run.signal(Signal::INT);
    assert_eq!(run.end().outcome().code, 130);
    marker.assert_gone();
}

#[test]
fn what_was_adopted_ends_with_the_room() {
    let world = World::unjudged();
    let marker = Marker::fresh();
    let text = format!("setsid -f {}; sleep 0.1; echo over", marker.sleep());
    let flags = ["--session", "s", "--survivors", "adopt"];
    assert_eq!(output(&world, &flags, &text), "over\n");
    marker.wait_for(1);
    assert_eq!(world.call(&["stop", "--all"]).code, 0);
    marker.assert_gone_soon();
}

/// The control groups that a keeper made and that are still there.
fn groups(keeper: i32) -> Vec<PathBuf> {
    let prefix = format!("bashful-{keeper}-");
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                found.push(entry.path());
            }
            open.push(entry.path());
        }
    }
    found
}

#[test]
fn nothing_outlives_the_room() {
    let world = World::unjudged();
    let marker = Marker::fresh();
    let text = format!("{} & echo x > /tmp/x; echo over", marker.sleep());
    let flags = [
        "--session",
        "s",
        "--survivors",
        "adopt",
        "--processes",
        "50",
    ];
    assert_eq!(output(&world, &flags, &text), "over\n");
    output(&world, &["--session", "s", "--memory", "300M"], "true");
    let [(keeper, _)] = world.keepers()[..] else {
        panic!("not one keeper")
    };
    // Where groups can be made, there is one for what goes on.
    if groups(keeper).is_empty() {
        println!("no control groups can be made here");
    }
    kill_process(Pid::from_raw(keeper).unwrap(), Signal::TERM).unwrap();
    assert!(eventually(|| world.living_keepers().is_empty()));
    marker.assert_gone_soon();
    eventually(|| groups(keeper).is_empty());
    assert_eq!(groups(keeper), [] as [PathBuf; 0]);
}

#[test]
fn the_keepers_sudden_death_ends_the_room() {
    let world = World::unjudged();
    let marker = Marker::fresh();
    let text = format!("setsid -f {0}; {0}", marker.sleep());
    let run = world.start(&["--session", "s", &text]);
    marker.wait_for(2);
    let [(keeper, _)] = world.keepers()[..] else {
        panic!("not one keeper")
    };
    kill_process(Pid::from_raw(keeper).unwrap(), Signal::KILL).unwrap();
    let outcome = run.end().outcome();
    assert_eq!(outcome.code, 125, "{outcome:?}");
    marker.assert_gone_soon();
    // The session goes on in another room; whatever was left of the first is cleaned up.
    assert_eq!(output(&world, &["--session", "s"], "echo again"), "again\n");
    eventually(|| groups(keeper).is_empty());
    assert_eq!(groups(keeper), [] as [PathBuf; 0]);
}

#[test]
fn a_fresh_room_goes_with_its_run() {
    let world = World::unjudged();
    let marker = Marker::fresh();
    let text = format!("setsid -f {}; echo over", marker.sleep());
    let outcome = world.run(&["--fresh", &text]);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "over\n"),
        "{outcome:?}"
    );
    marker.assert_gone();
    assert!(eventually(|| world.living_keepers().is_empty()));
}

#[test]
fn groups_of_a_keeper_that_was_killed_go() {
    let world = World::unjudged();
    let begin = |session: &str| {
        let marker = Marker::fresh();
        let flags = ["--background", "--session", session, "--processes", "50"];
        let (code, _) = world.json(&[&flags[..], &[&marker.sleep()]].concat());
        assert_eq!(code, 0);
        marker.wait_for(1);
        let [(keeper, _)] = world.living_keepers()[..] else {
            panic!("not one keeper")
        };
        (marker, keeper)
    };
    let kill = |pid: i32| kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let (marker, keeper) = begin("guarded");
    if groups(keeper).is_empty() {
        println!("skipped: no control groups can be made here");
        return;
    }
    // Its guard takes them away.
    kill(keeper);
    marker.assert_gone_soon();
    assert!(eventually(|| groups(keeper).is_empty()));
    // Without its guard, the next call does.
    let (marker, keeper) = begin("alone");
    kill(parent_of(keeper));
    kill(keeper);
    marker.assert_gone_soon();
    assert!(!groups(keeper).is_empty());
    let left = || {
        // The kernel takes a moment to see that no process is in them.
        assert_eq!(world.call(&["stop", "--all"]).code, 0);
        groups(keeper).is_empty()
    };
    assert!(eventually(left));
    let (marker, keeper) = begin("mended");
    kill(parent_of(keeper));
    kill(keeper);
    marker.assert_gone_soon();
    assert!(!groups(keeper).is_empty());
    let mended = || {
        assert_eq!(world.call(&["doctor", "--repair"]).code, 0);
        groups(keeper).is_empty()
    };
    assert!(eventually(mended));
}
