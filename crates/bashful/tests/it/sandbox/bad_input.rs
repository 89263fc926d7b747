//! Requests that make no sense: a clear word, exit code 2, and nothing started.

use std::fs;
use std::os::unix::fs::symlink;

use super::{tasks, text};
use crate::support::World;

/// The flags are refused with all of these words, and nothing has started.
fn refused(world: &World, flags: &[&str], words: &[&str]) {
    let outcome = world.run(&[flags, &["touch ran"]].concat());
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (2, ""),
        "{flags:?}: {outcome:?}"
    );
    for word in words {
        assert!(
            outcome.stderr.contains(word),
            "{word} for {flags:?} in {outcome:?}"
        );
    }
    assert!(
        outcome.stderr.starts_with("bashful: error: ") || outcome.stderr.starts_with("error: "),
        "{outcome:?}"
    );
    assert!(!world.workspace().join("ran").exists(), "{flags:?}");
    assert_eq!(tasks(world), 0, "{flags:?}");
    // The same for programs.
    let (code, result) = world.json(&[flags, &["touch ran"]].concat());
    assert_eq!(code, 2, "{flags:?}: {result}");
    assert!(
        result["error"]["message"].is_string(),
        "{flags:?}: {result}"
    );
}

#[test]
fn what_is_granted_and_denied() {
    let world = World::unjudged();
    let data = world.path("data");
    fs::create_dir_all(data.join("inner")).unwrap();
    symlink(&data, world.path("link")).unwrap();
    let (data, inner, link) = (text(&data), world.path("data/inner"), world.path("link"));
    refused(&world, &["--read", data, "--deny", data], &[data]);
    refused(&world, &["--write", data, "--deny", data], &[data]);
    refused(
        &world,
        &["--write", text(&inner), "--deny", data],
        &["inner", data],
    );
    refused(
        &world,
        &["--read", data, "--deny", text(&link)],
        &[data, text(&link)],
    );
}

#[test]
fn a_denied_path_above_the_workspace() {
    let world = World::unjudged();
    let above = world.path("home");
    let above = above.parent().unwrap();
    refused(&world, &["--deny", "."], &["`.`", "workspace"]);
    refused(&world, &["--deny", ".."], &["`..`", "workspace"]);
    refused(&world, &["--deny", text(above)], &[text(above)]);
    refused(&world, &["--deny", "/"], &["`/`"]);
    refused(&world, &["--deny", "/usr"], &["`/usr`"]);
}

#[test]
fn a_root_that_is_everything_or_the_systems() {
    let world = World::unjudged();
    refused(&world, &["--write", "/"], &["`/`", "whole file system"]);
    refused(&world, &["--read", "/"], &["`/`", "whole file system"]);
    refused(&world, &["--write", "//tmp/.."], &["whole file system"]);
    for path in [
        "/etc", "/usr", "/usr/bin", "/proc", "/sys", "/dev", "/var", "/home",
    ] {
        refused(&world, &["--write", path], &[&format!("`{path}`")]);
    }
    refused(&world, &["--read", "/proc"], &["`/proc`"]);
}

#[test]
fn bashfuls_own_directories_cannot_be_written() {
    let world = World::unjudged();
    world.configure("");
    fs::create_dir_all(world.state()).unwrap();
    for place in ["state/bashful", "config/bashful"] {
        let place = world.path(place);
        refused_beside_tasks(&world, &["--write", text(&place)], "belongs to Bashful");
    }
}

