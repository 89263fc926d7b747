//! Any number of runs at once, each with its own answer.

use serde_json::json;

use crate::support::{Running, World, ran, seq};

#[test]
fn many_at_once() {
    let world = World::new();
    let runs: Vec<Running> = (0..24)
        .map(|number| {
            world.start(&[format!(
                "sleep 0.2; echo {number}; echo e{number} >&2; exit {number}"
            )])
        })
        .collect();
    for (number, run) in (0..).zip(runs) {
        let expected = ran(number, &format!("{number}\n"), &format!("e{number}\n"));
        assert_eq!(run.end().outcome(), expected);
    }
    assert_eq!(world.records().len(), 24);
    assert_eq!(world.keepers().len(), 24);
}

#[test]
fn many_at_once_in_one_session() {
    let world = World::new();
    let runs: Vec<Running> = (0..24)
        .map(|number| {
            let text = format!("sleep 0.2; seq {number} 2000; exit {number}");
            world.start(&["--session", "one", &text])
        })
        .collect();
    for (number, run) in (0..).zip(runs) {
        let lines = seq(number, 2000);
        let outcome = run.end().outcome();
        assert!(
            outcome == ran(number, &lines, ""),
            "{number}: {:?}",
            outcome.code
        );
    }
    assert_eq!(world.records().len(), 24);
    assert_eq!(world.keepers().len(), 1);
}

#[test]
fn many_at_once_do_not_mix_their_results() {
    let world = World::new();
    let runs: Vec<Running> = (0..12)
        .map(|number| {
            let (agent, text) = (format!("agent-{number}"), format!("echo {number}"));
            let arguments = ["--json", "--session", "one", "--agent", &agent, &text];
            world.start(&arguments)
        })
        .collect();
    let mut ids = Vec::new();
    for (number, run) in (0..).zip(runs) {
        let (code, result) = run.end().outcome().json();
        let found = json!([code, result["stdout"], result["agent"], result["session"]]);
        let expected = json!([0, format!("{number}\n"), format!("agent-{number}"), "one"]);
        assert_eq!(found, expected);
        ids.push(result["task_id"].as_str().unwrap().to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 12, "an id was given twice");
}

/// How many at once. One processor starts them in less time than a command waits in line.
const CROWD: usize = 500;

#[test]
fn heavy_a_crowd_in_one_session_is_served_in_turn() {
    let world = World::new();
    let runs: Vec<Running> = (0..CROWD)
        .map(|number| world.start(&["--session", "one", &format!("exit {}", number % 100)]))
        .collect();
    for (number, run) in runs.into_iter().enumerate() {
        let expected = ran(i32::try_from(number % 100).unwrap(), "", "");
        assert_eq!(run.end().outcome(), expected);
    }
    assert_eq!(world.records().len(), CROWD);
    assert_eq!(world.keepers().len(), 1);
}
