//! The tools through the library: callers who wait, who let go, and who go away.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bashful_engine::{CallContext, ToolAnswer, ToolError, ToolRegistry};
use serde_json::{Value, json};

use crate::support::{House, LONG, assert_gone, eventually};

/// A call on this thread.
fn call(registry: &ToolRegistry, tool: &str, arguments: Value) -> ToolAnswer {
    registry
        .call_and_wait(tool, arguments, CallContext::default())
        .unwrap()
}

#[tokio::test]
async fn a_caller_who_lets_go_gets_a_task() {
    let house = House::new();
    let registry = ToolRegistry::new(&house.engine());
    let mut context = CallContext::default();
    context.let_go = Some(Box::pin(tokio::time::sleep(Duration::from_millis(200))));
    let command = "echo begun; while test ! -e go; do sleep 0.05; done; echo ended; exit 4";
    let answer = registry.call("bash_run", json!({ "command": command }), context);
    let answer = answer.await.unwrap();
    let id = answer.task.clone().unwrap();
    assert!(!answer.is_error && answer.ask.is_none(), "{answer:?}");
    assert_eq!(answer.json["state"], "running", "{answer:?}");
    let first =
        format!("still running; it goes on in the background as {id}, do not start it again\n");
    assert!(answer.text.starts_with(&first), "{answer:?}");
    // It goes on with all it printed, and ends by itself.
    std::fs::write(house.file("go"), "").unwrap();
    let mut context = CallContext::default();
    context.let_go = Some(Box::pin(tokio::time::sleep(LONG)));
    let ended = registry.call("task_wait", json!({ "task_id": id }), context);
    let ended = ended.await.unwrap();
    assert_eq!(ended.json["exit_code"], 4, "{ended:?}");
    assert_eq!(ended.json["stdout"], "begun\nended\n", "{ended:?}");
    assert_eq!(house.tasks(), 1);
}

#[tokio::test]
async fn who_cannot_be_let_go_is_waited_for() {
    let house = House::new();
    let mut config = bashful_engine::config::Config::default();
    config.tasks.per_agent = 1;
    let registry = ToolRegistry::new(&house.builder().config(config).build().unwrap());
    let at_once = || {
        let mut context = CallContext::default();
        context.let_go = Some(Box::pin(std::future::ready(())));
        context
    };
    let going = json!({ "command": "sleep 1000" });
    let going = registry.call("bash_run", going, at_once()).await.unwrap();
    let id = going.task.unwrap();
    let full = json!({ "command": "sleep 0.3; exit 4" });
    let full = registry.call("bash_run", full, at_once()).await.unwrap();
    assert_eq!(full.json["exit_code"], 4, "{full:?}");
    let background = json!({ "command": "true", "run_in_background": true });
    let background = registry.call("bash_run", background, at_once()).await;
    let said = background.unwrap_err().to_string();
    assert!(said.contains("no more may"), "{said}");
    let killed = json!({ "task_id": id, "force": true });
    let killed = registry.call("task_kill", killed, at_once()).await.unwrap();
    assert_eq!(killed.json["outcome"], "ended");
}

