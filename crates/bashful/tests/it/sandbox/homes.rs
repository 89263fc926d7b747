//! What `HOME` is, and rooms that go with their run.

use std::fs;

use serde_json::json;

use super::{listing, output, printed, text};
use crate::support::World;

#[test]
fn the_home_is_the_workspace() {
    let world = World::unjudged();
    let expected = format!("{0}\n{0}\n", world.workspace().display());
    assert_eq!(output(&world, &[], "echo $HOME; cd; pwd"), expected);
    assert_eq!(
        output(&world, &["--home", "workspace"], "echo $HOME; cd; pwd"),
        expected
    );
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
