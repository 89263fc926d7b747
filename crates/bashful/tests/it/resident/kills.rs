//! Front, stand-in or resident are killed at any moment: the call ends with an answer, nothing runs
//! twice, and nothing runs that is not on record.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{House, call};
use crate::support::{Running, World, eventually, is_long};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Front,
    StandIns,
    Resident,
}

/// So long after the start of a call, in milliseconds, its victim is killed.
const MOMENTS: [u64; 8] = [0, 1, 3, 6, 12, 25, 45, 80];

/// Each command has a number, and says once that it ran.
fn text(number: usize) -> String {
    format!("echo {number} >> ran")
}

/// The numbers of the commands that ran, and how often each did.
fn ran(world: &World) -> BTreeMap<usize, usize> {
    let ran = fs::read_to_string(world.path("workspace/ran")).unwrap_or_default();
    let mut counts = BTreeMap::new();
    for number in ran.lines().filter_map(|line| line.parse().ok()) {
        *counts.entry(number).or_default() += 1;
    }
    counts
}

/// How often the record has a start of this command.
fn starts(world: &World, text: &str) -> usize {
    let trail = fs::read_to_string(world.state().join("trail.jsonl")).unwrap();
    let events: Vec<Value> = trail
        .lines()
        .filter_map(|it| serde_json::from_str(it).ok())
        .collect();
    let of = |kind: &str, key: &str, value: &Value| {
        let found = events
            .iter()
            .filter(|it| it["event"] == kind && it[key] == *value);
        found.map(|it| it["task"].clone()).collect::<Vec<_>>()
    };
    let tasks = of("request", "command", &Value::from(text));
    tasks
        .iter()
        .map(|task| of("start", "task", task).len())
        .sum()
}

#[test]
fn heavy_whoever_is_killed_the_call_ends_and_nothing_runs_twice_or_unrecorded() {
    let rounds = if is_long() { 20 } else { 1 };
    let mut house = House::new();
    let mut number = 0;
    let mut answered = 0;
    for victim in [Victim::Front, Victim::StandIns, Victim::Resident] {
        for moment in MOMENTS.repeat(rounds) {
            number += 1;
            house.restore();
            let victims = match victim {
                Victim::Front => Vec::new(),
                Victim::StandIns => house.waiting(),
                Victim::Resident => vec![house.resident],
            };
            let running = Running::start(call(&house.world, &[&text(number)]));
            std::thread::sleep(Duration::from_millis(moment));
            if victim == Victim::Front {
                running.signal(Signal::KILL);
            }
            for pid in victims {
                // It may have ended by itself.
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
            let outcome = running.end().outcome();
            let told = format!("{victim:?} after {moment} ms: {outcome:?}");
            let expected: &[i32] = match victim {
                Victim::Front => &[0, 137],
                Victim::StandIns => &[0, 125],
                Victim::Resident => &[0],
            };
            assert!(expected.contains(&outcome.code), "{told}");
            // What was killed with a run under way is cleaned up after by the keeper.
            if outcome.code == 0 {
                assert_eq!(ran(&house.world).get(&number), Some(&1), "{told}");
                answered += 1;
            }
        }
    }
    let world = &house.world;
    let is_idle = || world.status().is_empty();
    assert!(eventually(is_idle), "{:?}", world.status());
    for (number, times) in ran(world) {
        let started = starts(world, &text(number));
        assert_eq!((times, started), (1, 1), "command {number}");
    }
    assert!(
        answered >= MOMENTS.len(),
        "{answered} of {number} calls ran"
    );
    let (code, verified) = world.call(&["audit", "verify", "--json"]).json();
    assert_eq!(
        (code, &verified["verdict"]),
        (0, &"consistent".into()),
        "{verified}"
    );
}
