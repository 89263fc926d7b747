//! The life of a room: what it keeps, when it is made anew, when it goes.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::{is_root, kinds, output, tasks, text};
use crate::support::{World, eventually, is_alive};

const SESSION: [&str; 2] = ["--session", "s"];

#[test]
fn a_workspace_that_was_replaced_is_the_new_one() {
    let world = World::unjudged();
    let workspace = world.workspace();
    output(&world, &SESSION, "echo old > file; echo kept > /tmp/kept");
    fs::rename(&workspace, world.path("moved")).unwrap();
    fs::create_dir(&workspace).unwrap();
    assert_eq!(
        output(&world, &SESSION, "ls -A; echo new > file; cat file"),
        "new\n"
    );
    assert_eq!(world.read("file"), "new\n");
    assert_eq!(
        fs::read_to_string(world.path("moved/file")).unwrap(),
        "old\n"
    );
}

#[test]
fn a_protected_file_that_appeared_is_protected() {
    let world = World::unjudged();
    output(&world, &SESSION, "echo x > file");
    world.write(".envrc", "host's\n");
    world.run(&[
        "--session",
        "s",
        "echo evil > .envrc; rm -f .envrc; mv .envrc e; true",
    ]);
    assert_eq!(world.read(".envrc"), "host's\n");
    fs::create_dir(world.workspace().join(".vscode")).unwrap();
    output(&world, &SESSION, "true");
    world.write(".vscode/tasks.json", "host's\n");
    world.run(&[
        "--session",
        "s",
        "echo evil > .vscode/tasks.json; mv .vscode v; true",
    ]);
    assert_eq!(world.read(".vscode/tasks.json"), "host's\n");
}

#[test]
fn a_protected_file_that_went_is_held_back_when_made() {
    let world = World::unjudged();
    world.write(".envrc", "host's\n");
    assert_eq!(output(&world, &SESSION, "cat .envrc"), "host's\n");
    fs::remove_file(world.workspace().join(".envrc")).unwrap();
    let (_, result) = world.json(&["--session", "s", "cat .envrc; echo evil > .envrc"]);
    let found = json!([
        result["stdout"],
        kinds(&result),
        world.workspace().join(".envrc").exists()
    ]);
    assert_eq!(found, json!(["", ["protected"], false]), "{result}");
}

#[test]
fn a_protected_file_that_was_replaced_shows_the_new_one() {
    let world = World::unjudged();
    world.write(".envrc", "first\n");
    assert_eq!(output(&world, &SESSION, "cat .envrc"), "first\n");
    world.write("new", "second\n");
    fs::rename(
        world.workspace().join("new"),
        world.workspace().join(".envrc"),
    )
    .unwrap();
    let seen = world
        .run(&["--session", "s", "cat .envrc; echo evil > .envrc; true"])
        .stdout;
    assert_eq!(
        (seen.as_str(), world.read(".envrc").as_str()),
        ("second\n", "second\n")
    );
}

/// A file system mounted below a workspace, while it lives.
struct Mounted(std::path::PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_mount_that_appeared_is_seen() {
    let world = World::unjudged();
    let place = world.workspace().join("mounted");
    fs::create_dir(&place).unwrap();
    output(&world, &SESSION, "ls mounted");
    if !is_root() {
        println!("only root mounts; an ordinary user sees a directory that appeared instead");
        fs::write(place.join("file"), "on it\n").unwrap();
        assert_eq!(output(&world, &SESSION, "cat mounted/file"), "on it\n");
        return;
    }
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "mode=755", "tmpfs", text(&place)])
        .status();
    assert!(mount.unwrap().success());
    let mounted = Mounted(place.clone());
    fs::write(place.join("file"), "on it\n").unwrap();
    assert_eq!(output(&world, &SESSION, "cat mounted/file"), "on it\n");
    output(&world, &SESSION, "echo inside > mounted/new");
    assert_eq!(fs::read_to_string(place.join("new")).unwrap(), "inside\n");
    drop(mounted);
    assert_eq!(output(&world, &SESSION, "ls -A mounted"), "");
}

