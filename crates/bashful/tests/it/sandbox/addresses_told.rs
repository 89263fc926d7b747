//! Addresses that git contacts outside, and what was held back: all of it is told, or counted.

use std::path::Path;

use serde_json::Value;

use super::git_config::{outside, repository};
use super::{kinds, told};
use crate::support::World;

fn git(world: &World, directory: &str, arguments: &[&str]) {
    let mut git = world.program("git");
    git.args(["-C", directory]).args(arguments);
    assert!(git.status().unwrap().success(), "{arguments:?}");
}

/// The addresses that were let through, and told.
fn addresses(result: &Value) -> Vec<&str> {
    let violations = result["sandbox_violations"].as_array();
    let all = violations.into_iter().flatten();
    let notes = all.filter_map(|violation| violation["note"].as_str());
    notes
        .filter_map(|note| note.strip_prefix("git's addresses changed outside too: "))
        .collect()
}

#[test]
fn addresses_below_the_top_are_told_once() {
    for (flags, address) in [
        // A run with the network could have sent there what it knows.
        (&["--network", "on"][..], "https://new.example/a.git"),
        // A host that the person has already.
        (&[], "ssh://example.org/other.git"),
    ] {
        let world = repository();
        let top = ["remote", "add", "origin", "https://example.org/one.git"];
        git(&world, ".", &top);
        git(&world, ".", &["init", "-q", "a/b/c/d"]);
        git(&world, "a/b/c/d", &top);
        std::thread::sleep(std::time::Duration::from_millis(100));
        let text = format!("git -C a/b/c/d remote set-url origin {address}");
        let (code, result) = world.json(&[flags, &[text.as_str()]].concat());
        assert_eq!(code, 0, "{result}");
        let expected = format!("set remote.origin.url to {address}");
        assert_eq!(addresses(&result), [expected.as_str()], "{result}");
        let told = result["sandbox_violations"][0]["path"].as_str();
        let config = world.workspace().join("a/b/c/d/.git/config");
        assert_eq!(told.map(Path::new), Some(config.as_path()), "{result}");
        assert!(std::fs::read_to_string(config).unwrap().contains(address));
        // A later run had no part in it.
        let (_, result) = world.json(&[flags, &["touch x"]].concat());
        assert_eq!(kinds(&result), [""; 0], "{result}");
    }
}

#[test]
fn all_addresses_are_told_and_countless_ones_are_not_let_through() {
    let add = |name: &str, count: usize| {
        format!(
            "for n in $(seq {count}); do printf '[remote \"{name}%s\"]\\n\\turl = \
             https://example.org/{name}%s\\n' $n $n; done >> .git/config"
        )
    };
    let world = repository();
    let host = ["remote", "add", "origin", "https://example.org/one.git"];
    git(&world, ".", &host);
    let (_, result) = world.json(&[&add("few", 30)]);
    assert_eq!(addresses(&result).len(), 30, "{result}");
    let (_, result) = world.json(&[&add("many", 201)]);
    assert_eq!(addresses(&result).len(), 0, "{result}");
    assert!(told(&result).contains("201 addresses"), "{result}");
    assert_eq!(outside(&world, "remote.many1.url"), "");
    assert_ne!(outside(&world, "remote.few30.url"), "");
}

/// What stands for those that are not listed.
fn unlisted(result: &Value) -> Option<&str> {
    let last = result["sandbox_violations"].as_array()?.last()?;
    last["note"].as_str().filter(|_| last["kind"] == "unlisted")
}

#[test]
fn what_is_not_listed_is_counted() {
    let hooks = "git init -q . && for n in $(seq 60); do echo evil > .git/hooks/hook-$n; done";
    let keys = "for n in $(seq 25); do git config alias.a$n '!evil'; done";
    let many = "for n in $(seq 110); do mkdir -p r$n/objects r$n/refs; \
                printf '[core]\\n\\tfsmonitor = evil\\n' > r$n/config; done";
    for (prepared, text, count) in [(false, hooks, 10), (true, keys, 5), (true, many, 10)] {
        let world = if prepared {
            repository()
        } else {
            World::unjudged()
        };
        let (_, result) = world.json(&[text]);
        let expected = format!("{count} more were held back");
        let found = unlisted(&result).unwrap_or_default();
        assert!(found.starts_with(&expected), "{text}: {result}");
    }
}
