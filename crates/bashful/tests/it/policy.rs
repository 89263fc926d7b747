//! The policy from outside: what is judged, what is said about it, and who has a say.

use serde_json::Value;

use crate::support::{Outcome, World};

mod check;
mod configuration;
mod notices;
mod replay;
mod rules;
mod runs;

/// `bashful policy` with these arguments.
fn policy(world: &World, arguments: &[&str]) -> Outcome {
    world.call(&[&["policy"], arguments].concat())
}

/// `bashful policy check --json`: the code and the object.
fn checked(world: &World, arguments: &[&str]) -> (i32, Value) {
    policy(world, &[&["check", "--json"], arguments].concat()).json()
}

/// The exit code, the rule and the layer of a decision.
fn decided(world: &World, arguments: &[&str]) -> (i32, String) {
    let (code, told) = checked(world, arguments);
    let decision = &told["decision"];
    let text = |name: &str| decision[name].as_str().unwrap_or_default().to_owned();
    let found = format!("{} {} {}", text("effect"), text("rule"), text("layer"));
    (code, found)
}

/// A rule for the user's configuration.
fn rule(profile: &str, id: &str, effect: &str, command: &str) -> String {
    format!(
        "[[profile.{profile}.rule]]\nid = \"{id}\"\neffect = \"{effect}\"\n\
         command = {command}\nreason = \"is for a test\"\n"
    )
}
