//! What a run made in a protected place is held back, and told.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{kinds, listing, told};
use crate::support::{Marker, World, eventually};

#[test]
fn what_a_run_makes_is_held_back_and_told() {
    for name in [
        ".bashrc",
        ".zshrc",
        ".profile",
        ".envrc",
        ".gitconfig",
        ".mcp.json",
        ".bashful.toml",
        ".vscode/tasks.json",
        ".vscode/settings.json",
        ".git/hooks/pre-commit",
        ".ssh",
    ] {
        let world = World::unjudged();
        let text = format!("mkdir -p $(dirname {name}) && echo evil > {name} && cat {name}");
        let (code, result) = world.json(&[&text]);
        let place = world.workspace().join(name);
        // It was there for the run itself, and is not for the host.
        let found = json!([code, result["stdout"], place.exists(), kinds(&result)]);
        assert_eq!(
            found,
            json!([0, "evil\n", false, ["protected"]]),
            "{name}: {result}"
        );
        let violation = &result["sandbox_violations"][0];
        assert_eq!(violation["path"], place.to_str().unwrap(), "{name}");
        let task = result["task_id"].as_str().unwrap();
        let held = world.workspace().join(format!("{name}.held-{task}"));
        assert_eq!(fs::read_to_string(held).unwrap(), "evil\n", "{name}");
    }
}

#[test]
fn a_repository_that_is_made_anew_is_cleaned_too() {
    let world = World::unjudged();
    let status = world.program("git").args(["init", "-q"]).status().unwrap();
    assert!(status.success());
    let (_, result) = world.json(&[
        "rm -rf .git 2> /dev/null; mv .git old 2> /dev/null; git init -q . ; \
         echo evil > .git/hooks/pre-commit; git config core.fsmonitor ./evil; \
         printf '[core]\\n\\tfsmonitor = ./evil\\n' > .git/config.worktree; echo /evil > .git/commondir",
    ]);
    let git = world.workspace().join(".git");
    let config = fs::read_to_string(git.join("config")).unwrap_or_default();
    let found = json!([
        config.contains("evil"),
        git.join("hooks/pre-commit").exists(),
        git.join("config.worktree").exists(),
        git.join("commondir").exists(),
    ]);
    assert_eq!(found, json!([false, false, false, false]), "{result}");
}

#[test]
fn a_person_is_told_what_was_held_back() {
    let world = World::unjudged();
    let outcome = world.run(&["echo evil > .envrc"]);
    let task = world.records()[0]["id"].as_str().unwrap().to_owned();
    for part in [
        "bashful: sandbox: protected",
        ".envrc",
        &format!(".envrc.held-{task}"),
    ] {
        assert!(outcome.stderr.contains(part), "{part} in {outcome:?}");
    }
    assert_eq!(outcome.code, 0);
}

#[test]
fn links_and_directories_in_protected_places_are_held_back() {
    let world = World::unjudged();
    world.write("evil", "evil\n");
    let (_, result) = world.json(&[
        "ln -s evil .envrc; mkdir -p .claude/deep; mkfifo .bashrc; ln evil .mcp.json; \
         mkdir real && ln -s real .vscode && echo evil > .vscode/tasks.json",
    ]);
    for name in [
        ".envrc",
        ".claude",
        ".bashrc",
        ".mcp.json",
        ".vscode/tasks.json",
    ] {
        let place = world.workspace().join(name);
        assert!(place.symlink_metadata().is_err(), "{name}: {result}");
    }
    assert_eq!(kinds(&result), ["protected"; 5], "{result}");
}

