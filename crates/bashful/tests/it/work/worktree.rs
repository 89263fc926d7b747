//! A worktree whose repository lies outside the workspace.

use std::fs;

use serde_json::json;

use super::git::outside;
use super::{attempt, work};
use crate::support::{Terminal, World, eventually};

/// Makes the workspace a worktree of a repository beside it.
fn world_with_worktree() -> World {
    let world = World::new();
    let main = world.path("main");
    fs::create_dir(&main).unwrap();
    outside(&world, &main, &["init", "-q"]);
    fs::write(main.join("secret-work"), "not yours\n").unwrap();
    fs::write(main.join("file"), "one\n").unwrap();
    outside(&world, &main, &["add", "file"]);
    outside(&world, &main, &["commit", "-qm", "first"]);
    let hook = main.join(".git/hooks/post-checkout");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\n").unwrap();
    let workspace = world.workspace();
    let workspace = workspace.to_str().unwrap();
    outside(
        &world,
        &main,
        &["worktree", "add", "-q", "-b", "work", workspace],
    );
    world
}

#[test]
fn commits_in_a_worktree_reach_its_repository() {
    let world = world_with_worktree();
    let log = work(
        &world,
        "git config user.email w@example.org && git config user.name W && \
         echo two > two && git add two && git commit -q -m two && \
         git branch other && git tag v1 && git log --format=%s && git status --porcelain",
    );
    assert_eq!(log, "two\nfirst\n");
    let main = world.path("main");
    let seen = outside(&world, &main, &["log", "--format=%s %an", "work"]);
    assert_eq!(seen, "two W\nfirst Host\n");
    let references = outside(
        &world,
        &main,
        &["for-each-ref", "--format=%(refname:short)"],
    );
    assert_eq!(references, "main\nother\nwork\nv1\n");
    let name = outside(&world, &main, &["config", "--local", "user.name"]);
    assert_eq!(name, "W\n");
}

#[test]
fn the_repository_of_a_worktree_stays_protected() {
    let world = world_with_worktree();
    let main = world.path("main");
    let config = fs::read_to_string(main.join(".git/config")).unwrap();
    let (_, result) = world.json(&[
        "--policy",
        "none",
        "--preset",
        "build",
        "common=$(git rev-parse --git-common-dir)
         echo evil > $common/hooks/post-checkout
         echo evil > $common/hooks/pre-commit
         mv $common/hooks $common/elsewhere
         rm -rf $common/hooks
         git config core.fsmonitor ./evil
         git config alias.st '!./evil'
         cat $common/../secret-work
         echo evil > $common/../file
         true",
    ]);
    let hooks = main.join(".git/hooks");
    let found = json!([
        fs::read_to_string(hooks.join("post-checkout")).unwrap(),
        hooks.join("pre-commit").exists(),
        main.join(".git/elsewhere").exists(),
        fs::read_to_string(main.join(".git/config")).unwrap(),
        fs::read_to_string(main.join("file")).unwrap(),
        result["stdout"],
    ]);
    assert_eq!(
        found,
        json!(["#!/bin/sh\n", false, false, config, "one\n", ""])
    );
    let told = result["sandbox_violations"].to_string();
    assert!(told.contains("core.fsmonitor"), "{told}");
    assert!(told.contains("alias.st"), "{told}");
}

#[test]
fn a_git_file_that_lies_opens_no_repository() {
    let world = world_with_worktree();
    let main = world.path("main");
    let git_directory = main.join(".git");
    fs::create_dir(world.path("liar")).unwrap();
    let lie = format!("gitdir: {}\n", git_directory.display());
    fs::write(world.path("liar/.git"), lie).unwrap();
    let liar = world.path("liar");
    let text = format!(
        "ls {0}; cat {0}/config; echo x > {0}/x",
        git_directory.display()
    );
    let outcome = world.run(&["--workspace", liar.to_str().unwrap(), &text]);
    assert_eq!(outcome.stdout, "", "{outcome:?}");
    assert!(!git_directory.join("x").exists());
}

