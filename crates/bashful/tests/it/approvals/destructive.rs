//! What git could lose is asked about: after a yes the real git does it, and before it nothing.

use serde_json::{Value, json};

use super::{ask_about, on_a_terminal};
use crate::support::World;

fn git(world: &World, arguments: &[&str]) -> String {
    let output = world
        .program("git")
        .args(["-c", "user.name=Host", "-c", "user.email=host@example.org"])
        .args(["-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(world.workspace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A repository in which there is something to lose of each kind.
fn repository() -> World {
    let world = World::new();
    git(&world, &["init", "-q"]);
    world.write("file", "committed\n");
    git(&world, &["add", "file"]);
    git(&world, &["commit", "-qm", "first"]);
    git(&world, &["branch", "side"]);
    git(&world, &["init", "-q", "--bare", "remote.git"]);
    git(&world, &["push", "-q", "./remote.git", "main"]);
    git(&world, &["fetch", "-q", "./remote.git", "main"]);
    git(&world, &["commit", "-q", "--amend", "-m", "other"]);
    world.write("file", "stashed\n");
    git(&world, &["stash", "-q"]);
    world.write("file", "changed\n");
    world
}

/// What there is to lose.
fn state(world: &World) -> [String; 4] {
    [
        world.read("file"),
        git(world, &["stash", "list"]),
        git(world, &["branch", "--list"]),
        git(
            world,
            &["--git-dir=remote.git", "log", "--format=%s", "main"],
        ),
    ]
}

#[test]
fn after_a_yes_git_does_what_it_was_asked_about() {
    let cases = [
        ("git restore file", 0),
        ("git checkout -- file", 0),
        ("git reset -q --hard", 0),
        ("git stash drop -q", 1),
        ("git branch -D side", 2),
        ("git push -q --force ./remote.git main", 3),
        (
            "git push -q --force-with-lease=main:side ./remote.git main",
            3,
        ),
    ];
    for (command, lost) in cases {
        let world = repository();
        let before = state(&world);
        let ask = ask_about(&world, command);
        assert_eq!(state(&world), before, "{command}");
        let (code, screen) = on_a_terminal(&world, &["approvals", "allow", &ask]);
        assert_eq!(code, 0, "{screen}");
        let (code, result) = world.json(&["--session", "talk", command]);
        assert_eq!(code, 0, "{command}: {result}");
        let after = state(&world);
        for (index, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!(before != after, index == lost, "{command}: {after}");
        }
        // It was a yes for one run.
        assert_eq!(
            world.json(&["--session", "talk", command]).0,
            121,
            "{command}"
        );
    }
}

#[test]
fn a_lasting_yes_is_for_the_words_that_were_shown() {
    let world = repository();
    let ask = ask_about(&world, "git restore file");
    on_a_terminal(&world, &["approvals", "allow", &ask, "--scope", "session"]);
    let code = |command: &str| world.json(&["--session", "talk", command]).0;
    assert_eq!([code("git restore file"), code("git restore file")], [0, 0]);
    for other in [
        "git restore .",
        "git restore file; git reset --hard",
        "git stash drop",
    ] {
        assert_eq!(code(other), 121, "{other}");
    }
}

#[test]
fn the_history_stays_and_so_does_what_a_person_decided() {
    let world = repository();
    let rule = |arguments: &[&str]| -> (i32, Value) {
        let (code, result) = world.json(arguments);
        (code, result["decision"]["rule"].clone())
    };
    for command in [
        "rm -rf .git",
        "git reset --hard; rm -rf .git",
        "rm -rf ./.git/",
    ] {
        assert_eq!(
            rule(&[command]),
            (120, json!("delete-history")),
            "{command}"
        );
    }
    let refused = (120, json!("git-destructive"));
    assert_eq!(rule(&["--profile", "careful", "git stash drop"]), refused);
    // A rule of a person that allows git opens no class.
    world.configure(
        "[[profile.default.rule]]\nid = \"git\"\neffect = \"allow\"\ncommand = [\"git\", \"stash\", \"…\"]\n",
    );
    assert_eq!(rule(&["git stash drop"]).0, 121);
    world.configure("[profile.default.class.git-destructive]\nrefused = \"deny\"\n");
    assert_eq!(rule(&["git stash drop"]), refused);
    // A project may refuse, and may not have it asked.
    world.write(
        ".bashful.toml",
        "[profile.default.class.git-destructive]\nrefused = \"ask\"\n",
    );
    assert_eq!(rule(&["git stash drop"]), refused);
    world.configure("[profile.careful.class.git-destructive]\nrefused = \"ask\"\n");
    world.write(
        ".bashful.toml",
        "[profile.default.class.git-destructive]\nrefused = \"deny\"\n",
    );
    assert_eq!(rule(&["git stash drop"]), refused);
    assert_eq!(rule(&["--profile", "careful", "git stash drop"]).0, 121);
}
