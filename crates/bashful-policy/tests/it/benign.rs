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

/// A careful person wants few of these asked about, and hardly one refused.
#[test]
fn agents_are_seldom_asked_and_hardly_ever_refused() {
    let table = include_str!("../cases/agents.txt");
    let count = commands(table).len();
    let that_are =
        |effect: fn(Effect) -> bool| others(table, &Policy::confined(), &enforced(), effect);
    let asked = that_are(|effect| effect != Effect::Ask);
    let refused = that_are(|effect| effect != Effect::Deny);
    eprintln!("{}\n{}", asked.join("\n"), refused.join("\n"));
    eprintln!(
        "of {count}: {} asked, {} refused",
        asked.len(),
        refused.len()
    );
    assert!(count == 223, "{count} commands");
    assert!(
        asked.len() * 100 <= count * 12,
        "{} of {count} asked",
        asked.len()
    );
    assert!(
        refused.len() * 100 <= count * 3,
        "{} of {count} refused",
        refused.len()
    );
}

/// The same place, where the kernel holds what is declared.
fn enforced() -> Context {
    Context {
        enforced: true,
        ..support::context()
    }
}
