//! What a model has in front of it, in bytes as sent: the list of tools in every conversation, and
//! answers of the usual kinds. Raising a number takes a reason.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::client::Manner;
use crate::support::World;

/// The most bytes of a list: usually, where there are scripts, and for a program that wants all.
const LISTS: [(&[&str], usize); 3] = [
    (&[], 7_680),
    (&["--tools", "scripts"], 12_288),
    (&["--tools", "all", "--output-schemas"], 25_600),
];

/// Commands of the usual kinds, and the most bytes of an answer about them: with the object, and
/// for a client that gets the text alone.
const ANSWERS: [(&str, &str, usize, usize); 4] = [
    ("a success", "echo hello", 440, 140),
    (
        "a failing test",
        "printf 'test a ... ok\\ntest b ... FAILED\\n'; echo 'assertion failed' >&2; exit 101",
        560,
        200,
    ),
    ("a refusal", "sudo id", 630, 280),
    ("an ask", "curl https://example.com", 1_000, 445),
];

/// What a server says to these requests, line by line as it was sent.
fn said(world: &World, flags: &[&str], name: &'static str, requests: &[Value]) -> Vec<String> {
    let mut command: Command = world.bashful(&["mcp"]);
    command
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let hello = json!({ "method": "initialize", "params": Manner::plain().named(name).hello() });
    let mut answers = Vec::new();
    for (id, request) in [hello].iter().chain(requests).enumerate() {
        let mut request = request.clone();
        request["jsonrpc"] = json!("2.0");
        request["id"] = json!(id);
        writeln!(input, "{request}").unwrap();
        if id == 0 {
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            writeln!(input, "{ready}").unwrap();
        }
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(told["id"], id, "{line}");
        assert!(told.get("result").is_some(), "{line}");
        answers.push(line);
    }
    drop(input);
    assert!(server.wait().unwrap().success());
    answers.split_off(1)
}

/// How the bytes of a list are spent.
fn spent(list: &str) -> String {
    let list: Value = serde_json::from_str(list).unwrap();
    let mut table = String::new();
    for tool in list["result"]["tools"].as_array().unwrap() {
        let _ = write!(table, "\n{:6} {}:", tool.to_string().len(), tool["name"]);
        for (part, value) in tool.as_object().unwrap() {
            let _ = write!(table, " {part} {}", value.to_string().len());
        }
    }
    table
}

#[test]
fn the_list_of_tools_is_short() {
    let world = World::new();
    for (flags, most) in LISTS {
        for name in ["tester", "claude-code", "codex-mcp-client"] {
            let list = json!({ "method": "tools/list" });
            let lines = said(&world, flags, name, &[list]);
            let found = lines[0].len();
            assert!(
                found <= most,
                "tools/list {flags:?} for {name} has {found} bytes, {} more than the {most} that \
                 it may have:{}",
                found - most,
                spent(&lines[0])
            );
        }
    }
}

#[test]
fn the_usual_answers_are_short() {
    let world = World::new();
    let root = world.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    for (name, whole) in [("tester", true), ("claude-code", false)] {
        let calls = ANSWERS.map(|(_, command, ..)| {
            let params = json!({ "name": "bash_run", "arguments": { "command": command } });
            json!({ "method": "tools/call", "params": params })
        });
        let lines = said(&world, &[], name, &calls);
        for ((kind, _, with_object, text), line) in ANSWERS.into_iter().zip(lines) {
            // How long a path is depends on where the test runs.
            let line = without_enforcement(&line.replace(root, "/home/someone"));
            let most = if whole { with_object } else { text };
            let found = line.len();
            assert!(
                found <= most,
                "{kind} for {name} has {found} bytes, {} more than the {most} that it may \
                 have:\n{line}",
                found - most
            );
        }
    }
}

/// What this host holds in part is told, and a host that holds everything says nothing of it.
fn without_enforcement(line: &str) -> String {
    let Some((before, rest)) = line.split_once("\"enforcement\":{") else {
        return line.to_owned();
    };
    let (_, after) = rest.split_once("},").unwrap();
    format!("{before}{after}")
}
