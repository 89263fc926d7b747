//! What `HOME` is, and rooms that go with their run.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{listing, output, printed, text};
use crate::support::{PATH, Running, Terminal, World};

#[test]
fn the_home_is_the_agents_own_for_the_project_and_kept() {
    let world = World::unjudged();
    let write = "cd && pwd && mkdir -p .config/x && echo kept > .config/x/file";
    let home = output(&world, &[], write);
    let place = Path::new(home.trim());
    assert!(
        place.starts_with(world.path("cache/bashful/homes")),
        "{home}"
    );
    // It is in nobody's way, and there in the next run.
    assert_eq!(listing(&world.workspace()), [] as [&str; 0]);
    assert_eq!(listing(&world.path("home")), [] as [&str; 0]);
    let look = "cat ~/.config/x/file; ls -A ~";
    assert_eq!(output(&world, &[], look), "kept\n.config\n");
    // Neither another agent has it nor another project, by its name or by a wider root.
    let file = place.join(".config/x/file");
    let other = world.path("other");
    fs::create_dir(&other).unwrap();
    let named = format!("cat {} 2>/dev/null; ls -A ~; true", file.display());
    for flags in [
        &["--agent", "other"][..],
        &["--workspace", text(&other)],
        &[
            "--workspace",
            text(&other),
            "--read",
            text(&world.path("cache")),
        ],
    ] {
        assert_eq!(output(&world, flags, &named), "", "{flags:?}");
    }
    assert_eq!(
        output(&world, &["--home", "workspace"], "cd; pwd"),
        line(&world)
    );
}

fn line(world: &World) -> String {
    format!("{}\n", world.workspace().display())
}

#[test]
fn worktrees_share_a_home_and_caches() {
    let world = World::unjudged();
    let git = |arguments: &[&str]| {
        let mut git = world.program("git");
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        let output = git.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["worktree", "add", "-q", "../tree"]);
    output(
        &world,
        &[],
        "echo one > ~/file; echo two > $CARGO_HOME-file",
    );
    let tree = world.path("tree");
    let flags = ["--workspace", text(&tree)];
    assert_eq!(
        output(&world, &flags, "cat ~/file $CARGO_HOME-file"),
        "one\ntwo\n"
    );
}

#[test]
fn what_is_installed_in_the_home_is_found_last() {
    let world = World::unjudged();
    let plant = "for name in mine ls; do mkdir -p ~/.local/bin; \
                 printf '#!/bin/sh\\necho planted\\n' > ~/.local/bin/$name; done; \
                 chmod 755 ~/.local/bin/*";
    output(&world, &[], plant);
    assert_eq!(output(&world, &[], "mine; ls -d /usr"), "planted\n/usr\n");
}

#[test]
fn a_run_that_a_yes_widened_uses_nothing_that_a_run_left() {
    let world = World::unjudged();
    let elsewhere = world.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let plant = "mkdir -p ~/.local/bin .venv/bin $CARGO_HOME/bin; touch ~/.npmrc \
                 $CARGO_HOME/config.toml; for place in ~/.local/bin .venv/bin; do \
                 printf '#!/bin/sh\\necho planted\\n' > $place/planted-tool; \
                 chmod 755 $place/planted-tool; done";
    output(&world, &[], plant);
    let look =
        "command -v planted-tool; ls -A ~; cat $CARGO_HOME/config.toml && echo obeyed; touch ~/own";
    let mut command = world.run_command(&["--json", look]);
    let path = format!("{}/.venv/bin:{PATH}", world.workspace().display());
    command.env("PATH", &path);
    let (code, result) = Running::start(command).end().outcome().json();
    assert_eq!(code, 0, "{result}");
    let printed = result["stdout"].as_str().unwrap();
    assert!(
        printed.contains(".venv/bin/planted-tool") && printed.contains(".npmrc"),
        "{printed}"
    );
    assert!(printed.ends_with("obeyed\n"), "{printed}");
    let noted = result["sandbox_notes"][0].as_str().unwrap();
    assert!(
        noted.contains(".venv/bin` is on PATH, and commands can write it"),
        "{noted}"
    );
    // The same run, with one more directory that a person opened for it.
    let grant = [
        "grants",
        "add",
        "--exact",
        look,
        "--write",
        text(&elsewhere),
    ];
    let grant = [&grant[..], &["--scope", "project"]].concat();
    assert_eq!(Terminal::bashful(&world, &grant).end().0, 0);
    for _ in 0..2 {
        let mut command = world.bashful(&["run", "--json", look]);
        command.env("PATH", &path);
        let (_, result) = Running::start(command).end().outcome().json();
        assert_eq!(result["stdout"], "", "{result}");
    }
}

