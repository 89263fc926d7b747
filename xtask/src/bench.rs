//! `cargo xtask bench`: builds what is shipped and hands over to the bench programs.

use anyhow::Result;

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
    let binary = dist::build(repository)?;
    run(cargo(repository)
        .args(["run", "--release", "--locked", "-p", "bashful-engine"])
        .args(["--example", "bench", "--", "--bashful"])
        .arg(binary)
        .args(arguments))?;
    if arguments.is_empty() {
        policy(repository, &[])?;
    }
    Ok(())
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
