//! The same through the tools that a model calls.

use serde_json::{Value, json};

use crate::support::World;

/// A tool call: the exit code, and all that is answered.
fn call(world: &World, tool: &str, arguments: &Value) -> (i32, Value) {
    let arguments = arguments.to_string();
    let outcome = world.call(&["tools", "call", "--json", tool, &arguments]);
    outcome.json()
}

#[test]
fn a_model_keeps_a_script_and_a_person_approves_it() {
    let world = World::new();
    let (code, told) = call(
        &world,
        "script_create",
        &json!({
            "name": "total", "description": "Adds up", "content": "echo $((${sum.a} + 1))\n",
            "capabilities": { "paths_read": [], "paths_write": [], "network": false, "commands": [] },
            "variables": [{ "name": "sum.a", "type": "number" }],
        }),
    );
    assert_eq!(code, 0, "{told}");
    let script = &told["answer"]["script"];
    let found = json!([script["created_by"], script["approved"]]);
    assert_eq!(found, json!(["llm", false]), "{told}");
    let run = json!({ "script_id": script["id"], "variables": { "sum": { "a": 41 } } });
    for name in ["script_run", "bash.run_script", "bash.run"] {
        let (code, told) = call(&world, name, &run);
        assert_eq!(code, 121, "{name}: {told}");
        assert_eq!(told["answer"]["status"], "needs_approval", "{told}");
    }
    // Saying that it is approved changes nothing.
    let mut claimed = run.clone();
    claimed["type"] = json!("bash.run");
    claimed["approved"] = json!(true);
    claimed["approved_hash"] = script["content_hash"].clone();
    assert_eq!(call(&world, "bash.run", &claimed).0, 121);
    world.told(&["approve", "total", "--yes"]);
    for name in ["script_run", "bash.run_script", "bash.run"] {
        let (code, told) = call(&world, name, &claimed);
        let answer = &told["answer"];
        let found = json!([
            code,
            answer["stdout"],
            answer["exit_status"],
            answer["timed_out"]
        ]);
        assert_eq!(
            found,
            json!([0, "42\n", "success", false]),
            "{name}: {told}"
        );
    }
    // With a command it is the other tool of nearly this name.
    let (_, told) = call(&world, "bash.run", &json!({ "command": "echo hi" }));
    assert_eq!(told["answer"]["stdout"], "hi\n", "{told}");
}

#[test]
fn scripts_are_listed_read_looked_at_and_deleted() {
    let world = World::new();
    world.keeps_approved("a", "echo one\n", &["--description", "says one"]);
    let (_, told) = call(&world, "bash.list_scripts", &json!({}));
    let listed = &told["answer"]["scripts"][0];
    let found = json!([listed["name"], listed["approved"], listed["content"]]);
    assert_eq!(found, json!(["a", true, null]), "{told}");
    // A model is not told who approved it.
    assert!(!told.to_string().contains("ancestry"), "{told}");
    let (_, told) = call(&world, "bash.get_script", &json!({ "script_name": "a" }));
    assert_eq!(told["answer"]["script"]["content"], "echo one\n", "{told}");
    let (_, told) = call(
        &world,
        "bash.validate_script",
        &json!({ "content": "if\n" }),
    );
    assert_eq!(told["answer"]["valid"], false, "{told}");
    let dry = json!({ "script_name": "a", "dry_run": true });
    let (_, told) = call(&world, "script_run", &dry);
    assert_eq!(
        told["answer"]["plan"]["decision"]["effect"], "allow",
        "{told}"
    );
    assert_eq!(world.told(&["show", "a"])["script"]["runs"], 0);
    // What a person approved, a person deletes.
    let (code, told) = call(&world, "bash.delete_script", &json!({ "script_name": "a" }));
    assert_eq!(code, 2, "{told}");
    let new = json!({ "name": "b", "content": "echo two\n" });
    assert_eq!(call(&world, "bash.create_script", &new).0, 0);
    let (code, told) = call(&world, "bash.delete_script", &json!({ "script_name": "b" }));
    assert_eq!(
        (code, &told["answer"]["deleted"]),
        (0, &json!(true)),
        "{told}"
    );
    assert_eq!(world.scripts(&["run", "b"]).code, 2);
}

#[test]
fn mistakes_of_a_model_are_told() {
    let world = World::new();
    for (tool, arguments, said) in [
        ("script_run", json!({}), "`script_id` and `script_name`"),
        ("script_run", json!({ "script_id": "../x" }), "a UUID"),
        (
            "script_run",
            json!({ "script_name": "nobody" }),
            "script_list shows",
        ),
        ("script_get", json!({ "script_name": "a/b" }), "a/b"),
        ("script_create", json!({ "name": "a" }), "needs `content`"),
        (
            "script_create",
            json!({ "name": "a", "content": "if" }),
            "does not parse",
        ),
        (
            "script_create",
            json!({ "name": "a", "content": "ls", "created_by": "user" }),
            "takes no `created_by`",
        ),
        (
            "script_create",
            json!({ "name": "a", "content": "ls", "capabilities": { "net": 1 } }),
            "capabilities",
        ),
    ] {
        let arguments = arguments.to_string();
        let outcome = world.call(&["tools", "call", tool, &arguments]);
        assert_eq!(outcome.code, 2, "{tool} {arguments}: {outcome:?}");
        assert!(outcome.stderr.contains(said), "{said}: {outcome:?}");
    }
    assert!(
        world.told(&["list"])["scripts"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}
