//! A yes to what a script was: it has no effect, and no person is told that it has.

use serde_json::{Value, json};

use crate::support::{Terminal, World, ran};

/// The id of the ask that a run puts.
fn asked(world: &World, name: &str) -> String {
    let (code, result) = world.scripts(&["run", name, "--json"]).json();
    assert_eq!(code, 121, "{result}");
    result["approval"]["id"].as_str().unwrap().to_owned()
}

fn states(world: &World) -> Value {
    let (code, told) = world.call(&["approvals", "list", "--all", "--json"]).json();
    assert_eq!(code, 0, "{told}");
    let asks = told["asks"].as_array().unwrap();
    json!(
        asks.iter()
            .map(|ask| &ask["state"]["is"])
            .collect::<Vec<_>>()
    )
}

/// How often the trail tells that a script was approved.
fn approvals(world: &World) -> usize {
    let told = world.call(&["audit", "list", "--event", "script", "--json"]);
    told.stdout.matches("\"change\":\"approved\"").count()
}

#[test]
fn a_yes_to_an_older_text_says_that_it_has_no_effect() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    let ask = asked(&world, "a");
    world.scripts_with(&["edit", "a", "-"], "echo two\n");
    let (code, screen) = Terminal::bashful(&world, &["approvals", "allow", &ask]).end();
    assert_eq!(code, 1, "{screen}");
    assert!(
        screen.contains("it has changed since; look at it"),
        "{screen}"
    );
    assert!(!screen.contains("Approved"), "{screen}");
    assert_eq!(world.told(&["show", "a"])["script"]["approved"], false);
    assert_eq!(
        (states(&world), approvals(&world)),
        (json!(["overtaken"]), 0)
    );
    // Nor is there a yes that waits for the old text to come back.
    let told = world.told(&["restore", "a", "--version", "1"]);
    assert_eq!(told["script"]["approved"], false, "{told}");
}

#[test]
fn what_waits_is_settled_by_edit_approve_and_delete() {
    let world = World::new();
    for name in ["edited", "approved", "deleted"] {
        world.keeps(name, "echo one\n", &[]);
        asked(&world, name);
    }
    let listed = world.call(&["approvals", "list"]);
    let hash = world.told(&["show", "edited"])["script"]["content_hash"].clone();
    let hash = hash.as_str().unwrap().split_at(12).0;
    let rows = listed.stdout.lines().filter(|row| row.contains(hash));
    assert_eq!(rows.count(), 3, "{listed:?}");
    world.told(&["edit", "edited", "--network", "on"]);
    world.told(&["approve", "approved", "--yes"]);
    world.told(&["delete", "deleted"]);
    assert_eq!(states(&world), json!(["overtaken", "allowed", "overtaken"]));
    let listed = world.call(&["approvals", "list"]);
    assert_eq!(listed.stdout, "Nothing waits for an answer.\n");
    // A script with the same text is another question.
    assert_eq!(world.scripts(&["run", "edited"]).code, 121);
    // What is no part of what a yes is about leaves a question as it is.
    world.keeps("b", "echo one\n", &[]);
    asked(&world, "b");
    world.told(&["edit", "b", "--description", "says one"]);
    world.told(&["rename", "b", "c"]);
    assert_eq!(states(&world)[4], "pending");
    assert_eq!(world.call(&["audit", "verify"]).code, 0);
}

#[test]
fn a_run_whose_script_changes_under_the_question_ends() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    let terminal = Terminal::bashful(&world, &["scripts", "run", "a"]);
    terminal.asked(1);
    world.scripts_with(&["edit", "a", "-"], "echo two\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, 2, "{screen}");
    assert!(screen.contains("was changed in the meantime"), "{screen}");
    assert!(!screen.contains("Approved"), "{screen}");
    assert_eq!(approvals(&world), 0);
}

#[test]
fn a_run_that_waits_goes_on_when_it_is_approved_elsewhere() {
    let world = World::new();
    world.keeps("a", "echo one\n", &[]);
    let terminal = Terminal::bashful(&world, &["scripts", "run", "a"]);
    terminal.asked(1);
    world.told(&["approve", "a", "--yes"]);
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("one"), "{screen}");
    assert_eq!(world.scripts(&["run", "a"]), ran(0, "one\n", ""));
}
