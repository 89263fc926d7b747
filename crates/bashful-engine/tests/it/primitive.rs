//! Face A, line by line.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use bashful_engine::primitive::{
    BashOptions, PrimitiveContext, PrimitiveError, bash, bash_sequence, bash_success,
};
use bashful_engine::{
    CommandValidator, EngineError, InvalidInvocation, ValidationError, build_safe_command,
    escape_arg,
};

use crate::support::{House, LONG, assert_gone};

#[tokio::test]
async fn a_simple_command_gives_its_code_and_both_streams() {
    let house = House::new();
    let result = bash(&house.context(), "echo out; echo err >&2; exit 3", None)
        .await
        .unwrap();
    let told = (
        result.exit_code,
        result.stdout.as_str(),
        result.stderr.as_str(),
        result.timed_out,
        result.truncated,
        result.success(),
        result.metadata.primitive.as_str(),
    );
    assert_eq!(told, (3, "out\n", "err\n", false, false, false, "bash"));
    assert!(result.metadata.duration > Duration::ZERO && result.metadata.duration < LONG);
}

#[tokio::test]
async fn no_output_is_empty_output() {
    let house = House::new();
    let result = bash(&house.context(), "true", None).await.unwrap();
    assert!(result.success());
    assert_eq!((result.stdout.as_str(), result.stderr.as_str()), ("", ""));
    assert!(result.stdout_bytes().is_empty() && result.stderr_bytes().is_empty());
}

