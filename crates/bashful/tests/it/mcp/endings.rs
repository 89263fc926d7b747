//! Ends: of a call, of a client, of a server. No process is left behind without an owner.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::{Client, Manner, text_of};
use crate::support::{Marker, World, binary, eventually};

/// A command with a child that does not listen and a grandchild in a session of its own.
fn stubborn(marker: &Marker) -> String {
    let sleep = marker.sleep();
    format!("(trap '' TERM; {sleep}) & setsid sh -c 'trap \"\" TERM; {sleep}; :' & {sleep}")
}

fn cancel(client: &mut Client, id: &Value) {
    let params = json!({ "requestId": id, "reason": "the user said so" });
    client.notify("notifications/cancelled", &params);
}

#[test]
fn a_cancelled_call_ends_its_whole_tree() {
    let world = World::unjudged();
    let mut client = Client::greeted(&world, &["--policy", "none"], Manner::plain());
    let marker = Marker::fresh();
    let id = client.send_call("bash_run", &json!({ "command": stubborn(&marker) }));
    marker.wait_for(3);
    cancel(&mut client, &id);
    // It is not answered; the next one is, at once.
    let text = text_of(&client.run("echo next"));
    assert!(text.ends_with("\nnext\n"), "{text}");
    marker.assert_gone_soon();
    // The record is written when all of them are gone.
    let is_told = eventually(|| {
        let records = world.records();
        records.iter().any(|record| record["ending"] == "cancelled")
    });
    assert!(is_told, "{:?}", world.records());
    let (code, rest, _) = client.end();
    assert_eq!((code, rest), (0, vec![]));
}

#[test]
fn cancelling_a_call_that_waits_for_a_person_runs_nothing() {
    let world = super::asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let id = client.send_call("bash_run", &json!({ "command": "touch made" }));
    let question = client.question();
    cancel(&mut client, &id);
    let yes = json!({ "action": "accept", "content": { "answer": "once" } });
    client.reply(&question, &yes);
    assert_eq!(client.run("true")["isError"], false);
    assert!(!super::made(&world, "made"));
    client.end();
    assert!(!super::made(&world, "made"));
}

#[test]
fn a_client_that_dies_leaves_nothing_running() {
    let world = World::unjudged();
    // The pipes belong to the wrapper; we see only its end.
    let call = |command: &str| {
        let params = json!({ "name": "bash_run", "arguments": { "command": command } });
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params })
    };
    let marker = Marker::fresh();
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": Manner::plain().hello(),
    });
    let script = "
import subprocess, sys, time
server = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write((sys.argv[1] + '\\n' + sys.argv[2] + '\\n').encode())
server.stdin.flush()
print(server.pid, flush=True)
time.sleep(300)
";
    let mut command = world.program("python3");
    command.args(["-c", script, &hello.to_string()]);
    command.arg(call(&stubborn(&marker)).to_string());
    command.arg(binary()).args(["mcp", "--policy", "none"]);
    let mut wrapper = Client::drive(command);
    let server = wrapper.next();
    let server = i32::try_from(server.as_i64().unwrap()).unwrap();
    marker.wait_for(3);
    wrapper.signal(Signal::KILL);
    marker.assert_gone_soon();
    let is_there = || kill_process(Pid::from_raw(server).unwrap(), Signal::CONT).is_ok();
    // It is no child of ours; the process that inherits it may let it lie for a while.
    let state = || std::fs::read_to_string(format!("/proc/{server}/stat")).unwrap_or_default();
    assert!(
        eventually(|| !is_there() || state().contains(") Z ")),
        "{}",
        state()
    );
}

