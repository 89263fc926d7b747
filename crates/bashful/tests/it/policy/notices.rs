//! What a person is told when a command does not run.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{World, ran};

#[test]
fn a_refusal_names_the_way_out() {
    let world = World::new();
    let told = world.screen(&["run", "ls; top"]);
    assert_eq!(told, world.screen(&["explain", "ls; top"]));
    assert_snapshot!(told, @"
    exit code 120
    ----- stderr -----
    ╭─ ✗ Refused: this command did not run
    │ Command    ls; top
    │                ^^^
    │ Matched    rule interactive (builtin)
    │ Why        waits for a person at a terminal
    │ Instead    use a form that needs no person: arguments, a script, or input
    │            from a file
    │ To permit  run it with --allow interactive, or list `interactive` in
    │            `capabilities.classes` of the profile
    ╰───────────────────────────────────────
    ");
    // What no flag permits in the sandbox names none.
    assert_snapshot!(world.screen(&["run", "ls; sudo ls"]), @"
    exit code 120
    ----- stderr -----
    ╭─ ✗ Refused: this command did not run
    │ Command  ls; sudo ls
    │              ^^^^^^^
    │ Matched  rule sudo (builtin)
    │ Why      runs with the rights of another user
    │ Instead  run it as yourself, or tell the person which command needs more
    │          rights
    ╰───────────────────────────────────────
    ");
}

#[test]
fn a_question_says_what_a_yes_covers() {
    let world = World::new();
    assert_snapshot!(world.screen(&["run", "git push origin main"]), @"
    exit code 121
    ----- stderr -----
    ╭─ ? Needs approval: this command did not run
    │ Command       git push origin main
    │               ^^^^^^^^^^^^^^^^^^^^
    │ Matched       rule git-push (builtin)
    │ Why           publishes commits
    │ A yes covers  git push origin …
    │ To permit     bashful approvals allow ask-[ID]
    ╰───────────────────────────────────────
    ");
}

#[test]
fn reach_is_permitted_by_the_capability() {
    let world = World::new();
    assert_snapshot!(world.screen(&["run", "curl https://example.org"]), @"
    exit code 121
    ----- stderr -----
    ╭─ ? Needs approval: this command did not run
    │ Command       curl https://example.org
    │               ^^^^^^^^^^^^^^^^^^^^^^^^
    │ Matched       rule web (builtin)
    │ Why           reaches the network
    │ A yes covers  curl https://example.org
    │ To permit     bashful approvals allow ask-[ID]
    │ Or            run it with --network on, or set `network` under
    │               `capabilities` of the profile
    ╰───────────────────────────────────────
    ");
}

#[test]
fn without_a_sandbox_the_fall_back_is_told() {
    let world = World::new();
    let told = world.screen(&["run", "--sandbox", "none", "./frobnicate"]);
    assert_snapshot!(told, @"
    exit code 121
    ----- stderr -----
    ╭─ ? Needs approval: this command did not run
    │ Command       ./frobnicate
    │               ^^^^^^^^^^^^
    │ Matched       rule script-file (builtin)
    │ Why           runs a file whose content is not known here; asked because the
    │               kernel does not fully enforce files and network for this run
    │ A yes covers  ./frobnicate
    │ To permit     bashful approvals allow ask-[ID]
    ╰───────────────────────────────────────
    ");
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
    // What follows tells of this machine and of the user.
    let told = world.screen(&["explain", "ls"]);
    let head: Vec<&str> = told.lines().take(4).collect();
    assert_snapshot!(head.join("\n"), @"
    exit code 0
    ----- stdout -----
    Command     ls
    Decision    it may run: only reads (read-only, builtin)
    ");
    let (code, told) = world.call(&["explain", "--json", "ls"]).json();
    assert_eq!((code, &told["decision"]["effect"]), (0, &json!("allow")));
}
