//! `cargo xtask bench`: builds what is shipped and hands over to the bench programs.

mod compare;
mod program;
mod save;

use anyhow::{Context, Result};

use crate::process::{cargo, run};
use crate::repository::Repository;
use crate::setup;
use program::Bench;

/// The benches that tell figures.
const WITH_FIGURES: &[&str] = &[
    "sandbox",
    "no-op",
    "command-line",
    "approvals",
    "mcp",
    "shells",
    "bubblewrap",
    "scripts",
    "work",
];

pub(crate) fn bench(repository: &Repository, arguments: &[String]) -> Result<()> {
    if let Some((name, rest)) = arguments.split_first()
        && name == "policy"
    {
        return policy(repository, rest);
    }
    setup::prepare_bench()?;
    let mut names: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Some(position) = names.iter().position(|word| *word == "--compare") {
        names.remove(position);
        let other = names.get(position).copied();
        let other = other.context("`--compare` needs a commit")?;
        names.remove(position);
        return compare::compare(repository, other, or_all(&names));
    }
    if let Some(position) = names.iter().position(|word| *word == "--save") {
        names.remove(position);
        return save::save(repository, or_all(&names));
    }
    let bench = Bench::build(repository)?;
    let scratch = program::scratch(repository)?;
    run(bench.command(repository, scratch.path()).args(arguments))?;
    if arguments.is_empty() {
        policy(repository, &[])?;
    }
    Ok(())
}

fn or_all<'a>(names: &'a [&'a str]) -> &'a [&'a str] {
    if names.is_empty() {
        WITH_FIGURES
    } else {
        names
    }
}

/// Decides about every command of a corpus. Nothing is started, so no executable is needed.
fn policy(repository: &Repository, arguments: &[String]) -> Result<()> {
    // A panic is counted here, not caught where the text is read.
    let profile = ["inherits='release'", "panic='unwind'"];
    let mut command = cargo(repository);
    for setting in profile {
        command.args(["--config", &format!("profile.measure.{setting}")]);
    }
    run(command
        .args(["run", "--profile", "measure", "--locked", "-p", "xtask"])
        .args(["--example", "policy", "--"])
        .args(arguments))
}
