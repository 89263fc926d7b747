//! The native sandbox from outside: what is declared is what a run can do, and whatever it
//! runs into or leaves behind is told.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::Value;

use crate::support::World;

mod addresses_told;
mod attacks;
mod backends;
mod bad_input;
mod bombs;
mod commands;
mod denied;
mod disk;
mod endings;
mod git_config;
mod git_copies;
mod git_left_behind;
mod held;
mod homes;
mod left_behind;
mod limits;
mod named;
mod network;
mod owners;
mod paths;
mod presets;
mod protected;
mod reporting;
mod rooms;
mod secrets;
mod secrets_later;
mod sockets;
mod spare_rooms;
mod telling;
mod tracing;
mod violations;
mod weaker;

/// Root can do more on the host, so more can be shown.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// What a run with these flags printed. It succeeded.
fn output(world: &World, flags: &[&str], text: &str) -> String {
    let outcome = world.run(&[flags, &[text]].concat());
    assert_eq!(outcome.code, 0, "{flags:?} {text}: {outcome:?}");
    outcome.stdout
}

/// What it printed, whether it succeeded or not.
fn printed(world: &World, flags: &[&str], text: &str) -> String {
    world.run(&[flags, &[text]].concat()).stdout
}

/// The kinds of violations in a result, in order.
fn kinds(result: &Value) -> Vec<&str> {
    let violations = result["sandbox_violations"].as_array();
    let all = violations.into_iter().flatten();
    all.filter_map(|violation| violation["kind"].as_str())
        .collect()
}

/// All violations as text, for looking for a word.
fn told(result: &Value) -> String {
    result["sandbox_violations"].to_string()
}

/// Everything below a directory, with what it is: the names, contents and modes that a run
/// must not change unasked.
fn listing(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let about = path.symlink_metadata().unwrap();
            let content = if about.is_file() {
                String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
            } else {
                String::new()
            };
            let (mode, owner) = (about.mode(), about.uid());
            found.push(format!("{} {mode:o} {owner} {content}", path.display()));
            if about.is_dir() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

/// How many tasks there ever were. What a keeper makes ahead of time has a dot before its
/// name.
fn tasks(world: &World) -> usize {
    let entries = fs::read_dir(world.state().join("tasks"))
        .into_iter()
        .flatten();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names
        .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
        .count()
}

/// A path as text.
fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
