//! What people and agents do all day is allowed, and what looks like it but is not is asked.

use bashful_policy::{Context, Effect, Policy, judge};

use crate::support::context as support;
use crate::support::table;

use table::command;

/// The commands of a table, with their escapes undone.
fn commands(table: &str) -> Vec<String> {
    let lines = table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(command).collect()
}

/// The commands that get another decision than wanted, with what was decided and why.
fn others(
    table: &str,
    policy: &Policy,
    context: &Context,
    wanted: fn(Effect) -> bool,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for command in commands(table) {
        let decision = judge(&command, policy, context).decision;
        if !wanted(decision.effect) {
            wrong.push(format!(
                "{} {command:?}: {} ({})",
                decision.effect.as_str(),
                decision.rule,
                decision.reason
            ));
        }
    }
    wrong
}

fn is_allowed(effect: Effect) -> bool {
    effect == Effect::Allow
}

#[test]
fn everyday_commands_are_allowed() {
    let table = include_str!("../cases/benign.txt");
    let wrong = others(table, &Policy::careful(), &support::context(), is_allowed);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands(table).len() >= 800);
}

#[test]
fn everyday_commands_are_allowed_where_the_kernel_holds_them() {
    let table = include_str!("../cases/benign.txt");
    let wrong = others(table, &Policy::confined(), &enforced(), is_allowed);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_looks_like_them_is_not() {
    let table = include_str!("../cases/asked.txt");
    let wrong = others(table, &Policy::careful(), &support::context(), |effect| {
        !is_allowed(effect)
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands(table).len() >= 150);
}

/// The same place, where the kernel holds what is declared.
fn enforced() -> Context {
    Context {
        enforced: true,
        ..support::context()
    }
}