#[tokio::test]
async fn a_caller_who_does_not_wait_for_a_task_hears_that_it_runs() {
    let house = House::new();
    let registry = ToolRegistry::new(&house.engine());
    let arguments = json!({ "command": "sleep 1000", "run_in_background": true });
    let started = registry.call("bash_run", arguments, CallContext::default());
    let id = started.await.unwrap().task.unwrap();
    let mut context = CallContext::default();
    context.let_go = Some(Box::pin(tokio::time::sleep(Duration::from_millis(100))));
    let about = json!({ "task_id": id, "timeout": 600_000 });
    let waited = registry.call("task_wait", about, context).await.unwrap();
    assert!(
        waited.text.contains("\nnext: task_wait again"),
        "{waited:?}"
    );
    let about = json!({ "task_id": id, "force": true });
    let killed = registry.call("task_kill", about, CallContext::default());
    assert_eq!(killed.await.unwrap().json["outcome"], "ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_a_call_ends_what_it_runs() {
    let house = House::new();
    let registry = ToolRegistry::new(&house.engine());
    let command = "echo $$ $(readlink /proc/self/ns/pid) >pid; trap '' TERM; sleep 1000; :";
    let call = registry.call(
        "bash_run",
        json!({ "command": command }),
        CallContext::default(),
    );
    let look = async {
        while !house.file("pid").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::task::block_in_place(|| house.process("pid"))
    };
    let process = tokio::select! {
        answer = call => panic!("{answer:?}"),
        process = look => process,
    };
    assert_gone(&[process]);
}

#[test]
fn output_is_told_as_it_comes() {
    let house = House::new();
    let registry = ToolRegistry::new(&house.engine());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let file = house.file("heard");
    let mut context = CallContext::default();
    context.on_output = Some(Arc::new(move |bytes| {
        ear.lock().unwrap().extend_from_slice(bytes);
        // The command waits for this: so it was told while it ran.
        std::fs::write(&file, "").unwrap();
    }));
    let command = "echo one; while test ! -e heard; do sleep 0.02; done; echo two >&2";
    let answer = registry.call_and_wait("bash_run", json!({ "command": command }), context);
    assert_eq!(answer.unwrap().json["exit_code"], 0);
    assert_eq!(*heard.lock().unwrap(), b"one\ntwo\n");
}

#[test]
fn a_caller_can_have_less_output() {
    let house = House::new();
    let registry = ToolRegistry::new(&house.engine());
    let mut context = CallContext::default();
    context.most_output = Some(100);
    let arguments = json!({ "command": "seq 1000" });
    let answer = registry.call_and_wait("bash_run", arguments.clone(), context);
    let answer = answer.unwrap();
    assert_eq!(answer.json["truncated"], true, "{answer:?}");
    assert!(answer.text.len() < 500, "{answer:?}");
    // No caller gets more than usual that way.
    let mut context = CallContext::default();
    context.most_output = Some(usize::MAX);
    let most = registry.call_and_wait("bash_run", json!({ "command": "seq 90000" }), context);
    let usual = call(&registry, "bash_run", json!({ "command": "seq 90000" }));
    assert_eq!(most.unwrap().json["stdout"], usual.json["stdout"]);
}

#[test]
fn what_there_is_not_is_told() {
    let house = House::new();
    let registry = ToolRegistry::new(&house.engine());
    let none = registry.call_and_wait("approve", json!({}), CallContext::default());
    assert!(matches!(none, Err(ToolError::Unknown { .. })), "{none:?}");
    let none = registry.call_and_wait("bash_run", json!([]), CallContext::default());
    assert!(matches!(none, Err(ToolError::Arguments(_))), "{none:?}");
    let about = json!({ "task_id": "bash-none" });
    let none = registry.call_and_wait("task_kill", about, CallContext::default());
    assert!(matches!(none, Err(ToolError::Task(_))), "{none:?}");
    assert_eq!(house.tasks(), 0);
}

#[test]
fn tools_are_about_the_tasks_of_their_own_agent() {
    let house = House::new();
    let of = |agent: &str| ToolRegistry::new(&house.builder().agent(agent).build().unwrap());
    let (own, other) = (of("one"), of("two"));
    let arguments = json!({ "command": "sleep 1000", "run_in_background": true });
    let id = call(&own, "bash_run", arguments).task.unwrap();
    let about = json!({ "task_id": id });
    for tool in ["task_output", "task_wait", "task_kill"] {
        let none = other.call_and_wait(tool, about.clone(), CallContext::default());
        assert!(matches!(none, Err(ToolError::Task(_))), "{tool}: {none:?}");
    }
    assert_eq!(call(&other, "task_list", json!({})).text, "no tasks");
    let listed = || call(&own, "task_list", json!({ "which": "running" })).text;
    assert!(eventually(LONG, || listed().starts_with(&format!("{id}: running"))));
    let killed = call(&own, "task_kill", about);
    assert_eq!(killed.json["outcome"], "ended", "{killed:?}");
}
