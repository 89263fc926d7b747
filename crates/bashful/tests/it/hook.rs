//! `bashful hook`: what a client's own shell is told, and what then really runs.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Outcome, Running, World, binary};

/// What Claude Code sends before a command.
fn request(world: &World, command: &str) -> Value {
    json!({
        "session_id": "5e1f0c3a-77aa-4f08-9d11-7f0d2d8c1b11",
        "transcript_path": "/x/y.jsonl",
        "cwd": world.workspace(),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": command, "description": "it's \"one\" -x", "timeout": 60000 },
        "tool_use_id": "toolu_1",
    })
}

fn answer_to(command: Command, input: impl AsRef<[u8]>) -> Outcome {
    Running::start_with_input(command, input.as_ref())
        .end()
        .outcome()
}

/// What the hook says about a request.
fn asked(world: &World, request: &Value) -> Outcome {
    answer_to(world.bashful(&["hook", "claude"]), request.to_string())
}

/// The part of the answer that counts.
fn answer(outcome: &Outcome) -> Value {
    let (code, object) = outcome.json();
    assert_eq!(code, 0, "{outcome:?}");
    let answer = object["hookSpecificOutput"].clone();
    assert_eq!(answer["hookEventName"], "PreToolUse");
    answer
}

/// Runs what the hook made of a command, as Claude Code does: as text for bash.
fn run_rewritten(world: &World, answer: &Value) -> Outcome {
    assert_eq!(answer["permissionDecision"], "allow", "{answer}");
    let line = answer["updatedInput"]["command"].as_str().unwrap();
    let mut bash = world.program("bash");
    bash.args(["-c", &format!("eval {}", quoted(line))]);
    Running::start(bash).end().outcome()
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn denied(outcome: &Outcome) -> String {
    let answer = answer(outcome);
    assert_eq!(answer["permissionDecision"], "deny", "{answer}");
    assert!(answer.get("updatedInput").is_none(), "{answer}");
    answer["permissionDecisionReason"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn what_is_allowed_runs_through_us_exactly_as_it_was() {
    let world = World::new();
    let commands = [
        "echo hello",
        "printf '%s|' 'a  b' \"c\\\"d\" $((1+1)) `echo e` $'f\\tg' \\\\; echo",
        "echo 'it'\\''s'; echo \"$(echo '(')\"",
        "cat <<'END'\n$HOME \\ `x` '\nEND\necho \"after\"",
        "echo one\n\necho two # 'comment\n",
        "  echo leading; ! false && echo $?",
        "echo ünïcödé 日本 \u{1f980}; echo '!!' !$ 2>&1",
        "for i in 1 2; do echo $i; done | tac; exit 3",
        "-n",
        "--help",
    ];
    for command in commands {
        let outcome = asked(&world, &request(&world, command));
        assert_eq!(outcome.stderr, "", "{command}");
        let through = run_rewritten(&world, &answer(&outcome));
        let mut bash = world.program("bash");
        bash.args(["-c", "--", command]);
        let plain = Running::start(bash).end().outcome();
        let expected = (plain.code, plain.stdout.as_str());
        assert_eq!(
            (through.code, through.stdout.as_str()),
            expected,
            "{command}: {through:?}"
        );
    }
}

#[test]
fn it_is_confined_and_on_record() {
    let world = World::new();
    let command = "grep Seccomp: /proc/self/status; touch made; pwd; echo x > /etc/made";
    let outcome = asked(
        &world,
        &request(&world, "grep Seccomp: /proc/self/status; touch made"),
    );
    let ran = run_rewritten(&world, &answer(&outcome));
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "Seccomp:\t2\n"),
        "{ran:?}"
    );
    assert!(world.workspace().join("made").exists());
    assert!(denied(&asked(&world, &request(&world, command))).contains("Bashful refused this"));
    let audit = world.call(&["audit", "export"]);
    assert!(audit.stdout.contains("\"claude\""), "{audit:?}");
}

#[test]
fn all_other_input_stays() {
    let world = World::new();
    let mut request = request(&world, "sleep 1 & wait");
    request["tool_input"]["run_in_background"] = json!(true);
    request["tool_input"]["more"] = json!({ "a": [1, null] });
    let answer = answer(&asked(&world, &request));
    let mut input = answer["updatedInput"].clone();
    let line = input["command"].as_str().unwrap().to_owned();
    input["command"] = json!("sleep 1 & wait");
    assert_eq!(input, request["tool_input"]);
    for word in [
        "'--no-ask'",
        "'--agent=claude'",
        "'--timeout=1d'",
        "'--session=claude-5e1f0c3a-77aa-4f08-9d11-7f0d2d8c1b11'",
    ] {
        assert!(line.contains(word), "{word}: {line}");
    }
    request["tool_input"]["run_in_background"] = json!(false);
    let line = self::answer(&asked(&world, &request))["updatedInput"]["command"].to_string();
    assert!(
        line.contains("'--timeout=60s'") || line.contains("'--timeout=1m'"),
        "{line}"
    );
}

#[test]
fn what_is_denied_is_told_with_rule_and_reason() {
    let world = World::new();
    // What no flag lifts in a sandbox, such as `sudo`, names none.
    for (command, rule, opens) in [
        ("sudo reboot", "sudo", false),
        ("rm -rf .git", "delete-history", true),
    ] {
        let reason = denied(&asked(&world, &request(&world, command)));
        assert!(reason.contains(&format!("by rule {rule}")), "{reason}");
        assert!(reason.contains("Instead:"), "{reason}");
        assert_eq!(reason.contains("a person can open"), opens, "{reason}");
    }
}

#[test]
fn what_needs_a_yes_is_asked_by_the_run_itself() {
    let world = World::new();
    let outcome = asked(&world, &request(&world, "git push origin main"));
    let answer = answer(&outcome);
    let ran = run_rewritten(&world, &answer);
    assert_eq!(ran.code, 121, "{ran:?}");
    assert!(
        ran.stderr.contains("bashful approvals allow ask-"),
        "{ran:?}"
    );
    let list = world.call(&["approvals", "list", "--json"]).json().1;
    let ask = &list["asks"][0];
    assert_eq!(
        (&ask["agent"], &ask["command"]),
        (&json!("claude"), &json!("git push origin main"))
    );
}

#[test]
fn the_project_is_where_claude_code_was_started() {
    let world = World::new();
    std::fs::create_dir(world.workspace().join("sub")).unwrap();
    let mut request = request(&world, "pwd; touch ../beside");
    request["cwd"] = json!(world.workspace().join("sub"));
    let mut command = world.bashful(&["hook", "claude"]);
    command.env("CLAUDE_PROJECT_DIR", world.workspace());
    let ran = run_rewritten(&world, &answer(&answer_to(command, request.to_string())));
    let expected = format!("{}/sub\n", world.workspace().display());
    assert_eq!((ran.code, ran.stdout), (0, expected));
    assert!(world.workspace().join("beside").exists());
    // Outside of it, nothing runs.
    request["cwd"] = json!("/usr");
    let mut command = world.bashful(&["hook", "claude"]);
    command.env("CLAUDE_PROJECT_DIR", world.workspace());
    let reason = denied(&answer_to(command, request.to_string()));
    assert!(reason.contains("outside the workspace"), "{reason}");
}

#[test]
fn a_home_directory_is_no_project() {
    let world = World::new();
    for place in [world.path("home").as_path(), Path::new("/")] {
        let mut request = request(&world, "ls");
        request["cwd"] = json!(place);
        assert!(denied(&asked(&world, &request)).contains("needs a project"));
    }
}

#[test]
fn about_other_tools_it_has_no_opinion() {
    let world = World::new();
    for tool in ["Read", "Edit", "mcp__bashful__bash_run", "bash", ""] {
        let mut request = request(&world, "sudo ls");
        request["tool_name"] = json!(tool);
        let outcome = asked(&world, &request);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{tool}");
    }
    let mut request = request(&world, "ls");
    request["tool_name"] = json!("PowerShell");
    assert!(denied(&asked(&world, &request)).contains("Bashful runs only bash"));
    request["tool_name"] = json!("Monitor");
    assert!(answer(&asked(&world, &request))["updatedInput"]["command"].is_string());
    request["tool_input"] = json!({ "ws": { "url": "ws://x" } });
    assert_eq!(asked(&world, &request).stdout, "");
}

#[test]
fn what_makes_no_sense_is_blocked() {
    let world = World::new();
    let huge = format!("{{\"tool_name\": \"{}\"}}", "x".repeat(17 << 20));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let requests: [&[u8]; 12] = [
        b"",
        b"null",
        b"[]",
        b"{",
        b"{}",
        b"{\"tool_name\": 1}",
        b"{\"tool_name\": \"Bash\"}",
        b"{\"tool_name\": \"Bash\", \"tool_input\": []}",
        b"{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": [\"ls\"]}, \"cwd\": \"/tmp\"}",
        b"{\"tool_name\": \"B\xff\"}",
        huge.as_bytes(),
        deep.as_bytes(),
    ];
    for request in requests {
        let outcome = answer_to(world.bashful(&["hook", "claude"]), request);
        let shown = String::from_utf8_lossy(&request[..request.len().min(60)]).into_owned();
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (2, ""),
            "{shown}: {outcome:?}"
        );
        assert!(
            outcome.stderr.starts_with("bashful: blocked: "),
            "{shown}: {outcome:?}"
        );
    }
}

#[test]
fn what_cannot_be_a_command_is_denied() {
    let world = World::new();
    let long = format!("echo {}", "x".repeat(200_000));
    let longest = format!("echo {}", "x".repeat(2 << 20));
    for (command, why) in [
        ("", "empty"),
        ("echo a\u{0}; rm -rf .", "NUL"),
        (long.as_str(), "too long"),
        (longest.as_str(), "too long"),
    ] {
        let reason = denied(&asked(&world, &request(&world, command)));
        assert!(reason.contains(why), "{reason}");
    }
}

#[test]
fn what_cannot_be_judged_is_denied() {
    let world = World::new();
    world.configure("[profile.default\n");
    let reason = denied(&asked(&world, &request(&world, "ls")));
    assert!(reason.contains("cannot judge"), "{reason}");
    let world = World::new();
    let command = world.bashful(&["hook", "claude", "--profile", "nobody"]);
    let reason = denied(&answer_to(command, request(&world, "ls").to_string()));
    assert!(reason.contains("nobody"), "{reason}");
}

#[test]
fn cursor_is_always_refused() {
    let world = World::new();
    let hook = || world.bashful(&["hook", "cursor"]);
    let request = json!({ "command": "ls", "cwd": "", "hook_event_name": "beforeShellExecution" });
    let (code, answer) = answer_to(hook(), request.to_string()).json();
    assert_eq!((code, &answer["permission"]), (0, &json!("deny")));
    assert!(
        answer["agent_message"]
            .as_str()
            .unwrap()
            .contains("bash_run"),
        "{answer}"
    );
    assert_eq!(answer_to(hook(), "nonsense").code, 2);
}

#[test]
fn the_hook_that_is_installed_is_this_one_and_blocks_when_it_is_gone() {
    let world = World::new();
    let outcome = world.call(&[
        "mcp",
        "install",
        "claude",
        "--keep-shell",
        "--hook",
        "--yes",
    ]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let settings = std::fs::read_to_string(world.path("home/.claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let hook = &settings["hooks"]["PreToolUse"][0];
    assert_eq!(hook["matcher"], "Bash|PowerShell|Monitor");
    let line = hook["hooks"][0]["command"].as_str().unwrap();
    let call = |line: &str, text: &str| {
        let mut shell = world.program("sh");
        shell.args(["-c", line]);
        answer_to(shell, text)
    };
    let allowed = call(line, &request(&world, "echo here").to_string());
    assert_eq!(run_rewritten(&world, &answer(&allowed)).stdout, "here\n");
    assert_eq!(call(line, "nonsense").code, 2);
    let program = binary().canonicalize().unwrap();
    let gone = line.replace(program.to_str().unwrap(), "/nowhere/bashful");
    assert_eq!(
        call(&gone, &request(&world, "echo here").to_string()).code,
        2
    );
}
