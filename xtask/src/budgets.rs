//! `cargo xtask budgets`: the test that counts what warm runs cost, by itself.

use anyhow::{Result, bail};

use crate::process::{cargo, run};
use crate::repository::Repository;

pub(crate) fn budgets(repository: &Repository, arguments: &[String]) -> Result<()> {
    let flags: &[&str] = match arguments {
        [] => &[],
        [flag] if flag == "--write" => &["--write"],
        _ => bail!("`cargo xtask budgets` takes nothing but `--write`"),
    };
    let test = "test --locked --quiet -p bashful --test budgets --";
    run(cargo(repository).args(test.split(' ')).args(flags))
}
