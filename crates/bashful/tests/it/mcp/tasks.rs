//! Background runs as MCP tasks, for clients that follow those.

use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, Manner, text_of};
use crate::support::{Marker, World};

/// One that follows tasks, which came with the generation without a connection.
fn following() -> Manner {
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    Manner::plain().capable(tasks).stateless()
}

fn get(client: &mut Client, id: &str) -> Value {
    client.request("tasks/get", &json!({ "taskId": id }))["result"].take()
}

/// Waits until the task is in another state; the last answer.
fn until_over(client: &mut Client, id: &str) -> Value {
    for _ in 0..400 {
        let task = get(client, id);
        if task["status"] != "working" {
            return task;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{id} works for ever");
}

fn start(client: &mut Client, command: &str) -> Value {
    let arguments = json!({ "command": command, "run_in_background": true });
    client.call("bash_run", &arguments)
}

#[test]
fn a_background_run_is_a_task() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], following());
    let command = "while test ! -e go; do sleep 0.05; done; echo done; exit 3";
    let created = start(&mut client, command);
    assert_eq!(created["status"], "working", "{created}");
    let id = created["taskId"].as_str().unwrap().to_owned();
    let task = get(&mut client, &id);
    let found = json!([task["taskId"], task["status"], task["ttlMs"]]);
    assert_eq!(found, json!([id, "working", null]), "{task}");
    assert!(task["pollIntervalMs"].is_u64(), "{task}");
    // It is one of our tasks as well.
    let read = client.call("task_output", &json!({ "task_id": id }));
    assert_eq!(read["isError"], false, "{read}");
    world.write("go", "");
    let task = until_over(&mut client, &id);
    // A command that fails has completed.
    assert_eq!(task["status"], "completed", "{task}");
    let result = &task["result"];
    let text = text_of(result);
    assert!(text.starts_with("exit code 3, "), "{text}");
    assert!(text.ends_with("\ndone\n"), "{text}");
    assert_eq!(result["isError"], false, "{task}");
    assert_eq!(result["structuredContent"]["exit_code"], 3, "{task}");
}

#[test]
fn a_task_is_cancelled() {
    let world = World::new();
    let mut client = Client::greeted(&world, &[], following());
    let marker = Marker::fresh();
    let created = start(&mut client, &marker.sleep());
    let id = created["taskId"].as_str().unwrap().to_owned();
    marker.wait_for(1);
    let answer = client.request("tasks/cancel", &json!({ "taskId": id }));
    assert!(answer.get("error").is_none(), "{answer}");
    let task = until_over(&mut client, &id);
    assert_eq!(task["status"], "cancelled", "{task}");
    marker.assert_gone_soon();
    // Once more changes nothing.
    let again = client.request("tasks/cancel", &json!({ "taskId": id }));
    assert!(again.get("error").is_none(), "{again}");
    assert_eq!(get(&mut client, &id)["status"], "cancelled");
}

#[test]
fn who_does_not_follow_tasks_gets_plain_results() {
    for manner in [Manner::plain(), Manner::plain().stateless()] {
        let world = World::new();
        let mut client = Client::greeted(&world, &[], manner);
        let result = start(&mut client, "echo hi");
        let id = super::client::task_in(&result);
        assert_eq!(result["structuredContent"]["state"], "running", "{result}");
        for method in ["tasks/get", "tasks/cancel"] {
            let answer = client.request(method, &json!({ "taskId": id }));
            assert_eq!(answer["error"]["code"], -32021, "{method}: {answer}");
        }
        // Its keeper is known when it has ended.
        client.call("task_wait", &json!({ "task_id": id }));
    }
}

#[test]
fn in_a_connection_there_are_plain_results() {
    let manner = Manner {
        version: "2025-11-25",
        ..following()
    };
    let world = World::new();
    let mut client = Client::greeted(&world, &[], manner);
    let result = start(&mut client, "echo hi");
    assert!(result.get("taskId").is_none(), "{result}");
    assert_eq!(result["structuredContent"]["state"], "running", "{result}");
    let id = super::client::task_in(&result);
    client.call("task_wait", &json!({ "task_id": id }));
}

#[test]
fn foreground_runs_and_refusals_are_no_tasks() {
    let world = super::asking_world();
    let mut client = Client::greeted(&world, &[], following());
    let ran = client.run("echo hi");
    assert!(ran.get("taskId").is_none(), "{ran}");
    for command in ["sudo id", "touch made"] {
        let refused = start(&mut client, command);
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(refused.get("taskId").is_none(), "{refused}");
    }
}

#[test]
fn tasks_of_others_are_unknown() {
    let world = World::new();
    let mut other = Client::greeted(&world, &["--agent", "other"], following());
    let created = start(&mut other, "sleep 60");
    let foreign = created["taskId"].as_str().unwrap().to_owned();
    let mut client = Client::greeted(&world, &["--agent", "claude"], following());
    for id in [
        foreign.as_str(),
        "",
        "../../x",
        "bash-",
        &"x".repeat(100_000),
    ] {
        for method in ["tasks/get", "tasks/cancel"] {
            let answer = client.request(method, &json!({ "taskId": id }));
            assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
            assert!(answer.to_string().len() < 2_000, "{method}");
        }
    }
    assert_eq!(get(&mut other, &foreign)["status"], "working");
    for params in [json!({}), json!({ "taskId": 5 })] {
        let answer = client.request("tasks/get", &params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let killed = other.call("task_kill", &json!({ "task_id": foreign, "force": true }));
    assert_eq!(killed["isError"], false, "{killed}");
}
