//! The private copy of `.git/config` and the host's file, side by side.

use std::fs;

use super::git_config::{outside, repository};
use super::{kinds, output};
use crate::support::UNJUDGED;

#[test]
fn held_keys_go_on_working_in_their_room() {
    let world = repository();
    let session = ["--session", "s"];
    let outcome = world.run(&["--session", "s", "git config alias.hi '!echo hello'"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.stderr.contains("alias.hi"), "{outcome:?}");
    assert_eq!(output(&world, &session, "git hi"), "hello\n");
    // It is told once.
    let outcome = world.run(&["--session", "s", "git hi"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, UNJUDGED));
    assert_ne!(world.run(&["--session", "other", "git hi"]).code, 0);
    assert_eq!(outside(&world, "alias.hi"), "");
}

#[test]
fn the_file_itself_cannot_be_replaced() {
    let world = repository();
    let before = world.read(".git/config");
    for text in [
        "printf '[core]\\n\\tfsmonitor = ./evil\\n' > .git/config",
        "rm -f .git/config; printf '[alias]\\n\\tx = !evil\\n' > .git/config",
        "printf '[alias]\\n\\tx = !evil\\n' > new; mv -f new .git/config",
        "ln -sf ../evil .git/config",
        "mv .git g; mkdir .git; printf '[alias]\\n\\tx = !evil\\n' > .git/config",
        "cp -r .git g; rm -rf .git; mv g .git",
        "printf '[include]\\n\\tpath = ../evil\\n' >> .git/config",
        "printf '\\000\\n[x' > .git/config",
    ] {
        world.run(&[text]);
        let now = world.read(".git/config");
        for word in ["evil", "include", "\0"] {
            assert!(!now.contains(word), "{text}: {now}");
        }
        let about = fs::symlink_metadata(world.workspace().join(".git/config")).unwrap();
        assert!(about.is_file(), "{text}");
        // Harmless keys may have gone, as a run may unset them; the rest is as it was.
        fs::write(world.workspace().join(".git/config"), &before).unwrap();
    }
}

#[test]
fn a_change_of_the_host_reaches_a_live_room() {
    let world = repository();
    let session = ["--session", "s"];
    output(&world, &session, "git config user.name Inside");
    let host = |arguments: &[&str]| {
        let status = world.program("git").arg("config").args(arguments).status();
        assert!(status.unwrap().success());
    };
    host(&["user.email", "host@example.org"]);
    let seen = output(
        &world,
        &session,
        "git config user.name; git config user.email",
    );
    assert_eq!(seen, "Inside\nhost@example.org\n");
    host(&["alias.mine", "log"]);
    output(&world, &session, "git config branch.x.remote origin");
    assert_eq!(outside(&world, "alias.mine"), "log\n");
    assert_eq!(outside(&world, "branch.x.remote"), "origin\n");
}

#[test]
fn changes_of_many_runs_at_once_all_arrive() {
    let world = repository();
    let runs: Vec<_> = (0..6)
        .map(|number| {
            // Git gives up at once where another one holds the lock.
            let text = format!(
                "for turn in $(seq 200); do git config branch.b{number}.remote origin \
                 2> /dev/null && exit; sleep 0.02; done; exit 1"
            );
            world.start(&["--session", "s", &text])
        })
        .collect();
    for run in runs {
        let outcome = run.end().outcome();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, UNJUDGED));
    }
    let found: Vec<String> = (0..6)
        .map(|number| outside(&world, &format!("branch.b{number}.remote")))
        .collect();
    assert_eq!(found, ["origin\n"; 6]);
}

#[test]
fn the_users_own_dangerous_keys_stay() {
    let world = repository();
    let config = world.read(".git/config") + "[alias]\n\tmine = log\n[core]\n\teditor = vi\n";
    world.write(".git/config", &config);
    let (_, result) = world.json(&[
        "git config user.name X; git config --unset alias.mine; git config core.editor ./evil",
    ]);
    let found = ["user.name", "alias.mine", "core.editor"].map(|key| outside(&world, key));
    assert_eq!(found, ["X\n", "log\n", "vi\n"], "{result}");
    assert_eq!(kinds(&result), ["git_config", "git_config"]);
}

#[test]
fn files_that_the_configuration_includes_are_protected() {
    let world = repository();
    world.write("shared", "[alias]\n\tst = status\n");
    let host = world
        .program("git")
        .args(["config", "include.path", "../shared"])
        .status();
    assert!(host.unwrap().success());
    assert_eq!(output(&world, &[], "git config alias.st"), "status\n");
    let text = format!(
        "printf '[core]\\n\\tfsmonitor = \"touch {}; false\"\\n' > new; cat new >> shared; \
         mv -f new shared; true",
        world.path("executed").display()
    );
    world.run(&[&text]);
    let _ = world.program("git").arg("status").output().unwrap();
    assert!(!world.path("executed").exists());
    assert_eq!(world.read("shared"), "[alias]\n\tst = status\n");
}
