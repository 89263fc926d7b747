//! Face B, line by line.

use std::fs;
use std::time::{Duration, Instant};

use bashful_engine::Backend;
use bashful_engine::config::Sandbox;
use bashful_engine::{
    AgentTool, BashExecute, Effect, EngineError, ExecutionResult, InvalidInvocation,
    PermissionProfile, PolicyMode, Status,
};
use serde_json::Value;

use crate::support::{House, LONG, assert_gone, eventually, is_alive, numbered};

fn tool(house: &House) -> AgentTool {
    AgentTool::new(house.engine(), "chat")
}

fn call(house: &House, command: &str) -> BashExecute {
    BashExecute::new(command, house.workspace(), PermissionProfile::default())
}

async fn execute(house: &House, command: &str) -> ExecutionResult {
    tool(house)
        .bash_execute(call(house, command))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_result_has_the_promised_fields() {
    let house = House::new();
    let result = execute(&house, "echo out; echo err >&2; exit 2").await;
    let json = serde_json::to_value(&result).unwrap();
    let duration = json["duration_ms"].as_u64().unwrap();
    assert!(duration < 60_000);
    for (name, expected) in [
        ("v", Value::from(1)),
        ("command", "echo out; echo err >&2; exit 2".into()),
        ("exit_code", 2.into()),
        ("stdout", "out\n".into()),
        ("stderr", "err\n".into()),
        ("timed_out", false.into()),
        ("truncated", false.into()),
        ("status", "soft_failure".into()),
        ("exit_status", "soft_failure".into()),
        ("success", false.into()),
        ("stdout_bytes", 4.into()),
        ("stderr_bytes", 4.into()),
        ("agent", "chat".into()),
    ] {
        assert_eq!(json[name], expected, "{name}");
    }
    let id = json["task_id"].as_str().unwrap();
    assert!(id.starts_with("bash-"), "{id}");
    let enforcement = &json["enforcement"];
    assert_eq!(enforcement["backend"], "native");
    assert_eq!(enforcement["filesystem"], "full");
    assert!(json["usage"]["cpu_ms"].is_u64() && json["usage"]["max_rss_kib"].is_u64());
    for absent in ["signal", "description", "survivors", "error"] {
        assert!(json.get(absent).is_none(), "{absent}");
    }
}

#[tokio::test]
async fn the_exit_code_is_absent_when_killed() {
    let house = House::new();
    let json = serde_json::to_value(execute(&house, "kill -KILL $$").await).unwrap();
    assert_eq!(json.get("exit_code"), None);
    assert_eq!(json["signal"], "SIGKILL");
    assert_eq!(json["status"], "hard_failure");
    assert_eq!(json["exit_status"], "hard_failure");
}

#[tokio::test]
async fn the_working_directory_and_the_home_are_the_workspace() {
    let house = House::new();
    let result = execute(&house, "pwd; echo $HOME; cd; pwd").await;
    let workspace = house.workspace().display().to_string();
    assert_eq!(result.stdout, format!("{workspace}\n").repeat(3));
}

#[tokio::test]
async fn only_the_allow_list_arrives() {
    let house = House::new();
    let mut environment = house.environment();
    let allowed = [
        ("USER", "ann"),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C"),
        ("TERM", "dumb"),
        ("SHELL", "/bin/bash"),
        ("TMPDIR", "/tmp"),
    ];
    let planted = [
        ("DISCORD_TOKEN", "chat-token-planted-1"),
        ("OPENAI_API_KEY", "sk-planted-api-key-2"),
        ("AWS_SECRET_ACCESS_KEY", "aws-planted-secret-3"),
        ("SSH_AUTH_SOCK", "/run/agent-planted-4"),
        ("SOMETHING_ELSE", "else-planted-5"),
        ("LD_LIBRARY_PATH", "/planted/6"),
        ("BASH_ENV", "/planted/7"),
    ];
    for (name, value) in allowed.into_iter().chain(planted) {
        environment.insert(name.to_owned(), value.to_owned());
    }
    // The environment itself, and what `/proc` shows of the shell, of the keeper
    // and of the guard above it, as far as they can be seen.
    let command = r"
        env
        guard=$(awk '/^PPid/ { print $2 }' /proc/$PPID/status)
        for pid in $$ $PPID $guard; do
            tr '\0' '\n' < /proc/$pid/environ
            tr '\0' '\n' < /proc/$pid/cmdline
        done 2>&1
        declare -p";
    for sandbox in [Sandbox::By(Backend::Native), Sandbox::None] {
        let builder = house.builder().environment(environment.clone());
        // What it looks into is what the policy keeps commands from.
        let builder = builder.policy(PolicyMode::None);
        let engine = builder.sandbox(sandbox).build().unwrap();
        let tool = AgentTool::new(engine, "chat");
        let result = tool.bash_execute(call(&house, command)).await.unwrap();
        for (name, value) in allowed {
            let line = format!("{name}={value}");
            let arrived = result.stdout.lines().any(|each| each == line);
            // The caller's temporary directory is not there in a sandbox.
            let expected = sandbox == Sandbox::None || name != "TMPDIR";
            assert_eq!(arrived, expected, "{line} with {sandbox:?}");
        }
        for (name, value) in planted {
            for text in [name, value, "[masked]"] {
                assert!(!result.stdout.contains(text), "{text}: {}", result.stdout);
            }
        }
        assert!(result.stdout.lines().any(|line| line.starts_with("PATH=")));
        let cache = house.path().join("cache");
        let line = format!("XDG_CACHE_HOME={}", cache.display());
        assert!(result.stdout.contains(&line), "no cache of ours");
    }
}

#[tokio::test]
async fn overrides_arrive_and_are_checked() {
    let house = House::new();
    let fine = call(&house, "echo $MODE").env_override("MODE", "fast");
    let result = tool(&house).bash_execute(fine).await.unwrap();
    assert_eq!(result.stdout, "fast\n");
    let bad = call(&house, "true").env_override("LD_PRELOAD", "x.so");
    assert!(matches!(
        tool(&house).bash_execute(bad).await,
        Err(EngineError::Invalid(
            InvalidInvocation::StartupVariable { .. }
        ))
    ));
}

#[tokio::test]
async fn a_denied_action_runs_nothing_and_is_audited() {
    let house = House::new();
    let profile = PermissionProfile::new("reviewer")
        .allow("tool:bash:git *")
        .deny("tool:bash:git push *")
        .default_effect(Effect::Deny)
        .build()
        .unwrap();
    let command = "git push origin main";
    let denied = BashExecute::new(command, house.workspace(), profile);
    let result = tool(&house).bash_execute(denied).await.unwrap();
    assert_eq!((result.status, result.success), (Status::Denied, false));
    let decision = result.decision.unwrap();
    assert_eq!(decision.effect, Effect::Deny);
    assert_eq!(decision.rule, "tool:bash:git push *");
    assert_eq!((result.exit_code, result.task_id), (None, None));
    assert_eq!(house.tasks(), 0);
    let records = house.refusals();
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    for (name, expected) in [
        ("v", Value::from(1)),
        ("event", "refusal".into()),
        ("agent", "chat".into()),
        ("action", "tool:bash:git push origin main".into()),
        ("effect", "deny".into()),
        ("rule", "tool:bash:git push *".into()),
    ] {
        assert_eq!(record[name], expected, "{name}");
    }
    assert!(record["at_ms"].as_u64().unwrap() > 1_700_000_000_000);
}

#[tokio::test]
async fn an_ask_comes_back_to_the_caller() {
    let house = House::new();
    let profile = PermissionProfile::new("asking")
        .ask("tool:bash:touch *")
        .build()
        .unwrap();
    let asked = BashExecute::new("touch never", house.workspace(), profile.clone());
    let result = tool(&house).bash_execute(asked).await.unwrap();
    assert_eq!(result.status, Status::NeedsApproval);
    assert_eq!(result.decision.unwrap().effect, Effect::Ask);
    assert!(!house.file("never").exists());
    assert_eq!(house.refusals()[0]["effect"], "ask");
    // What no rule asks about runs.
    let free = BashExecute::new("echo free", house.workspace(), profile);
    let result = tool(&house).bash_execute(free).await.unwrap();
    assert_eq!(result.status, Status::Success);
}

#[tokio::test]
async fn the_blocklist_is_looked_at_before_the_profile() {
    let house = House::new();
    for profile in [
        PermissionProfile::new("all").allow("tool:bash:*"),
        PermissionProfile::new("ask").ask("tool:bash:*"),
        PermissionProfile::new("deny").deny("tool:bash:*"),
    ] {
        let profile = profile.build().unwrap();
        let blocked = BashExecute::new("rm -rf /", house.workspace(), profile);
        let result = tool(&house).bash_execute(blocked).await.unwrap();
        assert_eq!(result.status, Status::Denied);
        assert_eq!(result.decision.unwrap().rule, "delete-root");
    }
    let rules: Vec<Value> = house
        .refusals()
        .iter()
        .map(|it| it["rule"].clone())
        .collect();
    assert_eq!(rules, ["delete-root", "delete-root", "delete-root"]);
}

#[tokio::test]
async fn the_worst_is_refused_before_any_process_exists() {
    let house = House::new();
    // Without a keeper nothing could run at all: a refusal does not even look for one.
    let engine = house.builder().helper("/nonexistent/keeper").build();
    let tool = AgentTool::new(engine.unwrap(), "chat");
    for command in ["rm -rf /", ":(){ :|:& };:", "sudo rm -rf /*"] {
        let result = tool.bash_execute(call(&house, command)).await.unwrap();
        assert_eq!(result.status, Status::Denied, "{command}");
    }
    assert_eq!((house.tasks(), house.refusals().len()), (0, 3));
}

#[tokio::test]
async fn ordinary_deleting_is_allowed() {
    let house = House::new();
    fs::create_dir_all(house.file("subdir/deep")).unwrap();
    fs::write(house.file("file"), "x").unwrap();
    let result = execute(&house, "rm file").await;
    assert_eq!(result.status, Status::Success, "{result:?}");
    let result = execute(&house, "rm -rf ./subdir").await;
    assert_eq!(result.status, Status::Success, "{result:?}");
    assert!(!house.file("file").exists() && !house.file("subdir").exists());
    assert!(house.refusals().is_empty());
}

#[tokio::test]
async fn long_output_keeps_its_tail_under_a_marker() {
    let house = House::new();
    let command = "for i in {1..300}; do echo ü$i; echo é$i >&2; done";
    let short = call(&house, command).max_output_len(100);
    let result = tool(&house).bash_execute(short).await.unwrap();
    assert!(result.truncated);
    for (text, letter) in [(&result.stdout, "ü"), (&result.stderr, "é")] {
        let whole = numbered(letter, 300);
        let total = whole.chars().count();
        let tail: String = whole.chars().skip(total - 100).collect();
        let marker = format!("[Output truncated: showing last 100 chars of {total} chars]");
        assert_eq!(text, &format!("{marker}\n{tail}"));
    }
}

#[tokio::test]
async fn the_default_limit_is_fifty_thousand_characters() {
    let house = House::new();
    let fits = execute(&house, "head -c 50000 /dev/zero | tr '\\0' x").await;
    assert_eq!((fits.stdout.len(), fits.truncated), (50_000, false));
    let over = execute(&house, "head -c 50001 /dev/zero | tr '\\0' x").await;
    let marker = "[Output truncated: showing last 50000 chars of 50001 chars]\n";
    assert_eq!(over.stdout, format!("{marker}{}", "x".repeat(50_000)));
    assert_eq!((over.truncated, over.stdout_bytes), (true, 50_001));
}

#[tokio::test]
async fn at_the_timeout_sigterm_two_seconds_sigkill() {
    let house = House::new();
    let polite = call(
        &house,
        "trap 'echo bye; exit 9' TERM; while :; do sleep 0.05; done",
    )
    .timeout(Duration::from_millis(300));
    let result = tool(&house).bash_execute(polite).await.unwrap();
    assert_eq!((result.status, result.timed_out), (Status::TimedOut, true));
    assert_eq!(result.stdout, "bye\n");

    let deaf = call(
        &house,
        "trap '' TERM; echo $$ > deaf; while :; do sleep 0.05; done",
    )
    .timeout(Duration::from_millis(300));
    let result = tool(&house).bash_execute(deaf).await.unwrap();
    assert_eq!((result.status, result.timed_out), (Status::TimedOut, true));
    assert_eq!(result.signal.as_deref(), Some("SIGKILL"));
    assert_eq!(result.exit_code, None);
    assert!(
        result.duration >= Duration::from_millis(2200),
        "killed after {:?}",
        result.duration
    );
    assert!(result.duration < Duration::from_secs(30));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_commands_of_one_agent_at_once_are_listed_and_destroyed() {
    let house = House::new();
    let engine = house.engine();
    let chat = AgentTool::new(engine.clone(), "chat");
    let other = AgentTool::new(engine.clone(), "other");
    let mut calls = Vec::new();
    for number in 1..=3 {
        let (chat, call) = (
            chat.clone(),
            call(
                &house,
                &format!("echo $$ $(readlink /proc/self/ns/pid) > chat{number}; sleep 1000 & wait"),
            ),
        );
        calls.push(tokio::spawn(async move { chat.bash_execute(call).await }));
    }
    let theirs = {
        let (other, call) = (
            other.clone(),
            call(
                &house,
                "echo $$ $(readlink /proc/self/ns/pid) > other; until [ -e go ]; do sleep 0.05; done",
            ),
        );
        tokio::spawn(async move { other.bash_execute(call).await })
    };
    let names = ["chat1", "chat2", "chat3"];
    let ours = names.map(|name| house.process(name));
    let stranger = house.process("other");

    let listed = chat.running();
    assert_eq!(listed.len(), 3, "{listed:?}");
    assert!(listed.iter().all(|one| one.agent == "chat"));
    assert!(listed.iter().all(|one| one.command.contains("sleep 1000")));
    assert_eq!((engine.running().len(), other.running().len()), (4, 1));
    // The same from outside: what `bashful status` shows.
    let seen = bashful_engine::running(&house.state()).unwrap();
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert_eq!(seen.iter().filter(|task| task.agent == "chat").count(), 3);

    let begun = Instant::now();
    assert_eq!(chat.destroy(), 3);
    for call in calls {
        let result = call.await.unwrap().unwrap();
        assert_eq!(result.status, Status::Cancelled);
    }
    assert!(begun.elapsed() < LONG);
    assert_gone(&ours);
    assert!(is_alive(stranger), "another agent's run was ended");
    fs::write(house.file("go"), "").unwrap();
    assert_eq!(theirs.await.unwrap().unwrap().status, Status::Success);
    assert!(eventually(LONG, || engine.running().is_empty()));
    assert!(eventually(LONG, || bashful_engine::running(&house.state())
        .unwrap()
        .is_empty()));
}
