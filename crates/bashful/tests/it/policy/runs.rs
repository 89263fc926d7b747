//! Every run is judged first, and its result says how.

use std::fs;

use serde_json::{Value, json};

use super::rule;
use crate::support::World;

fn audit(world: &World) -> Vec<Value> {
    let text = fs::read_to_string(world.state().join("trail.jsonl")).unwrap_or_default();
    let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
    records
        .filter(|record: &Value| record["event"] == "refusal")
        .collect()
}

#[test]
fn an_allowed_run_has_its_decision() {
    let world = World::new();
    let (code, result) = world.json(&["ls"]);
    assert_eq!(code, 0);
    let expected = json!({
        "effect": "allow", "rule": "read-only", "layer": "builtin", "reason": "only reads",
        "fact": "ls", "span": [0, 2],
    });
    assert_eq!(result["decision"], expected);
    assert_eq!(audit(&world), [] as [Value; 0]);
}

#[test]
fn an_ask_runs_nothing_and_is_recorded() {
    let world = World::new();
    let (code, result) = world.json(&["touch made; git push origin main"]);
    let found = json!([code, result["status"], result["success"]]);
    assert_eq!(found, json!([121, "needs_approval", false]));
    let decision = &result["decision"];
    let found = json!([decision["effect"], decision["rule"], decision["remember"]]);
    assert_eq!(found, json!(["ask", "git-push", "git push origin …"]));
    assert_eq!(decision["span"], json!([12, 32]));
    assert!(!world.workspace().join("made").exists());
    assert!(!world.state().join("tasks").exists());
    let [line] = &audit(&world)[..] else {
        panic!("{:?}", audit(&world))
    };
    let found = json!([line["event"], line["effect"], line["rule"]]);
    assert_eq!(found, json!(["refusal", "ask", "git-push"]));
}

#[test]
fn a_program_without_a_shell_is_judged_as_its_command_line() {
    let world = World::new();
    let (code, result) = world.json(&["--", "git", "push", "a b"]);
    assert_eq!(
        (code, &result["decision"]["rule"]),
        (121, &json!("git-push"))
    );
    // The words of a program are never shell.
    let (code, result) = world.json(&["--", "echo", "; rm -rf /"]);
    assert_eq!((code, &result["stdout"]), (0, &json!("; rm -rf /\n")));
}

#[test]
fn a_class_is_opened_for_one_call() {
    let world = World::new();
    let command = "git init -q . && touch new && git clean -fdx && ls";
    assert_eq!(world.json(&[command]).0, 121);
    let (code, result) = world.json(&["--allow", "git-destructive", command]);
    let expected = json!("Removing new\n");
    assert_eq!((code, &result["stdout"]), (0, &expected), "{result}");
    world.configure("[profile.default.capabilities]\nclasses = [\"git-destructive\"]\n");
    assert_eq!(world.json(&[command]).0, 0);
}

#[test]
fn a_link_out_of_the_workspace_is_seen() {
    let world = World::new();
    std::os::unix::fs::symlink("/etc", world.workspace().join("link")).unwrap();
    let (code, result) = world.json(&["echo x > link/foo"]);
    let rule = &result["decision"]["rule"];
    assert_eq!((code, rule), (120, &json!("write-outside-roots")));
}

#[test]
fn a_profile_of_ones_own() {
    let world = World::new();
    let mut file = "[profile.strict]\ndefault = \"deny\"\n".to_owned();
    file += &rule("strict", "listing", "allow", "[\"frobnicate\", \"…\"]");
    file += "[agent.bot]\nprofile = \"strict\"\n";
    world.configure(&file);
    for (arguments, code) in [
        (&["./other"][..], 127),
        (&["--agent", "bot", "./other"], 120),
        (&["--agent", "bot", "frobnicate all"], 127),
        (&["--profile", "strict", "./other"], 120),
        (&["--agent", "bot", "--profile", "default", "./other"], 127),
        (&["--profile", "nobodys", "true"], 2),
    ] {
        assert_eq!(world.run(arguments).code, code, "{arguments:?}");
    }
}
