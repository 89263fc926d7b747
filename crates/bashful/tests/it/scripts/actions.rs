//! `bashful action run`: actions as JSON, one or many.

use serde_json::{Value, json};

use crate::support::{Outcome, Running, World, ran};

fn act(world: &World, actions: &Value, flags: &[&str]) -> Outcome {
    let command = world.bashful(&[&["action", "run", "-"], flags].concat());
    let input = actions.to_string();
    Running::start_with_input(command, input.as_bytes())
        .end()
        .outcome()
}

#[test]
fn an_action_runs_a_script_by_id_or_name() {
    let world = World::new();
    let script = world.keeps_approved(
        "greet",
        "echo \"$PWD\" ${who.name} $N\n",
        &["--variable", "N:number=1"],
    );
    let place = world.workspace().display().to_string();
    let action = json!({
        "type": "bash.run",
        "script_id": script["id"],
        "capabilities": { "paths_read": [], "paths_write": [], "network": false },
        "timeout_seconds": 60,
        "timeout_hard_seconds": 1800,
        "working_directory": place,
        "variables": { "who": { "name": "a b" }, "N": 2 },
        "approved": false,
    });
    let expected = format!("{place} a b 2\n");
    assert_eq!(act(&world, &action, &[]), ran(0, &expected, ""));
    let mut named = action.clone();
    named["script_name"] = json!("greet");
    assert_eq!(act(&world, &named, &[]).code, 0);
    named["script_name"] = json!("other");
    assert_eq!(act(&world, &named, &[]).code, 2);
    world.write("action.json", action.to_string());
    let (code, result) = world
        .call(&["action", "run", "action.json", "--json"])
        .json();
    assert_eq!((code, &result["stdout"]), (0, &json!(expected)), "{result}");
    let dry = world.call(&["action", "run", "action.json", "--dry-run"]);
    assert_eq!(dry.code, 0, "{dry:?}");
    assert!(dry.stdout.contains("✓ It would run"), "{dry:?}");
}

#[test]
fn an_action_does_not_approve_itself() {
    let world = World::new();
    let script = world.keeps("greet", "echo hi\n", &[]);
    let action = json!({
        "type": "bash.run", "script_name": "greet", "approved": true,
        "approved_at": "2026-01-01T00:00:00Z", "approved_hash": script["content_hash"],
    });
    assert_eq!(act(&world, &action, &[]).code, 121);
}

#[test]
fn a_soft_failure_goes_on_and_a_hard_one_stops() {
    let world = World::new();
    world.keeps_approved("soft", "echo soft; exit 3\n", &[]);
    world.keeps_approved("good", "echo good\n", &[]);
    world.keeps_approved("hard", "kill -9 $$\n", &[]);
    let run = |name: &str| json!({ "type": "bash.run", "script_name": name });
    let list = json!([run("soft"), run("good")]);
    let outcome = act(&world, &list, &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (3, "soft\ngood\n"));
    let list = json!({ "actions": [run("good"), run("hard"), run("good")] });
    let (code, told) = act(&world, &list, &["--json"]).json();
    assert_eq!(code, 137, "{told}");
    let actions = &told["actions"];
    let found = json!([
        told["success"],
        actions[0]["result"]["success"],
        actions[1]["result"]["exit_status"],
        actions[2]["outcome"],
    ]);
    assert_eq!(
        found,
        json!([false, true, "hard_failure", "skipped"]),
        "{told}"
    );
    assert_eq!(world.told(&["show", "good"])["script"]["runs"], 2);
    // What was not run is on record too.
    let records = world.call(&["audit", "list", "--json"]).stdout;
    assert!(records.contains("action 2 of the list failed"), "{records}");
    // One that cannot be run at all stops it as well.
    let list = json!([run("nobody"), run("good")]);
    let (code, told) = act(&world, &list, &["--json"]).json();
    let found = json!([
        code,
        told["actions"][0]["outcome"],
        told["actions"][1]["outcome"]
    ]);
    assert_eq!(found, json!([2, "failed", "skipped"]), "{told}");
}

#[test]
fn what_is_no_action_is_refused() {
    let world = World::new();
    for (action, said) in [
        (json!([]), "the list is empty"),
        (json!([{ "type": "mail" }]), "action 1: its type"),
        (json!({ "type": "bash.run" }), "it names no script"),
        (
            json!({ "type": "bash.run", "script_id": "../x" }),
            "`script_id` is a UUID",
        ),
        (
            json!({ "type": "bash.run", "script_name": "a", "timeout": 3 }),
            "there is no field `timeout`",
        ),
        (json!("x"), "an action is an object"),
    ] {
        let outcome = act(&world, &action, &[]);
        assert_eq!(outcome.code, 2, "{action}: {outcome:?}");
        assert!(outcome.stderr.contains(said), "{action}: {outcome:?}");
    }
    let outcome = world.call(&["action", "run", "nothing.json"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
}
