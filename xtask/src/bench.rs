//! `cargo xtask bench`: builds what is shipped and hands over to the bench programs.

mod compare;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::dist;
use crate::process::{cargo, run};
use crate::repository::Repository;
use crate::setup;

pub(crate) fn bench(repository: &Repository, arguments: &[String]) -> Result<()> {
    if let Some((name, rest)) = arguments.split_first()
        && name == "policy"
    {
        return policy(repository, rest);
    }
    setup::prepare_bench()?;
    if let Some(position) = arguments.iter().position(|word| word == "--compare") {
        let mut names = arguments.to_vec();
        names.remove(position);
        let other = names.get(position).cloned();
        let other = other.context("`--compare` needs a commit")?;
        names.remove(position);
        return compare::compare(repository, &other, &names);
    }
    let bench = Bench::build(repository)?;
    run(bench.command(repository).args(arguments))?;
    if arguments.iter().all(|word| word == "--save") {
        policy(repository, &[])?;
    }
    Ok(())
}

/// The bench program of a checkout, and the executable that it measures.
struct Bench {
    program: PathBuf,
    bashful: PathBuf,
}

impl Bench {
    fn build(checkout: &Repository) -> Result<Self> {
        // Both as they are shipped: the bench is its own keeper.
        let bashful = dist::build(checkout)?;
        let program = dist::build_example(checkout, "bashful-engine", "bench")?;
        Ok(Self { program, bashful })
    }

    /// With the figures of this repository, whichever checkout it is of.
    fn command(&self, repository: &Repository) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg("--bashful")
            .arg(&self.bashful)
            .arg("--figures")
            .arg(repository.root().join("docs/figures.toml"))
            .current_dir(repository.root());
        command
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
