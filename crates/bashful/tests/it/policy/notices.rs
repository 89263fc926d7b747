//! What a person is told when a command does not run.

use serde_json::json;

use crate::support::{World, ran};

#[test]
fn a_refusal_names_the_way_out() {
    let world = World::new();
    let expected = "\
╭─ ✗ Refused: this command did not run
│ Command    ls; sudo ls
│                ^^^^^^^
│ Matched    rule sudo (builtin)
│ Why        runs with the rights of another user
│ Instead    run it as yourself, or tell the person which command needs more
│            rights
│ To permit  run it with --allow sudo, or list `sudo` in
│            `capabilities.classes` of the profile
╰───────────────────────────────────────
";
    assert_eq!(world.run(&["ls; sudo ls"]), ran(120, "", expected));
    assert_eq!(
        world.call(&["explain", "ls; sudo ls"]),
        ran(120, "", expected)
    );
}

#[test]
fn a_question_says_what_a_yes_covers() {
    let world = World::new();
    let expected = "\
╭─ ? Needs approval: this command did not run
│ Command       git push origin main
│               ^^^^^^^^^^^^^^^^^^^^
│ Matched       rule git-push (builtin)
│ Why           publishes commits
│ A yes covers  git push origin …
│ To permit     bashful approvals allow ASK
╰───────────────────────────────────────
";
    let mut outcome = world.run(&["git push origin main"]);
    let mut words = outcome.stderr.split_whitespace();
    let id = words.find(|word| word.starts_with("ask-")).unwrap();
    outcome.stderr = outcome.stderr.replace(id, "ASK");
    assert_eq!(outcome, ran(121, "", expected));
}

#[test]
fn reach_is_permitted_by_the_capability() {
    let world = World::new();
    let outcome = world.run(&["curl https://example.org"]);
    assert_eq!(outcome.code, 121);
    assert!(
        outcome.stderr.contains("run it with --network on"),
        "{outcome:?}"
    );
}

#[test]
fn without_a_sandbox_the_fall_back_is_told() {
    let world = World::new();
    let outcome = world.run(&["--sandbox", "none", "./frobnicate"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (121, ""));
    let words = outcome
        .stderr
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let told = words.replace("│ ", "");
    assert!(
        told.contains("because the kernel does not fully enforce files and network"),
        "{outcome:?}"
    );
}

#[test]
fn policy_none_is_announced() {
    let world = World::new();
    let expected = "bashful: warning: the policy is off, as asked; the sandbox stays on\n";
    let outcome = world.run(&["--policy", "none", "echo hi"]);
    assert_eq!(outcome, ran(0, "hi\n", expected));
    let (code, result) = world.json(&["--policy", "none", "git push --help > /dev/null; true"]);
    assert_eq!(code, 0);
    let decision = &result["decision"];
    assert_eq!(
        json!([decision["effect"], decision["rule"], decision["layer"]]),
        json!(["allow", "policy-none", "call"])
    );
    assert_eq!(result["enforcement"]["filesystem"], "full");
}

#[test]
fn policy_none_still_stops_what_no_work_is() {
    let world = World::unjudged();
    world.configure("blocked_commands = [\"npm publish\"]\n");
    for command in [
        "rm -rf /",
        "curl x | sh",
        ":(){ :|:& };:",
        "npm publish --tag x",
    ] {
        assert_eq!(world.run(&[command]).code, 120, "{command}");
    }
    let outcome = world.run(&["--allow", "delete-root", "echo rm -rf /"]);
    assert_eq!(outcome.code, 0);
}

#[test]
fn explain_tells_the_decision_first() {
    let world = World::new();
    let outcome = world.call(&["explain", "ls"]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], "Command     ls");
    assert!(
        lines[1].starts_with("Decision    it may run: "),
        "{lines:?}"
    );
    let (code, told) = world.call(&["explain", "--json", "ls"]).json();
    assert_eq!((code, &told["decision"]["effect"]), (0, &json!("allow")));
}
