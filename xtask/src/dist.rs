//! `cargo xtask dist`: the executable as it is shipped, static and optimised as a whole.
//!
//! A static executable starts in two thirds of the time of a dynamic one, and the command line is
//! started often. Plain `cargo build` cannot make one, because procedural macros are built with the
//! same flags unless a target is named.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::process::{cargo, run, stdout_of};
use crate::repository::Repository;

pub(crate) fn dist(repository: &Repository) -> Result<String> {
    Ok(build(repository)?.display().to_string())
}

/// Builds it and returns where it is.
pub(crate) fn build(repository: &Repository) -> Result<PathBuf> {
    let version = stdout_of(std::process::Command::new("rustc").arg("-vV"))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("`rustc -vV` names no host")?;
    run(cargo(repository)
        .args([
            "build",
            "--profile",
            "dist",
            "--locked",
            "-p",
            "bashful",
            "--target",
            host,
        ])
        .env("RUSTFLAGS", "-C target-feature=+crt-static"))?;
    Ok(repository
        .target_directory()?
        .join(host)
        .join("dist/bashful"))
}