#[test]
fn a_worktree_cannot_choose_another_repository() {
    let world = world_with_worktree();
    let victim = world.path("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("secret"), "secret\n").unwrap();
    let own = world.path("main/.git/worktrees/workspace");
    let choose = format!("echo {} > {}/commondir", victim.display(), own.display());
    world.run(&[&choose]);
    let look = format!("cat {0}/secret; echo x > {0}/new", victim.display());
    let outcome = world.run(&[&look]);
    assert_eq!(outcome.stdout, "", "{outcome:?}");
    assert!(!victim.join("new").exists());
}

/// A shell command that makes a repository in the workspace which executes a program when git looks
/// at it, and makes this the common directory of a worktree.
fn prepare_evil(world: &World, git_directory: &str, name: &str) -> String {
    let config = format!(
        "[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tfsmonitor = \\\"touch {}; false\\\"\\n",
        world.path("executed").display()
    );
    format!(
        "cp -rL {git_directory} evil; rm -f evil/config; printf \"{config}\" > evil/config; \
         echo $PWD/evil > {git_directory}/worktrees/{name}/commondir; \
         printf \"{config}\" > {git_directory}/worktrees/{name}/config.worktree; true"
    )
}

#[test]
fn a_prepared_common_directory_executes_nothing_outside() {
    let world = world_with_worktree();
    let git_directory = world.path("main/.git");
    let text = prepare_evil(&world, git_directory.to_str().unwrap(), "workspace");
    world.run(&[&text]);
    let mut status = world.program("git");
    assert!(status.arg("status").output().is_ok());
    assert!(!world.path("executed").exists());
}

#[test]
fn other_worktrees_of_the_workspace_stay_protected() {
    let world = World::new();
    let workspace = world.workspace();
    outside(&world, &workspace, &["init", "-q"]);
    outside(
        &world,
        &workspace,
        &["commit", "-q", "--allow-empty", "-m", "first"],
    );
    let beside = world.path("beside");
    let place = beside.to_str().unwrap();
    outside(&world, &workspace, &["worktree", "add", "-q", place]);
    world.run(&[prepare_evil(&world, ".git", "beside")]);
    let mut status = world.program("git");
    assert!(status.arg("status").current_dir(&beside).output().is_ok());
    assert!(!world.path("executed").exists());
    // What git itself does with worktrees goes on working.
    let text = "git worktree list | wc -l; git worktree add -q inside";
    assert_eq!(work(&world, text), "2\n");
    // What is left of the other one may go, but for what is protected, and that is told.
    let outcome = attempt(&world, &[], "git worktree prune");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains("beside/gitdir: "), "{outcome:?}");
}

/// A repository in the workspace with a worktree in it, made outside.
fn world_with_inner_worktree() -> World {
    let world = World::new();
    let workspace = world.workspace();
    outside(&world, &workspace, &["init", "-q"]);
    world.write("file", "one\n");
    outside(&world, &workspace, &["add", "file"]);
    outside(&world, &workspace, &["commit", "-qm", "first"]);
    let tree = ["worktree", "add", "-q", "-b", "other", "tree"];
    outside(&world, &workspace, &tree);
    world
}

#[test]
fn a_worktree_in_the_workspace_can_be_taken_away_as_it_was_made() {
    let world = world_with_inner_worktree();
    let run = |session: &str, text: &str| {
        let outcome = attempt(&world, &["--session", session], text);
        assert_eq!(outcome.code, 0, "{text}: {outcome:?}");
    };
    run(
        "one",
        "git worktree remove tree && test ! -e .git/worktrees",
    );
    run("one", "git worktree add -q again -b again");
    run(
        "two",
        "git -C again status && git worktree move again moved",
    );
    run(
        "three",
        "git worktree remove moved && git worktree add -q moved again",
    );
    run(
        "four",
        "git worktree list | grep -c moved && git -C moved log -1",
    );
    let listed = outside(
        &world,
        &world.workspace(),
        &["worktree", "list", "--porcelain"],
    );
    assert!(
        listed.contains("/moved\n") && !listed.contains("prunable"),
        "{listed}"
    );
}