#[test]
fn when_the_input_ends_short_calls_are_answered_and_long_ones_end() {
    let world = World::unjudged();
    let mut client = Client::greeted(&world, &["--policy", "none"], Manner::plain());
    let marker = Marker::fresh();
    let long = client.send_call("bash_run", &json!({ "command": marker.sleep() }));
    marker.wait_for(1);
    let short = client.send_call("bash_run", &json!({ "command": "sleep 0.3; echo short" }));
    client.line("{");
    let began = Instant::now();
    let (code, rest, talk) = client.end();
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "it took too long"
    );
    assert_eq!(code, 0, "{talk}");
    marker.assert_gone_soon();
    let answer = rest.iter().find(|message| message["id"] == short);
    let text = text_of(&answer.unwrap_or_else(|| panic!("{rest:?}"))["result"]);
    assert!(text.ends_with("\nshort\n"), "{text}");
    let is_long = |message: &&Value| message["id"] == long;
    let has_result = |message: &Value| message.get("result").is_some();
    assert!(!rest.iter().filter(is_long).any(has_result), "{rest:?}");
    let refused = rest
        .iter()
        .any(|message| message["error"]["code"] == -32700);
    assert!(refused, "{rest:?}");
}

#[test]
fn a_server_that_is_told_to_end_leaves_tasks_to_the_next_one() {
    let world = World::unjudged();
    let flags = ["--policy", "none", "--agent", "claude"];
    let mut client = Client::greeted(&world, &flags, Manner::plain());
    let (kept, ended) = (Marker::fresh(), Marker::fresh());
    let task = client.start_task(&format!("echo up; {}", kept.sleep()));
    client.send_call("bash_run", &json!({ "command": ended.sleep() }));
    kept.wait_for(1);
    ended.wait_for(1);
    client.signal(Signal::TERM);
    let (code, rest, talk) = client.end();
    assert_eq!(code, 0, "{talk}");
    // If anything is said about the call, then that it came to nothing.
    assert!(
        rest.iter().all(|message| message.get("result").is_none()),
        "{rest:?}"
    );
    ended.assert_gone_soon();
    assert_eq!(kept.sleepers().len(), 1);
    // Another server of the same agent at the same place has it.
    let mut next = Client::greeted(&world, &flags, Manner::plain());
    let listed = text_of(&next.call("task_list", &json!({ "which": "running" })));
    assert!(listed.contains(&task), "{listed}");
    let about = json!({ "task_id": task });
    let read = text_of(&next.call("task_output", &about));
    assert!(read.ends_with("\nup\n"), "{read}");
    // One of another agent, or of another workspace, does not.
    let elsewhere = world.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.to_str().unwrap().to_owned();
    let stranger = ["--policy", "none", "--agent", "other"];
    let abroad = [
        "--policy",
        "none",
        "--agent",
        "claude",
        "--workspace",
        &elsewhere,
    ];
    for flags in [&stranger[..], &abroad] {
        let mut other = Client::greeted(&world, flags, Manner::plain());
        assert_eq!(text_of(&other.call("task_list", &json!({}))), "no tasks");
        for tool in ["task_output", "task_wait", "task_kill"] {
            let result = other.call(tool, &about);
            let expected = format!("nothing was done: there is no task `{task}`");
            let text = text_of(&result);
            assert!(text.starts_with(&expected), "{tool}: {text}");
            assert_eq!(result["isError"], true, "{tool}: {result}");
        }
        let uri = json!({ "uri": format!("bashful://tasks/{task}/log") });
        let answer = other.request("resources/read", &uri);
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
    }
    assert_eq!(kept.sleepers().len(), 1);
    let killed = text_of(&next.call("task_kill", &about));
    assert!(killed.starts_with("it was ended\n"), "{killed}");
    kept.assert_gone();
}

#[test]
fn a_server_that_is_killed_leaves_no_foreground_run() {
    let world = World::unjudged();
    let mut client = Client::greeted(&world, &["--policy", "none"], Manner::plain());
    let marker = Marker::fresh();
    client.send_call("bash_run", &json!({ "command": stubborn(&marker) }));
    marker.wait_for(3);
    client.signal(Signal::KILL);
    marker.assert_gone_soon();
}

#[test]
fn nobody_comes() {
    let world = World::new();
    let client = Client::start(&world, &[]);
    assert_eq!(client.end(), (0, vec![], String::new()));
    // A client that says nothing that counts.
    let mut client = Client::start(&world, &[]);
    client.line("");
    client.notify("notifications/initialized", &Value::Null);
    assert_eq!(client.end(), (0, vec![], String::new()));
    assert_eq!(world.records(), [] as [Value; 0]);
}
