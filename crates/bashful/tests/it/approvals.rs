//! Asking a person: the prompt, answers from elsewhere, and what is remembered.

mod commands;
mod damage;
mod destructive;
mod forgery;
mod grants;
mod places;
mod prompt;
mod races;
mod watch;

use serde_json::Value;

use crate::support::{Terminal, World, eventually};

/// A world in which `touch` needs a yes.
fn asking() -> World {
    let world = World::new();
    world.configure(
        "[[profile.default.rule]]\nid = \"ask-touch\"\neffect = \"ask\"\n\
         command = [\"touch\", \"…\"]\nreason = \"makes a file\"\n",
    );
    world
}

/// The asks that wait.
fn pending(world: &World) -> Vec<Value> {
    let (code, answer) = world.call(&["approvals", "list", "--json"]).json();
    assert_eq!(code, 0, "{answer}");
    answer["asks"].as_array().unwrap().clone()
}

/// Waits until an ask waits for an answer; its id.
fn waiting_ask(world: &World) -> String {
    assert!(eventually(|| !pending(world).is_empty()));
    pending(world)[0]["id"].as_str().unwrap().to_owned()
}

/// The grants, also those that do not hold any more.
fn grants(world: &World) -> Vec<Value> {
    let (code, answer) = world.call(&["grants", "list", "--all", "--json"]).json();
    assert_eq!(code, 0, "{answer}");
    answer["grants"].as_array().unwrap().clone()
}

/// `bashful` on a terminal, to its end.
fn on_a_terminal(world: &World, arguments: &[&str]) -> (i32, String) {
    Terminal::bashful(world, arguments).end()
}

/// Asks about a command and leaves it; the id of the ask.
fn ask_about(world: &World, command: &str) -> String {
    let (code, result) = world.json(&["--session", "talk", command]);
    assert_eq!(code, 121, "{result}");
    result["approval"]["id"].as_str().unwrap().to_owned()
}

fn made(world: &World, name: &str) -> bool {
    world.workspace().join(name).exists()
}
