//! Runs of scripts: what they are given, what they can reach, how they end.

use std::fs;
use std::os::unix::fs::symlink;

use bashful_engine::audit::ScriptChange;
use bashful_engine::scripts::{
    ActionOutcome, BashRun, MissingValues, NewScript, ScriptError, Seen,
};
use bashful_engine::{Effect, Engine, ExitClass, Status};
use serde_json::json;

use crate::scripts::{changes, create, folder, new, witness};
use crate::scripts_approval::run;
use crate::support::House;

/// A script that a person approved.
pub(crate) fn approved(engine: &Engine, script: NewScript) {
    let name = script.name.to_string();
    engine.scripts().create(script).unwrap();
    engine
        .scripts()
        .approve(&name, Seen::AsItIs, &witness())
        .unwrap();
}

pub(crate) fn with(name: &str, content: &str, capabilities: &serde_json::Value) -> NewScript {
    NewScript {
        capabilities: serde_json::from_value(capabilities.clone()).unwrap(),
        ..new(name, content)
    }
}

fn within(house: &House, name: &str) -> BashRun {
    let mut action = BashRun::of(name);
    action.working_directory = Some(house.workspace().display().to_string());
    action
}

#[test]
fn a_script_has_scratch_of_its_own() {
    let house = House::new();
    let engine = house.engine();
    let text = "test -z \"$(ls -A)\" && echo mine > a && cat a && pwd && echo \"$0\"\n";
    approved(&engine, new("a", text));
    let mut places = Vec::new();
    for _ in 0..2 {
        let result = run(&engine, &BashRun::of("a"));
        assert_eq!(result.status, Status::Success, "{result:?}");
        let mut lines = result.stdout.lines();
        assert_eq!(lines.next(), Some("mine"));
        places.push(lines.next().unwrap().to_owned());
    }
    assert_ne!(places[0], places[1]);
    for place in places {
        assert!(!std::path::Path::new(&place).exists(), "{place}");
    }
    assert_eq!(fs::read_dir(house.workspace()).unwrap().count(), 0);
}

#[test]
fn a_script_reaches_what_it_declares_and_nothing_else() {
    let house = House::new();
    let engine = house.engine();
    let outside = house.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("data"), "found\n").unwrap();
    fs::write(house.file("mine"), "workspace\n").unwrap();
    let path = outside.display();
    let text = format!("cat {path}/data || echo unseen; echo x > {path}/new || echo unwritten\n");
    approved(&engine, new("nothing", &text));
    let caps = json!({"paths_read": [outside]});
    approved(&engine, with("reads", &text, &caps));
    let caps = json!({"paths_write": [outside], "classes": ["write-outside-roots"]});
    approved(&engine, with("writes", &text, &caps));
    let printed = |name: &str| {
        let result = run(&engine, &BashRun::of(name));
        (result.status, result.stdout)
    };
    // What lies in `/tmp` is a run's own to the policy, and the kernel holds the rest.
    let ran = |text: &str| (Status::Success, text.to_owned());
    assert_eq!(printed("nothing"), ran("unseen\nunwritten\n"));
    assert_eq!(printed("reads"), ran("found\nunwritten\n"));
    assert!(!outside.join("new").exists());
    assert_eq!(printed("writes"), ran("found\n"));
    assert!(outside.join("new").exists());
    let dynamic = format!("p={path}; q=$(echo $p); cat $q/data; true\n");
    approved(&engine, new("hidden", &dynamic));
    let hidden = run(&engine, &BashRun::of("hidden"));
    assert_eq!(
        (hidden.status, hidden.stdout.as_str()),
        (Status::Success, "")
    );
    // Where it is run may be read or written as it declares.
    approved(
        &engine,
        with(
            "looks",
            "cat mine; f=$(echo new); echo x > $f || echo unwritten\n",
            &json!({"paths_read": ["."]}),
        ),
    );
    let result = run(&engine, &within(&house, "looks"));
    assert_eq!(result.stdout, "workspace\nunwritten\n", "{result:?}");
    approved(
        &engine,
        with(
            "makes",
            "echo x > new; cat new\n",
            &json!({"paths_write": ["."]}),
        ),
    );
    assert_eq!(run(&engine, &within(&house, "makes")).stdout, "x\n");
    assert!(house.file("new").exists());
}

