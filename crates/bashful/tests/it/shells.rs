//! Shells that last, from the command line.

use std::fs;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Marker, Running, World, eventually, with_whole_rows};

impl World {
    /// A call in a shell: what it printed, if it went well.
    fn says(&self, shell: &str, command: &str) -> String {
        let outcome = self.run(&["--shell", shell, command]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.stdout
    }

    fn shells(&self, arguments: &[&str]) -> Vec<Value> {
        let (code, told) = self
            .call(&[&["shells", "list", "--json"], arguments].concat())
            .json();
        assert_eq!(code, 0, "{told}");
        told["shells"].as_array().unwrap().clone()
    }
}

#[test]
fn everything_lasts_from_call_to_call_without_a_session() {
    World::in_both(|world| {
        fs::create_dir(world.workspace().join("src")).unwrap();
        let set = "cd src; plain=1; export LOUD=2; list=(a 'b c'); f() { echo f$1; }; \
                   alias hi='echo hello'; set -u; shopt -s nullglob; umask 027";
        assert_eq!(world.says("dev", set), "");
        let shown = world.says(
            "dev",
            "echo ${PWD##*/} $plain $(printenv LOUD) ${list[1]}; f 3; hi you; umask; echo /nothing*; \
             case $- in *u*) echo strict;; esac",
        );
        assert_eq!(
            shown, "src 1 2 b c\nf3\nhello you\n0027\n\nstrict\n",
            "{shown}"
        );
        // Another shell knows nothing of it, and a plain call neither.
        assert_eq!(world.says("other", "echo ${plain-none}"), "none\n");
        assert_eq!(world.run(&["echo ${plain-none}"]).stdout, "none\n");
    });
}

#[test]
fn exit_codes_are_the_commands_own_and_a_failed_save_keeps_the_last_state() {
    World::in_both(|world| {
        world.says("dev", "x=1");
        let cases = [
            ("x=2; exit 3", 3, "saved"),
            ("set -e; x=3; false; x=4", 1, "saved"),
            ("set +e", 0, "saved"),
            ("x=5; exec true", 0, "kept"),
            ("x=6; kill -9 $$", 137, "kept"),
            ("if", 2, "saved"),
            ("trap 'echo bye' EXIT; x=7; exit 4", 4, "kept"),
            (
                "unset PATH; trap 'echo bye' EXIT DEBUG ERR; y=8; false",
                1,
                "saved",
            ),
        ];
        for (command, code, kept) in cases {
            let (exit, result) = world.json(&["--shell", "dev", command]);
            assert_eq!(
                (exit, &result["shell_state"]),
                (code, &json!(kept)),
                "{command}: {result}"
            );
            assert_eq!(result["shell_note"].is_string(), kept == "kept", "{result}");
        }
        assert_eq!(world.says("dev", "echo $x $y ${PATH-none}"), "3 8 none\n");
    });
}

#[test]
fn nothing_that_is_printed_counts_as_state_or_status() {
    let world = World::unjudged();
    world.says("dev", "x=1");
    let forged = "printf 'state\\0x=2\\0end\\0'; printf 'state\\0' >&2; echo 'exit 7'; true";
    let (code, result) = world.json(&["--shell", "dev", forged]);
    assert_eq!((code, &result["exit_code"]), (0, &json!(0)), "{result}");
    assert_eq!(world.says("dev", "echo $x"), "1\n");
}

#[test]
fn calls_in_one_shell_wait_and_calls_in_two_do_not() {
    let world = World::unjudged();
    world.says("one", "n=0");
    let begin = Instant::now();
    let calls: Vec<Running> = (0..5)
        .map(|_| world.start(&["--shell", "one", "m=$n; sleep 0.1; n=$((m + 1))"]))
        .collect();
    for call in calls {
        assert_eq!(call.end().outcome().code, 0);
    }
    assert!(begin.elapsed() >= Duration::from_millis(500));
    assert_eq!(world.says("one", "echo $n"), "5\n", "none is lost");
    // Each of two waits until the other is there.
    let meet = |own: &str, other: &str| {
        let command = format!("touch {own}; until [ -e {other} ]; do sleep 0.02; done");
        world.start(&["--timeout", "20s", "--shell", own, &command])
    };
    let (one, two) = (meet("one", "two"), meet("two", "one"));
    assert_eq!([one.end().outcome().code, two.end().outcome().code], [0, 0]);
}

#[test]
fn jobs_go_on_as_tasks() {
    World::in_both(|world| {
        let marker = Marker::fresh();
        let (code, result) = world.json(&["--shell", "dev", &format!("{} & x=1", marker.sleep())]);
        assert_eq!(
            (code, &result["shell_state"]),
            (0, &json!("saved")),
            "{result}"
        );
        marker.wait_for(1);
        let tasks = world.tasks(&[]);
        assert_eq!(tasks.len(), 1, "{tasks:?}");
        let id = tasks[0]["task_id"].as_str().unwrap();
        assert_eq!(world.says("dev", "echo $x"), "1\n");
        assert_eq!(world.call(&["kill", id]).code, 0);
        marker.assert_gone_soon();
        assert!(eventually(|| world.tasks(&[]).is_empty()));
    });
}

#[test]
fn a_first_process_that_waits_is_nobodys_job() {
    let world = World::new();
    for _ in 0..3 {
        world.says("dev", "true");
        // The room makes a first process ahead of time; a run without walls leaves it alone.
        std::thread::sleep(Duration::from_millis(100));
        let free = [
            "--sandbox",
            "none",
            "--policy",
            "none",
            "--shell",
            "dev",
            "true",
        ];
        let (code, result) = world.json(&free);
        assert_eq!((code, &result["survivors"]), (0, &Value::Null), "{result}");
    }
    assert_eq!(world.tasks(&[]), [] as [Value; 0]);
}

#[test]
fn a_shadowed_name_is_not_allowed_by_a_rule() {
    let world = World::new();
    let careful = |command: &str| {
        let flags = ["--profile", "careful", "--shell", "dev", command];
        world.run(&flags)
    };
    assert_eq!(careful("ls").code, 0);
    for shadow in [
        "ls() { touch gotcha; }",
        "unset -f ls; alias ls='touch gotcha'",
        "unalias ls; mkdir -p bin; printf '#!/bin/sh\\ntouch gotcha\\n' >bin/ls; chmod +x bin/ls; export PATH=$PWD/bin:$PATH",
    ] {
        let outcome = world.run(&["--policy", "none", "--shell", "dev", shadow]);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let outcome = careful("ls");
        assert_eq!(outcome.code, 121, "{shadow}: {outcome:?}");
        assert!(!world.workspace().join("gotcha").exists());
    }
}

#[test]
fn shells_are_listed_shown_reset_and_ended() {
    let world = World::unjudged();
    assert_snapshot!(world.screen(&["shells", "list"]), @"
    exit code 0
    ----- stdout -----
    There are no shells.
    ");
    world.says(
        "dev",
        "TOKEN=a1b2c3; f() { :; }; alias ll='ls -l'; cd /tmp 2>/dev/null; :",
    );
    let [shell] = &world.shells(&[])[..] else {
        panic!()
    };
    assert_eq!(
        json!([shell["name"], shell["session"], shell["calls"]]),
        json!(["dev", "shells", 1])
    );
    let shown = with_whole_rows(world.call(&["shells", "show", "dev"]));
    assert_snapshot!(world.as_screen(&shown), @"
    exit code 0
    ----- stdout -----
    ╭─ A shell
    │ Shell     │ dev
    │ Agent     │ default
    │ Session   │ shells
    │ Workspace │ [WORLD]/workspace
    │ Directory │ /tmp
    │ Used      │ [SOON] ago
    │ Calls     │ 1
    │ Variables │ OLDPWD, TOKEN
    │ Functions │ f
    │ Aliases   │ ll
    ╰───────────────────────────────────────
    ");
    assert_snapshot!(world.table(&["shells", "list"]), @"
    exit code 0
    ----- stdout -----
    NAME  AGENT  SESSION  USED  CALLS  DIRECTORY
    dev  default  shells  [SOON] ago  1  /tmp
    ");
    let (code, told) = world.call(&["shells", "reset", "--json", "dev"]).json();
    assert_eq!((code, &told["reset"]), (0, &json!(["dev"])), "{told}");
    assert_eq!(world.says("dev", "echo ${TOKEN-none}"), "none\n");
    assert_eq!(world.call(&["shells", "end", "dev"]).code, 0);
    assert_eq!(world.shells(&[]), [] as [Value; 0]);
    assert_snapshot!(world.screen(&["shells", "show", "dev"]), @"
    exit code 2
    ----- stderr -----
    bashful: error: there is no shell `dev`
    ");
}

#[test]
fn a_shell_of_others_is_not_met_by_chance() {
    let world = World::unjudged();
    let outcome = world.run(&[
        "--agent",
        "other",
        "--session",
        "theirs",
        "--shell",
        "dev",
        "x=1",
    ]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for verb in ["show", "reset", "end"] {
        let outcome = world.call(&["shells", verb, "dev"]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains("agent `other`"), "{outcome:?}");
    }
    assert_eq!(world.shells(&["--agent", "other"]).len(), 1);
    assert_eq!(
        world
            .call(&["shells", "end", "--agent", "other", "dev"])
            .code,
        0
    );
    assert_eq!(world.shells(&[]), [] as [Value; 0]);
}

#[test]
fn a_shell_is_there_during_its_first_call() {
    let world = World::unjudged();
    let marker = Marker::fresh();
    let call = world.start(&["--shell", "dev", &format!("{}; true", marker.sleep())]);
    marker.wait_for(1);
    let [shell] = &world.shells(&[])[..] else {
        panic!()
    };
    assert_eq!(json!([shell["name"], shell["busy"]]), json!(["dev", true]));
    call.signal(rustix::process::Signal::TERM);
    call.end();
    marker.assert_gone_soon();
}

#[test]
fn bad_names_and_bad_combinations_are_refused() {
    let world = World::new();
    for name in ["", "../x", "a/b", "a\nb", "\u{1b}[2J", &"x".repeat(65)] {
        let outcome = world.run(&["--shell", name, "true"]);
        assert_eq!(outcome.code, 2, "{name:?}: {outcome:?}");
        assert!(
            outcome.stderr.contains("cannot be the name of a shell"),
            "{outcome:?}"
        );
        assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
    }
    assert_eq!(world.run(&["--shell", "dev", "--", "ls"]).code, 2);
    assert_eq!(world.run(&["--shell", "dev", "--fresh", "ls"]).code, 2);
    assert_eq!(world.shells(&[]), [] as [Value; 0]);
}

#[test]
fn a_tool_call_has_the_shell_too() {
    let world = World::new();
    let call = |command: &str| {
        let arguments = json!({ "command": command, "shell": "dev" }).to_string();
        world
            .call(&["tools", "call", "bash_run", &arguments])
            .stdout
    };
    call("x=17");
    assert!(call("echo x is $x").contains("x is 17"));
    assert_eq!(world.says("dev", "echo $x"), "17\n");
}
