//! Repositories that a run prepared: git outside executes nothing of it.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::git_config::{outside, repository};
use super::super::{kinds, told};
use super::{SESSION, WAIT, ended, going, is_there, open_again, output, text};
use crate::support::World;

/// What everything that must not be executed would leave.
fn mark(world: &World) -> PathBuf {
    world.path("executed")
}

/// A command that appends a monitor to a configuration.
fn monitor(world: &World, config: &str) -> String {
    let mark = mark(world);
    let mark = mark.display();
    format!("printf '\\n[core]\\n\\tfsmonitor = \"touch {mark}; false\"\\n' >> {config}")
}

/// A command that makes a hook.
fn hook(world: &World, directory: &str) -> String {
    let mark = mark(world);
    format!(
        "mkdir -p {directory}; printf '#!/bin/sh\\ntouch {}\\n' > {directory}/pre-commit; \
         chmod 755 {directory}/pre-commit",
        mark.display()
    )
}

/// Whether git executes a command of the run's when it is used in this directory outside.
fn executes_in(world: &World, directory: &Path) -> bool {
    for arguments in [
        &["status"][..],
        &["commit", "-q", "--allow-empty", "-m", "later"],
        &["checkout", "-q", "-b", "later"],
    ] {
        let mut command = world.program("git");
        command.args(["-c", "user.name=Host", "-c", "user.email=h@example.org"]);
        let _ = command.args(arguments).current_dir(directory).output();
    }
    mark(world).exists()
}

fn executes(world: &World) -> bool {
    executes_in(world, &world.workspace())
}

#[test]
fn the_traps_of_these_tests_are_real() {
    for trap in [
        |world: &World| monitor(world, ".git/config"),
        |world: &World| hook(world, ".git/hooks"),
    ] {
        let world = repository();
        let mut shell = world.program("sh");
        let status = shell.arg("-c").arg(trap(&world)).status().unwrap();
        assert!(status.success());
        assert!(executes(&world));
    }
}

#[test]
fn the_copy_of_the_configuration_stays_one_in_every_run_of_a_session() {
    let world = repository();
    for round in 1..=4 {
        let text = format!(
            "[ -L .git/config ] && echo link; git config user.name n{round}; {}",
            // The same is told once.
            monitor(&world, ".git/config").replace("false", &format!("false {round}"))
        );
        let (code, result) = world.json(&["--session", "s", &text]);
        assert_eq!((code, &result["stdout"]), (0, &"link\n".into()), "{result}");
        assert!(told(&result).contains("fsmonitor"), "{round}: {result}");
        assert_eq!(outside(&world, "core.fsmonitor"), "", "{round}");
        assert_eq!(outside(&world, "user.name"), format!("n{round}\n"));
    }
    assert!(!executes(&world));
}

#[test]
fn what_one_run_gives_to_the_host_uncovers_nothing_in_another() {
    let world = repository();
    let text = format!("{WAIT}; {}", monitor(&world, ".git/config"));
    let run = going(&world, &[], &text);
    output(&world, &SESSION, "git config user.name other");
    assert_eq!(outside(&world, "user.name"), "other\n");
    world.write("go", "");
    let (code, result) = ended(run);
    assert_eq!((code, kinds(&result)), (0, vec!["git_config"]), "{result}");
    assert_eq!(outside(&world, "core.fsmonitor"), "");
    assert!(!executes(&world));
}

#[test]
fn a_bare_repository_beside_a_broken_one_is_held_back() {
    for broken in ["HEAD", "objects", "refs"] {
        let world = repository();
        let text = format!(
            "mv .git/{broken} .git/off; mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; \
             printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n' \
             > config; {}",
            monitor(&world, "config")
        );
        let (_, result) = world.json(&[&text]);
        assert!(!executes(&world), "{broken}: {result}");
        assert!(!kinds(&result).is_empty(), "{broken}: {result}");
    }
}

