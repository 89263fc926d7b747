//! Secrets that come into being while a run goes on: it loses sight of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{kinds, output, text};
use crate::support::{Running, World, eventually};

fn world() -> (World, PathBuf) {
    let world = World::unjudged();
    let home = world.path("home");
    for directory in [".config", ".cargo", "projects/other/deep"] {
        fs::create_dir_all(home.join(directory)).unwrap();
    }
    (world, home)
}

/// Has a run look for a file of the home, which is made while it goes on: what came of it, and
/// how long it went on after that.
fn look_for(flags: &[&str], name: &str, make: impl Fn(&Path)) -> (Value, Duration) {
    let (world, home) = world();
    let file = home.join(name);
    let look = format!(
        "touch ready; for i in $(seq 200); do cat '{}' 2> /dev/null && break; sleep 0.05; done; \
         sleep 2; echo all",
        file.display()
    );
    let flags = [&["--json", "--read", text(&home)], flags, &[&look]].concat();
    let run = Running::start(world.run_command(&flags));
    assert!(eventually(|| world.workspace().join("ready").exists()));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    make(&file);
    let began = Instant::now();
    let (_, result) = run.end().outcome().json();
    let took = began.elapsed();
    // A run that comes later does not see it either.
    if !kinds(&result).is_empty() {
        let again = format!("cat '{}' 2> /dev/null; true", file.display());
        assert_eq!(output(&world, &["--read", text(&home)], &again), "");
    }
    (result, took)
}

fn write(file: &Path) {
    fs::write(file, "content\n").unwrap();
}

#[test]
fn a_run_ends_when_a_secret_comes_into_being() {
    for name in [
        ".netrc",
        ".aws/credentials",
        ".config/gh/hosts.yml",
        ".config/git/credentials",
        ".cargo/credentials.toml",
        "projects/other/.env",
        "projects/other/deep/.env.local",
        "projects/new/.env",
    ] {
        ends_when_it_appears(&[], name);
    }
}

#[test]
fn a_run_in_bubblewrap_ends_too() {
    for name in [".aws/credentials", "projects/new/.env"] {
        ends_when_it_appears(&["--sandbox", "bubblewrap"], name);
    }
}

fn ends_when_it_appears(flags: &[&str], name: &str) {
    let (result, took) = look_for(flags, name, write);
    let told = &result["sandbox_violations"][0];
    assert_eq!(
        json!([
            result["success"],
            kinds(&result),
            told["source"],
            told["missing"]
        ]),
        json!([false, ["read"], "keeper", "paths_read"]),
        "{name}: {result}"
    );
    let path = told["path"].as_str().unwrap();
    assert!(path.contains("/home/"), "{name}: {path}");
    assert_ne!(result["stdout"], "content\nall\n", "{name}");
    assert!(took < Duration::from_millis(1900), "{name}: {took:?}");
}

/// Names of which only the beginning is known: one that exists is hidden, and hides no other.
#[test]
fn a_secret_beside_one_that_exists_is_one() {
    for (there, name, is_secret) in [
        (".cargo/credentials", ".cargo/credentials.toml", true),
        (".m2/settings.txt", ".m2/settings.xml", true),
        (".cargo/credentials.toml", ".cargo/config.toml", false),
    ] {
        let (world, home) = world();
        let [there, file] = [there, name].map(|name| home.join(name));
        fs::create_dir_all(there.parent().unwrap()).unwrap();
        write(&there);
        let look = format!(
            "touch ready; for i in $(seq 100); do cat '{}' 2> /dev/null && break; sleep 0.05; done; \
             sleep 2; echo all",
            file.display()
        );
        let run = world.run_command(&["--json", "--read", text(&home), &look]);
        let run = Running::start(run);
        assert!(eventually(|| world.workspace().join("ready").exists()));
        write(&file);
        let (_, result) = run.end().outcome().json();
        let expected: &[&str] = if is_secret { &["read"] } else { &[] };
        assert_eq!(kinds(&result), expected, "{name}: {result}");
    }
}

#[test]
fn a_secret_that_gets_its_name_later_is_one() {
    for name in [".npmrc", "projects/other/.env"] {
        let (result, _) = look_for(&[], name, |file| {
            let other = file.with_file_name("harmless");
            write(&other);
            fs::rename(other, file).unwrap();
        });
        assert_eq!(kinds(&result), ["read"], "{name}: {result}");
    }
}

/// What is no secret is seen as soon as it is there: without the watching, secrets were.
#[test]
fn other_files_that_come_into_being_are_seen() {
    for name in ["notes", ".config/other.toml", "projects/other/.env.example"] {
        let (result, _) = look_for(&[], name, write);
        assert_eq!(
            json!([result["stdout"], kinds(&result)]),
            json!(["content\nall\n", []]),
            "{name}: {result}"
        );
    }
}

/// What was named, and what a run may write itself, is no surprise.
#[test]
fn what_was_named_or_is_its_own_ends_no_run() {
    let (world, home) = world();
    let project = home.join("projects/other");
    let make = format!(
        "echo mine > '{0}/.env'; sleep 1; cat '{0}/.env'",
        project.display()
    );
    let flags = ["--read", text(&home), "--write", text(&project)];
    assert_eq!(output(&world, &flags, &make), "mine\n");
}

/// A cover goes along with what is renamed; what takes its name is not covered.
#[test]
fn a_secret_that_takes_the_place_of_another_is_one() {
    for (name, moved) in [
        (".netrc", ".netrc"),
        (".ssh/id_x", ".ssh"),
        (".config/gh/hosts.yml", ".config"),
    ] {
        let (world, home) = world();
        let file = home.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "old\n").unwrap();
        let look = format!(
            "touch ready; for i in $(seq 200); do cat '{}' 2> /dev/null && break; sleep 0.05; \
             done; sleep 2; echo all",
            file.display()
        );
        let flags = ["--json", "--read", text(&home), &look];
        let run = Running::start(world.run_command(&flags));
        assert!(eventually(|| world.workspace().join("ready").exists()));
        fs::rename(home.join(moved), home.join("aside")).unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        write(&file);
        let (_, result) = run.end().outcome().json();
        // Where the cover is missed first, that is told as well.
        assert_eq!(
            json!([result["success"], kinds(&result).first()]),
            json!([false, "read"]),
            "{name}: {result}"
        );
        assert_ne!(result["stdout"], "content\nall\n", "{name}");
    }
}