#[test]
fn the_folder_of_scripts_is_hidden() {
    let house = House::new();
    let engine = house.engine();
    let home = house.path().join("home");
    let text = format!(
        "d=$(echo {}); ls $d 2>/dev/null | wc -l\n",
        folder(&house).display()
    );
    let caps = json!({"paths_read": [home]});
    approved(&engine, with("a", &text, &caps));
    let result = run(&engine, &BashRun::of("a"));
    assert_eq!(
        (result.status, result.stdout.trim()),
        (Status::Success, "0"),
        "{result:?}"
    );
    for (name, path) in [
        ("folder", folder(&house)),
        ("above", folder(&house).join("..")),
    ] {
        approved(&engine, with(name, "ls\n", &json!({"paths_read": [path]})));
        let refused = engine
            .scripts()
            .start(&BashRun::of(name), MissingValues::Refuse);
        assert!(
            matches!(refused, Err(ScriptError::Capabilities { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn commands_are_those_that_are_declared() {
    let house = House::new();
    let engine = house.engine();
    let text = "echo built-in; ls / >/dev/null 2>&1 && echo ran || echo stopped\n";
    approved(&engine, with("none", text, &json!({"commands": []})));
    approved(&engine, with("some", text, &json!({"commands": ["ls"]})));
    let none = run(&engine, &BashRun::of("none"));
    assert_eq!(none.stdout, "built-in\nstopped\n", "{none:?}");
    assert_eq!(run(&engine, &BashRun::of("some")).stdout, "built-in\nran\n");
    let mut narrowed = BashRun::of("some");
    narrowed.capabilities = serde_json::from_str(r#"{"commands": []}"#).unwrap();
    assert_eq!(run(&engine, &narrowed).stdout, "built-in\nstopped\n");
    let mut wider = BashRun::of("none");
    wider.capabilities = serde_json::from_str(r#"{"network": true}"#).unwrap();
    let refused = engine.scripts().start(&wider, MissingValues::Refuse);
    assert!(
        matches!(&refused, Err(ScriptError::Widens { key, .. }) if key == "network"),
        "{refused:?}"
    );
}

#[test]
fn values_arrive_as_they_are() {
    let house = House::new();
    let engine = house.engine();
    let nasty = "a b'\"$(touch pwned)`touch pwned`\n*\\";
    let mut script = new(
        "a",
        "printf '%s|' ${trigger.file.path} \"$LOG\" \"${LIST[@]}\"; echo \"at ${trigger.file.path}\"\n",
    );
    script.variables = serde_json::from_value(json!([
        {"name": "LOG", "type": "path"},
        {"name": "LIST", "type": "list", "default": ["x y", "z"]},
        {"name": "N", "type": "number", "default": 3},
    ]))
    .unwrap();
    approved(&engine, script);
    let mut action = BashRun::of("a");
    action.variables = json!({"LOG": "${trigger.file.path}", "trigger": {"file": {"path": nasty}}})
        .as_object()
        .unwrap()
        .clone();
    let result = run(&engine, &action);
    assert_eq!(
        result.stdout,
        format!("{nasty}|{nasty}|x y|z|at {nasty}\n"),
        "{result:?}"
    );
    let missing = engine
        .scripts()
        .start(&BashRun::of("a"), MissingValues::Refuse);
    let (last, _) = changes(&house).pop().unwrap();
    assert_eq!(last, ScriptChange::Refused);
    let error = missing.unwrap_err().to_string();
    assert_eq!(error, "there is no value for `LOG`, `trigger.file.path`");
    let dry = engine
        .scripts()
        .dry_run(&action, MissingValues::Refuse)
        .unwrap();
    let names: Vec<_> = dry
        .bindings
        .iter()
        .map(|one| (one.name.as_str(), one.line))
        .collect();
    assert_eq!(
        names,
        [
            ("LIST", None),
            ("LOG", None),
            ("N", None),
            ("trigger.file.path", Some(1)),
            ("trigger.file.path", Some(1)),
        ]
    );
}

#[test]
fn what_is_declared_as_a_whole_number_is_one() {
    let house = House::new();
    let engine = house.engine();
    let mut script = new("a", "echo\n(( X > 1 )) && echo \"more than $X\"\n");
    script.variables = serde_json::from_value(json!([{"name": "X", "type": "integer"}])).unwrap();
    approved(&engine, script);
    let mut action = BashRun::of("a");
    action.variables = json!({"X": 7}).as_object().unwrap().clone();
    assert_eq!(run(&engine, &action).stdout, "\nmore than 7\n");
    action.variables = json!({"X": "a[$(id)]"}).as_object().unwrap().clone();
    let refused = engine.scripts().start(&action, MissingValues::Refuse);
    assert!(refused.is_err(), "{refused:?}");
}

#[test]
fn no_program_can_read_the_text_with_the_values() {
    let house = House::new();
    let engine = house.engine();
    let text = ": ${a.b}\ncat /proc/self/fd/58 2> /dev/null\necho \"${a.b}\" \"$LINENO\"\n";
    approved(&engine, new("a", text));
    let mut action = BashRun::of("a");
    action.variables = json!({"a.b": "secret"}).as_object().unwrap().clone();
    assert_eq!(run(&engine, &action).stdout, "secret 3\n");
}

#[test]
fn numbers_arrive_as_they_were_written_or_not_at_all() {
    let house = House::new();
    let engine = house.engine();
    approved(&engine, new("a", "echo ${a.b}\n"));
    let mut action = BashRun::of("a");
    for (written, arrives) in [
        ("12", true),
        ("-3", true),
        ("18446744073709551615", true),
        ("123456789012345678901234567890", false),
        ("1.10", false),
        ("1e3", false),
        ("-0", false),
        ("\"1.10\"", true),
    ] {
        let value: serde_json::Value = serde_json::from_str(written).unwrap();
        action.variables = json!({"a.b": value}).as_object().unwrap().clone();
        if arrives {
            let expected = format!("{}\n", written.trim_matches('"'));
            assert_eq!(run(&engine, &action).stdout, expected);
        } else {
            let refused = engine.scripts().start(&action, MissingValues::Refuse);
            let told = refused.unwrap_err().to_string();
            assert!(told.contains("write it in quotes"), "{told}");
        }
    }
}

#[test]
fn the_largest_script_and_value_run() {
    let house = House::new();
    let engine = house.engine();
    let line = "# a line of a long script\n";
    let mut text = line.repeat((1 << 20) / line.len() - 1);
    text.push_str("echo end\n");
    approved(&engine, new("long", &text));
    let result = run(&engine, &BashRun::of("long"));
    assert_eq!(
        (result.status, result.stdout.as_str()),
        (Status::Success, "end\n"),
        "{result:?}"
    );
    approved(&engine, new("value", "v=\"${a.b}\"; echo ${#v}\n"));
    let mut action = BashRun::of("value");
    let value = "é'".repeat(1 << 19);
    action.variables = json!({"a": {"b": value}}).as_object().unwrap().clone();
    let result = run(&engine, &action);
    assert_eq!(result.stdout, format!("{}\n", 1 << 20), "{}", result.stderr);
}

#[test]
fn lines_in_messages_are_those_of_the_script() {
    let house = House::new();
    let engine = house.engine();
    let mut script = new("a", "#!/bin/bash\necho \"${a.b}\"\nno_such_command_here\n");
    script.variables = serde_json::from_value(json!([{"name": "X", "default": "1\n2"}])).unwrap();
    approved(&engine, script);
    let mut action = BashRun::of("a");
    action.variables = json!({"a.b": "x\ny"}).as_object().unwrap().clone();
    let result = run(&engine, &action);
    assert!(
        result.stderr.contains(": line 3: no_such_command_here"),
        "{}",
        result.stderr
    );
}

#[test]
fn output_is_head_and_tail() {
    let house = House::new();
    let engine = house.engine();
    approved(&engine, new("a", "seq 1 20000; seq 1 20000 >&2; exit 3\n"));
    let result = run(&engine, &BashRun::of("a"));
    assert_eq!(
        (result.exit_code, result.exit_status),
        (Some(3), Some(ExitClass::SoftFailure))
    );
    for text in [&result.stdout, &result.stderr] {
        assert!(text.len() <= 10_240, "{}", text.len());
        assert!(
            text.starts_with("1\n2\n") && text.ends_with("20000\n"),
            "{text}"
        );
    }
    assert!(result.truncated && result.stdout_bytes > 100_000);
    let shown = engine.scripts().show("a").unwrap();
    let last = shown.script.last_run.unwrap();
    assert_eq!(
        (last.status.as_deref(), last.exit_code),
        (Some("soft_failure"), Some(3))
    );
    assert_eq!(last.task_id, result.task_id.unwrap());
}

#[test]
fn a_script_is_ended_at_its_limit() {
    let house = House::new();
    let engine = house.engine();
    approved(&engine, new("a", "echo begun; sleep 60\n"));
    let mut action = BashRun::of("a");
    action.timeout_hard_seconds = 1;
    let result = run(&engine, &action);
    assert_eq!((result.status, result.timed_out), (Status::TimedOut, true));
    assert_eq!(result.stdout, "begun\n");
    action.timeout_hard_seconds = 1_000_000;
    assert!(
        engine
            .scripts()
            .start(&action, MissingValues::Refuse)
            .is_err()
    );
}

#[test]
fn a_dry_run_runs_nothing() {
    let house = House::new();
    let engine = house.engine();
    let script = with("a", "touch here\n", &json!({"paths_write": ["."]}));
    engine.scripts().create(script).unwrap();
    let action = within(&house, "a");
    let dry = engine
        .scripts()
        .dry_run(&action, MissingValues::Refuse)
        .unwrap();
    assert_eq!(dry.resolved, "touch here\n");
    assert_eq!(dry.plan.decision.as_ref().unwrap().effect, Effect::Ask);
    assert!(dry.plan.plan.is_some());
    engine
        .scripts()
        .approve("a", Seen::AsItIs, &witness())
        .unwrap();
    let dry = engine
        .scripts()
        .dry_run(&action, MissingValues::Refuse)
        .unwrap();
    assert_eq!(dry.plan.decision.as_ref().unwrap().effect, Effect::Allow);
    assert!(!house.file("here").exists());
    assert_eq!(engine.scripts().show("a").unwrap().script.runs, 0);
}

#[test]
fn a_working_directory_lies_where_the_script_may_be() {
    let house = House::new();
    let engine = house.engine();
    let outside = house.path().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, house.file("link")).unwrap();
    approved(&engine, new("a", "pwd\n"));
    approved(
        &engine,
        with("b", "pwd\n", &json!({"paths_read": [outside]})),
    );
    let at = |name: &str, directory: &str| {
        let mut action = BashRun::of(name);
        action.working_directory = Some(directory.to_owned());
        engine.scripts().start(&action, MissingValues::Refuse)
    };
    let path = outside.display().to_string();
    approved(
        &engine,
        with("here", "pwd\n", &json!({"paths_read": ["."]})),
    );
    for directory in [path.as_str(), "link", "..", "/", "~"] {
        for name in ["a", "here"] {
            let refused = at(name, directory);
            assert!(
                matches!(refused, Err(ScriptError::Directory { .. })),
                "{name} {directory}: {refused:?}"
            );
        }
    }
    // What declares nothing is not given the workspace by the agent that runs it, but can be
    // there.
    fs::create_dir(house.file("sub")).unwrap();
    fs::write(house.file("sub/x"), "seen\n").unwrap();
    fs::write(house.file("y"), "seen\n").unwrap();
    let text = "pwd; ls -A . sub; f=$(echo z); echo z > $f; cat sub/x\n";
    approved(&engine, new("closed", text));
    let caps = json!({"paths_read": [house.file("sub")]});
    approved(&engine, with("part", text, &caps));
    let here = house.workspace().display().to_string();
    let found = run(&engine, &within(&house, "closed"));
    assert_eq!(found.stdout, format!("{here}\n.:\n"), "{found:?}");
    let found = run(&engine, &within(&house, "part"));
    let expected = format!("{here}\n.:\nsub\n\nsub:\nx\nseen\n");
    assert_eq!(found.stdout, expected, "{found:?}");
    assert!(!house.file("z").exists());
    for directory in ["/no/such", "~nobody"] {
        let refused = at("here", directory);
        assert!(
            matches!(refused, Err(ScriptError::NoDirectory { .. })),
            "{directory}: {refused:?}"
        );
    }
    let printed = run(&engine, &within(&house, "here")).stdout;
    assert_eq!(printed, format!("{}\n", house.workspace().display()));
    let mut action = BashRun::of("b");
    action.working_directory = Some(path.clone());
    assert_eq!(run(&engine, &action).stdout, format!("{path}\n"));
}

#[tokio::test]
async fn a_list_goes_on_after_a_soft_failure_and_stops_after_a_hard_one() {
    use ScriptChange::{Refused, Run};

    let house = House::new();
    let engine = house.engine();
    for (name, text) in [
        ("soft", "exit 3\n"),
        ("good", "echo ok\n"),
        ("hard", "kill -KILL $$\n"),
    ] {
        approved(&engine, new(name, text));
    }
    let actions = ["soft", "good", "hard", "good", "soft"].map(BashRun::of);
    let reports = engine
        .scripts()
        .run_all(actions.to_vec(), MissingValues::Refuse)
        .await;
    let words: Vec<String> = reports
        .iter()
        .map(|report| match &report.outcome {
            ActionOutcome::Done { result } => result.status.as_str().to_owned(),
            ActionOutcome::Skipped => "skipped".to_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        words,
        [
            "soft_failure",
            "success",
            "hard_failure",
            "skipped",
            "skipped"
        ]
    );
    let last: Vec<ScriptChange> = changes(&house).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(last[last.len() - 5..], [Run, Run, Run, Refused, Refused]);
    create(&engine, "unapproved", "true\n");
    let actions = ["unapproved", "good"].map(BashRun::of).to_vec();
    let reports = engine
        .scripts()
        .run_all(actions, MissingValues::Refuse)
        .await;
    assert!(reports[0].stops() && matches!(reports[1].outcome, ActionOutcome::Skipped));
}

#[test]
fn a_file_of_nobody_is_never_run() {
    let house = House::new();
    let engine = house.engine();
    create(&engine, "a", "true\n");
    let id = "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10";
    fs::write(folder(&house).join(format!("{id}.sh")), "touch here\n").unwrap();
    let refused = engine
        .scripts()
        .start(&BashRun::of(id), MissingValues::Refuse);
    assert!(
        matches!(refused, Err(ScriptError::Unknown { .. })),
        "{refused:?}"
    );
    let mut both = BashRun::of("a");
    both.script_id = Some(id.parse().unwrap());
    assert!(
        engine
            .scripts()
            .start(&both, MissingValues::Refuse)
            .is_err()
    );
}

#[test]
fn what_runs_cannot_be_changed_while_it_runs() {
    let house = House::new();
    let engine = house.engine();
    let text = "ls /proc/self/fd | tr '\\n' ' '\n(echo touch here >> /proc/self/fd/58) 2>/dev/null || echo sealed\n";
    approved(&engine, new("a", text));
    let result = run(&engine, &BashRun::of("a"));
    // Programs of a script have its own text besides the usual three and what `ls` opens.
    assert_eq!(result.stdout, "0 1 2 3 58 sealed\n", "{result:?}");
}
