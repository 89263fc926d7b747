//! Backends that hold less than our own: it is said at the run, in the result and in the plan.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::output;
use crate::support::World;

/// A world in which Landlock alone is enough.
fn with_landlock() -> World {
    let world = World::unjudged();
    world.configure(
        "[profile.default]\noptional = ['filesystem', 'processes', 'resources', 'identity']\n",
    );
    world
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn notes(result: &Value) -> String {
    let all = result["sandbox_notes"].as_array().cloned();
    let all = all.unwrap_or_default();
    let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
    all.join("\n")
}

#[test]
fn what_is_not_enforced_is_said_at_the_run() {
    let world = with_landlock();
    let outcome = world.run(&["--sandbox", "landlock", "true"]);
    let warned = "warning: the backend landlock does not enforce this in full";
    assert!(outcome.stderr.contains(warned), "{outcome:?}");
    let (_, result) = world.json(&["--sandbox", "landlock", "true"]);
    let told = notes(&result);
    assert!(told.contains("filesystem (partial)"), "{result}");
    let outcome = world.run(&["--sandbox", "native", "true"]);
    assert!(!outcome.stderr.contains("in full"), "{outcome:?}");
    let (_, result) = world.json(&["--sandbox", "native", "true"]);
    assert_eq!(result["sandbox_notes"], Value::Null, "{result}");
}

#[test]
fn what_was_to_be_hidden_and_is_not_is_said_at_the_run() {
    let world = with_landlock();
    world.write("secret", "k\n");
    let flags = ["--deny", "secret", "cat secret"];
    let (_, result) = world.json(&[&["--sandbox", "landlock"][..], &flags].concat());
    assert_eq!(result["stdout"], "k\n", "{result}");
    let told = notes(&result);
    let path = world.workspace().join("secret");
    assert!(told.contains(path.to_str().unwrap()), "{result}");
    // A backend that can hide it has nothing to say.
    let (_, result) = world.json(&[&["--sandbox", "bubblewrap"][..], &flags].concat());
    assert_eq!(result["stdout"], "", "{result}");
    assert!(!notes(&result).contains("secret"), "{result}");
}

#[test]
fn a_plan_is_that_of_its_backend() {
    let world = with_landlock();
    world.write("secret", "k\n");
    let explain = |backend: &str| -> Value {
        let flags = [
            "explain",
            "--json",
            "--policy",
            "none",
            "--sandbox",
            backend,
        ];
        let outcome = world.call(&[&flags[..], &["--deny", "secret", "true"]].concat());
        serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"))
    };
    let has = |list: &Value, path: &str, what: &str| {
        let mut list = list.as_array().into_iter().flatten();
        list.any(|seen| seen["what"] == what && seen["path"].as_str().unwrap().ends_with(path))
    };
    let native = explain("native");
    assert!(has(&native["view"], "/secret", "hidden"), "{native}");
    assert!(has(&native["view"], "/tmp", "private"), "{native}");
    assert_eq!(native["open"], Value::Null, "{native}");
    let plan = explain("landlock");
    assert!(has(&plan["open"], "/secret", "hidden"), "{plan}");
    assert!(!has(&plan["view"], "/secret", "hidden"), "{plan}");
    assert!(!has(&plan["view"], "/tmp", "private"), "{plan}");
    if is_root() {
        assert_eq!(plan["identity"]["user"], 0, "{plan}");
    }
    for short in plan["shortfalls"].as_array().unwrap() {
        let reason = short["reason"].as_str().unwrap();
        assert!(!reason.contains("user namespace alone"), "{plan}");
        assert!(!reason.contains("no control group") || !is_root(), "{plan}");
    }
}

#[test]
fn a_program_that_cannot_be_reached_does_not_hide_the_next() {
    let world = with_landlock();
    let shims = world.path("shims");
    fs::create_dir(&shims).unwrap();
    let shim = shims.join("id");
    fs::write(&shim, "#!/bin/sh\necho shim\n").unwrap();
    fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", shims.display());
    let mut command = world.run_command(&["--sandbox", "landlock", "--json", "id -u"]);
    let output = command.env("PATH", path).output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["exit_code"], 0, "{result}");
}

#[test]
fn a_shell_does_not_take_the_directory_of_a_session_elsewhere() {
    let world = with_landlock();
    let flags = ["--sandbox", "landlock", "--shell", "dev"];
    let first = output(&world, &flags, "echo $TMPDIR; rm $(mktemp)");
    assert!(first.contains("/rooms/"), "{first}");
    assert_eq!(output(&world, &flags, "echo $TMPDIR"), first);
    // Elsewhere there is a `/tmp` of its own.
    let native = ["--sandbox", "native", "--shell", "dev"];
    assert_eq!(output(&world, &native, "echo ${TMPDIR-none}"), "none\n");
}

#[test]
fn a_workspace_may_lie_in_the_other_temporary_directory() {
    let world = World::unjudged();
    let elsewhere = tempfile::tempdir_in("/var/tmp").unwrap();
    let place = elsewhere.path().canonicalize().unwrap();
    for backend in ["native", "bubblewrap"] {
        let flags = ["--sandbox", backend, "--workspace", place.to_str().unwrap()];
        let (code, result) = world.json(&[&flags[..], &["echo in > f && cat f"]].concat());
        assert_eq!((code, &result["stdout"]), (0, &json!("in\n")), "{result}");
    }
}

#[test]
fn a_repair_says_what_to_do_about_a_directory_that_others_can_write() {
    let world = World::new();
    world.run(&["true"]);
    let state = world.state();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    let outcome = world.call(&["doctor", "--repair"]);
    assert_eq!(outcome.code, 125, "{outcome:?}");
    assert!(outcome.stderr.contains("chmod 700"), "{outcome:?}");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn nobody_is_led_to_no_sandbox() {
    let outcome = World::unjudged().run(&["--sandbox", "nonsense", "true"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(!outcome.stderr.contains("similar"), "{outcome:?}");
    // A slip that is near to another is told.
    let outcome = World::unjudged().run(&["--sandbox", "natve", "true"]);
    assert!(outcome.stderr.contains("'native'"), "{outcome:?}");
}

#[test]
fn where_tmp_is_closed_the_policy_says_where_to_write() {
    let world = with_landlock();
    let judged = |text: &str| world.call(&["explain", "--sandbox", "landlock", text]);
    let outcome = judged("echo x > /tmp/z");
    assert!(outcome.stderr.contains("$TMPDIR"), "{outcome:?}");
    let outcome = judged("echo x > \"$TMPDIR/z\"");
    assert_eq!(outcome.code, 0, "{outcome:?}");
}
