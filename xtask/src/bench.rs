//! `cargo xtask bench`: builds what is shipped and hands over to the bench program.

use anyhow::Result;

use crate::dist;
use crate::process::{cargo, run};
use crate::repository::Repository;
use crate::setup;

pub(crate) fn bench(repository: &Repository, arguments: &[String]) -> Result<()> {
    setup::prepare_bench()?;
    let binary = dist::build(repository)?;
    run(cargo(repository)
        .args(["run", "--release", "--locked", "-p", "bashful-engine"])
        .args(["--example", "bench", "--", "--bashful"])
        .arg(binary)
        .args(arguments))
}
