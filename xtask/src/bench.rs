//! `cargo xtask bench`: builds for release and hands over to the bench program.

use anyhow::Result;

use crate::process::{cargo, run};
use crate::repository::Repository;

pub(crate) fn bench(repository: &Repository, arguments: &[String]) -> Result<()> {
    run(cargo(repository).args(["build", "--release", "--locked", "-p", "bashful"]))?;
    let binary = repository.target_directory()?.join("release/bashful");
    run(cargo(repository)
        .args(["run", "--release", "--locked", "-p", "bashful-engine"])
        .args(["--example", "bench", "--", "--bashful"])
        .arg(binary)
        .args(arguments))
}