/// The same where the flags name the directory of the tasks itself.
fn refused_beside_tasks(world: &World, flags: &[&str], word: &str) {
    let outcome = world.run(&[flags, &["touch ran"]].concat());
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (2, ""),
        "{flags:?}: {outcome:?}"
    );
    assert!(outcome.stderr.contains(word), "{outcome:?}");
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn paths_that_are_none() {
    let world = World::unjudged();
    for flag in ["--read", "--write", "--deny"] {
        refused(
            &world,
            &[flag, "with\nnewline"],
            &["control character", "with\\nnewline"],
        );
        refused(&world, &[flag, ""], &["empty"]);
        refused(
            &world,
            &[flag, "/no/such/path"],
            &["/no/such/path", "does not exist"],
        );
        refused(&world, &[flag, "missing"], &["`missing`"]);
        refused(&world, &[flag, "~/missing"], &["~/missing"]);
        refused(&world, &[flag, "~somebody/file"], &["~somebody"]);
        refused(&world, &[flag, "no-*-match"], &["no-*-match"]);
        refused(&world, &[flag, "tab\there"], &["control character"]);
    }
    symlink("nowhere", world.workspace().join("dangling")).unwrap();
    refused(&world, &["--read", "dangling"], &["dangling"]);
    symlink("loop", world.workspace().join("loop")).unwrap();
    refused(&world, &["--read", "loop"], &["loop"]);
}

#[test]
fn a_name_with_a_newline_that_a_pattern_finds() {
    let world = World::unjudged();
    fs::create_dir(world.path("odd")).unwrap();
    fs::write(world.path("odd/a\nb"), "").unwrap();
    let pattern = format!("{}/*", world.path("odd").display());
    refused(&world, &["--read", &pattern], &["control character"]);
}

#[test]
fn commands_that_do_not_exist() {
    let world = World::unjudged();
    world.write("no-program", "text\n");
    refused(
        &world,
        &["--command", "no-such-program"],
        &["no-such-program"],
    );
    refused(
        &world,
        &["--command", "ls", "--command", "/usr/bin/nothing"],
        &["/usr/bin/nothing"],
    );
    refused(&world, &["--command", "./no-program"], &["no-program"]);
    refused(&world, &["--command", "/usr/bin"], &["/usr/bin"]);
    refused(&world, &["--command", "new\nline"], &["new"]);
}

#[test]
fn limits_of_nothing_and_beyond_the_host() {
    let world = World::unjudged();
    for (flag, nothing) in [
        ("--memory", "0B"),
        ("--file-size", "0M"),
        ("--tmp-size", "0G"),
        ("--cpu-time", "0s"),
    ] {
        refused(&world, &[flag, nothing], &[flag, nothing, "zero"]);
    }
    for (flag, name) in [
        ("--processes", "processes"),
        ("--open-files", "open_files"),
        ("--cpu-share", "cpu_share"),
    ] {
        refused(&world, &[flag, "0"], &[name, "zero"]);
    }
    refused(&world, &["--memory", "999999G"], &["memory"]);
    refused(&world, &["--tmp-size", "999999G"], &["tmp_size"]);
    refused(&world, &["--processes", "99999999999"], &["processes"]);
    refused(&world, &["--open-files", "99999999999"], &["open_files"]);
    refused(&world, &["--cpu-share", "9999999"], &["cpu_share"]);
}

#[test]
fn words_that_are_none() {
    let world = World::unjudged();
    for flags in [
        ["--network", "*"],
        ["--network", "*.org"],
        ["--network", "example.org:0"],
        ["--network", "example.org, a b"],
        ["--preset", "everything"],
        ["--home", "nowhere"],
        ["--sandbox", "strong"],
        ["--memory", "much"],
        ["--processes", "-1"],
        ["--cpu-time", "long"],
        ["--memory", "0"],
    ] {
        let outcome = world.run(&[&flags[..], &["touch ran"]].concat());
        assert_eq!(outcome.code, 2, "{flags:?}: {outcome:?}");
        assert!(!world.workspace().join("ran").exists(), "{flags:?}");
    }
}

#[test]
fn a_workspace_that_is_none() {
    let world = World::unjudged();
    world.write("file", "");
    for workspace in ["/", "missing", "file", "/proc", "/no/such"] {
        let outcome = world.run(&["--workspace", workspace, "touch ran"]);
        assert_eq!(outcome.code, 2, "{workspace}: {outcome:?}");
        assert!(
            outcome.stderr.contains(workspace),
            "{workspace}: {outcome:?}"
        );
    }
}
