//! `cargo xtask dist`: the executable as it is shipped, static and optimised as a whole.
//!
//! A static executable starts in two thirds of the time of a dynamic one, and one that is linked for
//! a fixed address needs none of the 22,000 corrections that it would make to itself at each start;
//! the command line is started often. What the fixed address gives up is in
//! `docs/design/0018-a-quick-start.md`. Plain `cargo build` cannot make one, because procedural macros
//! are built with the same flags unless a target is named.
//!
//! Its man pages and completions are laid out in `share`, beside it.

mod share;

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::process::{cargo, run, stdout_of};
use crate::repository::Repository;

/// Everything in one file, at a fixed address.
const FLAGS: &str = "-C target-feature=+crt-static -C relocation-model=static";

pub(crate) fn dist(repository: &Repository) -> Result<String> {
    let directory = build_all(repository, &["-p", "bashful"])?;
    let program = directory.join("bashful");
    share::make(repository, &program, &directory.join("share"))?;
    Ok(program.display().to_string())
}

/// Builds these things in the same way, and returns the directory they are in.
pub(crate) fn build_all(repository: &Repository, what: &[&str]) -> Result<PathBuf> {
    let version = stdout_of(std::process::Command::new("rustc").arg("-vV"))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("`rustc -vV` names no host")?;
    run(cargo(repository)
        .args(["build", "--profile", "dist", "--locked", "--target", host])
        .args(what)
        .env("RUSTFLAGS", FLAGS))?;
    Ok(repository.target_directory()?.join(host).join("dist"))
}
