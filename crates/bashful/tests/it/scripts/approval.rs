//! A person says yes to exactly one content; a byte later the person is asked again.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Terminal, World, binary, ran};

#[test]
fn the_first_run_at_a_terminal_asks_and_shows_everything() {
    let world = World::new();
    let text = "echo hello \u{1b}[2J $1\ncat /etc/hostname > /dev/null\n";
    world.keeps(
        "greet",
        text,
        &["--network", "on", "--variable", "N:number=1"],
    );
    let mut terminal = Terminal::bashful(&world, &["scripts", "run", "greet"]);
    terminal.asked(1);
    let seen = terminal.seen();
    for part in [
        "? May this script run whenever it is asked for?",
        "echo hello ␛[2J $1",
        "│ Name         │ greet",
        "│ Network      │ on",
        "N (number) = 1",
        "Found",
        "Can reach",
        "Approve it? [y n m ?, ENTER is no] ",
    ] {
        let reach = part == "Can reach" && seen.contains("Can read");
        assert!(seen.contains(part) || reach, "{part}: {seen}");
    }
    assert!(!seen.contains("hello \u{1b}[2J"), "{seen}");
    terminal.press(b"y");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("Approved."), "{screen}");
    // From now on no person is asked.
    let outcome = world.scripts(&["run", "greet"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let script = &world.told(&["show", "greet"])["script"];
    let approval = &script["approval"];
    assert_eq!(
        approval["approved_hash"], script["content_hash"],
        "{script}"
    );
    assert_eq!(approval["by"]["channel"], "prompt", "{script}");
}

#[test]
fn a_changed_byte_asks_again_and_shows_what_changed() {
    let world = World::new();
    let script = world.keeps_approved("greet", "echo one\necho two\n", &[]);
    fs::write(world.script_file(&script), "echo one\necho 2wo\n").unwrap();
    let mut terminal = Terminal::bashful(&world, &["scripts", "run", "greet"]);
    terminal.asked(1);
    let seen = terminal.seen();
    for part in ["-echo two", "+echo 2wo", "is not what was approved"] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    terminal.press(b"n");
    let (code, screen) = terminal.end();
    assert_eq!(code, 120, "{screen}");
    assert_eq!(world.scripts(&["run", "greet"]).code, 121);
    // As it was, it is still approved.
    fs::write(world.script_file(&script), "echo one\necho two\n").unwrap();
    assert_eq!(world.scripts(&["run", "greet"]), ran(0, "one\ntwo\n", ""));
}

#[test]
fn a_wider_capability_asks_again_and_says_so() {
    let world = World::new();
    world.keeps_approved("greet", "echo one\n", &[]);
    world.told(&["edit", "greet", "--network", "on"]);
    assert_eq!(world.scripts(&["run", "greet"]).code, 121);
    let mut terminal = Terminal::bashful(&world, &["scripts", "approve", "greet"]);
    terminal.asked(1);
    let seen = terminal.seen();
    assert!(seen.contains("was: off"), "{seen}");
    terminal.press(b"y");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(world.scripts(&["run", "greet"]), ran(0, "one\n", ""));
    // What is no part of what runs changes nothing.
    world.told(&["edit", "greet", "--description", "says one"]);
    world.told(&["rename", "greet", "greeting"]);
    assert_eq!(world.scripts(&["run", "greeting"]), ran(0, "one\n", ""));
}

#[test]
fn without_a_person_the_run_needs_approval_and_another_terminal_answers() {
    let world = World::new();
    world.keeps("greet", "echo one\n", &[]);
    let (code, result) = world.scripts(&["run", "greet", "--json"]).json();
    assert_eq!(code, 121, "{result}");
    assert_eq!(result["status"], "needs_approval", "{result}");
    let id = result["approval"]["id"].as_str().unwrap();
    let (code, shown) = Terminal::bashful(&world, &["approvals", "show", id]).end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("echo one"), "{shown}");
    let (code, screen) = Terminal::bashful(&world, &["approvals", "allow", id]).end();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(world.scripts(&["run", "greet"]), ran(0, "one\n", ""));
    let revoked = world.told(&["revoke", "greet"]);
    assert_eq!(revoked["script"]["approved"], false, "{revoked}");
    assert_eq!(world.scripts(&["run", "greet"]).code, 121);
    assert_eq!(world.scripts(&["revoke", "greet"]).code, 0);
}

