//! Git and repositories of the same machine: a yes opens the one that was shown, and no network.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::git::outside;
use crate::support::{Terminal, World};

/// A workspace with a commit, and beside it a bare repository that has it, as the remote `origin`.
fn world() -> (World, PathBuf) {
    let world = World::new();
    let workspace = world.workspace();
    outside(&world, &workspace, &["init", "-q", "-b", "main"]);
    world.write("first", "one\n");
    outside(&world, &workspace, &["add", "first"]);
    outside(&world, &workspace, &["commit", "-qm", "first"]);
    for (key, value) in [("name", "Host"), ("email", "host@example.org")] {
        outside(
            &world,
            &workspace,
            &["config", &format!("user.{key}"), value],
        );
    }
    let remote = bare(&world, "remote.git");
    let address = format!("{}/../remote.git", workspace.display());
    outside(&world, &workspace, &["remote", "add", "origin", &address]);
    outside(&world, &workspace, &["push", "-qu", "origin", "main"]);
    (world, remote)
}

fn bare(world: &World, name: &str) -> PathBuf {
    let place = world.path(name);
    let text = place.to_str().unwrap();
    outside(world, &world.workspace(), &["init", "-q", "--bare", text]);
    place.canonicalize().unwrap()
}

fn run(world: &World, text: &str) -> (i32, Value) {
    world.json(&["--session", "day", text])
}

/// What is asked for about a command.
fn wanted(world: &World, text: &str) -> (String, Value) {
    let (code, result) = run(world, text);
    assert_eq!(code, 121, "{result}");
    let id = result["approval"]["id"].as_str().unwrap().to_owned();
    (id, result["approval"]["ask"].clone())
}

fn say_yes(world: &World, id: &str, flags: &[&str]) {
    let words = [&["approvals", "allow", id], flags].concat();
    let (code, screen) = Terminal::bashful(world, &words).end();
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn what_git_does_with_a_repository_beside_it_works_after_a_yes() {
    let (world, remote) = world();
    for (text, opened) in [
        ("git fetch", "paths_read"),
        ("git ls-remote origin", "paths_read"),
        ("git pull --ff-only", "paths_read"),
        (
            "git commit -q --allow-empty -m two && git push",
            "paths_write",
        ),
        ("git push --force-with-lease origin main", "paths_write"),
    ] {
        let (id, asked) = wanted(&world, text);
        let place = json!({ "capability": opened, "path": remote });
        let asked = asked.as_array().unwrap();
        assert!(asked.contains(&place), "{text}: {asked:?}");
        assert!(
            !asked.iter().any(|one| one["capability"] == "network"),
            "{text}"
        );
        say_yes(&world, &id, &[]);
        let (code, result) = run(&world, text);
        assert_eq!(code, 0, "{text}: {result}");
    }
    // What came there is what was pushed; nothing in it was planted.
    let subjects = outside(&world, &remote, &["log", "--format=%s", "main"]);
    assert_eq!(subjects, "two\nfirst\n");
}

#[test]
fn a_push_opens_no_hooks_of_that_repository() {
    let (world, remote) = world();
    let push = format!(
        "git push -q origin main; echo x > {}/hooks/post-update",
        remote.display()
    );
    let (id, _) = wanted(&world, "git push -q origin main");
    say_yes(&world, &id, &["--scope", "session"]);
    let (code, result) = run(&world, &push);
    assert_ne!(code, 0, "{result}");
    assert!(!remote.join("hooks/post-update").exists());
}

#[test]
fn a_yes_is_for_the_repository_that_was_shown() {
    let (world, _) = world();
    let (id, _) = wanted(&world, "git fetch");
    say_yes(&world, &id, &["--scope", "session"]);
    assert_eq!(run(&world, "git fetch").0, 0);
    let other = bare(&world, "other.git");
    let workspace = world.workspace();
    let other = other.to_str().unwrap();
    outside(&world, &workspace, &["push", "-q", other, "main"]);
    assert_eq!(run(&world, "git fetch").0, 0);
    outside(&world, &workspace, &["remote", "set-url", "origin", other]);
    assert_ne!(run(&world, "git fetch").0, 0);
}

#[test]
fn what_is_no_repository_or_holds_more_is_not_opened() {
    let (world, _) = world();
    let workspace = world.workspace();
    for place in ["plain", ".hidden"] {
        fs::create_dir(world.path(place)).unwrap();
    }
    outside(&world, &world.path("home"), &["init", "-q"]);
    outside(&world, &world.path(".hidden"), &["init", "-q"]);
    for place in ["plain", "home", ".hidden", "nothing"] {
        let address = world.path(place);
        let address = address.to_str().unwrap();
        outside(
            &world,
            &workspace,
            &["remote", "set-url", "origin", address],
        );
        for text in ["git fetch", "git push origin main"] {
            let (_, asked) = wanted(&world, text);
            let asked = asked.to_string();
            assert!(!asked.contains("paths_"), "{place}: {asked}");
        }
    }
}