#[test]
fn an_idle_room_goes_with_all_in_it() {
    let world = World::unjudged();
    world.configure("[keeper]\nidle = \"400ms\"\n");
    output(&world, &SESSION, "echo x > /tmp/file");
    let [(pid, started)] = world.keepers()[..] else {
        panic!("not one keeper")
    };
    assert!(eventually(|| !is_alive(pid, started)));
    assert_eq!(
        output(&world, &SESSION, "ls -A /tmp | grep -c file; true"),
        "0\n"
    );
}

#[test]
fn a_workspace_deleted_under_a_live_room_is_an_error() {
    let world = World::unjudged();
    let workspace = world.path("short-lived");
    fs::create_dir(&workspace).unwrap();
    let flags = ["--session", "s", "--workspace", text(&workspace)];
    output(&world, &flags, "echo x > file");
    let before = tasks(&world);
    fs::remove_dir_all(&workspace).unwrap();
    let outcome = world.run(&[&flags[..], &["echo ran"]].concat());
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (2, ""),
        "{outcome:?}"
    );
    assert!(outcome.stderr.contains("short-lived"), "{outcome:?}");
    assert_eq!(tasks(&world), before);
    // And it works again when it is there again.
    fs::create_dir(&workspace).unwrap();
    assert_eq!(output(&world, &flags, "ls -A; echo again"), "again\n");
}

#[test]
fn a_workspace_deleted_under_a_run_does_not_hang() {
    let world = World::unjudged();
    let workspace = world.path("short-lived");
    fs::create_dir(&workspace).unwrap();
    let text = "touch started; for n in $(seq 200); do sleep 0.05; [ -e ../gone ] && break; \
                ls started > /dev/null 2>&1 || break; done; echo over";
    let run = world.start(&["--workspace", super::text(&workspace), text]);
    assert!(eventually(|| workspace.join("started").exists()));
    fs::remove_dir_all(&workspace).unwrap();
    let outcome = run.end().outcome();
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "over\n"),
        "{outcome:?}"
    );
}

#[test]
fn many_runs_at_once_share_the_room() {
    let world = World::unjudged();
    let runs: Vec<_> = (0..12)
        .map(|number| {
            let text =
                format!("echo {number} > /tmp/{number}; echo {number} > {number}; cat {number}");
            world.start(&["--session", "s", &text])
        })
        .collect();
    for (number, run) in runs.into_iter().enumerate() {
        let outcome = run.end().outcome();
        assert_eq!((outcome.code, outcome.stdout), (0, format!("{number}\n")));
    }
    assert_eq!(
        output(&world, &SESSION, "cat /tmp/? /tmp/?? | wc -l"),
        "12\n"
    );
    assert_eq!(world.keepers().len(), 1);
}

#[test]
fn runs_with_other_bounds_share_tmp_and_nothing_more() {
    let world = World::unjudged();
    let outside = world.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "outside\n").unwrap();
    let wide = ["--session", "s", "--read", text(&outside)];
    assert_eq!(
        output(&world, &wide, "cat ../outside/file | tee /tmp/copy"),
        "outside\n"
    );
    assert_eq!(output(&world, &SESSION, "cat /tmp/copy"), "outside\n");
    assert_ne!(
        world.run(&["--session", "s", "cat ../outside/file"]).code,
        0
    );
    // A narrow run beside a wide one that still goes on.
    let marker = crate::support::Marker::fresh();
    let slow = world.start(&[&wide[..], &[&marker.sleep()]].concat());
    marker.wait_for(1);
    assert_ne!(
        world.run(&["--session", "s", "cat ../outside/file"]).code,
        0
    );
    drop(slow);
    marker.assert_gone_soon();
}

#[test]
fn a_change_of_configuration_holds_for_the_next_run() {
    let world = World::unjudged();
    output(&world, &SESSION, "echo x > one");
    world.configure("[profile.default]\npreset = \"read-only\"\n");
    let outcome = world.run(&["--session", "s", "echo x > two"]);
    assert_ne!(outcome.code, 0, "{outcome:?}");
    assert!(!world.workspace().join("two").exists());
}
