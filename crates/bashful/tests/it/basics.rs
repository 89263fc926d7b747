//! A command runs, and its answer is its own.

use serde_json::json;

use crate::support::{World, ran};

#[test]
fn simple_command() {
    assert_eq!(World::new().run(&["true"]), ran(0, "", ""));
}

#[test]
fn stdout() {
    let world = World::new();
    assert_eq!(
        world.run(&["echo hello; echo world"]),
        ran(0, "hello\nworld\n", "")
    );
}

#[test]
fn stderr_is_kept_apart() {
    let world = World::new();
    let command = "echo out; echo err >&2; echo out again; echo err again >&2";
    let expected = ran(0, "out\nout again\n", "err\nerr again\n");
    assert_eq!(world.run(&[command]), expected);
}

#[test]
fn exit_code_is_passed_on() {
    let world = World::new();
    for code in [0, 1, 2, 3, 42, 119, 126, 127, 128, 200, 254, 255] {
        assert_eq!(world.run(&[format!("exit {code}")]), ran(code, "", ""));
    }
}

#[test]
fn non_zero_keeps_the_output() {
    let world = World::new();
    let outcome = world.run(&["echo before; echo why >&2; exit 7"]);
    assert_eq!(outcome, ran(7, "before\n", "why\n"));
}

#[test]
fn what_an_exit_code_means() {
    let world = World::new();
    for (code, class) in [
        (0, "success"),
        (1, "soft_failure"),
        (127, "soft_failure"),
        (128, "hard_failure"),
        (255, "hard_failure"),
    ] {
        let (exit, result) = world.json(&[format!("exit {code}")]);
        let found = json!([
            exit,
            result["exit_code"],
            result["status"],
            result["exit_status"]
        ]);
        assert_eq!(found, json!([code, code, class, class]));
    }
}

#[test]
fn a_signal_gives_128_and_its_number() {
    let world = World::unjudged();
    for (name, number) in [("TERM", 15), ("KILL", 9), ("SEGV", 11), ("USR1", 10)] {
        let command = format!("ulimit -c 0; echo last; kill -{name} $$; sleep 60");
        assert_eq!(
            world.run(&[&command]),
            world.ran(128 + number, "last\n", "")
        );
        let (code, result) = world.json(&[&command]);
        let found = json!([
            code,
            result["signal"],
            result.get("exit_code"),
            result["status"],
            result["exit_status"]
        ]);
        let expected = json!([
            128 + number,
            format!("SIG{name}"),
            null,
            "hard_failure",
            "hard_failure"
        ]);
        assert_eq!(found, expected);
    }
}

#[test]
fn an_unknown_program_is_127_and_bash_says_so() {
    let world = World::new();
    let outcome = world.run(&["no-such-program-anywhere"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (127, ""));
    assert!(outcome.stderr.contains("command not found"), "{outcome:?}");
}

#[test]
fn bash_reads_no_startup_files() {
    let world = World::new();
    for name in [".bashrc", ".bash_profile", ".profile", ".bash_login"] {
        world.write(name, "echo started");
    }
    assert_eq!(world.run(&["echo only this"]), ran(0, "only this\n", ""));
}

#[test]
fn bash_text_may_have_several_lines() {
    let world = World::new();
    let command = "for i in 1 2\ndo\n  echo \"line $i\"\ndone\ncat <<END\nfrom here\nEND\n";
    let expected = ran(0, "line 1\nline 2\nfrom here\n", "");
    assert_eq!(world.run(&[command]), expected);
}

#[test]
fn duration_is_reported() {
    let world = World::new();
    let (code, result) = world.json(&["sleep 0.5"]);
    let duration = result["duration_ms"].as_u64().unwrap();
    assert_eq!(code, 0);
    assert!((500..60_000).contains(&duration), "{result}");
}

#[test]
fn usage_is_reported() {
    let world = World::new();
    let (_, result) = world.json(&["for ((i = 0; i < 100000; i++)); do :; done"]);
    let (cpu, memory) = (&result["usage"]["cpu_ms"], &result["usage"]["max_rss_kib"]);
    assert!(cpu.as_u64().unwrap() > 0, "{result}");
    assert!(memory.as_u64().unwrap() > 500, "{result}");
}

#[test]
fn the_version_is_told() {
    let world = World::new();
    let outcome = world.call(&["--version"]);
    let expected = format!("bashful {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((outcome.code, outcome.stdout), (0, expected));
}
