//! What a result is besides its text: JSON for clients that want it, as it was announced.

use serde_json::{Value, json};

use super::asking_world;
use super::client::{Client, Manner, text_of};

/// What is wrong with a value, by the parts of JSON schema that our schemas use.
fn problems(value: &Value, schema: &Value, at: &str, found: &mut Vec<String>) {
    let fits = match schema["type"].as_str() {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some(other) => panic!("{at}: our schemas have no `{other}`"),
    };
    if !fits {
        found.push(format!("{at}: {value} is no {}", schema["type"]));
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        found.push(format!("{at}: {value} is none of {choices:?}"));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap()).is_none() {
            found.push(format!("{at}: {name} is missing"));
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            problems(value, schema, &format!("{at}.{name}"), found);
        }
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        problems(item, &schema["items"], &format!("{at}[{number}]"), found);
    }
}

/// The tools that a client gets listed.
fn listed(client: &mut Client) -> Vec<Value> {
    let mut answer = client.request("tools/list", &Value::Null);
    let Value::Array(tools) = answer["result"]["tools"].take() else {
        panic!("{answer}");
    };
    tools
}

/// One call of each kind.
fn calls(task: &str) -> Vec<(&'static str, Value)> {
    vec![
        (
            "bash_run",
            json!({ "command": "echo out; echo err >&2; exit 3" }),
        ),
        ("bash_run", json!({ "command": "kill -9 $$" })),
        ("bash_run", json!({ "command": "sudo id" })),
        ("bash_run", json!({ "command": "touch made" })),
        ("bash_run", json!({ "command": "sleep 9", "timeout": 50 })),
        ("bash_run", json!({ "command": "sleep 77 & seq 99999" })),
        (
            "bash_run",
            json!({ "command": "true", "run_in_background": true }),
        ),
        ("task_output", json!({ "task_id": task })),
        (
            "task_output",
            json!({ "task_id": task, "search": "w.rld", "context_lines": 1 }),
        ),
        ("task_wait", json!({ "task_id": task })),
        ("task_list", json!({})),
        ("task_kill", json!({ "task_id": task })),
        ("policy_explain", json!({ "command": "ls" })),
        ("policy_explain", json!({ "command": "touch made" })),
        ("policy_explain", json!({ "command": "sudo id" })),
        (
            "script_create",
            json!({ "name": "greet", "content": "echo ${a.b}" }),
        ),
        ("script_list", json!({})),
        ("script_get", json!({ "script_name": "greet" })),
        ("script_validate", json!({ "script_name": "greet" })),
        (
            "script_run",
            json!({ "script_name": "greet", "variables": { "a.b": "x" }, "dry_run": true }),
        ),
        ("script_delete", json!({ "script_name": "greet" })),
    ]
}

#[test]
fn the_json_is_what_was_announced() {
    for manner in [Manner::plain(), Manner::plain().stateless()] {
        let world = asking_world();
        let flags = ["--tools", "all", "--output-schemas"];
        let mut client = Client::greeted(&world, &flags, manner);
        let tools = listed(&mut client);
        let task = client.start_task("echo hello; echo world");
        // A task that still runs has another shape than one that has ended.
        let running = client.start_task("sleep 60");
        let mut calls = calls(&task);
        calls.push(("task_output", json!({ "task_id": running })));
        calls.push(("task_wait", json!({ "task_id": running, "timeout": 0 })));
        calls.push(("task_kill", json!({ "task_id": running, "force": true })));
        for (name, arguments) in calls {
            let result = client.call(name, &arguments);
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            let mut found = Vec::new();
            let shown = &result["structuredContent"];
            problems(shown, &tool["outputSchema"], name, &mut found);
            assert_eq!(found, [] as [&str; 0], "{arguments} {result}");
            assert!(!text_of(&result).is_empty(), "{arguments} {result}");
        }
    }
}

#[test]
fn clients_that_show_only_json_get_only_text() {
    for (name, structured) in [
        ("claude-code", false),
        ("codex-mcp-client", false),
        ("claude-code-router", true),
        ("", true),
    ] {
        for manner in [Manner::plain(), Manner::plain().stateless()] {
            let world = asking_world();
            let flags = ["--output-schemas"];
            let mut client = Client::greeted(&world, &flags, manner.named(name));
            for tool in listed(&mut client) {
                let announced = tool.get("outputSchema").is_some();
                assert_eq!(announced, structured, "{name}: {tool}");
            }
            for command in ["echo hi", "false", "sudo id", "touch made"] {
                let result = client.run(command);
                let given = result.get("structuredContent").is_some();
                assert_eq!(given, structured, "{name}: {result}");
            }
        }
    }
}

#[test]
fn who_cuts_the_middle_out_gets_less_of_it() {
    let world = asking_world();
    let length = |name| {
        let mut client = Client::greeted(&world, &[], Manner::plain().named(name));
        let text = text_of(&client.run("seq 20000"));
        assert!(text.contains("truncated: 108894 bytes"), "{name}: {text}");
        assert!(text.ends_with("\n20000\n"), "{name}: {text}");
        text.len()
    };
    let (usual, codex) = (length("tester"), length("codex-mcp-client"));
    assert!((25_000..40_000).contains(&usual), "{usual}");
    assert!((10_000..16_000).contains(&codex), "{codex}");
}

#[test]
fn every_tool_is_described_for_clients() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &["--tools", "all"], Manner::plain());
    let tools = listed(&mut client);
    let facts: Vec<Value> = tools
        .iter()
        .map(|tool| {
            let hints = &tool["annotations"];
            json!([
                tool["name"],
                hints["readOnlyHint"],
                hints["destructiveHint"],
                hints["openWorldHint"],
                tool["_meta"]["anthropic/alwaysLoad"],
            ])
        })
        .collect();
    assert_eq!(
        json!(facts),
        json!([
            ["bash_run", false, true, true, true],
            ["task_output", true, null, false, true],
            ["task_wait", true, null, false, null],
            ["task_list", true, null, false, null],
            ["task_kill", false, true, false, null],
            ["task_send", false, true, true, null],
            ["task_screen", true, null, false, null],
            ["policy_explain", true, null, false, null],
            ["script_run", false, true, true, null],
            ["script_create", false, false, false, null],
            ["script_list", true, null, false, null],
            ["script_get", true, null, false, null],
            ["script_validate", true, null, false, null],
            ["script_delete", false, true, false, null],
        ])
    );
}

#[test]
fn the_check_of_shapes_finds_what_is_wrong() {
    let schema = json!({
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": { "type": "integer" },
            "b": { "enum": ["x"] },
            "c": { "type": "array", "items": { "type": "string" } },
        },
    });
    for (value, count) in [
        (json!({ "a": 1, "b": "x", "c": ["y"] }), 0),
        (json!({ "b": "x" }), 1),
        (json!({ "a": 1.5 }), 1),
        (json!({ "a": 1, "b": "y" }), 1),
        (json!({ "a": 1, "c": ["y", 2] }), 1),
        (json!([]), 2),
    ] {
        let mut found = Vec::new();
        problems(&value, &schema, "value", &mut found);
        assert_eq!(found.len(), count, "{found:?}");
    }
}
