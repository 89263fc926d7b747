//! `bashful doctor --repair`: what is kept comes back from the directories and the trail.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Marker, World, binary};

fn repair(world: &World) -> (i32, Value) {
    world.call(&["doctor", "--repair", "--json"]).json()
}

/// What the doctor says is kept, without where keepers live.
fn kept(world: &World) -> Vec<(String, String)> {
    let (_, told) = world.call(&["doctor", "--json"]).json();
    let findings = told["kept"].as_array().unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings
        .iter()
        .filter(|finding| finding["name"] != "scope")
        .map(|finding| (text(finding, "state"), text(finding, "words")))
        .collect()
}

fn said(state: &str, words: &str) -> (String, String) {
    (state.to_owned(), words.to_owned())
}

#[test]
fn the_index_is_made_from_the_directories() {
    let world = World::without_walls();
    assert_eq!(kept(&world), [said("ok", "there is no database yet")]);
    assert!(!world.state().join("bashful.db").exists());
    world.json(&["true"]);
    world.json(&["exit 3"]);
    let marker = Marker::fresh();
    let running = world.start(&[marker.sleep().as_str()]);
    marker.wait_for(1);
    let (code, told) = repair(&world);
    assert_eq!(code, 0, "{told}");
    assert_eq!(
        told["index"],
        json!({ "running": 1, "finished": 2, "lost": 0, "unreadable": [] })
    );
    running.signal(Signal::INT);
    running.end();
    let (_, told) = repair(&world);
    assert_eq!(told["database"], json!({ "was": "fine" }));
    assert_eq!(told["restored"], Value::Null);
    assert_eq!(told["index"]["finished"], json!(3));
    let [database, index] = &kept(&world)[..] else {
        panic!("the doctor says something else");
    };
    assert_eq!(*database, said("ok", "the database is fine"));
    assert!(
        index.1.starts_with("the index holds tasks: 3, sessions: "),
        "{index:?}"
    );
}

#[test]
fn a_damaged_database_harms_no_run_and_is_mended() {
    let world = World::without_walls();
    world.json(&["true"]);
    let database = world.state().join("bashful.db");
    fs::write(&database, "no database at all").unwrap();
    let (code, result) = world.json(&["echo fine"]);
    assert_eq!((code, &result["stdout"]), (0, &json!("fine\n")));
    let [(state, words)] = &kept(&world)[..] else {
        panic!("the doctor says something else");
    };
    assert_eq!(state, "failed");
    assert!(words.starts_with("the database is damaged: "), "{words}");
    assert!(
        words.ends_with("; `bashful doctor --repair` mends it"),
        "{words}"
    );
    assert_eq!(fs::read_to_string(&database).unwrap(), "no database at all");

    let (code, told) = repair(&world);
    assert_eq!(code, 0, "{told}");
    assert_eq!(told["database"]["was"], "damaged");
    let moved = told["database"]["moved_to"].as_str().unwrap();
    assert_eq!(fs::read_to_string(moved).unwrap(), "no database at all");
    assert_eq!(told["index"]["finished"], json!(2));
    assert_eq!(kept(&world)[0], said("ok", "the database is fine"));
}

#[test]
fn people_are_told_what_was_done() {
    let world = World::without_walls();
    fs::create_dir_all(world.state()).unwrap();
    fs::write(world.state().join("bashful.db"), "no database").unwrap();
    let outcome = world.call(&["doctor", "--repair"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = outcome.stdout.lines().map(str::trim).collect();
    for expected in [
        "✓ There is a new database",
        "✓ Restored from the audit trail: 0 asks, 0 grants",
    ] {
        assert!(lines.contains(&expected), "{lines:?}");
    }
    let again = world.call(&["doctor", "--repair"]);
    assert!(
        again.stdout.contains("✓ The database is fine"),
        "{}",
        again.stdout
    );
}

#[test]
fn what_bashful_runs_cannot_mend() {
    let world = World::without_walls();
    let database = world.state().join("bashful.db");
    fs::create_dir_all(world.state()).unwrap();
    fs::write(&database, "no database").unwrap();
    let (_, result) = world.json(&[format!("{} doctor --repair --json", binary().display())]);
    assert_eq!(result["exit_code"], json!(120), "{result}");
    let told: Value = serde_json::from_str(result["stdout"].as_str().unwrap()).unwrap();
    assert_eq!(told["error"]["kind"], "denied");
    assert_eq!(fs::read_to_string(&database).unwrap(), "no database");
}
