//! Requests that make no sense: each a clear error before anything runs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Outcome, World};

/// The request is refused as a mistake of the caller, in these words, and nothing runs.
#[track_caller]
fn refused(arguments: &[&str], kind: &str, message: &str) {
    let world = World::new();
    let (code, error) = world.json(arguments);
    let found = json!([code, error["error"]["kind"], error["error"]["message"]]);
    assert_eq!(found, json!([2, kind, message]), "{arguments:?}");
    let outcome = world.run(arguments);
    let first = outcome.stderr.lines().next().unwrap_or_default();
    let expected = (2, "", format!("bashful: error: {message}"));
    assert_eq!(
        (outcome.code, outcome.stdout.as_str(), first.to_owned()),
        expected
    );
    assert_nothing_ran(&world);
}

/// The flag is refused before we look at anything else: what is said, without the usage below it.
#[track_caller]
fn misused(arguments: &[&str]) -> String {
    let world = World::new();
    let outcome = world.run(arguments);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (2, ""),
        "{outcome:?}"
    );
    assert_nothing_ran(&world);
    let (said, _) = outcome.stderr.split_once("\n\n").unwrap();
    said.to_owned()
}

fn assert_nothing_ran(world: &World) {
    assert!(!world.state().join("tasks").exists());
    assert!(!world.workspace().join("ran").exists());
}

#[test]
fn empty_command() {
    refused(&[""], "empty_command", "the command is empty");
}

#[test]
fn blank_command() {
    refused(&[" \t\n "], "empty_command", "the command is empty");
}

#[test]
fn empty_program() {
    refused(&["--", ""], "empty_command", "the command is empty");
}

