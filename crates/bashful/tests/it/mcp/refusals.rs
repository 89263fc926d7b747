//! What a model reads about commands that did not run, word for word.

use serde_json::{Value, json};

use super::client::{Client, Manner};
use super::{ASK_TOUCH, asking_world, golden, made, steady};
use crate::support::World;

/// What stands in every answer about `touch made` that waits for a person.
const WAITING: &str = "needs approval, nothing was run: makes a file\n\
    rule: ask-touch (user)\n\
    ask: [ASK]\n\
    next: tell the user that a person has to type `bashful approvals allow [ASK]` in a terminal, \
    then call again with exactly the same arguments. Do not try another way.\n";

/// What a model reads after `touch made` when the dialogue brings this.
fn read_after(world: &World, manner: Manner, reply: &Value) -> String {
    let mut client = Client::greeted(world, &[], manner);
    let id = client.send_call("bash_run", &json!({ "command": "touch made" }));
    let question = client.question();
    client.reply(&question, reply);
    let result = client.result(&id);
    assert_eq!(result["isError"], true, "{result}");
    assert!(!made(world, "made"), "{result}");
    golden(world, &result)
}

#[test]
fn what_is_denied_says_what_comes_next() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    let result = client.run("echo before; sudo id");
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(
        golden(&world, &result),
        "denied, nothing was run: runs with the rights of another user\n\
         rule: sudo (builtin)\n\
         part: sudo id\n\
         next: run it as yourself, or tell the person which command needs more rights"
    );
    assert_eq!(client.asides(), [] as [Value; 0]);
}

#[test]
fn a_client_that_cannot_ask_says_so() {
    let world = asking_world();
    for capabilities in [
        json!({}),
        json!({ "sampling": {}, "roots": {} }),
        // It opens web pages, and has no forms.
        json!({ "elicitation": { "url": {} } }),
    ] {
        for manner in [Manner::plain(), Manner::plain().stateless()] {
            let manner = manner.capable(capabilities.clone());
            let mut client = Client::greeted(&world, &[], manner);
            let result = client.run("touch made");
            assert_eq!(result["isError"], true, "{result}");
            assert_eq!(
                golden(&world, &result),
                format!("{WAITING}asked: the client cannot ask a person")
            );
        }
    }
    assert!(!made(&world, "made"));
}

#[test]
fn an_answer_that_no_person_gave_says_so() {
    for (action, name) in [("cancel", "claude-code"), ("decline", "codex-mcp-client")] {
        let world = asking_world();
        let manner = Manner::asking().named(name);
        let text = read_after(&world, manner, &json!({ "action": action }));
        let expected = format!(
            "{WAITING}asked: no person said yes in the client: it said `{action}`, as clients do \
             by themselves when no person is available"
        );
        assert_eq!(text, expected);
    }
}

#[test]
fn a_person_can_say_no_with_a_word() {
    let world = asking_world();
    let content = json!({ "answer": "deny", "message": "use mktemp instead" });
    let reply = json!({ "action": "accept", "content": content });
    assert_eq!(
        read_after(&world, Manner::asking(), &reply),
        "denied, nothing was run: was denied: use mktemp instead\n\
         rule: ask-touch (call)\n\
         next: do something else, or ask the person what they would accept"
    );
}

#[test]
fn what_is_set_to_need_another_answer_is_not_put_to_the_client() {
    let world = World::new();
    let outside = "[approvals]\nout_of_band = [\"ask-touch\", \"network\"]\n";
    world.configure(&format!("{outside}{ASK_TOUCH}"));
    for manner in [Manner::asking(), Manner::asking().stateless()] {
        let mut client = Client::greeted(&world, &[], manner);
        let text = golden(&world, &client.run("touch made"));
        let why = "asked: `ask-touch` is set to need an answer outside the client";
        assert_eq!(text, format!("{WAITING}{why}"));
        let text = golden(&world, &client.run("curl http://example.org"));
        let why = "asked: `network` is set to need an answer outside the client";
        assert!(text.ends_with(why), "{text}");
        assert_eq!(client.asides(), [] as [Value; 0]);
    }
    assert!(!made(&world, "made"));
}

#[test]
fn what_would_happen_is_told_without_running_it() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::asking());
    for (command, expected) in [
        (
            "ls",
            "allow: it would run. only reads\n\
             rule: read-only (builtin)\n\
             sandbox native: files enforced in full, network off (enforced in full); it starts in \
             [WORLD]/workspace",
        ),
        (
            "touch made",
            "ask: it would not run until a person says yes. makes a file\n\
             rule: ask-touch (user)",
        ),
        (
            "sudo id",
            "deny: it would not run. runs with the rights of another user\n\
             rule: sudo (builtin)\n\
             next: run it as yourself, or tell the person which command needs more rights",
        ),
    ] {
        let result = client.call("policy_explain", &json!({ "command": command }));
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(golden(&world, &result), expected, "{command}");
    }
    let (_, asks) = world.call(&["approvals", "list", "--json"]).json();
    assert_eq!(asks["asks"], json!([]));
}

#[test]
fn arguments_that_are_not_what_a_tool_takes() {
    let world = asking_world();
    let mut client = Client::greeted(&world, &[], Manner::plain());
    for (tool, arguments, expected) in [
        ("bash_run", json!({}), "`bash_run` needs `command`"),
        (
            "bash_run",
            json!({ "cmd": "ls" }),
            "`bash_run` takes no `cmd`; it takes `command`, `cwd`, `description`, `env`, \
             `name`, `ready_when`, `run_in_background`, `shell`, `stdin`, `timeout`, `tty`",
        ),
        (
            "bash_run",
            json!({ "command": ["ls"] }),
            "`command` of `bash_run` must be a string, not a list",
        ),
        (
            "bash_run",
            json!({ "command": "ls", "timeout": 600_001 }),
            "`timeout` of `bash_run` must be a whole number from 1 to 600000, not 600001",
        ),
        (
            "bash_run",
            json!({ "command": "ls\u{0}" }),
            "the command holds a NUL byte",
        ),
        (
            "bash_run",
            json!({ "command": "ls", "cwd": "/etc" }),
            "the working directory `/etc` lies outside the workspace `[WORLD]/workspace`",
        ),
        (
            "bash_run",
            json!({ "command": "ls", "env": { "LD_PRELOAD": "x" } }),
            "the variable `LD_PRELOAD` changes how programs load or start, so it is refused",
        ),
        (
            "task_output",
            json!({ "task_id": "bash-none" }),
            "there is no task `bash-none`; task_list shows your tasks",
        ),
        (
            "task_list",
            json!({ "which": "mine" }),
            "`which` of `task_list` must be one of running, finished, all, not the string \"mine\"",
        ),
    ] {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], true, "{result}");
        let text = golden(&world, &result);
        assert_eq!(text, format!("nothing was done: {expected}"), "{arguments}");
    }
}

#[test]
fn texts_are_steady() {
    let world = World::new();
    let place = world.workspace();
    let text = format!(
        "bash-1m7grf6b2pd7pv8n 51 ms, 7.5 s in {} (pid 12), bash-short 5 sheep",
        place.display()
    );
    assert_eq!(
        steady(&world, &text),
        "[TASK] [TIME], [TIME] in [WORLD]/workspace (pid [PID]), bash-short 5 sheep"
    );
}
