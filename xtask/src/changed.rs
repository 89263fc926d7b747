//! What has changed since the branch that this one will go into.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::process::{cargo, stdout_of};
use crate::repository::Repository;

/// What is changed in with others: the first of these that exists.
const BASES: &[&str] = &["@{upstream}", "origin/HEAD", "origin/main", "main"];

/// Where a change can change the lints of every crate.
const FOR_ALL: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "clippy.toml",
    "rust-toolchain.toml",
];

/// Crates to look at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Crates {
    All,
    These(BTreeSet<String>),
}

/// The crates with changed files, and those that depend on them.
pub(crate) fn crates(repository: &Repository) -> Result<Crates> {
    let Crates::These(direct) = of_files(&files(repository)?) else {
        return Ok(Crates::All);
    };
    let mut found = BTreeSet::new();
    for name in direct {
        found.extend(with_dependents(repository, &name)?);
    }
    Ok(Crates::These(found))
}

/// This crate and those of ours that depend on it.
fn with_dependents(repository: &Repository, name: &str) -> Result<Vec<String>> {
    let tree = "tree --workspace --locked --offline --edges all --prefix none --format {p}";
    let mut command = cargo(repository);
    command.args(tree.split(' ')).args(["--invert", name]);
    let tree = stdout_of(&mut command)?;
    Ok(tree.lines().filter_map(own_crate).collect())
}

/// The files that differ from the base, committed or not.
fn files(repository: &Repository) -> Result<Vec<String>> {
    let git = |arguments: &[&str]| -> Result<String> {
        let mut command = Command::new("git");
        stdout_of(command.current_dir(repository.root()).args(arguments))
    };
    let base = base(repository).unwrap_or_else(|| "HEAD".to_owned());
    let tracked =
        git(&["diff", "--name-only", &base]).context("`--quick` asks git what changed")?;
    let new = git(&["ls-files", "--others", "--exclude-standard"])?;
    let files = tracked.lines().chain(new.lines());
    Ok(files.map(str::to_owned).collect())
}

/// Where the branch began.
fn base(repository: &Repository) -> Option<String> {
    BASES.iter().find_map(|name| {
        let mut command = Command::new("git");
        command
            .args(["merge-base", "HEAD", name])
            .stderr(Stdio::null());
        let output = command.current_dir(repository.root()).output().ok()?;
        let base = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| base.trim().to_owned())
    })
}

fn of_files(files: &[String]) -> Crates {
    if files.iter().any(|file| FOR_ALL.contains(&file.as_str())) {
        return Crates::All;
    }
    let owner = |file: &String| {
        let mut parts = file.split('/');
        match parts.next()? {
            "crates" => parts.next().map(str::to_owned),
            "xtask" => Some("xtask".to_owned()),
            _ => None,
        }
    };
    Crates::These(files.iter().filter_map(owner).collect())
}

/// The name in a line of `cargo tree`, if that crate is one of ours: it has a path.
fn own_crate(line: &str) -> Option<String> {
    let (name, rest) = line.split_once(' ')?;
    rest.contains(" (/").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_name_their_crates() {
        let of = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|&file| file.to_owned()).collect();
            of_files(&files)
        };
        let names = |names: &[&str]| Crates::These(names.iter().map(|&it| it.to_owned()).collect());
        assert_eq!(
            of(&[
                "crates/bashful/src/main.rs",
                "xtask/src/main.rs",
                "README.md"
            ]),
            names(&["bashful", "xtask"])
        );
        assert_eq!(of(&["docs/index.md"]), names(&[]));
        assert_eq!(of(&["docs/index.md", "Cargo.lock"]), Crates::All);
    }

    #[test]
    fn crates_with_a_path_are_ours() {
        let ours = own_crate("bashful-policy v0.1.0 (/src/crates/bashful-policy)");
        assert_eq!(ours.as_deref(), Some("bashful-policy"));
        assert_eq!(own_crate("serde_derive v1.0.229 (proc-macro)"), None);
        assert_eq!(own_crate("anyhow v1.0.100"), None);
        assert_eq!(own_crate(""), None);
    }

    #[test]
    fn what_depends_on_a_crate_is_found() {
        let repository = Repository::locate().unwrap();
        let found = with_dependents(&repository, "bashful-policy").unwrap();
        for name in ["bashful-policy", "bashful-engine", "bashful"] {
            assert!(found.iter().any(|it| it == name), "{found:?}");
        }
    }
}