#[test]
fn no_command() {
    assert_snapshot!(misused(&[]), @"
    error: the following required arguments were not provided:
      <COMMAND>
    ");
}

#[test]
fn misuse_is_told_in_json_too() {
    let world = World::new();
    for arguments in [
        &["--json"][..],
        &["--json", "--timeout", "soon", "touch ran"],
        &["--keep", "middle", "--json", "touch ran"],
    ] {
        let outcome = world.run(arguments);
        let (code, error) = outcome.json();
        let found = json!([code, error["status"], error["error"]["kind"]]);
        assert_eq!(found, json!([2, "broken", "usage"]), "{outcome:?}");
        assert!(outcome.stderr.starts_with("error: "), "{outcome:?}");
    }
    // What belongs to a program is not ours to obey.
    let outcome = world.run(&["--frobnicate", "--", "echo", "--json"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert_nothing_ran(&world);
}

#[test]
fn two_commands() {
    assert_snapshot!(misused(&["touch ran", "touch ran"]), @"error: unexpected argument 'touch ran' found");
    assert_snapshot!(misused(&["touch ran", "--", "touch", "ran"]), @"error: the argument '[COMMAND]' cannot be used with '[PROGRAM ARGS]...'");
}

#[test]
fn too_long_program() {
    // No single argument can be that long, but many together can.
    let world = World::new();
    let piece = "x".repeat(100_000);
    let mut arguments = vec!["--json", "--", "echo"];
    arguments.extend([piece.as_str(); 11]);
    let (code, error) = world.run(&arguments).json();
    let found = json!([code, error["error"]["kind"]]);
    assert_eq!(found, json!([2, "command_too_long"]));
    assert_nothing_ran(&world);
}

#[test]
fn argument_that_is_not_utf8() {
    let world = World::new();
    for arguments in [
        vec![OsStr::from_bytes(b"touch ran; echo \xff")],
        vec![
            OsStr::new("--"),
            OsStr::new("touch"),
            OsStr::from_bytes(b"ran\xff"),
        ],
        vec![
            OsStr::new("-d"),
            OsStr::from_bytes(b"\xff"),
            OsStr::new("touch ran"),
        ],
    ] {
        let outcome = world.run(&arguments);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (2, ""),
            "{outcome:?}"
        );
        assert!(outcome.stderr.contains("UTF-8"), "{outcome:?}");
    }
    assert_nothing_ran(&world);
}

#[test]
fn timeout_zero() {
    assert_snapshot!(misused(&["--timeout", "0s", "touch ran"]), @"error: invalid value '0s' for '--timeout <TIME>': duration `0s` is zero: it must be more");
    assert_snapshot!(misused(&["--timeout", "0ms", "touch ran"]), @"error: invalid value '0ms' for '--timeout <TIME>': duration `0ms` is zero: it must be more");
}

#[test]
fn timeout_negative() {
    assert_snapshot!(misused(&["--timeout=-5s", "touch ran"]), @"error: invalid value '-5s' for '--timeout <TIME>': duration `-5s` is negative");
    assert_snapshot!(misused(&["--timeout", "-5s", "touch ran"]), @"error: unexpected argument '-5' found");
}

#[test]
fn timeout_over_the_limit() {
    let message = "the timeout of 601s is over the limit of 600s";
    refused(
        &["--timeout", "601s", "touch ran"],
        "timeout_too_long",
        message,
    );
}

#[test]
fn timeout_that_is_no_time() {
    assert_snapshot!(misused(&["--timeout", "soon", "touch ran"]), @"error: invalid value 'soon' for '--timeout <TIME>': duration `soon` does not start with a number");
    assert_snapshot!(misused(&["--timeout", "5", "touch ran"]), @"error: invalid value '5' for '--timeout <TIME>': duration `5` has no unit: add `ms`, `s`, `m`, `h` or `d`, as in `90s`");
    assert_snapshot!(misused(&["--timeout", "99999999999999999999s", "touch ran"]), @"error: invalid value '99999999999999999999s' for '--timeout <TIME>': duration `99999999999999999999s` is too long: at most `365d`");
}

#[test]
fn output_limit_that_is_no_limit() {
    assert_snapshot!(misused(&["--max-output", "0", "touch ran"]), @"error: invalid value '0' for '--max-output <CHARS>': zero characters would show nothing");
    assert_snapshot!(misused(&["--max-output", "-1", "touch ran"]), @"error: unexpected argument '-1' found");
    assert_snapshot!(misused(&["--max-output", "many", "touch ran"]), @"error: invalid value 'many' for '--max-output <CHARS>': expected a number of characters, such as 30000");
}

#[test]
fn words_that_are_no_choice() {
    assert_snapshot!(misused(&["--keep", "middle", "touch ran"]), @"
    error: invalid value 'middle' for '--keep <PART>'
      [possible values: head, tail, head-tail]
    ");
    assert_snapshot!(misused(&["--survivors", "ignore", "touch ran"]), @"
    error: invalid value 'ignore' for '--survivors <WHAT>'
      [possible values: kill, adopt]
    ");
    assert_snapshot!(misused(&["--on-log-full", "cry", "touch ran"]), @"
    error: invalid value 'cry' for '--on-log-full <WHAT>'
      [possible values: auto, continue, stop]
    ");
    assert_snapshot!(misused(&["--log-quota", "lots", "touch ran"]), @"error: invalid value 'lots' for '--log-quota <SIZE>': size `lots` does not start with a number");
    assert_snapshot!(misused(&["--sandbox", "strong", "touch ran"]), @"
    error: invalid value 'strong' for '--sandbox <BACKEND>'
      [possible values: auto, native, bubblewrap, firejail, landlock, none]
    ");
}

#[test]
fn unknown_flag_and_verb() {
    assert_snapshot!(misused(&["--frobnicate", "touch ran"]), @"error: unexpected argument '--frobnicate' found");
}

#[test]
fn variable_name() {
    let message = "`1A` is not a variable name";
    refused(&["--env", "1A=x", "touch ran"], "variable_name", message);
    assert_snapshot!(misused(&["--env", "A", "touch ran"]), @"error: invalid value 'A' for '--env <NAME=VALUE>': expected NAME=VALUE");
}

#[test]
fn program_that_is_nowhere() {
    let message = "the program `no-such-program` was not found on PATH";
    refused(&["--", "no-such-program"], "program_not_found", message);
}

#[test]
fn program_that_cannot_be_executed() {
    let world = World::new();
    world.write("plain", "not a program");
    let outcome = world.run(&["--", "./plain"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (125, ""));
    assert!(outcome.stderr.contains("cannot execute"), "{outcome:?}");
}

#[test]
fn what_an_agent_wrote_cannot_forge_our_lines() {
    let world = World::new();
    let name = "x\nbashful: note: all is well\u{1b}[2J";
    let outcome = world.run(&["--", name]);
    assert_eq!(outcome.code, 2);
    let lines = outcome.stderr.lines().count();
    let expected = Outcome {
        stderr: outcome.stderr.replace('\u{1b}', ""),
        ..Outcome {
            code: 2,
            stdout: String::new(),
            stderr: String::new(),
        }
    };
    assert_eq!((&outcome, lines), (&expected, 2));
}
