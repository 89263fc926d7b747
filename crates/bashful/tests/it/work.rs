//! People's real work passes by default, and nothing of it is reported
//! as a violation.
//!
//! All of it holds for root and for an ordinary user. What a machine has for all users is
//! needed; what only some may start, such as a toolchain in root's home, is used where it
//! works outside too, and then it must work inside.

use std::process::Command;

use crate::support::{Outcome, Running, World};

mod builds;
mod data;
mod git;
mod git_local;
mod git_remotes;
mod places;
mod scripts;
mod servers;
mod table;
mod worktree;

/// A run in the workspace, with these flags before the text.
fn attempt(world: &World, flags: &[&str], text: &str) -> Outcome {
    finish(world.run_command(&[] as &[&str]), flags, text)
}

/// The same, from a command that has more in its environment.
fn finish(mut command: Command, flags: &[&str], text: &str) -> Outcome {
    command.args(flags).arg(text);
    Running::start(command).end().outcome()
}

/// What a piece of work printed. It succeeded, and the sandbox had nothing to say.
fn work_with(world: &World, flags: &[&str], text: &str) -> String {
    untroubled(attempt(world, flags, text), text)
}

fn work(world: &World, text: &str) -> String {
    work_with(world, &[], text)
}

fn untroubled(outcome: Outcome, text: &str) -> String {
    assert_eq!(outcome.code, 0, "{text}: {outcome:?}");
    assert!(
        !outcome.stderr.contains("bashful: sandbox"),
        "{text}: {outcome:?}"
    );
    outcome.stdout
}

/// The same work as one script that stops at the first step that failed.
fn steps(world: &World, steps: &[&str]) -> String {
    let checked = steps
        .iter()
        .map(|step| format!("{{ {step}\n}} || exit 1\n"));
    let text: String = std::iter::once("set -o pipefail\n".to_owned())
        .chain(checked)
        .collect();
    work(world, &text)
}
