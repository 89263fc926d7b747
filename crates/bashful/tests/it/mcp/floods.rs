//! Clients that send far too much, and clients that do not read.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, Manner};
use crate::support::{World, is_long};

/// How many requests a flood has.
const MANY: usize = 10_000;
/// How many it has if each has a long answer, unless there is time.
const FEWER: usize = 1_000;

/// Sends a flood of a request while the answers are read; the answers by their kind.
fn flooded(client: &mut Client, count: usize, (method, params): (&str, &Value)) -> Vec<Value> {
    let mut answers = Vec::new();
    let mut under_way = Vec::new();
    for _ in 0..count {
        under_way.push(client.send(method, params));
        if under_way.len() == 500 {
            answers.extend(under_way.drain(..).map(|id| client.answer(&id)));
        }
    }
    answers.extend(under_way.drain(..).map(|id| client.answer(&id)));
    answers
}

#[test]
fn a_flood_of_requests_is_answered() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], Manner::plain().named("claude-code"));
    let many = if is_long() { MANY } else { FEWER };
    let answers = flooded(&mut client, many, ("tools/list", &Value::Null));
    let good = answers
        .iter()
        .filter(|answer| answer.get("result").is_some());
    assert_eq!(good.count(), many);
    let refused = json!({ "name": "bash_run", "arguments": { "command": "" } });
    let answers = flooded(&mut client, MANY, ("tools/call", &refused));
    let refused = answers
        .iter()
        .filter(|answer| answer["result"]["isError"] == true);
    assert_eq!(refused.count(), MANY);
    assert_eq!(world.records(), [] as [Value; 0]);
    assert_eq!(client.end(), (0, vec![], String::new()));
}

#[test]
fn a_client_that_does_not_read_holds_up_itself_only() {
    let world = World::new();
    let requests: [&[u8]; 2] = [
        b"junk\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"nope\"}\n",
    ];
    for request in requests {
        let mut command = world.bashful(&["mcp"]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": Manner::plain().hello(),
        });
        input.write_all(format!("{hello}\n").as_bytes()).unwrap();
        let request = request.to_vec();
        let writer = std::thread::spawn(move || {
            let much = request.repeat(1000);
            for _ in 0..200 {
                if input.write_all(&much).is_err() {
                    return;
                }
            }
        });
        std::thread::sleep(Duration::from_millis(700));
        assert!(!writer.is_finished(), "it takes more than it can answer");
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let memory = line.unwrap().split_whitespace().nth(1).unwrap();
        assert!(memory.parse::<u64>().unwrap() < 100 << 10, "{memory} KiB");
        // When the client goes, so does the server.
        drop(child.stdout.take());
        let ended = crate::support::eventually(|| child.try_wait().unwrap().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        writer.join().unwrap();
        assert!(ended, "the server stays without a client");
    }
}