#[test]
fn approve_asks_unless_told_and_needs_somebody_to_ask() {
    let world = World::new();
    world.keeps("greet", "echo one\n", &[]);
    assert_snapshot!(world.screen(&["scripts", "approve", "greet"]), @"
    exit code 120
    ----- stderr -----
    bashful: error: there is no person to ask here, and `--yes` was not given: an answer needs a terminal, and this process has none
    ");
    let mut terminal = Terminal::bashful(&world, &["scripts", "approve", "greet"]);
    terminal.asked(1);
    terminal.press(b"\r");
    let (code, screen) = terminal.end();
    assert_eq!(code, 1, "{screen}");
    assert_eq!(world.told(&["show", "greet"])["script"]["approved"], false);
    // For CI: a yes on the command line, on record as such.
    let approve = ["scripts", "approve", "greet", "--yes", "--json"];
    let (code, told) = world.without_a_terminal(&approve).json();
    assert_eq!(code, 0, "{told}");
    let by = &told["script"]["approval"]["by"];
    assert_eq!(by["channel"], "command_line", "{told}");
    // Only what the person looked at.
    let wrong = world.scripts(&["approve", "greet", "--yes", "--digest", "0123"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    let digest = told["script"]["digest"].as_str().unwrap();
    world.told(&["approve", "greet", "--yes", "--digest", digest]);
}

#[test]
fn what_bashful_runs_approves_nothing() {
    let world = World::without_walls();
    world.keeps("greet", "echo one\n", &[]);
    let places = [
        "HOME=home",
        "XDG_STATE_HOME=state",
        "XDG_CONFIG_HOME=config",
    ];
    let places = places.map(|place| {
        let (name, place) = place.split_once('=').unwrap();
        format!("{name}={}", world.path(place).display())
    });
    let command = format!(
        "env {} {} scripts approve greet --yes",
        places.join(" "),
        binary().display()
    );
    let outcome = world.run(&[command.as_str()]);
    assert_eq!(outcome.code, 120, "{outcome:?}");
    assert!(outcome.stderr.contains("started by Bashful"), "{outcome:?}");
    assert_eq!(world.told(&["show", "greet"])["script"]["approved"], false);
}

#[test]
fn a_long_script_is_looked_at_before_it_is_approved() {
    let world = World::new();
    let text = "echo line\n".repeat(300);
    world.keeps("long", &text, &[]);
    let mut terminal = Terminal::bashful(&world, &["scripts", "run", "long"]);
    terminal.asked(1);
    terminal.press(b"y");
    terminal.asked(2);
    assert!(terminal.seen().contains("Not all of it was shown"));
    terminal.press(b"n");
    let (code, _) = terminal.end();
    assert_eq!(code, 120);
    assert_eq!(world.told(&["show", "long"])["script"]["approved"], false);
}

#[test]
fn everything_is_on_record_with_hashes() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    world.scripts(&["run", "a"]);
    world.told(&["approve", "a", "--yes"]);
    world.scripts(&["run", "a"]);
    world.scripts_with(&["edit", "a", "-"], "echo two\n");
    world.told(&["delete", "a"]);
    let told = world.call(&["audit", "list", "--event", "script", "--json"]);
    let records = told.stdout.lines().map(serde_json::from_str::<Value>);
    let changes = records.map(|record| {
        let record = record.unwrap();
        let hash = record["content_hash"].as_str().unwrap();
        assert_eq!(hash.len(), 64, "{record}");
        record["change"].clone()
    });
    let expected = ["created", "refused", "approved", "run", "edited", "deleted"];
    assert_eq!(
        json!(changes.collect::<Vec<_>>()),
        json!(expected),
        "{told:?}"
    );
    let shown = world.call(&["audit", "list"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert_eq!(world.call(&["audit", "verify"]).code, 0);
}
