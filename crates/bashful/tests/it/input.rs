//! What goes in: standard input, programs without a shell, very long commands.

use std::fs;
use std::process::Stdio;

use bashful_engine::{
    Action, Engine, EngineError, ExecutionResult, InvalidInvocation, Invocation, MAX_COMMAND_BYTES,
    Places, Started,
};
use serde_json::json;

use crate::support::{Running, World, binary, ran};

#[test]
fn stdin_is_closed_unless_given() {
    let world = World::new();
    let mut command = world.run_command(&["cat; echo end"]);
    // A pipe that stays open: a command that read it would hang.
    command.stdin(Stdio::piped());
    assert_eq!(Running::start(command).end().outcome(), ran(0, "end\n", ""));
}

#[test]
fn stdin_is_passed_on_when_asked() {
    let world = World::new();
    let command = world.run_command(&["--stdin", "sort; echo end"]);
    let running = Running::start_with_input(command, b"b\na\nc\n");
    assert_eq!(running.end().outcome(), ran(0, "a\nb\nc\nend\n", ""));
}

#[test]
fn stdin_may_be_large_and_binary() {
    let world = World::new();
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(3 << 20).collect();
    let command = world.run_command(&["--stdin", "cat"]);
    let ended = Running::start_with_input(command, &bytes).end();
    assert_eq!(ended.code, 0);
    assert!(ended.stdout == bytes, "{} bytes", ended.stdout.len());
}

#[test]
fn stdin_that_is_not_read_is_no_trouble() {
    let world = World::new();
    let command = world.run_command(&["--stdin", "echo done"]);
    let running = Running::start_with_input(command, b"never read");
    assert_eq!(running.end().outcome(), ran(0, "done\n", ""));
}

#[test]
fn a_program_runs_without_a_shell() {
    let world = World::new();
    let arguments = ["--", "printf", "%s|", "a b", "$HOME", "it's", "*", "", ";"];
    let outcome = world.run(&arguments);
    assert_eq!(outcome, ran(0, "a b|$HOME|it's|*||;|", ""));
}

#[test]
fn a_program_is_shown_as_the_command_line_that_would_start_it() {
    let world = World::new();
    let (code, result) = world.json(&["--", "printf", "%s", "it's"]);
    let found = json!([code, result["command"], result["stdout"]]);
    assert_eq!(found, json!([0, r"printf %s 'it'\''s'", "it's"]));
}

#[test]
fn a_program_may_have_flags_like_ours() {
    let world = World::new();
    let outcome = world.run(&["--", "echo", "--json", "--timeout", "--"]);
    assert_eq!(outcome, ran(0, "--json --timeout --\n", ""));
}

#[test]
fn a_program_of_the_workspace_is_found_by_its_path() {
    let world = World::new();
    let script = world.write("tool", "#!/bin/sh\necho \"$0\" \"$1\"\n");
    let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let outcome = world.run(&["--", "./tool", "x"]);
    assert_eq!(
        (outcome.code, outcome.stdout.ends_with("/tool x\n")),
        (0, true),
        "{outcome:?}"
    );
}

#[test]
fn a_program_keeps_its_exit_code() {
    let world = World::new();
    assert_eq!(world.run(&["--", "bash", "-c", "exit 9"]), ran(9, "", ""));
}

#[test]
fn the_longest_text_that_fits_an_argument_runs() {
    let world = World::new();
    // One byte less than the kernel's limit, which counts the byte that ends it.
    let text = padded(128 * 1024 - 1);
    assert_eq!(world.run(&[text]), ran(0, "end\n", ""));
}

/// A command of exactly this many bytes that says `end`.
fn padded(bytes: usize) -> String {
    let frame = ": ''; echo end".len();
    format!(": '{}'; echo end", "x".repeat(bytes - frame))
}

/// Runs a text that is too long for any command line through the library, with the
/// executable as keeper.
fn run_long(world: &World, text: String) -> Result<ExecutionResult, EngineError> {
    let engine = Engine::builder()
        .helper(binary())
        .places(Places::under(&world.path("engine")))
        .workspace(world.workspace())
        .build()?;
    match engine.start(Invocation::new(Action::Bash(text)))? {
        Started::Running(run) => run.wait_until(None).unwrap(),
        Started::NotAllowed(result) => panic!("{result:?}"),
    }
}

#[test]
fn commands_longer_than_an_argument_run() {
    let world = World::new();
    for bytes in [128 * 1024, 128 * 1024 + 1, 300_000, MAX_COMMAND_BYTES] {
        let result = run_long(&world, padded(bytes)).unwrap();
        let found = (
            result.exit_code,
            result.stdout.as_str(),
            result.stderr.as_str(),
        );
        assert_eq!(found, (Some(0), "end\n", ""), "{bytes}");
    }
}

#[test]
fn long_commands_are_cut_between_characters() {
    let world = World::new();
    let text = format!(
        "x='{}'; echo ${{#x}} $# \"$0\"; compgen -v | grep -c bashful",
        "€".repeat(100_000)
    );
    let result = run_long(&world, format!("LC_ALL=C.UTF-8; {text}")).unwrap();
    assert_eq!(result.stdout, "100000 0 bash\n0\n");
}

#[test]
fn commands_over_a_mebibyte_are_refused() {
    let world = World::new();
    let error = run_long(&world, padded(MAX_COMMAND_BYTES + 1)).unwrap_err();
    let invalid = matches!(
        error,
        EngineError::Invalid(InvalidInvocation::TooLong { length, limit })
            if length == MAX_COMMAND_BYTES + 1 && limit == MAX_COMMAND_BYTES
    );
    assert!(invalid, "{error:?}");
    assert_eq!(MAX_COMMAND_BYTES, 1 << 20);
}

#[test]
fn a_command_from_a_file() {
    let world = World::new();
    let file = world.path("long.sh");
    // Longer than one argument may be.
    let text = format!(": '{}'\necho \"end $#\"\n", "x".repeat(500_000));
    fs::write(&file, text).unwrap();
    let outcome = world.run(&["--file", file.to_str().unwrap()]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "end 0\n"));
}

#[test]
fn a_command_from_standard_input() {
    let world = World::new();
    let command = world.run_command(&["--file", "-"]);
    let outcome = Running::start_with_input(command, b"echo from input")
        .end()
        .outcome();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "from input\n"));
}

#[test]
fn a_file_that_is_no_command() {
    let world = World::new();
    let binary = world.path("binary");
    fs::write(&binary, [0xff, 0xfe]).unwrap();
    for path in [binary, world.path("missing")] {
        let outcome = world.run(&["--file", path.to_str().unwrap()]);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.contains("cannot use"), "{}", outcome.stderr);
    }
}
