//! Several at the same moment: one answer counts, one run uses a yes, and all agree on which.

use std::fs::{self, File};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::{ask_about, asking, grants, on_a_terminal, pending};
use crate::support::{Running, Terminal, World, binary, is_long};

/// How often each race is run: a hundred times where there is time.
fn rounds(few: usize) -> usize {
    if is_long() { 100 } else { few }
}

/// Many wait in front of it, and all go at once.
struct Gate {
    path: std::path::PathBuf,
    held: File,
}

impl Gate {
    fn shut(world: &World) -> Self {
        let path = world.path("gate");
        let held = File::create(&path).unwrap();
        flock(&held, FlockOperation::LockExclusive).unwrap();
        Self { path, held }
    }

    /// `bashful` with these arguments behind the gate.
    fn run(&self, world: &World, arguments: &[&str]) -> Running {
        let mut command = world.program("flock");
        command
            .arg("-s")
            .arg(&self.path)
            .arg(binary())
            .args(arguments);
        Running::start(command)
    }

    /// The same on a terminal.
    fn person(&self, world: &World, arguments: &[&str]) -> Terminal {
        let (gate, program) = (self.path.display(), binary());
        let words = arguments.join("' '");
        let line = format!("flock -s '{gate}' '{}' '{words}'", program.display());
        Terminal::line(world, &line)
    }

    fn open(self) {
        // The calls behind it have had time to get there by now.
        std::thread::sleep(Duration::from_millis(60));
        flock(&self.held, FlockOperation::Unlock).unwrap();
    }
}

/// A world in which no agent asks too much.
fn patient() -> World {
    let world = asking();
    let rules = fs::read_to_string(world.path("config/bashful/config.toml")).unwrap();
    world.configure(&format!("[approvals]\nmost_pending = 1000\n{rules}"));
    world
}

/// What is on record about this.
fn recorded(world: &World, event: &str, holds: impl Fn(&Value) -> bool) -> Vec<Value> {
    let listed = world.call(&["audit", "list", "--json", "--event", event]);
    assert_eq!(listed.code, 0, "{listed:?}");
    let lines = listed.stdout.lines();
    let events = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(holds).collect()
}

fn state_of(world: &World, id: &str) -> Value {
    let (code, shown) = world.call(&["approvals", "show", "--json", id]).json();
    assert_eq!(code, 0, "{shown}");
    shown["ask"]["state"].clone()
}

/// An ask has one end, the same in the store and on record, and a grant only if it was a yes.
fn assert_one_end(world: &World, id: &str) -> String {
    let state = state_of(world, id);
    let answers = recorded(world, "answer", |event| event["ask"] == *id);
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["state"], state);
    let mut left = grants(world);
    left.retain(|grant| grant["ask"] == *id);
    let is = state["is"].as_str().unwrap().to_owned();
    assert_eq!(left.len(), usize::from(is == "allowed"), "{left:?}");
    let given = recorded(world, "grant", |event| {
        event["change"] == "given" && event["grant"]["ask"] == *id
    });
    assert_eq!(given.len(), left.len(), "{given:?}");
    is
}

