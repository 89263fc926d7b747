//! Secrets are masked before anything is stored or shown.

use serde_json::Value;

use crate::support::{Running, World};

const KEY: &str = "sk-live-0123456789abcdef";

/// Runs this with a key in the caller's environment; the result, and what was stored.
fn with_key(world: &World, text: &str) -> (Value, String) {
    let mut command = world.run_command(&["--json", text]);
    command.env("OPENAI_API_KEY", KEY);
    let (code, result) = Running::start(command).end().outcome().json();
    assert_eq!(code, 0, "{result}");
    let log = std::fs::read_to_string(result["output_file"].as_str().unwrap()).unwrap();
    (result, log)
}

#[test]
fn a_key_of_the_caller_is_masked() {
    let (result, log) = with_key(&World::new(), &format!("echo before {KEY} after"));
    assert_eq!(result["stdout"], "before [masked] after\n");
    assert_eq!(log, "before [masked] after\n");
}

#[test]
fn a_key_on_stderr_is_masked() {
    let (result, log) = with_key(&World::new(), &format!("echo {KEY} >&2"));
    assert_eq!(result["stderr"], "[masked]\n");
    assert_eq!(log, "[masked]\n");
}

#[test]
fn a_key_split_over_two_writes_is_masked() {
    let (start, end) = KEY.split_at(11);
    let text = format!("printf 'a {start}'; sleep 0.4; printf '{end} b\\n'");
    let (result, log) = with_key(&World::new(), &text);
    assert_eq!(result["stdout"], "a [masked] b\n");
    assert_eq!(log, "a [masked] b\n");
}

#[test]
fn a_key_written_byte_by_byte_is_masked() {
    let text = format!(
        "key={KEY}; for ((i = 0; i < ${{#key}}; i++)); do printf %s \"${{key:i:1}}\"; sleep 0.02; done"
    );
    let (result, log) = with_key(&World::new(), &text);
    assert_eq!(
        (result["stdout"].as_str(), log.as_str()),
        (Some("[masked]"), "[masked]")
    );
}

#[test]
fn a_key_between_large_pieces_is_masked() {
    // Around the edges of pipes and of read buffers.
    let text = format!(
        "for size in 4090 65520 262130; do head -c $size /dev/zero | tr '\\0' x; printf {KEY}; done"
    );
    let (_, log) = with_key(&World::new(), &text);
    assert_eq!(log.matches("[masked]").count(), 3);
    assert!(!log.contains("sk-live"));
}

#[test]
fn the_start_of_a_key_that_never_comes_is_shown() {
    let (start, _) = KEY.split_at(11);
    let (result, _) = with_key(&World::new(), &format!("printf 'a {start}'"));
    assert_eq!(result["stdout"], format!("a {start}"));
}

#[test]
fn a_key_does_not_reach_a_person_or_a_copy_of_the_log() {
    let world = World::new();
    let mut command = world.run_command(&["--log", "copy", &format!("echo {KEY}")]);
    command.env("GITHUB_TOKEN", KEY);
    let outcome = Running::start(command).end().outcome();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "[masked]\n"));
    assert_eq!(world.read("copy"), "[masked]\n");
}

#[test]
fn listed_values_and_names_are_masked() {
    let world = World::new();
    world.configure("[secrets]\nvalues = [\"correct horse\"]\nnames = [\"PLAIN\"]\n");
    let mut command = world.run_command(&["echo correct horse; echo battery staple"]);
    command.env("PLAIN", "battery staple");
    let outcome = Running::start(command).end().outcome();
    let expected = (0, "[masked]\n[masked]\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), expected);
}

#[test]
fn short_values_are_not_masked() {
    let world = World::new();
    let mut command = world.run_command(&["echo short"]);
    command.env("API_TOKEN", "short");
    let outcome = Running::start(command).end().outcome();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "short\n"));
}

#[test]
fn listed_values_do_not_show_in_the_configuration() {
    let world = World::new();
    world.configure("[secrets]\nvalues = [\"correct horse\"]\n");
    for arguments in [&["config", "show"][..], &["config", "show", "--json"]] {
        let outcome = world.call(arguments);
        assert_eq!(outcome.code, 0);
        assert!(!outcome.stdout.contains("correct"), "{outcome:?}");
    }
}
