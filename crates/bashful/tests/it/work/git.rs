//! Git's ordinary life in the workspace.

use std::fs;
use std::path::Path;

use super::{steps, work, work_with};
use crate::support::World;

/// Git outside, as the person at this machine would use it.
pub(super) fn outside(world: &World, directory: &Path, arguments: &[&str]) -> String {
    let output = world
        .program("git")
        .args(["-c", "user.name=Host", "-c", "user.email=host@example.org"])
        .args(["-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with one commit in the workspace, made outside.
fn repository(world: &World) {
    let workspace = world.workspace();
    outside(world, &workspace, &["init", "-q"]);
    world.write("first", "one\n");
    outside(world, &workspace, &["add", "first"]);
    outside(world, &workspace, &["commit", "-qm", "first"]);
}

/// Everything that a working day does to a repository with at least one commit on main.
const DAY: &[&str] = &[
    "git config user.email worker@example.org",
    "git config user.name Worker",
    "git checkout -q -b feature",
    "echo feature > feature && git add feature && git commit -q -m feature",
    "git branch side",
    "git checkout -q side",
    "echo side > side && git add side && git commit -q -m side",
    "git init -q --bare -b main remote.git",
    "git push -q ./remote.git main feature side",
    "git fetch -q ./remote.git",
    "git branch -q --set-upstream-to=main feature",
    "git checkout -q main",
    "git merge -q --no-edit feature",
    "git checkout -q side && echo more > more && git add more && git commit -q -m more",
    "git checkout -q -b rebased side && git rebase -q main",
    "echo changed >> first && git stash -q && git stash pop -q && git checkout -q first",
    "git checkout -q main && git merge -q --no-ff --no-edit rebased",
    "git tag v1 && git tag -a v2 -m second",
    "git push -q ./remote.git main --tags",
    "git worktree add -q beside -b in-tree",
    "(cd beside && echo tree > tree && git add tree && git commit -q -m tree)",
    "git merge -q --no-edit in-tree && git worktree remove beside",
    "git gc -q",
    "git log --format=%s --no-merges | sort",
];

/// What must be so outside after such a day.
fn check_day(world: &World) {
    let workspace = world.workspace();
    let git = |arguments: &[&str]| outside(world, &workspace, arguments);
    let of = |key: &str| git(&["config", "--local", "--get", key]);
    assert_eq!(
        [
            of("user.email"),
            of("user.name"),
            of("branch.feature.remote"),
            of("branch.feature.merge"),
        ]
        .concat(),
        "worker@example.org\nWorker\n.\nrefs/heads/main\n"
    );
    git(&["fsck", "--strict"]);
    assert_eq!(git(&["tag"]), "v1\nv2\n");
    let pushed = git(&["ls-remote", "--heads", "./remote.git"]);
    assert_eq!(pushed.lines().count(), 3, "{pushed}");
    let unpushed = git(&["status", "--porcelain", "--untracked-files=no"]);
    assert_eq!(unpushed, "");
}

#[test]
fn a_day_of_git_in_an_existing_repository() {
    let world = World::unjudged();
    repository(&world);
    let log = steps(&world, DAY);
    assert_eq!(log, "feature\nfirst\nmore\nside\ntree\n");
    check_day(&world);
}

#[test]
fn a_day_of_git_in_a_fresh_directory() {
    let world = World::unjudged();
    let first = [
        "git init -q -b main",
        "git config user.email worker@example.org && git config user.name Worker",
        "echo one > first && git add first && git commit -q -m first",
    ];
    let log = steps(&world, &[&first, DAY].concat());
    assert_eq!(log, "feature\nfirst\nmore\nside\ntree\n");
    check_day(&world);
}

#[test]
fn a_day_of_git_in_one_call_for_each_step() {
    let world = World::unjudged();
    repository(&world);
    let mut log = String::new();
    for step in DAY {
        log = work_with(&world, &["--session", "day"], step);
    }
    assert_eq!(log, "feature\nfirst\nmore\nside\ntree\n");
    check_day(&world);
    assert_eq!(world.keepers().len(), 1);
}

#[test]
fn commits_carry_the_users_name() {
    let world = World::new();
    let identity = "[user]\n\tname = Ada\n\temail = ada@example.org\n";
    fs::write(world.path("home/.gitconfig"), identity).unwrap();
    repository(&world);
    work(
        &world,
        "echo two > two && git add two && git commit -qm two",
    );
    let author = outside(
        &world,
        &world.workspace(),
        &["log", "-1", "--format=%an %ae"],
    );
    assert_eq!(author, "Ada ada@example.org\n");
}

#[test]
fn a_clone_inside_is_a_whole_repository() {
    let world = World::new();
    repository(&world);
    let log = steps(
        &world,
        &[
            "git clone -q . copy",
            "cd copy",
            "git config user.email c@example.org && git config user.name C",
            "echo two > two && git add two && git commit -q -m two",
            // A path is for the person to name: it is not left in a configuration.
            "git remote remove origin",
            "git log --format=%s",
        ],
    );
    assert_eq!(log, "two\nfirst\n");
    let copy = world.workspace().join("copy");
    outside(&world, &copy, &["fsck"]);
    let name = outside(&world, &copy, &["config", "--local", "user.name"]);
    assert_eq!(name, "C\n");
}

#[test]
fn a_large_history_survives_work_inside() {
    let world = World::unjudged();
    repository(&world);
    let count = steps(
        &world,
        &[
            "git config user.email w@example.org && git config user.name W",
            "for number in $(seq 1 40); do echo $number > file; git add file; \
             git commit -q -m $number; done",
            "git repack -q -a -d && git reflog expire --expire=now --all && git gc -q --prune=now",
            "git bisect start HEAD HEAD~30 > /dev/null && git bisect reset 2> /dev/null",
            "git rev-list --count HEAD",
        ],
    );
    assert_eq!(count.lines().last(), Some("41"));
    outside(&world, &world.workspace(), &["fsck", "--strict"]);
}

#[test]
fn a_copy_of_the_repository_is_whole_outside() {
    let world = World::unjudged();
    repository(&world);
    steps(
        &world,
        &[
            "mkdir copy unpacked && cp -a .git first copy",
            "tar -czf all.tar.gz .git first && tar -xzf all.tar.gz -C unpacked",
        ],
    );
    for name in ["copy", "unpacked"] {
        let directory = world.workspace().join(name);
        outside(
            &world,
            &directory,
            &["remote", "add", "origin", "somewhere"],
        );
        assert_eq!(
            outside(&world, &directory, &["log", "--format=%s"]),
            "first\n"
        );
    }
}
