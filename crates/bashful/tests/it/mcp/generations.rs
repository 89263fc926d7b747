//! Both generations of the protocol: with a connection, and without one.

use serde_json::{Value, json};

use super::client::{Client, Manner, text_of};
use crate::support::World;

#[test]
fn a_connection_is_greeted_in_the_version_of_the_client() {
    let world = World::new();
    for (asked, answered) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2024-11-05"),
        // What we do not know, or what has no greeting, gets the newest that has one.
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::start(&world, &[]);
        let mut manner = Manner::plain();
        manner.version = asked;
        let answer = client.greet(manner);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], answered, "{answer}");
        assert_eq!(result["serverInfo"]["name"], "bashful", "{answer}");
        // Tasks came with the other generation.
        let capabilities = json!({ "tools": { "listChanged": true }, "resources": {} });
        assert_eq!(result["capabilities"], capabilities, "{answer}");
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.len() < 2048, "{}", instructions.len());
        let text = text_of(&client.run("echo hi"));
        assert!(text.ends_with("--- stdout ---\nhi\n"), "{text}");
        assert_eq!(client.end(), (0, vec![], String::new()));
    }
}

#[test]
fn without_a_connection_every_request_says_who_sends_it() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain().stateless());
    let found = client.request("server/discover", &Value::Null);
    let result = &found["result"];
    let versions = result["supportedVersions"].as_array().unwrap();
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        assert!(versions.contains(&json!(version)), "{found}");
    }
    let tasks = json!({ "io.modelcontextprotocol/tasks": {} });
    assert_eq!(result["capabilities"]["extensions"], tasks, "{found}");
    assert!(
        result["instructions"]
            .as_str()
            .unwrap()
            .contains("bash_run")
    );
    let result = client.run("echo hi");
    assert_eq!(result["resultType"], "complete", "{result}");
    assert!(
        text_of(&result).ends_with("--- stdout ---\nhi\n"),
        "{result}"
    );
    let tools = client.request("tools/list", &Value::Null);
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 8);
    assert_eq!(client.end(), (0, vec![], String::new()));
}

#[test]
fn a_request_that_does_not_say_who_sends_it_is_refused() {
    let world = World::new();
    let mut client = Client::start(&world, &[]);
    let call = json!({ "name": "bash_run", "arguments": { "command": "echo >made" } });
    let mut sends = |meta: Value| {
        let mut params = call.clone();
        params["_meta"] = meta;
        client.request("tools/call", &params)["error"]["code"].clone()
    };
    let whole = Manner::plain().stateless().meta();
    assert_eq!(sends(json!({})), -32602);
    for key in whole.as_object().unwrap().keys() {
        let mut meta = whole.clone();
        meta.as_object_mut().unwrap().remove(key);
        // A client may be nameless; it must say what it speaks and what it can do.
        let expected = if key.ends_with("clientInfo") {
            Value::Null
        } else {
            json!(-32602)
        };
        assert_eq!(sends(meta), expected, "{key}");
    }
    let mut unknown = whole;
    unknown["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    assert_eq!(sends(unknown), -32022);
}

#[test]
fn names_with_dots_and_other_names_are_taken() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    for name in [
        "bash_run",
        "bash.run",
        "bash.execute",
        "bash_execute",
        "Bash",
    ] {
        let text = text_of(&client.call(name, &json!({ "command": "echo hi" })));
        assert!(text.ends_with("\nhi\n"), "{name}: {text}");
    }
    for name in ["task_output", "task.output", "TaskOutput"] {
        let result = client.call(name, &json!({ "task_id": "bash-none" }));
        assert_eq!(result["isError"], true, "{name}: {result}");
    }
    for name in ["bash", "BASH_RUN", "bash-run", "", "approve"] {
        let call = json!({ "name": name, "arguments": { "command": "echo >made" } });
        let answer = client.request("tools/call", &call);
        assert_eq!(answer["error"]["code"], -32602, "{name}: {answer}");
    }
}

#[test]
fn agent_workspace_and_bounds_come_from_the_start() {
    let world = World::new();
    let elsewhere = world.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let place = elsewhere.to_str().unwrap();
    let flags = [
        "--agent",
        "claude",
        "--session",
        "talk",
        "--workspace",
        place,
        "--output-schemas",
    ];
    let mut client = Client::greeted(&world, &flags, Manner::plain());
    let result = client.run("pwd");
    let shown = &result["structuredContent"];
    let found = json!([shown["agent"], shown["session"], shown["stdout"]]);
    assert_eq!(found, json!(["claude", "talk", format!("{place}\n")]));
}