#[test]
fn a_hook_among_thousands_of_samples_is_held_back() {
    let world = World::unjudged();
    let text = format!(
        "git init -q .; for n in $(seq 6000); do : > .git/hooks/x$n.sample; done; {}",
        hook(&world, ".git/hooks")
    );
    let (code, result) = world.json(&[&text]);
    assert_eq!((code, kinds(&result)), (0, vec!["protected"]), "{result}");
    assert!(told(&result).contains("pre-commit"), "{result}");
    assert!(!is_there(&world, ".git/hooks/pre-commit"));
    assert!(!executes(&world));
}

#[test]
fn a_repository_that_is_closed_to_its_owner_executes_nothing() {
    for closed in [".git", ".git/hooks", ".git .git/hooks"] {
        for mode in ["311", "111", "000"] {
            let world = World::unjudged();
            let text = format!(
                "git init -q .; {}; {}; for name in $(echo {closed} | tac -s ' '); do \
                 chmod {mode} $name; done",
                hook(&world, ".git/hooks"),
                monitor(&world, ".git/config"),
            );
            let (code, result) = world.json(&[&text]);
            let is_executed = executes(&world);
            open_again(&world);
            // Also when its owner opens it again.
            let is_executed = is_executed || executes(&world);
            assert!(!is_executed, "{closed} {mode}: {result}");
            assert_eq!(code, 0, "{closed} {mode}: {result}");
            assert!(!kinds(&result).is_empty(), "{closed} {mode}: {result}");
        }
    }
}

#[test]
fn a_directory_of_hooks_is_found_however_it_is_written() {
    for written in [
        "[core]\n\thooksPath = .husky/_ # husky\n",
        "[core] hooksPath = .husky/_\n",
        "[CORE]\n\tHOOKSPATH = \".husky/_\" ; husky\n",
        "[core]\n\thooksPath = .hus\\\nky/_\n",
    ] {
        for there in ["", ".husky", ".husky/_"] {
            let world = repository();
            let config = world.read(".git/config");
            world.write(".git/config", config + written);
            fs::create_dir_all(world.workspace().join(there)).unwrap();
            let (_, result) = world.json(&[hook(&world, ".husky/_")]);
            assert!(!executes(&world), "{written} {there}: {result}");
            // And it is where hooks are looked for.
            let mut shell = world.program("sh");
            shell.arg("-c").arg(hook(&world, ".husky/_"));
            assert!(shell.status().unwrap().success());
            assert!(executes(&world), "{written} {there}");
        }
    }
}

#[test]
fn a_repository_below_that_git_looks_into_executes_nothing() {
    let world = repository();
    let text = format!(
        "git init -q sub; cd sub; git -c user.name=a -c user.email=b commit -q --allow-empty -m x; \
         {}; {}; cd ..; \
         git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub",
        monitor(&world, ".git/config"),
        hook(&world, ".git/hooks"),
    );
    let (code, result) = world.json(&[&text]);
    assert_eq!(code, 0, "{result}");
    assert!(!executes(&world), "{result}");
    assert!(!executes_in(&world, &world.workspace().join("sub")));
    for word in ["fsmonitor", "pre-commit"] {
        assert!(told(&result).contains(word), "{word} in {result}");
    }
}

#[test]
fn hooks_of_a_worktree_are_looked_for_in_the_worktree() {
    for there in ["", ".githooks"] {
        let world = repository();
        let tree = world.path("tree");
        for arguments in [
            &["config", "core.hooksPath", ".githooks"][..],
            &["worktree", "add", "-q", "../tree"],
        ] {
            let status = world.program("git").args(arguments).status().unwrap();
            assert!(status.success());
        }
        fs::create_dir_all(tree.join(there)).unwrap();
        let text = format!(
            "{}; git status > /dev/null && echo works",
            hook(&world, ".githooks")
        );
        let (_, result) = world.json(&["--workspace", self::text(&tree), &text]);
        assert_eq!(result["stdout"], "works\n", "{result}");
        assert!(!executes_in(&world, &tree), "{there}: {result}");
        assert!(!tree.join(".githooks/pre-commit").exists(), "{there}");
    }
}