#[test]
fn a_private_home_is_the_rooms_own() {
    let world = World::unjudged();
    let flags = ["--session", "s", "--home", "private"];
    let home = output(
        &world,
        &flags,
        "cd && echo kept > .file && mkdir -p .config/x && pwd",
    );
    assert_ne!(home.trim(), text(&world.workspace()));
    assert_ne!(home.trim(), text(&world.path("home")));
    assert_eq!(output(&world, &flags, "cat ~/.file"), "kept\n");
    assert_eq!(listing(&world.workspace()), [] as [&str; 0]);
    assert_eq!(listing(&world.path("home")), [] as [&str; 0]);
    let other = ["--session", "other", "--home", "private"];
    assert_eq!(
        output(&world, &other, "ls -A ~ | grep -c file; true"),
        "0\n"
    );
}

#[test]
fn the_real_home_is_masked_and_cannot_be_changed() {
    let world = World::unjudged();
    let home = world.path("home");
    fs::create_dir(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id"), "secret\n").unwrap();
    fs::write(home.join("notes"), "notes\n").unwrap();
    let before = listing(&home);
    let flags = ["--home", "real-masked"];
    let seen = printed(
        &world,
        &flags,
        "echo $HOME; cat ~/notes ~/.ssh/id; echo x > ~/x",
    );
    assert_eq!(seen, format!("{}\nnotes\n", home.display()));
    assert_eq!(listing(&home), before);
}

#[test]
fn a_fresh_room_is_its_own_and_goes() {
    let world = World::unjudged();
    let session = ["--session", "s"];
    output(&world, &session, "echo kept > /tmp/kept");
    let fresh = ["--session", "s", "--fresh"];
    let seen = output(
        &world,
        &fresh,
        "ls /tmp/kept 2> /dev/null; echo mine > /tmp/mine; cat /tmp/mine",
    );
    assert_eq!(seen, "mine\n");
    assert_eq!(printed(&world, &fresh, "cat /tmp/mine /tmp/kept"), "");
    assert_eq!(
        printed(&world, &session, "cat /tmp/mine /tmp/kept"),
        "kept\n"
    );
}

#[test]
fn fresh_rooms_do_not_see_each_other() {
    let world = World::unjudged();
    let text = "echo x >> /tmp/count; sleep 0.3; wc -l < /tmp/count";
    let runs: Vec<_> = (0..4)
        .map(|_| world.start(&["--session", "s", "--fresh", text]))
        .collect();
    let seen: Vec<String> = runs
        .into_iter()
        .map(|run| run.end().outcome().stdout)
        .collect();
    assert_eq!(json!(seen), json!(["1\n", "1\n", "1\n", "1\n"]));
}

#[test]
fn caches_are_outside_the_workspace_and_last() {
    let world = World::unjudged();
    let place = output(
        &world,
        &[],
        "mkdir -p $XDG_CACHE_HOME && echo x > $XDG_CACHE_HOME/mark && echo $XDG_CACHE_HOME",
    );
    assert_eq!(output(&world, &[], "cat $XDG_CACHE_HOME/mark"), "x\n");
    assert!(
        !place.trim().starts_with(text(&world.workspace())),
        "{place}"
    );
    assert_eq!(listing(&world.workspace()), [] as [&str; 0]);
}

#[test]
fn what_a_run_with_a_yes_installs_is_there_in_the_next_and_nothing_else_is() {
    let world = World::unjudged();
    let plant = "mkdir -p ~/.local/bin; printf '#!/bin/sh\\necho planted\\n' > ~/.local/bin/tool; \
                 chmod 755 ~/.local/bin/tool";
    output(&world, &[], plant);
    let elsewhere = world.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let install = "command -v tool; mkdir -p ~/.local/bin; echo 'echo installed' > ~/.local/bin/tool; \
                   chmod 755 ~/.local/bin/tool; echo obeyed > ~/.npmrc";
    let grant = ["grants", "add", "--exact", install, "--scope", "project"];
    let grant = [&grant[..], &["--write", text(&elsewhere)]].concat();
    let (code, screen) = Terminal::bashful(&world, &grant).end();
    assert_eq!(code, 0, "{screen}");
    // What an earlier run planted is not seen by it, and what it installs takes its place.
    assert_eq!(output(&world, &[], "tool"), "planted\n");
    assert_eq!(output(&world, &[], install), "");
    assert_eq!(output(&world, &[], "tool; ls -A ~"), "installed\n.local\n");
}
