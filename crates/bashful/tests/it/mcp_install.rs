//! `bashful mcp install`, `config` and `status`: what stands in a client's files afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Outcome, World, binary};

mod agreeing;
mod bad_files;
mod clients;
mod removing;
mod status;

/// The executable as it stands in a file.
fn executable() -> String {
    let path = binary().canonicalize().unwrap();
    path.to_str().unwrap().to_owned()
}

/// `bashful mcp install` with these arguments and a yes.
fn install(world: &World, arguments: &[&str]) -> Outcome {
    let words = [&["mcp", "install"], arguments, &["--yes"]].concat();
    world.call(&words)
}

/// The same, which is to go well.
fn installed(world: &World, arguments: &[&str]) -> Outcome {
    let outcome = install(world, arguments);
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (0, ""),
        "{outcome:?}"
    );
    outcome
}

/// Writes a file somewhere in a world.
fn put(world: &World, name: &str, text: &str) -> PathBuf {
    let path = world.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn text(world: &World, name: &str) -> String {
    fs::read_to_string(world.path(name)).unwrap()
}

fn json_of(world: &World, name: &str) -> Value {
    serde_json::from_str(&text(world, name)).unwrap()
}

/// The files beside this one that keep an old text of it.
fn backups(path: &Path) -> Vec<PathBuf> {
    let name = format!(
        "{}.bashful-backup-",
        path.file_name().unwrap().to_str().unwrap()
    );
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with(&name)
        })
        .collect();
    found.sort();
    found
}

/// All files under a directory of the world, by their names in it, with what they hold.
fn files(world: &World, under: &str) -> Vec<(String, String)> {
    let root = world.path(under);
    let mut found = Vec::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let name = path
                    .strip_prefix(&root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The rule that takes Claude Code's shell away.
fn no_shell() -> Value {
    json!({ "deny": ["Bash", "PowerShell", "Monitor"], "allow": ["mcp__bashful"] })
}
