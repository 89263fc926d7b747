//! `bashful tools`: which tools there are, how makers of models want them, and calling one.

use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Outcome, Running, World};

/// A world in which `touch` needs a yes.
fn asking() -> World {
    let world = World::new();
    world.configure(
        "[[profile.default.rule]]\nid = \"ask-touch\"\neffect = \"ask\"\n\
         command = [\"touch\", \"…\"]\nreason = \"makes a file\"\n",
    );
    world
}

fn call(world: &World, tool: &str, arguments: &Value) -> Outcome {
    world.call(&["tools", "call", tool, &arguments.to_string()])
}

#[test]
fn the_list_is_for_people() {
    let world = World::new();
    assert_snapshot!(world.screen(&["tools"]), @"
    exit code 0
    ----- stdout -----
    bash_run         Run a command (runs commands)
                     also bash.execute, bash_execute, Bash
    task_output      Read what a task printed (reads only)
                     also TaskOutput, task.output
    task_wait        Wait for a task (reads only)
                     also task.wait
    task_list        List tasks (reads only)
                     also task.list
    task_kill        End a task (ends or deletes)
                     also task.kill, KillShell
    task_send        Type into a task (runs commands)
                     also task.send
    task_screen      Look at a task's terminal (reads only)
                     also task.screen
    policy_explain   What would happen to a command (reads only)
    script_run       Run a managed script (runs commands)
                     also bash.run, bash.run_script, bash_run_script, run_script
    script_create    Keep a new script (saves for later)
                     also script.create, bash.create_script, bash_create_script, create_script
    script_list      List managed scripts (reads only)
                     also script.list, bash.list_scripts, bash_list_scripts, list_scripts
    script_get       Read a managed script (reads only)
                     also script.get, bash.get_script, bash_get_script, get_script
    script_validate  Look at a script before it runs (reads only)
                     also script.validate, bash.validate_script, bash_validate_script, validate_script
    script_delete    Delete a managed script (ends or deletes)
                     also script.delete, bash.delete_script, bash_delete_script, delete_script
    ");
}

#[test]
fn each_format_is_what_its_maker_wants() {
    let world = World::new();
    let described = |flags: &[&str]| {
        let mut arguments = vec!["tools"];
        arguments.extend(flags);
        let (code, tools) = world.call(&arguments).json();
        assert_eq!(code, 0, "{tools}");
        tools.as_array().unwrap().clone()
    };
    let mcp = described(&["--format", "mcp"]);
    assert_eq!(described(&["--json"]), mcp);
    let openai = described(&["--format", "openai"]);
    let anthropic = described(&["--format", "anthropic"]);
    assert_eq!([mcp.len(), openai.len(), anthropic.len()], [14, 14, 14]);
    for ((mcp, openai), anthropic) in mcp.iter().zip(&openai).zip(&anthropic) {
        let keys = |tool: &Value| {
            tool.as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        let own = [
            "annotations",
            "description",
            "inputSchema",
            "name",
            "outputSchema",
            "title",
        ];
        assert_eq!(keys(mcp), own);
        let (name, about, input) = (&mcp["name"], &mcp["description"], &mcp["inputSchema"]);
        let function = json!({ "name": name, "description": about, "parameters": input });
        assert_eq!(*openai, json!({ "type": "function", "function": function }));
        let tool = json!({ "name": name, "description": about, "input_schema": input });
        assert_eq!(*anthropic, tool);
    }
    assert_eq!(world.call(&["tools", "--format", "other"]).code, 2);
}

#[test]
fn a_call_prints_what_a_model_reads() {
    let world = asking();
    let outcome = call(&world, "bash_run", &json!({ "command": "echo hi; exit 3" }));
    // What the command came to is in the answer, not in our exit code.
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.starts_with("exit code 3, "), "{outcome:?}");
    assert!(
        outcome.stdout.ends_with("\n--- stdout ---\nhi\n"),
        "{outcome:?}"
    );
    let outcome = call(&world, "policy_explain", &json!({ "command": "sudo id" }));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.starts_with("deny: "), "{outcome:?}");
    // By another name, and with nothing to say.
    let outcome = world.call(&["tools", "call", "task.list", "--agent", "nobody"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "no tasks\n"));
}

