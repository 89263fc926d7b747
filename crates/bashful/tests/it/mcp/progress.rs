//! Progress: new output, a sign of life, and clients that want neither.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, Manner};
use crate::support::World;

/// Sends a command with a token for its progress; its id.
fn send(client: &mut Client, command: &str, token: &Value) -> Value {
    let params = json!({
        "name": "bash_run",
        "arguments": { "command": command },
        "_meta": { "progressToken": token },
    });
    client.send("tools/call", &params)
}

/// The next message that is no sign of life: on a busy machine these come between.
fn next_output(client: &mut Client) -> Value {
    loop {
        let message = client.next();
        let words = message["params"]["message"].as_str().unwrap_or_default();
        if !words.starts_with("running for ") {
            return message;
        }
    }
}

#[test]
fn new_output_is_told_while_a_command_runs() {
    for manner in [Manner::plain(), Manner::plain().stateless()] {
        let world = World::new();
        let mut client = Client::greeted(&world, &[], manner);
        let command = "echo one; while test ! -e go; do sleep 0.05; done; echo two >&2; sleep 0.5";
        let id = send(&mut client, command, &json!("tok-1"));
        let first = next_output(&mut client);
        assert_eq!(first["method"], "notifications/progress", "{first}");
        assert_eq!(first["params"]["progressToken"], "tok-1", "{first}");
        assert_eq!(first["params"]["message"], "one\n", "{first}");
        world.write("go", "");
        let second = next_output(&mut client);
        assert_eq!(second["params"]["message"], "two\n", "{second}");
        let progress = |message: &Value| message["params"]["progress"].as_f64().unwrap();
        assert!(progress(&second) > progress(&first), "{first} {second}");
        assert_eq!(client.result(&id)["isError"], false);
        assert_eq!(client.asides(), [] as [Value; 0]);
    }
}

#[test]
fn whoever_waits_long_gets_a_sign_of_life() {
    let world = super::asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let began = Instant::now();
    let silent = send(&mut client, "sleep 60", &json!("silent"));
    let asked = send(
        &mut client,
        "touch made; echo hi; sleep 0.3",
        &json!("asked"),
    );
    let question = client.question();
    let mut waited = 0.0;
    for _ in 0..2 {
        let sign = client.next();
        let params = &sign["params"];
        let expected = match params["progressToken"].as_str() {
            Some("silent") => "running for 1",
            Some("asked") => {
                waited = params["progress"].as_f64().unwrap();
                "waiting for a person for 1"
            }
            _ => panic!("{sign}"),
        };
        let message = params["message"].as_str().unwrap();
        assert!(message.starts_with(expected), "{message}");
        assert!(
            began.elapsed() >= Duration::from_secs(9),
            "it came too early"
        );
    }
    client.notify("notifications/cancelled", &json!({ "requestId": silent }));
    // What comes after the answer is further on.
    let yes = json!({ "action": "accept", "content": { "answer": "once" } });
    client.reply(&question, &yes);
    let said = client.next();
    assert_eq!(said["params"]["message"], "hi\n", "{said}");
    assert!(
        said["params"]["progress"].as_f64().unwrap() > waited,
        "{said}"
    );
    assert_eq!(client.result(&asked)["isError"], false);
}

#[test]
fn a_flood_of_output_is_told_in_part() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    let id = send(&mut client, "seq 200000", &json!("flood"));
    let result = client.result(&id);
    assert_eq!(result["isError"], false, "{result}");
    let messages = client.asides();
    assert!(messages.len() < 50, "{}", messages.len());
    for message in messages {
        assert!(message.to_string().len() < 20_000, "{message}");
    }
}

#[test]
fn odd_tokens_are_none() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    for token in [json!(1.5), json!(true), Value::Null, json!({}), json!([1])] {
        let id = send(&mut client, "echo hi; sleep 0.1", &token);
        let result = client.result(&id);
        assert_eq!(result["isError"], false, "{token}: {result}");
        assert_eq!(client.asides(), [] as [Value; 0], "{token}");
    }
}
