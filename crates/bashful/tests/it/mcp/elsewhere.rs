//! Answers from elsewhere while a call waits, and answers that a command gives itself.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, Manner, text_of};
use super::{asking_world, made};
use crate::support::{Terminal, World, binary, eventually};

/// The one ask that waits.
fn pending(world: &World) -> Option<String> {
    let (_, answer) = world.call(&["approvals", "list", "--json"]).json();
    let id = answer["asks"][0]["id"].as_str();
    id.map(str::to_owned)
}

/// A person at a terminal answers the ask that waits.
fn says(world: &World, verb: &str) {
    assert!(eventually(|| pending(world).is_some()));
    let id = pending(world).unwrap();
    let (code, screen) = Terminal::bashful(world, &["approvals", verb, &id]).end();
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn an_answer_from_elsewhere_ends_an_open_dialogue() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let id = client.send_call("bash_run", &json!({ "command": "touch made" }));
    let question = client.question();
    says(&world, "allow");
    let result = client.result(&id);
    assert_eq!(result["isError"], false, "{result}");
    assert!(made(&world, "made"));
    // The client hears that there is nothing to answer any more.
    let closed = client.next();
    assert_eq!(closed["method"], "notifications/cancelled", "{closed}");
    assert_eq!(closed["params"]["requestId"], question["id"], "{closed}");
    // The person who answers the dialogue then is late; nothing runs again, and nothing breaks.
    std::fs::remove_file(world.workspace().join("made")).unwrap();
    let yes = json!({ "action": "accept", "content": { "answer": "always" } });
    client.reply(&question, &yes);
    assert_eq!(client.run("true")["isError"], false);
    assert!(!made(&world, "made"));
    let (_, grants) = world.call(&["grants", "list", "--json"]).json();
    assert_eq!(grants["grants"], json!([]), "{grants}");
}

#[test]
fn a_call_waits_for_an_answer_from_elsewhere() {
    for (verb, is_error) in [("allow", false), ("deny", true)] {
        let world = asking_world();
        let mut client = Client::greeted(&world, &["--wait", "60s"], Manner::plain());
        let id = client.send_call("bash_run", &json!({ "command": "touch made" }));
        says(&world, verb);
        let result = client.result(&id);
        assert_eq!(result["isError"], is_error, "{result}");
        assert_eq!(made(&world, "made"), !is_error);
    }
}

#[test]
fn a_wait_ends() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &["--wait", "1s"], Manner::asking());
    let id = client.send_call("bash_run", &json!({ "command": "touch made" }));
    let question = client.question();
    let began = Instant::now();
    client.reply(&question, &json!({ "action": "cancel" }));
    let text = text_of(&client.result(&id));
    assert!(began.elapsed() >= Duration::from_secs(1), "it did not wait");
    assert!(
        text.ends_with(", and no answer came from elsewhere within 1 s"),
        "{text}"
    );
}

/// A server that a command of ours starts, and a client in the same command that says yes to all.
const SELF_SERVICE: &str = r"
import json, subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def say(message):
    server.stdin.write(json.dumps(dict(message, jsonrpc='2.0')) + '\n')
    server.stdin.flush()
info = {'name': 'claude-code', 'version': '2'}
hello = {'protocolVersion': '2025-11-25', 'capabilities': {'elicitation': {}}, 'clientInfo': info}
say({'id': 1, 'method': 'initialize', 'params': hello})
server.stdout.readline()
say({'method': 'notifications/initialized'})
call = {'name': 'bash_run', 'arguments': {'command': 'touch made'}}
say({'id': 2, 'method': 'tools/call', 'params': call})
while True:
    message = json.loads(server.stdout.readline())
    if message.get('method') == 'elicitation/create':
        yes = {'action': 'accept', 'content': {'answer': 'once'}}
        say({'id': message['id'], 'result': yes})
    elif message.get('id') == 2:
        print(message['result']['content'][0]['text'])
        break
server.stdin.close()
server.wait()
";

#[test]
fn a_server_that_a_command_started_gets_no_yes() {
    let world = asking_world();
    world.write("serve_self.py", SELF_SERVICE);
    let program = binary();
    let variables = [
        ("HOME", "home"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_CONFIG_HOME", "config"),
    ];
    let places = variables.map(|(name, place)| format!("{name}={}", world.path(place).display()));
    let command = format!(
        "env {} XDG_RUNTIME_DIR={} python3 serve_self.py {} mcp",
        places.join(" "),
        world.path("run").display(),
        program.display()
    );
    let outcome = world.run(&["--sandbox", "none", "--policy", "none", &command]);
    assert!(
        outcome
            .stdout
            .starts_with("needs approval, nothing was run"),
        "{outcome:?}"
    );
    assert!(outcome.stdout.contains("started by Bashful"), "{outcome:?}");
    assert!(!made(&world, "made"));
    let (_, grants) = world.call(&["grants", "list", "--all", "--json"]).json();
    assert_eq!(grants["grants"], json!([]), "{grants}");
    // The control: outside of any run, the same client gets its yes.
    let mut outside = world.program("sh");
    outside.args(["-c", &command]);
    let output = outside.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("exit code 0"), "{said} {output:?}");
    assert!(made(&world, "made"));
}

#[test]
fn no_tool_answers_asks() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    let id = text_of(&client.run("touch made"));
    let id = id
        .lines()
        .find_map(|line| line.strip_prefix("ask: "))
        .unwrap();
    // By way of a command in the sandbox: nothing of ours is there.
    let answer = format!("{} approvals allow {id}", binary().display());
    let result = client.run(&answer);
    assert_ne!(result["structuredContent"]["exit_code"], 0, "{result}");
    assert_eq!(pending(&world).as_deref(), Some(id));
    let methods = [
        "approvals/allow",
        "grants/add",
        "elicitation/create",
        "policy/set",
    ];
    for method in methods {
        let answer: Value = client.request(method, &json!({ "id": id }));
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
}