#[test]
fn what_is_refused_has_its_own_exit_code() {
    let world = asking();
    let denied = call(&world, "bash_run", &json!({ "command": "sudo id" }));
    assert_eq!(denied.code, 120, "{denied:?}");
    assert!(
        denied.stdout.starts_with("denied, nothing was run: "),
        "{denied:?}"
    );
    let asked = call(&world, "bash_run", &json!({ "command": "touch made" }));
    assert_eq!(asked.code, 121, "{asked:?}");
    assert!(
        asked
            .stdout
            .starts_with("needs approval, nothing was run: "),
        "{asked:?}"
    );
    assert!(!world.workspace().join("made").exists());
}

#[test]
fn what_is_wrong_is_a_mistake_of_the_caller() {
    let world = asking();
    for (tool, arguments, told) in [
        (
            "nope",
            "{}",
            "there is no tool `nope`; the tools are bash_run, ",
        ),
        ("bash_run", "{", "the arguments are not JSON: "),
        ("bash_run", "[]", "must be a JSON object, not a list"),
        ("bash_run", "{}", "`bash_run` needs `command`"),
        ("bash_run", "{\"command\":5}", "must be a string, not 5"),
        ("bash_run", "{\"command\":\"\"}", "the command is empty"),
        (
            "task_kill",
            "{\"task_id\":\"bash-x\"}",
            "there is no task `bash-x`",
        ),
    ] {
        let outcome = world.call(&["tools", "call", tool, arguments]);
        assert_eq!(outcome.code, 2, "{tool} {arguments}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{tool} {arguments}");
        assert!(
            outcome.stderr.contains(told),
            "{tool} {arguments}: {outcome:?}"
        );
    }
    assert_eq!(world.records(), [] as [Value; 0]);
}

#[test]
fn the_whole_answer_is_json() {
    let world = asking();
    for (command, code, status, is_error) in [
        ("echo hi", 0, "success", false),
        ("false", 0, "soft_failure", false),
        ("sudo id", 120, "denied", true),
        ("touch made", 121, "needs_approval", true),
    ] {
        let arguments = json!({ "command": command }).to_string();
        let outcome = world.call(&["tools", "call", "--json", "bash_run", &arguments]);
        let (found, answer) = outcome.json();
        assert_eq!(found, code, "{answer}");
        let facts = json!([answer["v"], answer["is_error"], answer["answer"]["command"]]);
        assert_eq!(facts, json!([1, is_error, command]), "{answer}");
        assert_eq!(answer["answer"]["status"], status, "{answer}");
        assert!(answer["text"].is_string(), "{answer}");
    }
}

#[test]
fn arguments_come_from_standard_input_as_well() {
    let world = World::new();
    let mut command = world.bashful(&["tools", "call", "bash_run", "-"]);
    command.stdin(Stdio::piped());
    let text = json!({ "command": "cat", "stdin": "from afar\n" }).to_string();
    let outcome = Running::start_with_input(command, text.as_bytes())
        .end()
        .outcome();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.ends_with("\nfrom afar\n"), "{outcome:?}");
}

#[test]
fn a_task_goes_on_after_the_call() {
    let world = World::new();
    let flags = ["--agent", "claude", "--session", "talk"];
    let on = |tool: &str, arguments: Value| {
        let text = arguments.to_string();
        let mut words = vec!["tools", "call", "--json", tool, &text];
        words.extend(flags);
        world.call(&words).json().1
    };
    let command = "while test ! -e go; do sleep 0.05; done; echo went";
    let started = on(
        "bash_run",
        json!({ "command": command, "run_in_background": true }),
    );
    let id = started["answer"]["task_id"].clone();
    assert_eq!(started["answer"]["state"], "running", "{started}");
    world.write("go", "");
    let ended = on("task_wait", json!({ "task_id": id }));
    assert_eq!(ended["answer"]["stdout"], "went\n", "{ended}");
}
