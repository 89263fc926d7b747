//! What no client should send: an error as the protocol has it, nothing run, and the next
//! request is answered.

use serde_json::{Value, json};

use super::client::{Client, Manner, text_of};
use super::{asking_world, made};
use crate::support::World;

/// The server is well.
fn is_well(client: &mut Client) {
    let answer = client.request("ping", &Value::Null);
    assert_eq!(answer["result"], json!({}), "{answer}");
}

/// How much memory the server ever had, in KiB.
fn most_memory(client: &Client) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    words[1].parse().unwrap()
}

#[test]
fn lines_that_are_no_requests() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    let deep = "[".repeat(100_000);
    let deep_object = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{}1{}}}"#,
        r#"{"a":"#.repeat(100_000),
        "}".repeat(100_000)
    );
    let not_utf8 = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"x\":\"\xff\"}";
    let lines: Vec<(&[u8], i64, Value)> = vec![
        (b"hello", -32700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",", -32700, Value::Null),
        (deep.as_bytes(), -32700, Value::Null),
        (deep_object.as_bytes(), -32700, json!(7)),
        (not_utf8, -32700, json!(7)),
        (br#"{"id":"\ud800"}"#, -32700, Value::Null),
        (b"[]", -32600, Value::Null),
        (br#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#, -32600, Value::Null),
        (b"null", -32600, Value::Null),
        (b"5", -32600, Value::Null),
        (br#""ping""#, -32600, Value::Null),
        (b"{}", -32600, Value::Null),
        (br#"{"id":7,"method":"ping"}"#, -32600, json!(7)),
        (br#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600, json!(7)),
        (br#"{"jsonrpc":"2.0","id":7,"method":5}"#, -32600, json!(7)),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":[7],"method":"ping"}"#, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":"7","method":"nope/x"}"#, -32601, json!("7")),
        (br#"{"jsonrpc":"2.0","id":-7,"method":"prompts/list"}"#, -32601, json!(-7)),
        (br#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, -32602, json!(7)),
        (br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}"#, -32602, json!(7)),
        (
            br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"bash_run","arguments":["ls"]}}"#,
            -32602,
            json!(7),
        ),
        (
            br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm"}}"#,
            -32602,
            json!(7),
        ),
        (br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":["ls"]}"#, -32600, json!(7)),
        (br#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":"x"}}"#, -32600, json!(7)),
    ];
    for (line, code, id) in lines {
        client.line(line);
        let answer = client.next();
        let start = String::from_utf8_lossy(line.get(..80).unwrap_or(line)).into_owned();
        let found = json!([answer["jsonrpc"], answer["error"]["code"], answer["id"]]);
        assert_eq!(found, json!(["2.0", code, id]), "{start}: {answer}");
        assert!(answer["error"]["message"].is_string(), "{start}: {answer}");
        assert!(answer.get("result").is_none(), "{start}: {answer}");
    }
    is_well(&mut client);
    assert_eq!(world.records(), [] as [Value; 0]);
    assert_eq!(client.end(), (0, vec![], String::new()));
}

#[test]
fn what_needs_no_answer_gets_none() {
    let world = World::new();
    let mut client = Client::start(&world, &[]);
    // Before anything else.
    client.notify("notifications/initialized", &Value::Null);
    client.notify("notifications/cancelled", &json!({ "requestId": 1 }));
    client.line(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    client.greet(Manner::plain());
    for line in [
        "",
        "   \t",
        "\r",
        r#"{"jsonrpc":"2.0","method":"notifications/unheard-of","params":{"x":[1]}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","id":4711,"result":{"action":"accept"}}"#,
        r#"{"jsonrpc":"2.0","id":4711,"error":{"code":1,"message":"x"}}"#,
        // A method that would want an answer, but did not ask for one.
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"bash_run","arguments":{"command":"echo >made"}}}"#,
    ] {
        client.line(line);
        is_well(&mut client);
    }
    // An end of line as elsewhere.
    client.line("{\"jsonrpc\":\"2.0\",\"id\":\"crlf\",\"method\":\"ping\"}\r");
    assert_eq!(client.answer(&json!("crlf"))["result"], json!({}));
    assert!(!made(&world, "made"));
    assert_eq!(client.end(), (0, vec![], String::new()));
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    let call = |length: usize| {
        let arguments = json!({ "command": "echo >made", "stdin": "x".repeat(length) });
        let params = json!({ "name": "bash_run", "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }).to_string()
    };
    client.line(call(17 << 20));
    let answer = client.next();
    let found = json!([answer["error"]["code"], answer["id"]]);
    assert_eq!(found, json!([-32600, null]), "{answer}");
    is_well(&mut client);
    assert!(!made(&world, "made"));
    let memory = most_memory(&client);
    assert!(memory < 100 << 10, "{memory} KiB");
    // One that is just short enough is read, and what is in it is judged by its own limits.
    client.line(call(15 << 20));
    let answer = client.next();
    assert_eq!(answer["id"], 7, "{answer}");
    is_well(&mut client);
    let memory = most_memory(&client);
    assert!(memory < 250 << 10, "{memory} KiB");
}

#[test]
fn arguments_that_are_too_much() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    for (arguments, expected) in [
        (
            json!({ "command": format!("echo >made; : {}", "a".repeat(2 << 20)) }),
            "nothing was done: the command is too long: ",
        ),
        (
            json!({ "command": "echo >made", "env": { "BIG": "x".repeat(1 << 20) } }),
            "nothing was done: the variable `BIG` is too long: ",
        ),
        (
            json!({ "command": "echo >made", "env": { "NUL": "x\u{0}" } }),
            "nothing was done: ",
        ),
        (
            json!({ "command": "echo >made", "cwd": "x".repeat(1 << 20) }),
            "nothing was done: ",
        ),
    ] {
        let result = client.call("bash_run", &arguments);
        let text = text_of(&result);
        assert!(text.starts_with(expected), "{expected}: {}", shown(&text));
        // What is wrong is told, and not sent back whole.
        assert!(text.len() < 5_000, "{expected}: {}", shown(&text));
        assert_eq!(result["isError"], true);
    }
    let many: Value = (0..20_000).map(|n| (format!("V{n}"), json!("x"))).collect();
    let result = client.call("bash_run", &json!({ "command": "echo >made", "env": many }));
    let text = text_of(&result);
    assert!(text.len() < 5_000, "{}", shown(&text));
    is_well(&mut client);
    let name = "x".repeat(1 << 20);
    let params = json!({ "name": name, "arguments": {} });
    let answer = client.request("tools/call", &params);
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer.to_string().len() < 5_000);
    is_well(&mut client);
}

fn shown(text: &str) -> String {
    text.chars().take(300).collect()
}

#[test]
fn an_id_that_is_under_way_is_refused() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let id = client.send_call("bash_run", &json!({ "command": "touch made" }));
    let question = client.question();
    let again = |command: &str| {
        let params = json!({ "name": "bash_run", "arguments": { "command": command } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    client.line(again("echo >other").to_string());
    let answer = client.answer(&id);
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    let yes = json!({ "action": "accept", "content": { "answer": "once" } });
    client.reply(&question, &yes);
    assert_eq!(client.result(&id)["isError"], false);
    assert_eq!([made(&world, "made"), made(&world, "other")], [true, false]);
    // When it was answered, or called off, it is free.
    for _ in 0..20 {
        client.line(json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string());
        assert_eq!(client.result(&id), json!({}));
    }
    client.line(again("sleep 60").to_string());
    client.notify("notifications/cancelled", &json!({ "requestId": id }));
    client.line(json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string());
    assert_eq!(client.result(&id), json!({}));
}