#[tokio::test]
async fn bash_success_makes_a_failure_an_error_with_stderr() {
    let house = House::new();
    let ctx = house.context();
    let fine = bash_success(&ctx, "echo fine", None).await.unwrap();
    assert_eq!(fine.stdout, "fine\n");
    match bash_success(&ctx, "echo no; echo because >&2; exit 42", None).await {
        Err(PrimitiveError::CommandFailed { exit_code, message }) => {
            assert_eq!((exit_code, message.as_str()), (42, "because\n"));
        }
        other => panic!("{other:?}"),
    }
    match bash_success(&ctx, "kill -KILL $$", None).await {
        Err(PrimitiveError::CommandFailed { exit_code, .. }) => assert_eq!(exit_code, -1),
        other => panic!("{other:?}"),
    }
    let short = BashOptions::new().timeout(Duration::from_millis(200));
    match bash_success(&ctx, "echo slow >&2; sleep 100", Some(short)).await {
        Err(PrimitiveError::CommandFailed { exit_code, message }) => {
            assert_eq!(exit_code, -1);
            assert!(message.contains("timed out") && message.contains("slow"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_sequence_stops_after_the_first_failure_and_includes_it() {
    let house = House::new();
    let ctx = house.context();
    let commands = ["echo one", "echo two; exit 5", "touch never"];
    let results = bash_sequence(&ctx, &commands, None).await.unwrap();
    let told: Vec<(i32, &str)> = results
        .iter()
        .map(|result| (result.exit_code, result.stdout.as_str()))
        .collect();
    assert_eq!(told, [(0, "one\n"), (5, "two\n")]);
    assert!(!house.file("never").exists());

    let fine = ["true".to_owned(), "echo last".to_owned()];
    let results = bash_sequence(&ctx, &fine, None).await.unwrap();
    assert_eq!(results.len(), 2);
    let none: [&str; 0] = [];
    assert!(bash_sequence(&ctx, &none, None).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_sequence_stops_at_a_command_that_is_killed() {
    let house = House::new();
    let commands = ["kill -KILL $$", "touch never"];
    let results = bash_sequence(&house.context(), &commands, None)
        .await
        .unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].exit_code, -1);
    assert!(!house.file("never").exists());
}

#[tokio::test]
async fn the_root_as_context_works_with_a_working_directory() {
    let house = House::new();
    let ctx = PrimitiveContext::new("/").with_engine(house.engine());
    let options = BashOptions::new().working_dir("/tmp");
    let result = bash(&ctx, "pwd; echo $HOME", Some(options)).await.unwrap();
    let real = Path::new("/tmp").canonicalize().unwrap();
    assert_eq!(
        result.stdout,
        format!("{}\n{}\n", real.display(), real.display())
    );
}

#[tokio::test]
async fn the_working_directory_must_exist_and_lie_in_the_roots() {
    let house = House::new();
    let ctx = house.context();
    fs::create_dir(house.file("sub")).unwrap();
    fs::write(house.file("file"), "").unwrap();
    symlink("/", house.file("out")).unwrap();
    let at = |directory: &str| Some(BashOptions::new().working_dir(directory));

    let inside = bash(&ctx, "pwd", at("sub")).await.unwrap();
    assert_eq!(
        inside.stdout.trim_end(),
        house.file("sub").to_str().unwrap()
    );
    for outside in ["..", "/", "out", "out/tmp", "sub/../..", "/etc"] {
        assert!(
            matches!(
                bash(&ctx, "touch never", at(outside)).await,
                Err(PrimitiveError::PathNotAllowed { .. })
            ),
            "{outside}"
        );
    }
    assert!(matches!(
        bash(&ctx, "true", at("missing")).await,
        Err(PrimitiveError::Engine(EngineError::Invalid(
            InvalidInvocation::MissingDirectory { .. }
        )))
    ));
    assert!(matches!(
        bash(&ctx, "true", at("file")).await,
        Err(PrimitiveError::Engine(EngineError::Invalid(
            InvalidInvocation::NotADirectory { .. }
        )))
    ));
    let wider = house.context().with_allowed_root(house.path());
    let result = bash(&wider, "pwd", at("../home")).await.unwrap();
    assert_eq!(
        result.stdout.trim_end(),
        house.path().join("home").to_str().unwrap()
    );
}

#[test]
fn paths_are_resolved_from_the_working_directory() {
    let ctx = PrimitiveContext::new("/a/b");
    assert_eq!(ctx.resolve_path("c/d"), Path::new("/a/b/c/d"));
    assert_eq!(ctx.resolve_path("/x"), Path::new("/x"));
    assert_eq!(ctx.working_dir(), Path::new("/a/b"));
    assert_eq!(ctx.allowed_roots(), [Path::new("/a/b")]);
}

#[test]
fn allowed_paths_are_compared_by_components_after_links() {
    let house = House::new();
    let root = house.file("root");
    fs::create_dir_all(root.join("in")).unwrap();
    fs::create_dir(house.file("root-evil")).unwrap();
    symlink(house.workspace(), root.join("out")).unwrap();
    symlink(root.join("in"), root.join("alias")).unwrap();
    let ctx = PrimitiveContext::new(&root);
    for allowed in ["", "in", "in/new", "alias/new", "in/../in", "out/root/in"] {
        assert!(ctx.is_path_allowed(allowed), "{allowed}");
    }
    let beside = house.file("root-evil");
    assert!(!ctx.is_path_allowed(&beside), "a prefix is not a parent");
    for refused in ["..", "../root-evil", "out", "out/x", "in/../../x", "/etc"] {
        assert!(!ctx.is_path_allowed(refused), "{refused}");
    }
    let wider = ctx.with_allowed_root(&beside);
    assert!(wider.is_path_allowed(beside.join("x")));
}

#[tokio::test]
async fn variables_are_set_one_by_one_and_in_bulk() {
    let house = House::new();
    let options = BashOptions::new()
        .env("ONE", "1 and 'more'")
        .envs(BTreeMap::from([("TWO", "zwei ü"), ("THREE", "")]));
    let result = bash(
        &house.context(),
        "echo \"$ONE|$TWO|${THREE-unset}\"",
        Some(options),
    )
    .await
    .unwrap();
    assert_eq!(result.stdout, "1 and 'more'|zwei ü|\n");
}

#[tokio::test]
async fn a_cleared_environment_has_only_what_was_set() {
    let house = House::new();
    let options = BashOptions::new().clear_env().env("ONLY", "this");
    let result = bash(&house.context(), "env", Some(options)).await.unwrap();
    let names: Vec<&str> = result
        .stdout
        .lines()
        .filter_map(|line| line.split('=').next())
        // What bash sets by itself.
        .filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name))
        .collect();
    assert_eq!(names, ["ONLY"]);
}

#[tokio::test]
async fn bad_variables_are_refused() {
    let house = House::new();
    let ctx = house.context();
    for name in ["", "1A", "A-B", "A=B", "LD_PRELOAD", "BASH_ENV", "IFS"] {
        let options = BashOptions::new().env(name, "x");
        assert!(
            matches!(
                bash(&ctx, "touch never", Some(options)).await,
                Err(PrimitiveError::Engine(EngineError::Invalid(_)))
            ),
            "{name}"
        );
    }
    assert!(!house.file("never").exists());
    let chosen = BashOptions::new()
        .env("PAGER", "chosen")
        .allow_startup_variables();
    let result = bash(&ctx, "echo $PAGER", Some(chosen)).await.unwrap();
    assert_eq!(result.stdout, "chosen\n");
}

#[tokio::test]
async fn a_timeout_kills_and_says_so() {
    let house = House::new();
    let options = BashOptions::new().timeout(Duration::from_millis(300));
    let result = bash(&house.context(), "echo begun; sleep 300", Some(options))
        .await
        .unwrap();
    assert_eq!(
        (result.exit_code, result.timed_out, result.stdout.as_str()),
        (-1, true, "begun\n")
    );
    assert!(!result.success());
    assert!(result.metadata.duration >= Duration::from_millis(300));
    assert!(result.metadata.duration < LONG);
}

#[tokio::test]
async fn a_long_command_within_its_timeout_is_left_alone() {
    let house = House::new();
    let ctx = house.context();
    for options in [
        BashOptions::new().timeout(LONG),
        BashOptions::new().no_timeout(),
        BashOptions::new(),
    ] {
        let result = bash(&ctx, "sleep 0.7; echo done", Some(options))
            .await
            .unwrap();
        assert_eq!(
            (result.stdout.as_str(), result.timed_out),
            ("done\n", false)
        );
        assert!(result.metadata.duration >= Duration::from_millis(700));
    }
}

#[tokio::test]
async fn a_zero_timeout_is_refused() {
    let house = House::new();
    let options = BashOptions::new().timeout(Duration::ZERO);
    assert!(matches!(
        bash(&house.context(), "true", Some(options)).await,
        Err(PrimitiveError::Engine(EngineError::Invalid(
            InvalidInvocation::ZeroTimeout
        )))
    ));
}

#[tokio::test]
async fn blocked_commands_do_not_run() {
    let house = House::new();
    let ctx = house.context();
    let options = BashOptions::new().block_command("npm publish");
    match bash(&ctx, "touch never; npm publish", Some(options.clone())).await {
        Err(PrimitiveError::Blocked(decision)) => {
            assert_eq!(decision.fact.as_deref(), Some("npm publish"));
        }
        other => panic!("{other:?}"),
    }
    for builtin in [
        "rm -rf /",
        "rm  -fr  --no-preserve-root /",
        ":(){ :|:& };:",
        "mkfs.ext4 /dev/sda1",
        "dd if=/dev/zero of=/dev/sda",
        "echo x > /dev/sda",
        "touch never; bash -c 'rm -rf /*'",
    ] {
        assert!(
            matches!(
                bash(&ctx, builtin, None).await,
                Err(PrimitiveError::Blocked(_))
            ),
            "{builtin}"
        );
    }
    assert!(!house.file("never").exists());
    assert_eq!(house.tasks(), 0, "a process was started");
    // Each is on record, with the rule that refused it, and so is what makes no sense.
    let refusals = || -> Vec<(String, String)> {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let records = house.refusals().into_iter();
        records
            .map(|record| (text(&record["action"]), text(&record["rule"])))
            .collect()
    };
    let recorded = refusals();
    assert_eq!(recorded.len(), 8, "{recorded:?}");
    let (action, rule) = &recorded[0];
    assert_eq!(action, "tool:bash:touch never; npm publish");
    assert!(rule != "invalid-request", "{recorded:?}");
    let elsewhere = BashOptions::new().working_dir("nowhere");
    bash(&ctx, "true", Some(elsewhere)).await.unwrap_err();
    let last = ("tool:bash:true".to_owned(), "invalid-request".to_owned());
    assert_eq!(refusals().last(), Some(&last));
    let fine = bash(&ctx, "echo fine", Some(options)).await.unwrap();
    assert_eq!(refusals().len(), 9);
    assert!(fine.success());
}

#[tokio::test]
async fn malformed_commands_do_not_run() {
    let house = House::new();
    let ctx = house.context();
    for blank in ["", "  ", "\n\t"] {
        assert!(matches!(
            bash(&ctx, blank, None).await,
            Err(PrimitiveError::Engine(EngineError::Invalid(
                InvalidInvocation::Empty
            )))
        ));
    }
    assert!(matches!(
        bash(&ctx, "echo a\0b", None).await,
        Err(PrimitiveError::Engine(EngineError::Invalid(
            InvalidInvocation::NulByte
        )))
    ));
    let long = format!("true {}", "x".repeat(1 << 20));
    assert!(matches!(
        bash(&ctx, &long, None).await,
        Err(PrimitiveError::Engine(EngineError::Invalid(
            InvalidInvocation::TooLong { .. }
        )))
    ));
    assert_eq!(house.tasks(), 0);
}

#[tokio::test]
async fn max_output_keeps_the_head_of_each_stream() {
    let house = House::new();
    let options = BashOptions::new().max_output(1000);
    let command = "for i in {1..2000}; do echo out$i; echo err$i >&2; done";
    let result = bash(&house.context(), command, Some(options))
        .await
        .unwrap();
    assert!(result.truncated && result.success());
    for (text, word) in [(&result.stdout, "out"), (&result.stderr, "err")] {
        assert!(text.len() <= 1000, "{} bytes", text.len());
        assert!(text.starts_with(&format!("{word}1\n{word}2\n")));
        let marker = text.lines().last().unwrap();
        let total: usize = (1..=2000).map(|i| format!("{word}{i}\n").len()).sum();
        let shown = text.len() - marker.len();
        // The line break before the marker may be the output's own or ours.
        let hidden = |shown: usize| format!("... ({} characters truncated) ...", total - shown);
        assert!(
            marker == hidden(shown) || marker == hidden(shown - 1),
            "{marker}"
        );
    }
}

#[tokio::test]
async fn the_default_limit_is_ten_mebibytes() {
    let house = House::new();
    let ctx = house.context();
    let under = "head -c 10485760 /dev/zero | tr '\\0' x";
    let result = bash(&ctx, under, None).await.unwrap();
    assert_eq!((result.stdout.len(), result.truncated), (10 << 20, false));
    let over = "head -c 10485761 /dev/zero | tr '\\0' x";
    let result = bash(&ctx, over, None).await.unwrap();
    assert!(result.truncated && result.stdout.len() <= 10 << 20);
    assert!(result.stdout.len() > 10_000_000);
}

#[tokio::test]
async fn invalid_utf8_is_replaced_in_text_and_kept_in_bytes() {
    let house = House::new();
    let command = r"printf 'a\xff\xfeb\xe2\x82'; printf '\x80' >&2";
    let result = bash(&house.context(), command, None).await.unwrap();
    assert_eq!(result.stdout, "a\u{fffd}\u{fffd}b\u{fffd}");
    assert_eq!(result.stdout_bytes(), b"a\xff\xfeb\xe2\x82");
    assert_eq!(result.stderr, "\u{fffd}");
    assert_eq!(result.stderr_bytes(), b"\x80");
}

#[tokio::test]
async fn invalid_utf8_is_kept_in_bytes_also_where_output_was_cut() {
    let house = House::new();
    let options = BashOptions::new().max_output(1000);
    let command = r"printf 'a\xff\xfeb'; head -c 5000 /dev/zero | tr '\0' x";
    let result = bash(&house.context(), command, Some(options))
        .await
        .unwrap();
    assert!(result.truncated);
    assert!(result.stdout.starts_with("a\u{fffd}\u{fffd}bxxx"));
    assert!(
        result.stdout_bytes().starts_with(b"a\xff\xfebxxx"),
        "the bytes begin with {:?}",
        &result.stdout_bytes()[..10]
    );
}

#[tokio::test]
async fn the_exit_code_is_minus_one_when_killed() {
    let house = House::new();
    let ctx = house.context();
    for signal in ["KILL", "TERM", "SEGV"] {
        let result = bash(&ctx, &format!("kill -{signal} $$; sleep 10"), None)
            .await
            .unwrap();
        assert_eq!(
            (result.exit_code, result.timed_out),
            (-1, false),
            "{signal}"
        );
    }
    // The shell's own way of saying it is an exit code like any other.
    let result = bash(&ctx, "bash -c 'kill -KILL $$'; exit $?", None)
        .await
        .unwrap();
    assert_eq!(result.exit_code, 137);
}

#[tokio::test]
async fn operations_are_named_by_the_caller_or_by_us() {
    let house = House::new();
    let ctx = house.context().with_operation_id("deploy-7");
    assert_eq!(ctx.operation_id(), Some("deploy-7"));
    let named = bash(&ctx, "true", None).await.unwrap();
    assert_eq!(named.metadata.operation_id, "deploy-7");
    let ctx = house.context();
    let one = bash(&ctx, "true", None).await.unwrap().metadata;
    let other = bash(&ctx, "true", None).await.unwrap().metadata;
    assert_ne!(one.operation_id, other.operation_id);
    assert!(!one.operation_id.is_empty());
}

#[test]
fn the_validator_passes_the_ordinary_and_refuses_the_rest() {
    let validator = CommandValidator::new(&["terraform destroy"]);
    for fine in ["ls -la", "git status", "echo 'hello'", "rm -rf ./build"] {
        assert_eq!(validator.validate(fine), Ok(()), "{fine}");
    }
    assert_eq!(validator.validate("  "), Err(ValidationError::Empty));
    for refused in [
        "terraform destroy -auto-approve",
        "rm -rf /",
        "rm -r -f /",
        "rm --recursive --force /",
        "/bin/rm -rf /",
        "'rm' \"-rf\" /",
        ":(){ :|:& };:",
        "bomb() { bomb | bomb & }; bomb",
        "mkfs /dev/sdb",
        "dd if=/dev/sda of=disk.img",
    ] {
        assert!(
            matches!(
                validator.validate(refused),
                Err(ValidationError::Refused(_))
            ),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn quoted_arguments_arrive_unchanged() {
    assert_eq!(escape_arg("it's"), r"'it'\''s'");
    let house = House::new();
    let arguments = ["it's", "a b", "", "$HOME `id` \\", "-n\nnew", "*", "ü🦀"];
    let command = build_safe_command("printf '%s\\0'", &arguments);
    let result = bash(&house.context(), &command, None).await.unwrap();
    let received: Vec<&str> = result.stdout.split_terminator('\0').collect();
    assert_eq!(received, arguments);
}

#[tokio::test]
async fn dropping_the_future_ends_the_process_and_its_children() {
    let house = House::new();
    let ctx = house.context();
    // One of each kind: plain, in a session of its own, double-forked and
    // orphaned, deaf to SIGTERM, stopped.
    let command = r"
        sleep 1000 & echo $! $(readlink /proc/self/ns/pid) > plain
        setsid bash -c 'echo $$ $(readlink /proc/self/ns/pid) > session; exec sleep 1000' &
        (setsid bash -c 'echo $$ $(readlink /proc/self/ns/pid) > orphan; exec sleep 1000' > /dev/null 2>&1 &)
        (trap '' TERM HUP INT; echo $BASHPID $(readlink /proc/self/ns/pid) > deaf; while :; do sleep 0.1; done) &
        bash -c 'echo $$ $(readlink /proc/self/ns/pid) > stopped; kill -STOP $$' &
        trap '' TERM
        echo $$ $(readlink /proc/self/ns/pid) > leader
        while :; do sleep 0.1; done";
    let running = bash(&ctx, command, None);
    let names = ["plain", "session", "orphan", "deaf", "stopped", "leader"];
    let mut processes = Vec::new();
    {
        let mut running = std::pin::pin!(running);
        let ready = || names.iter().all(|name| house.file(name).exists());
        while !ready() {
            let tick = tokio::time::timeout(Duration::from_millis(20), running.as_mut());
            assert!(tick.await.is_err(), "the command ended by itself");
        }
        processes.extend(names.map(|name| house.process(name)));
        // Dropped here.
    }
    assert_gone(&processes);
}
