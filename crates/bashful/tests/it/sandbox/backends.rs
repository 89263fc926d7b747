//! Other backends than our own: a run behaves alike in them, and the result says who held it.

use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{kinds, output};
use crate::support::{Marker, World, parent_of};

const BUBBLEWRAP: [&str; 2] = ["--sandbox", "bubblewrap"];

/// A world in which Landlock alone is enough.
fn with_landlock() -> World {
    let world = World::unjudged();
    world.configure(
        "[profile.default]\noptional = ['filesystem', 'processes', 'resources', 'identity']\n",
    );
    world
}

/// How a run ended, for comparing one backend with another.
fn ending(world: &World, backend: &str, text: &str) -> Value {
    let (code, result) = world.json(&["--sandbox", backend, text]);
    assert_eq!(result["enforcement"]["backend"], backend, "{result}");
    json!([
        code,
        result["status"],
        result["exit_code"],
        result["signal"],
        result["stdout"],
        result["stderr"],
    ])
}

#[test]
fn runs_end_alike_whoever_holds_them() {
    let world = with_landlock();
    for text in [
        "exit 0",
        "exit 7",
        "exit 137",
        "kill -KILL $$",
        "kill -TERM $$",
        "kill -SEGV $$",
        "echo out; echo err >&2; exit 3",
        "sleep 60 & echo $!>/dev/null; exit 4",
        "no-such-command",
        "cat",
        "pwd",
    ] {
        let native = ending(&world, "native", text);
        for backend in ["bubblewrap", "landlock"] {
            assert_eq!(ending(&world, backend, text), native, "{backend}: {text}");
        }
    }
}

#[test]
fn a_run_that_is_late_or_cancelled_leaves_nothing() {
    let world = with_landlock();
    for backend in ["bubblewrap", "landlock"] {
        let marker = Marker::fresh();
        let text = format!("setsid -f {0}; (trap '' TERM; {0}) & {0}", marker.sleep());
        let flags = ["--sandbox", backend, "--timeout", "500ms"];
        let outcome = world.run(&[&flags[..], &[&text]].concat());
        assert_eq!(outcome.code, 124, "{backend}: {outcome:?}");
        marker.assert_gone();
        let text = format!("setsid -f {0}; {0} & {0}", marker.sleep());
        let run = world.start(&["--sandbox", backend, &text]);
        marker.wait_for(3);
        run.signal(Signal::INT);
        assert_eq!(run.end().outcome().code, 130, "{backend}");
        marker.assert_gone();
    }
}

#[test]
fn who_is_asked_politely_has_time_to_tidy_up() {
    let world = with_landlock();
    let text = "trap 'echo tidied; exit 9' TERM; sleep 60 & wait";
    for backend in ["native", "bubblewrap", "landlock"] {
        let (code, result) = world.json(&["--sandbox", backend, "--timeout", "500ms", text]);
        assert_eq!(
            json!([code, result["stdout"]]),
            json!([124, "tidied\n"]),
            "{backend}: {result}"
        );
    }
}

#[test]
fn what_would_execute_later_is_protected() {
    let world = World::unjudged();
    fs::create_dir_all(world.workspace().join(".git/hooks")).unwrap();
    world.write(".git/hooks/pre-commit", "host's\n");
    world.write(".git/config", "[core]\n");
    let text = "echo evil > .git/hooks/pre-commit; mv .git git; rm -f .git/config; \
                echo evil > .git/config; echo evil > .envrc; true";
    let (_, result) = world.json(&[&BUBBLEWRAP[..], &[text]].concat());
    assert_eq!(world.read(".git/hooks/pre-commit"), "host's\n");
    assert_eq!(world.read(".git/config"), "[core]\n");
    assert!(!world.workspace().join(".envrc").exists(), "{result}");
    assert_eq!(
        kinds(&result),
        ["protected", "write", "protected"],
        "{result}"
    );
}

#[test]
fn the_runs_of_a_session_share_tmp_and_nobody_else_does() {
    let world = World::unjudged();
    let flags = ["--sandbox", "bubblewrap", "--session", "s"];
    output(&world, &flags, "echo kept > /tmp/log");
    assert_eq!(output(&world, &flags, "cat /tmp/log"), "kept\n");
    let other = ["--sandbox", "bubblewrap", "--session", "other"];
    let look = "test -e /tmp/log || echo absent";
    assert_eq!(output(&world, &other, look), "absent\n");
    let fresh = ["--sandbox", "bubblewrap", "--session", "s", "--fresh"];
    assert_eq!(output(&world, &fresh, look), "absent\n");
}

#[test]
fn nothing_of_a_run_shows_in_its_wrapper() {
    let world = World::unjudged();
    let marker = Marker::fresh();
    let run = world.start(&[&BUBBLEWRAP[..], &[&marker.sleep()]].concat());
    marker.wait_for(1);
    let workspace = world.workspace();
    let workspace = workspace.to_str().unwrap();
    let mut wrappers = 0;
    // Others on this machine may use the same program: only what is above our own command counts.
    let mut pid = marker.sleepers()[0];
    while pid > 1 {
        let path = PathBuf::from(format!("/proc/{pid}"));
        let line = fs::read_to_string(path.join("cmdline")).unwrap_or_default();
        let words: Vec<&str> = line.split('\0').collect();
        if words.first() == Some(&"bwrap") {
            wrappers += 1;
            assert!(!line.contains(workspace), "{line}");
            // Where it cannot be read, it does not show.
            let environment = fs::read(path.join("environ")).unwrap_or_default();
            assert_eq!(environment, b"", "{line}");
        }
        pid = parent_of(pid);
    }
    assert!(wrappers > 0);
    run.signal(Signal::INT);
    assert_eq!(run.end().outcome().code, 130);
    marker.assert_gone();
}

#[test]
fn a_list_of_commands_that_cannot_be_enforced_is_refused() {
    let world = World::unjudged();
    let outcome = world.run(&[&BUBBLEWRAP[..], &["--command", "ls", "ls"]].concat());
    assert_ne!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains("commands (partial)"), "{outcome:?}");
}

#[test]
fn landlock_alone_is_refused_unless_that_is_said() {
    let outcome = World::unjudged().run(&["--sandbox", "landlock", "true"]);
    assert_ne!(outcome.code, 0, "{outcome:?}");
    let world = with_landlock();
    let (_, result) = world.json(&["--sandbox", "landlock", "echo in"]);
    assert_eq!(result["stdout"], "in\n", "{result}");
    let applied = &result["enforcement"];
    assert_eq!(applied["filesystem"], "partial", "{result}");
    assert_eq!(applied["network"], "full", "{result}");
    let text = "cat /etc/passwd > /dev/null && ls / 2>&1; echo x > $TMPDIR/x && echo wrote";
    let seen = output(&world, &["--sandbox", "landlock"], text);
    assert!(
        seen.contains("ermission denied") && seen.ends_with("wrote\n"),
        "{seen}"
    );
}

#[test]
fn the_strongest_that_works_is_used_and_remembered() {
    let world = World::unjudged();
    let (_, result) = world.json(&["--sandbox", "auto", "true"]);
    // The user who runs the tests can build a sandbox of ours.
    assert_eq!(result["enforcement"]["backend"], "native", "{result}");
}