#[test]
fn hooks_of_a_new_repository_are_held_back() {
    let world = World::unjudged();
    let (code, result) = world.json(&[
        "git init -q . && printf '#!/bin/sh\\necho evil\\n' > .git/hooks/post-checkout && \
         chmod 755 .git/hooks/post-checkout && git config core.hooksPath /tmp/hooks && \
         git config core.fsmonitor ./evil && git config alias.x '!evil' && \
         git config user.name Kept && git config --list --local | sort",
    ]);
    let inside = result["stdout"].as_str().unwrap();
    assert!(inside.contains("core.fsmonitor=./evil"), "{result}");
    assert_eq!(code, 0);
    let config = world.read(".git/config");
    for word in ["fsmonitor", "hooksPath", "hookspath", "alias", "evil"] {
        assert!(!config.contains(word), "{word} in {config}");
    }
    assert!(config.contains("name = Kept"), "{config}");
    let hooks = fs::read_dir(world.workspace().join(".git/hooks")).unwrap();
    let names: Vec<String> = hooks
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".sample"))
        .collect();
    let task = result["task_id"].as_str().unwrap();
    assert_eq!(names, [format!("post-checkout.held-{task}")]);
    for word in [
        "post-checkout",
        "core.fsmonitor",
        "core.hookspath",
        "alias.x",
    ] {
        assert!(
            told(&result).to_lowercase().contains(word),
            "{word} in {result}"
        );
    }
}

#[test]
fn what_appears_in_a_long_run_is_held_back_meanwhile() {
    let world = World::unjudged();
    let marker = Marker::fresh();
    let text = format!("touch made; echo evil > .envrc; {}", marker.sleep());
    let run = world.start(&["--session", "s", &text]);
    assert!(eventually(|| world.workspace().join("made").exists()));
    let began = Instant::now();
    let gone = eventually(|| {
        let names = fs::read_dir(world.workspace()).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.any(|name| name.starts_with(".envrc.held-"))
    });
    assert!(gone, "{:?}", listing(&world.workspace()));
    // About two seconds, and a busy machine.
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    assert!(!world.workspace().join(".envrc").exists());
    assert_eq!(marker.sleepers().len(), 1);
    drop(run);
    marker.assert_gone_soon();
}

#[test]
fn what_an_adopted_process_makes_is_held_back() {
    let world = World::unjudged();
    let text = "(sleep 0.7; echo evil > .envrc; sleep 600) & echo started";
    let outcome = world.run(&["--session", "s", "--survivors", "adopt", text]);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "started\n"),
        "{outcome:?}"
    );
    let held = eventually(|| {
        let names = fs::read_dir(world.workspace()).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.any(|name| name.starts_with(".envrc.held-"))
    });
    assert!(held, "{:?}", listing(&world.workspace()));
    assert!(!world.workspace().join(".envrc").exists());
    assert_eq!(world.call(&["stop", "--all"]).code, 0);
}

/// Whether `git status` outside executes what was prepared, which leaves a mark.
fn executed_outside(world: &World) -> bool {
    let mark = world.path("executed");
    let _ = world.program("git").arg("status").output().unwrap();
    mark.exists()
}

#[test]
fn a_bare_repository_at_the_top_executes_nothing_outside() {
    let world = World::unjudged();
    let mark = world.path("executed");
    let text = format!(
        "git init -q --bare . ; git config core.bare false; git config core.worktree \"$PWD\"; \
         git config core.fsmonitor 'touch {}; false'",
        mark.display()
    );
    let (code, result) = world.json(&[&text]);
    assert_eq!(code, 0, "{result}");
    assert!(
        !executed_outside(&world),
        "{:?}",
        listing(&world.workspace())
    );
    assert_ne!(kinds(&result), [] as [&str; 0], "{result}");
}

#[test]
fn a_git_file_or_link_to_a_prepared_repository_executes_nothing_outside() {
    for way in [
        "echo 'gitdir: evil.git' > .git",
        "ln -s evil.git .git",
        "mv evil.git .git",
        "cp -r evil.git .git",
        "mkdir .git && mv evil.git/* .git/",
    ] {
        let world = World::unjudged();
        let text = format!(
            "git init -q --bare evil.git; git --git-dir evil.git config core.bare false; \
             git --git-dir evil.git config core.fsmonitor 'touch {}; false'; {way}",
            world.path("executed").display()
        );
        let (code, result) = world.json(&[&text]);
        assert_eq!(code, 0, "{way}: {result}");
        assert!(!executed_outside(&world), "{way}: {result}");
        assert_ne!(kinds(&result), [] as [&str; 0], "{way}: {result}");
    }
}
