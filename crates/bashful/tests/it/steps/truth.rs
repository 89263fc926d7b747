//! What must be true after a kill, as the real executable tells it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use super::{COMMAND, Step, allow};
use crate::support::{Running, World, eventually, shifted};

/// What is looked at.
pub(super) struct Truth<'w> {
    world: &'w World,
    /// How often the person said yes, at most.
    yeses: usize,
}

impl<'w> Truth<'w> {
    pub(super) fn after(world: &'w World, yeses: usize) -> Self {
        Self { world, yeses }
    }

    pub(super) fn check(mut self, step: &Step) {
        // A keeper that was orphaned ends by itself.
        let over = eventually(|| self.world.living_keepers().is_empty());
        assert!(over, "{step:?}: {:?}", self.world.living_keepers());
        self.check_record(step);
        self.go_on(step);
        self.check_record(step);
        self.check_ends(step);
    }

    /// The next commands work as if nothing had happened.
    fn go_on(&mut self, step: &Step) {
        let world = self.world;
        let plain = world.run(&["true"]);
        assert_eq!((plain.code, plain.stderr.as_str()), (0, ""), "{step:?}");
        let before = lines(world);
        let (mut code, mut result) = world.json(&[COMMAND]);
        if code == 120 {
            // A no that no run waited for is told once.
            assert_eq!(result["approval"]["state"], "denied", "{step:?}");
            (code, result) = world.json(&[COMMAND]);
        }
        if code == 121 {
            let id = result["approval"]["id"].as_str().unwrap().to_owned();
            allow(world, &id);
            self.yeses += 1;
            (code, result) = world.json(&[COMMAND]);
        }
        assert_eq!(code, 0, "{step:?}: {result}");
        assert_eq!(lines(world), before + 1, "{step:?}");
        let (_, asks) = world.call(&["approvals", "list", "--json"]).json();
        assert_eq!(asks["asks"], serde_json::json!([]), "{step:?}");
    }

    fn check_record(&self, step: &Step) {
        let world = self.world;
        if !world.state().join("trail.jsonl").exists() {
            let there = (lines(world), tasks(world));
            assert_eq!(there, (0, Vec::new()), "{step:?}");
            return;
        }
        let (code, verified) = world.call(&["audit", "verify", "--json"]).json();
        let verdict = verified["verdict"].as_str();
        assert_eq!(
            (code, verdict),
            (0, Some("consistent")),
            "{step:?} {verified}"
        );
        let record = Record::read(world);
        // Nothing ran that was not on record before.
        for task in tasks(world) {
            let state = fs::read_to_string(world.state().join("tasks").join(&task).join("state"));
            assert!(
                record.starts.contains_key(&task),
                "{step:?}: {task} {state:?}"
            );
        }
        // No yes was used twice, and nothing was done without one.
        let claims: Vec<&String> = record.starts.values().flatten().collect();
        let used: BTreeSet<&String> = claims.iter().copied().collect();
        assert!(lines(world) <= used.len(), "{step:?}: {claims:?}");
        assert!(used.len() <= self.yeses, "{step:?}: {claims:?}");
        for grant in used {
            let claimed = record.starts.iter();
            let claimed = claimed.filter(|(_, claim)| claim.as_ref() == Some(grant));
            // Ids sort by time. What was claimed before was given back: it was not started.
            let tasks: Vec<&String> = claimed.map(|(task, _)| task).collect();
            for earlier in &tasks[..tasks.len() - 1] {
                let end = &record.ends[*earlier];
                let found = (end["status"].as_str(), end["duration_ms"].as_u64());
                assert_eq!(found, (Some("broken"), Some(0)), "{step:?}: {end}");
            }
        }
        // What counts is on record.
        let (_, held) = world.call(&["grants", "list", "--all", "--json"]).json();
        let held = held["grants"].as_array().unwrap();
        for grant in held {
            let id = grant["id"].as_str().unwrap();
            assert!(record.given.contains(id), "{step:?}: {grant}");
            let taken = grant["revoked_at_ms"].is_u64();
            assert!(!taken || record.revoked.contains(id), "{step:?}: {grant}");
        }
        let (_, known) = world.call(&["approvals", "list", "--all", "--json"]).json();
        for ask in known["asks"].as_array().unwrap() {
            let answer = record.answers.get(ask["id"].as_str().unwrap());
            let state = &ask["state"];
            let waits = state["is"] == "pending";
            assert!(waits || answer == Some(state), "{step:?}: {ask} {answer:?}");
        }
    }

    /// A minute later each start has an end.
    fn check_ends(&self, step: &Step) {
        let mut later = self.world.bashful(&["audit", "commands", "--json"]);
        shifted(self.world, &mut later, 60);
        let outcome = Running::start(later).end().outcome();
        assert_eq!(outcome.code, 0, "{step:?}: {outcome:?}");
        let record = Record::read(self.world);
        for task in record.starts.keys() {
            assert!(record.ends.contains_key(task), "{step:?}: {task}");
        }
        for line in outcome.stdout.lines() {
            let shown: Value = serde_json::from_str(line).unwrap();
            assert!(shown["status"].is_string(), "{step:?}: {shown}");
        }
    }
}

/// What the trail tells.
#[derive(Default)]
struct Record {
    /// Each start, with the grant that it used up.
    starts: BTreeMap<String, Option<String>>,
    ends: BTreeMap<String, Value>,
    given: BTreeSet<String>,
    revoked: BTreeSet<String>,
    /// The last answer to each ask.
    answers: BTreeMap<String, Value>,
}

impl Record {
    fn read(world: &World) -> Self {
        let outcome = world.call(&["audit", "list", "--json"]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let mut record = Self::default();
        for line in outcome.stdout.lines() {
            record.take(&serde_json::from_str(line).unwrap());
        }
        record
    }

    fn take(&mut self, event: &Value) {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let task = text(&event["task"]);
        match event["event"].as_str().unwrap() {
            "start" => {
                let earlier = self.starts.insert(task.unwrap(), text(&event["claimed"]));
                assert_eq!(earlier, None, "{event}");
            }
            "end" => {
                let earlier = self.ends.insert(task.unwrap(), event.clone());
                assert_eq!(earlier, None, "{event}");
            }
            "answer" => {
                let ask = text(&event["ask"]).unwrap();
                self.answers.insert(ask, event["state"].clone());
            }
            "grant" => {
                let id = text(&event["grant"]["id"]).unwrap();
                match event["change"].as_str().unwrap() {
                    "given" => drop(self.given.insert(id)),
                    "revoked" => drop(self.revoked.insert(id)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// How often the command did its work.
pub(super) fn lines(world: &World) -> usize {
    let text = fs::read_to_string(world.workspace().join("lines"));
    text.map_or(0, |text| text.lines().count())
}

/// The tasks whose command has executed. What a keeper prepared and was killed before that has no
/// state.
fn tasks(world: &World) -> Vec<String> {
    let entries = fs::read_dir(world.state().join("tasks"));
    let names = entries.into_iter().flatten().flatten();
    names
        .filter(|entry| entry.path().join("state").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}
