//! `cargo xtask dist`: the executable as it is shipped, static and optimised as a whole.
//!
//! A static executable starts in two thirds of the time of a dynamic one, and one that is linked for
//! a fixed address needs none of the 22,000 corrections that it would make to itself at each start;
//! the command line is started often. What the fixed address gives up is in
//! `docs/design/0018-a-quick-start.md`. Plain `cargo build` cannot make one, because procedural macros
//! are built with the same flags unless a target is named.
//!
//! Its man pages and completions are laid out in `share`, beside it.

mod check;
mod share;

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::process::{cargo, run, stdout_of};
use crate::repository::Repository;

pub(crate) use check::check;

/// Everything in one file, at a fixed address.
const FLAGS: &str = "-C target-feature=+crt-static -C relocation-model=static";
/// The same for a commit that has no front: its program moves itself to where it is loaded.
const EARLIER_FLAGS: &str = "-C target-feature=+crt-static";

/// Where the front is, if a checkout has one.
const FRONT: &str = "crates/bashful-sandbox/src/sys/front.rs";

fn has_front(checkout: &Repository) -> bool {
    checkout.root().join(FRONT).is_file()
}

fn flags(checkout: &Repository) -> &'static str {
    if has_front(checkout) {
        FLAGS
    } else {
        EARLIER_FLAGS
    }
}

pub(crate) fn dist(repository: &Repository) -> Result<String> {
    let program = build(repository)?;
    let share = program.with_file_name("share");
    share::make(repository, &program, &share)?;
    Ok(program.display().to_string())
}

/// Where our program begins: the front of a call, before the C library (`sys/front.rs` of the
/// sandbox). Only where that is compiled with optimisation: without, it would call the C library.
#[cfg(target_arch = "x86_64")]
const ENTRY: &[&str] = &["-C", "link-arg=-Wl,-e,bashful_start"];
#[cfg(not(target_arch = "x86_64"))]
const ENTRY: &[&str] = &[];

/// The name of that place.
const START: &str = "bashful_start";

/// Builds it and returns where it is.
pub(crate) fn build(repository: &Repository) -> Result<PathBuf> {
    let host = host()?;
    let mut rustc = cargo(repository);
    rustc
        .args(["rustc", "-p", "bashful", "--bin", "bashful"])
        .args(options(&host));
    if has_front(repository) {
        rustc.arg("--").args(ENTRY);
    }
    run(rustc.env("RUSTFLAGS", flags(repository)))?;
    Ok(directory(repository, &host)?.join("bashful"))
}

/// Builds an example of a crate in the same way and returns where it is.
pub(crate) fn build_example(repository: &Repository, of: &str, name: &str) -> Result<PathBuf> {
    let host = host()?;
    let mut build = cargo(repository);
    build
        .args(["build", "-p", of, "--example", name])
        .args(options(&host));
    run(build.env("RUSTFLAGS", flags(repository)))?;
    Ok(directory(repository, &host)?.join("examples").join(name))
}

fn options(host: &str) -> [&str; 5] {
    ["--profile", "dist", "--locked", "--target", host]
}

/// The kind of machine that is built for: this one.
fn host() -> Result<String> {
    let version = stdout_of(std::process::Command::new("rustc").arg("-vV"))?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("`rustc -vV` names no host")?.to_owned())
}

fn directory(repository: &Repository, host: &str) -> Result<PathBuf> {
    Ok(repository.target_directory()?.join(host).join("dist"))
}
