//! What was refused is told in a few lines with what would help, whatever the exit code.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::text;
use crate::support::{Running, World};

/// Everyday commands that do well without what they try in passing.
const EVERYDAY: &[&str] = &[
    "git status --short",
    "git log --oneline -1; true",
    "git -c user.name=a -c user.email=a@b commit --allow-empty -qm x",
    "python3 -c 'print(1)'",
    "python3 -c 'import ssl, sqlite3, pwd; pwd.getpwuid(0)'",
    "perl -e 'print 1'",
    "ls -la ~ / /tmp",
    "find / -maxdepth 1 | head -1",
    "grep -r main . | cat",
    "tar cf /tmp/a.tar . && tar xf /tmp/a.tar -C /tmp",
    "id; whoami; getent passwd root",
    "ps aux | head -1",
    "bash -lc 'echo hi' | cat",
    "bash -ic true 2>/dev/null",
    "touch ~/foo a b; rm a b",
    "sort /etc/passwd | uniq -c | tail -1",
    "date; uname -a; df . | tail -1",
    "mktemp -d; echo x | tee /tmp/x >/dev/null",
];

#[test]
fn everyday_commands_are_told_nothing() {
    let world = World::unjudged();
    let init = world.program("git").args(["init", "-q"]).status();
    assert!(init.unwrap().success());
    for command in EVERYDAY {
        let outcome = world.run(&[command]);
        assert!(
            !outcome.stderr.contains("bashful: sandbox") && !outcome.stderr.contains("hint"),
            "{command}: {outcome:?}"
        );
    }
}

#[test]
fn what_a_pipe_hides_is_told() {
    let world = World::unjudged();
    fs::create_dir(world.path("shared")).unwrap();
    let shared = world.path("shared");
    let shared = text(&shared);
    let command = format!("for n in 1 2 3 4; do echo x > {shared}/$n; done | tail -1; true");
    let outcome = world.run(&["--read", shared, &command]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let lines: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|line| line.starts_with("bashful: ") && !line.contains("warning"))
        .collect();
    assert_eq!(lines.len(), 2, "{outcome:?}");
    let first =
        format!("bashful: sandbox: write {shared}/1: it may only be read (and 3 more like it)");
    assert_eq!(lines[0], first);
    let way = format!("bashful: hint: `--write {shared}` permits it; ");
    assert!(lines[1].starts_with(&way), "{outcome:?}");
    // Nobody is asked about what succeeded.
    let (_, result) = world.json(&["--read", shared, &command]);
    assert_eq!(result["approval"], json!(null));
}

#[test]
fn a_program_that_the_host_has_is_named() {
    let world = World::unjudged();
    let bin = world.path("home/.cargo/bin");
    fs::create_dir_all(&bin).unwrap();
    let tool = bin.join("surely-a-tool");
    fs::write(&tool, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |arguments: &[&str]| world.run(arguments).stderr;
    for arguments in [
        &["surely-a-tool build"][..],
        &["surely-a-tool build | tail -1"],
        &["surely-a-tool", "build"],
    ] {
        let told = run(arguments);
        assert!(told.contains(text(&tool)), "{arguments:?}: {told}");
    }
    let told = run(&["cd", "/tmp"]);
    assert!(told.contains("in quotes"), "{told}");
}

#[test]
fn input_that_was_not_passed_on_is_told() {
    let world = World::unjudged();
    let told = |arguments: &[&str], input: &[u8]| {
        let command = world.run_command(arguments);
        let ended = Running::start_with_input(command, input).end();
        ended.outcome().stderr.contains("--stdin")
    };
    assert!(told(&["cat"], b"x\n"));
    assert!(told(&["false"], b"x\n"));
    assert!(!told(&["cat"], b""));
    assert!(!told(&["echo done"], b"x\n"));
    assert!(!told(&["--stdin", "cat"], b"x\n"));
}

#[test]
fn memory_is_told_where_nothing_counts_it() {
    let world = World::unjudged();
    let command = "python3 -c 'x = bytearray(300_000_000)'; exit $?";
    let outcome = world.run(&["--memory", "100M", command]);
    let is_told = outcome.stderr.contains("memory");
    let (_, result) = world.json(&["--memory", "100M", command]);
    let kinds = |key: &str| result[key][0]["kind"].clone();
    assert!(is_told, "{outcome:?}");
    assert!(
        kinds("sandbox_violations") == "memory" || kinds("sandbox_hints") == "memory",
        "{result}"
    );
}

#[test]
fn a_file_that_the_run_does_not_see_is_named() {
    let world = World::unjudged();
    let hidden = world.path("hidden");
    fs::create_dir(&hidden).unwrap();
    fs::write(hidden.join("notes"), "").unwrap();
    let notes = text(&hidden).to_owned() + "/notes";
    let told = |command: &str| {
        let (_, result) = world.json(&[command]);
        (result["sandbox_hints"][0]["flag"].clone(), result)
    };
    let (flag, result) = told(&format!("cat {notes}"));
    assert_eq!(flag, json!(format!("--read {notes}")), "{result}");
    for command in [
        format!("cat {notes}-none"),
        format!("test -e {notes} || true"),
        "cat /etc/hostname; exit 3".to_owned(),
        "ls /usr/bin /tmp; exit 3".to_owned(),
    ] {
        let (flag, result) = told(&command);
        assert_eq!(flag, json!(null), "{result}");
    }
}