#[test]
fn heavy_ten_answers_and_one_counts() {
    let world = patient();
    for round in 0..rounds(6) {
        let name = format!("touch made-{round}");
        let id = ask_about(&world, &name);
        let gate = Gate::shut(&world);
        let persons: Vec<Terminal> = (0..10)
            .map(|person| {
                let verb = ["allow", "deny"][(person + round) % 2];
                gate.person(&world, &["approvals", verb, &id])
            })
            .collect();
        gate.open();
        let mut codes: Vec<i32> = persons.into_iter().map(|one| one.end().0).collect();
        codes.sort_unstable();
        assert_eq!(codes, [0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_one_end(&world, &id);
    }
}

#[test]
fn heavy_ten_runs_and_one_uses_the_yes() {
    let world = patient();
    world.configure(
        "[approvals]\nmost_pending = 1000\n[[profile.default.rule]]\nid = \"ask-tee\"\n\
         effect = \"ask\"\ncommand = [\"tee\", \"…\"]\nreason = \"writes a line\"\n",
    );
    let command = "echo x | tee -a lines";
    let rounds = rounds(6);
    for round in 0..rounds {
        let id = ask_about(&world, command);
        let (code, screen) = on_a_terminal(&world, &["approvals", "allow", &id]);
        assert_eq!(code, 0, "{screen}");
        let gate = Gate::shut(&world);
        let runs: Vec<Running> = (0..10)
            .map(|_| gate.run(&world, &["run", "--json", command]))
            .collect();
        gate.open();
        let mut codes: Vec<i32> = runs.into_iter().map(|run| run.end().code).collect();
        codes.sort_unstable();
        assert_eq!(codes[..2], [0, 121], "{codes:?}");
        assert!(codes[1..].iter().all(|&code| code == 121), "{codes:?}");
        assert_eq!(world.read("lines").lines().count(), round + 1);
        // The nine share one ask.
        assert_eq!(pending(&world).len(), 1);
    }
    let starts = recorded(&world, "start", |event| event["claimed"].is_string());
    assert_eq!(starts.len(), rounds);
}

#[test]
fn heavy_an_answer_in_the_moment_of_expiry() {
    let world = patient();
    let rules = fs::read_to_string(world.path("config/bashful/config.toml")).unwrap();
    world.configure(&rules.replace("[approvals]", "[approvals]\nexpire = \"700ms\""));
    let mut ends = Vec::new();
    for round in 0..rounds(8) {
        let (code, result) = world.json(&[&format!("touch made-{round}")]);
        assert_eq!(code, 121, "{result}");
        let id = result["approval"]["id"].as_str().unwrap().to_owned();
        let (_, shown) = world.call(&["approvals", "show", "--json", &id]).json();
        let end = shown["ask"]["expires_at_ms"].as_u64().unwrap();
        let gate = Gate::shut(&world);
        let persons = [0; 4].map(|_| gate.person(&world, &["approvals", "allow", &id]));
        // The gate takes a moment to open, and the answers another.
        let early = 62 + u64::try_from(round % 8).unwrap() * 3;
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let left = Duration::from_millis(end - early).saturating_sub(now());
        std::thread::sleep(left);
        gate.open();
        let codes: Vec<i32> = persons.map(|one| one.end().0).into();
        assert!(codes.iter().all(|code| matches!(code, 0 | 1)), "{codes:?}");
        let counted = codes.iter().filter(|&&code| code == 0).count();
        let is = assert_one_end(&world, &id);
        assert_eq!(counted, usize::from(is == "allowed"), "{is} {codes:?}");
        ends.push(is);
    }
    let known = ["allowed", "expired"];
    assert!(
        ends.iter().all(|is| known.contains(&is.as_str())),
        "{ends:?}"
    );
}

#[test]
fn heavy_a_grant_is_used_or_taken_back() {
    let world = patient();
    for round in 0..rounds(10) {
        let name = format!("made-{round}");
        let command = format!("touch {name}");
        let id = ask_about(&world, &command);
        let (code, screen) = on_a_terminal(&world, &["approvals", "allow", &id]);
        assert_eq!(code, 0, "{screen}");
        let mut given = grants(&world);
        given.retain(|grant| grant["ask"] == *id);
        let grant = given[0]["id"].as_str().unwrap().to_owned();
        let gate = Gate::shut(&world);
        let run = gate.run(&world, &["run", "--json", &command]);
        let person = gate.person(&world, &["grants", "revoke", &grant]);
        gate.open();
        let (ran, (revoked, screen)) = (run.end().code, person.end());
        let is_made = world.workspace().join(&name).exists();
        assert_eq!(is_made, ran == 0);
        assert!(
            matches!((ran, revoked), (0, 1) | (121, 0)),
            "{ran} {revoked} {screen}"
        );
        // The record knows of one end, and not of the other.
        let of = |change: &str| {
            let is = |event: &Value| event["change"] == change && event["grant"]["id"] == grant;
            recorded(&world, "grant", is).len()
        };
        let expected = if ran == 0 { (1, 0) } else { (0, 1) };
        assert_eq!((of("claimed"), of("revoked")), expected);
    }
}

#[test]
fn heavy_a_lasting_yes_is_taken_back_while_a_run_waits() {
    let world = patient();
    for round in 0..rounds(4) {
        let name = format!("made-{round}");
        let command = format!("touch {name}");
        let run = world.start(&["--session", "talk", "--wait", "3s", "--json", &command]);
        let id = super::waiting_ask(&world);
        let arguments = ["approvals", "allow", &id, "--scope", "session"];
        assert_eq!(on_a_terminal(&world, &arguments).0, 0);
        let (code, screen) = on_a_terminal(&world, &["grants", "revoke", "--all"]);
        assert_eq!(code, 0, "{screen}");
        let code = run.end().code;
        assert!(matches!(code, 0 | 121), "{code}");
        assert_eq!(world.workspace().join(&name).exists(), code == 0);
        // Whichever it was, the yes is gone.
        let after = world.json(&["--session", "talk", &command]);
        assert_eq!(after.0, 121, "{}", after.1);
        for ask in pending(&world) {
            let id = ask["id"].as_str().unwrap();
            assert_eq!(on_a_terminal(&world, &["approvals", "deny", id]).0, 0);
        }
    }
}
