//! The workspace, and the working directory inside it.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::{Outcome, Running, World, ran};

/// A refused request: the code and the kind of error.
fn refused(world: &World, arguments: &[&str]) -> serde_json::Value {
    let (code, error) = world.json(arguments);
    json!([code, error["error"]["kind"], error["status"]])
}

fn line(path: &std::path::Path) -> String {
    format!("{}\n", path.display())
}

#[test]
fn working_directory_is_the_workspace() {
    let world = World::new();
    let here = line(&world.workspace());
    assert_eq!(world.run(&["pwd -P"]), ran(0, &here, ""));
}

#[test]
fn workspace_can_be_named() {
    let world = World::new();
    let other = world.path("other");
    fs::create_dir(&other).unwrap();
    let outcome = world.run(&["--workspace", other.to_str().unwrap(), "pwd -P"]);
    assert_eq!(outcome, ran(0, &line(&other), ""));
    // Relative to where the caller is.
    let outcome = world.run(&["--workspace", "../other", "pwd -P"]);
    assert_eq!(outcome, ran(0, &line(&other), ""));
}

#[test]
fn cwd_alone_is_the_workspace() {
    let world = World::new();
    let inner = world.workspace().join("inner");
    fs::create_dir(&inner).unwrap();
    let outcome = world.run(&["--cwd", "inner", "pwd -P"]);
    assert_eq!(outcome, ran(0, &line(&inner), ""));
}

#[test]
fn cwd_inside_the_workspace() {
    let world = World::new();
    let inner = world.workspace().join("a/b");
    fs::create_dir_all(&inner).unwrap();
    for cwd in ["a/b", "a/../a/b", inner.to_str().unwrap()] {
        let outcome = world.run(&["--workspace", ".", "--cwd", cwd, "pwd -P"]);
        assert_eq!(outcome, ran(0, &line(&inner), ""), "{cwd}");
    }
}

#[test]
fn cwd_outside_the_workspace_is_refused() {
    let world = World::new();
    fs::create_dir(world.path("workspace-evil")).unwrap();
    let evil = world.path("workspace-evil");
    for cwd in [
        "/",
        "/tmp",
        "..",
        "../workspace-evil",
        evil.to_str().unwrap(),
    ] {
        let found = refused(&world, &["--workspace", ".", "--cwd", cwd, "touch ran"]);
        assert_eq!(found, json!([2, "outside_workspace", "broken"]), "{cwd}");
    }
    assert_eq!(world.records(), [] as [serde_json::Value; 0]);
}

#[test]
fn cwd_through_dots_is_refused() {
    let world = World::new();
    fs::create_dir(world.workspace().join("a")).unwrap();
    let found = refused(&world, &["--workspace", ".", "--cwd", "a/../..", "true"]);
    assert_eq!(found, json!([2, "outside_workspace", "broken"]));
}

#[test]
fn cwd_through_a_symlink_is_refused() {
    let world = World::new();
    symlink("/", world.workspace().join("out")).unwrap();
    symlink(world.path("home"), world.workspace().join("home")).unwrap();
    for cwd in ["out", "out/tmp", "home"] {
        let found = refused(&world, &["--workspace", ".", "--cwd", cwd, "true"]);
        assert_eq!(found, json!([2, "outside_workspace", "broken"]), "{cwd}");
    }
}

#[test]
fn cwd_through_a_symlink_that_stays_inside_is_fine() {
    let world = World::new();
    let inner = world.workspace().join("inner");
    fs::create_dir(&inner).unwrap();
    symlink(&inner, world.workspace().join("link")).unwrap();
    let outcome = world.run(&["--workspace", ".", "--cwd", "link", "pwd -P"]);
    assert_eq!(outcome, ran(0, &line(&inner), ""));
}

#[test]
fn a_refusal_names_both_directories_and_the_way_out() {
    let world = World::new();
    let workspace = world.workspace();
    let outcome = world.run(&["--workspace", ".", "--cwd", "/", "true"]);
    let stderr = format!(
        "bashful: error: the working directory `/` lies outside the workspace `{}`\n\
         bashful: hint: use a directory inside the workspace, or name another workspace\n",
        workspace.display()
    );
    let expected = Outcome {
        code: 2,
        stdout: String::new(),
        stderr,
    };
    assert_eq!(outcome, expected);
}

#[test]
fn root_and_home_are_no_workspace_unless_named() {
    let world = World::new();
    for directory in ["/".into(), world.path("home")] {
        let mut command = world.run_command(&["--json", "true"]);
        command.current_dir(&directory);
        let (code, error) = Running::start(command).end().outcome().json();
        let found = json!([code, error["error"]["kind"]]);
        assert_eq!(found, json!([2, "workspace_too_wide"]), "{directory:?}");
    }
    let home = world.path("home");
    let outcome = world.run(&["--workspace", home.to_str().unwrap(), "pwd -P"]);
    assert_eq!(outcome, ran(0, &line(&home), ""));
}

#[test]
fn cwd_that_is_missing() {
    let world = World::new();
    for arguments in [
        &["--cwd", "missing", "true"][..],
        &["--workspace", "missing", "true"],
        &["--workspace", ".", "--cwd", "missing", "true"],
    ] {
        let found = refused(&world, arguments);
        assert_eq!(found, json!([2, "missing_directory", "broken"]));
    }
}

#[test]
fn cwd_that_is_not_a_directory() {
    let world = World::new();
    world.write("file", "");
    for cwd in ["file", "file/below"] {
        let found = refused(&world, &["--workspace", ".", "--cwd", cwd, "true"]);
        assert_eq!(found, json!([2, "not_a_directory", "broken"]), "{cwd}");
    }
}