#[test]
fn a_worktree_beside_the_workspace_works_after_one_yes() {
    let world = world_with_inner_worktree();
    let mut builder = tempfile::Builder::new();
    let beside = builder.prefix("outside").tempdir_in("/var/tmp").unwrap();
    let tree = beside.path().canonicalize().unwrap().join("tree");
    let text = format!("git worktree add -q {} -b new", tree.display());
    let result = after_a_yes(&world, &text);
    assert_eq!(
        result["sandbox_violations"],
        serde_json::Value::Null,
        "{result}"
    );
    assert_eq!(outside(&world, &tree, &["status", "--porcelain"]), "");
    // Without the yes the run would not see it, and git would forget it.
    let text = format!(
        "git worktree remove {} && git worktree list",
        tree.display()
    );
    let result = after_a_yes(&world, &text);
    let listed = result["stdout"].as_str().unwrap();
    assert!(!tree.exists() && !listed.contains("[new]"), "{result}");
}

/// Asked once, said yes, run.
fn after_a_yes(world: &World, text: &str) -> serde_json::Value {
    let (code, result) = world.json(&["--session", "s", text]);
    assert_eq!(code, 121, "{result}");
    let ask = result["approval"]["id"].as_str().unwrap();
    let (code, screen) = Terminal::bashful(world, &["approvals", "allow", ask]).end();
    assert_eq!(code, 0, "{screen}");
    let (code, result) = world.json(&["--session", "s", text]);
    assert_eq!(code, 0, "{result}");
    result
}

#[test]
fn what_ties_a_worktree_to_its_repository_leads_nowhere_else() {
    let evil = |world: &World| {
        format!(
            "cp -r .git evil && git config --file evil/config core.fsmonitor 'touch {}; false'",
            world.path("executed").display()
        )
    };
    for (name, change) in [
        (
            "tree/.git",
            "echo \"gitdir: $PWD/evil/worktrees/tree\" > tree/.git",
        ),
        ("tree/.git", "ln -sf $PWD/evil tree/.git"),
        ("tree/.git", "rm tree/.git && mv evil tree/.git"),
        (
            ".git/worktrees/tree/commondir",
            "echo $PWD/evil > .git/worktrees/tree/commondir",
        ),
        (
            "tree/.git",
            "cp -r tree decoy && echo $PWD/decoy/.git > .git/worktrees/tree/gitdir && \
             echo \"gitdir: $PWD/evil/worktrees/tree\" > tree/.git",
        ),
        (
            ".git/worktrees/tree/commondir",
            "echo $PWD/evil > c; mv c .git/worktrees/tree/commondir",
        ),
    ] {
        // It works where nothing holds it.
        let world = world_with_inner_worktree();
        let text = format!("{}; {change}", evil(&world));
        let free = world.run_command(&["--sandbox", "none", "--policy", "none"]);
        super::finish(free, &[], &text);
        let mut git = world.program("git");
        git.args(["-C", "tree", "status"]).output().unwrap();
        assert!(world.path("executed").exists(), "{change}");

        let world = world_with_inner_worktree();
        let text = format!("{}; {change}; touch changed; sleep 20", evil(&world));
        let run = world.run_command(&["--policy", "none", "--session", "s"]);
        let mut run = { run }.arg(text).spawn().unwrap();
        let changed = world.path("workspace/changed");
        assert!(eventually(|| changed.exists()), "{change}");
        // While it goes on.
        let place = world.path("workspace").join(name);
        let held = || {
            let above = fs::read_dir(place.parent().unwrap()).unwrap();
            let mut names = above.map(|entry| entry.unwrap().file_name());
            names.any(|name| name.to_string_lossy().contains(".held-"))
        };
        assert!(eventually(held), "{change}");
        let mut git = world.program("git");
        git.args(["-C", "tree", "status"]).output().unwrap();
        assert!(!world.path("executed").exists(), "{change}");
        assert_eq!(world.call(&["stop", "--all"]).code, 0);
        run.wait().unwrap();
        let mut git = world.program("git");
        git.args(["-C", "tree", "status"]).output().unwrap();
        assert!(!world.path("executed").exists(), "{change}");
    }
}
