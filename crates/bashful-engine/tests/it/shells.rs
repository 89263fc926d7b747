//! Shells that last, as embedders meet them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use bashful_engine::{
    Effect, Engine, EngineError, ExecutionResult, Invocation, ShellError, ShellOutcome, Started,
    Timeout,
};

use bashful_engine::approvals::WhichAsks;
use bashful_engine::config::Survivors;

use crate::support::{House, LONG, assert_gone, eventually, run, started};

fn in_shell(engine: &Engine, shell: &str, command: &str) -> ExecutionResult {
    run(engine, Invocation::bash(command).shell(shell))
}

/// What a command prints in the shell `dev`, whose state must be saved.
fn says(engine: &Engine, command: &str) -> String {
    let result = in_shell(engine, "dev", command);
    assert_eq!(result.shell.as_deref(), Some("dev"), "{result:?}");
    assert_eq!(result.shell_state, Some(ShellOutcome::Saved), "{result:?}");
    result.stdout
}

#[test]
fn a_shell_lasts_in_a_room() {
    let house = House::new();
    let engine = house.engine();
    fs::create_dir(house.file("sub")).unwrap();
    says(
        &engine,
        "cd sub; x='a  b'; export Y=1; f() { echo \"f:$x\"; }; umask 077; a=(1 '2 3')",
    );
    let seen = says(
        &engine,
        "basename \"$PWD\"; f; env | grep ^Y; umask; echo ${a[1]}",
    );
    assert_eq!(seen, "sub\nf:a  b\nY=1\n0077\n2 3\n");
    // Another is another, and what has no shell has none of it.
    assert_eq!(
        in_shell(&engine, "other", "echo ${x-none}").stdout,
        "none\n"
    );
    let plain = run(&engine, Invocation::bash("echo ${x-none}"));
    assert_eq!((plain.stdout.as_str(), plain.shell), ("none\n", None));
    // The exit code is the command's own, and the state is saved all the same.
    let result = in_shell(&engine, "dev", "z=9; exit 7");
    assert_eq!(
        (result.exit_code, result.shell_state),
        (Some(7), Some(ShellOutcome::Saved))
    );
    assert_eq!(says(&engine, "echo $z"), "9\n");
}

#[test]
fn agents_sessions_and_workspaces_have_shells_of_their_own() {
    let house = House::new();
    let [one, two] = ["one", "two"].map(|name| house.builder().session(name).build().unwrap());
    says(&one, "x=1");
    assert_eq!(says(&two, "echo ${x-none}"), "none\n");
    let other = Invocation::bash("echo ${x-none}")
        .shell("dev")
        .agent("other");
    assert_eq!(run(&one, other).stdout, "none\n");
    fs::create_dir(house.path().join("elsewhere")).unwrap();
    let elsewhere = Invocation::bash("echo ${x-none}").shell("dev");
    let elsewhere = elsewhere.workspace(house.path().join("elsewhere"));
    assert_eq!(run(&one, elsewhere).stdout, "none\n");
    // The same session in another engine is the same shell.
    let again = house.builder().session("one").build().unwrap();
    assert_eq!(says(&again, "echo $x"), "1\n");
}

#[test]
fn a_call_with_other_rights_has_the_same_shell() {
    let house = House::new();
    let engine = house.engine();
    says(&engine, "x=1; f() { echo \"f $x\"; }");
    let mut wish = bashful_engine::config::Wish::default();
    wish.changes.network = Some(bashful_engine::NetworkCapability::On);
    let wider = Invocation::bash("f; x=2").shell("dev").wish(wish);
    let result = run(&engine, wider);
    assert_eq!(
        (result.stdout.as_str(), result.shell_state),
        ("f 1\n", Some(ShellOutcome::Saved))
    );
    assert_eq!(says(&engine, "f"), "f 2\n");
}

#[test]
fn a_directory_outside_is_left() {
    let house = House::new();
    let engine = house.engine();
    let result = in_shell(&engine, "dev", "cd /usr; x=1");
    assert_eq!(result.shell_state, Some(ShellOutcome::Saved));
    let result = in_shell(&engine, "dev", "pwd; echo $x");
    let expected = format!("{}\n1\n", house.workspace().display());
    assert_eq!(result.stdout, expected);
    assert!(result.shell_note.unwrap().contains("outside the workspace"));
    says(&engine, "mkdir gone; cd gone");
    fs::remove_dir(house.file("gone")).unwrap();
    let result = in_shell(&engine, "dev", "pwd");
    assert!(result.shell_note.unwrap().contains("is gone"));
    // A directory that is asked for wins, and stays as if the call had gone there.
    fs::create_dir(house.file("asked")).unwrap();
    run(&engine, Invocation::bash(":").shell("dev").cwd("asked"));
    assert_eq!(says(&engine, "basename \"$PWD\""), "asked\n");
}

#[test]
fn what_is_injected_is_for_one_call() {
    let house = House::new();
    let engine = house.engine();
    says(&engine, "export X=mine; LANG=C");
    let injected = Invocation::bash("echo $X")
        .shell("dev")
        .variable("X", "given");
    assert_eq!(run(&engine, injected).stdout, "given\n");
    assert_eq!(says(&engine, "echo $X $LANG; unset LANG"), "mine C\n");
    assert_eq!(says(&engine, "echo ${LANG-none}"), "none\n");
}

#[test]
fn calls_in_one_shell_wait_for_each_other() {
    let house = House::new();
    let engine = house.builder().session("s").build().unwrap();
    let first = started(&engine, Invocation::bash("n=1; sleep 1").shell("dev"));
    // Another shell does not wait.
    let begun = Instant::now();
    assert_eq!(in_shell(&engine, "other", "echo free").stdout, "free\n");
    let free = begun.elapsed();
    // Nor does one wait for longer than its limit.
    let hasty = Invocation::bash("echo $n").shell("dev");
    let hasty = hasty.timeout(Timeout::After(Duration::from_millis(50)));
    let refused = engine.start(hasty).map(|_| ()).unwrap_err();
    assert!(
        matches!(refused, EngineError::Shell(ShellError::Busy { .. })),
        "{refused:?}"
    );
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| in_shell(&engine, "dev", "n=$((n + 1))")))
            .collect();
        assert!(first.wait_until(Some(Instant::now() + LONG)).is_ok());
        for other in others {
            let result = other.join().unwrap();
            assert_eq!(result.shell_state, Some(ShellOutcome::Saved), "{result:?}");
            assert!(result.shell_waited_ms.is_some() || free > Duration::from_secs(1));
        }
    });
    assert_eq!(says(&engine, "echo $n"), "5\n");
}

#[test]
fn what_cannot_be_saved_leaves_the_last_state() {
    let house = House::new();
    let engine = house.engine();
    says(&engine, "x=1");
    for (command, why) in [
        ("x=2; kill -9 $$", "was not saved"),
        ("x=2; exec true", "exec"),
        ("x=2; declare -n r='a[$(id)]'", "refers to an expression"),
        ("x=2; printf -v y '%05000000d' 0", "larger than 4 MiB"),
    ] {
        let result = in_shell(&engine, "dev", command);
        assert_eq!(
            result.shell_state,
            Some(ShellOutcome::Kept),
            "{command}: {result:?}"
        );
        let note = result.shell_note.unwrap();
        assert!(note.contains(why), "{command}: {note}");
        assert_eq!(says(&engine, "echo $x"), "1\n");
    }
    // One whose call is dropped is free again.
    drop(started(
        &engine,
        Invocation::bash("x=3; sleep 60").shell("dev"),
    ));
    assert!(matches!(says(&engine, "echo $x").as_str(), "1\n" | "3\n"));
}

#[test]
fn a_state_that_cannot_be_written_is_kept() {
    let house = House::new();
    let engine = house.builder().session("s").build().unwrap();
    says(&engine, "x=1");
    let shells = house.state().join("shells");
    let directory = fs::read_dir(&shells)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    // A directory in the way of the new file fails for every user, root too.
    fs::create_dir_all(directory.join("state.new/in-the-way")).unwrap();
    let result = in_shell(&engine, "dev", "x=2");
    assert_eq!(
        (result.exit_code, result.shell_state),
        (Some(0), Some(ShellOutcome::Kept))
    );
    assert!(result.shell_note.unwrap().contains("to disk"));
    fs::remove_dir_all(directory.join("state.new")).unwrap();
    assert_eq!(says(&engine, "echo $x"), "1\n");
    // What is not what was written is not believed.
    fs::write(directory.join("state"), "{\"v\":1}").unwrap();
    let refused = engine
        .start(Invocation::bash("true").shell("dev"))
        .map(|_| ())
        .unwrap_err();
    assert!(
        matches!(refused, EngineError::Shell(ShellError::Damaged { .. })),
        "{refused:?}"
    );
}

#[test]
fn files_are_private_and_hold_no_record_of_values() {
    let house = House::new();
    let engine = house.builder().session("s").build().unwrap();
    says(
        &engine,
        "read -r secret <<<$(echo tneverseen | tr t s); export secret",
    );
    let shells = house.state().join("shells");
    let directory = fs::read_dir(&shells)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&shells), mode(&directory)], [0o700, 0o700]);
    assert_eq!(mode(&directory.join("state")), 0o600);
    assert!(
        fs::read_to_string(directory.join("state"))
            .unwrap()
            .contains("sneverseen")
    );
    // Neither the trail, nor the database, nor a task's directory.
    let mut looked = 0;
    let mut directories = vec![house.state()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() && entry.path() != shells {
                directories.push(entry.path());
            } else if kind.is_file() {
                looked += 1;
                let text = fs::read(entry.path()).unwrap_or_default();
                let text = String::from_utf8_lossy(&text);
                assert!(!text.contains("sneverseen"), "{entry:?}");
            }
        }
    }
    assert!(looked > 2);
    let listed = engine.shells().unwrap();
    assert_eq!(listed.len(), 1);
    assert!(
        listed[0]
            .variables
            .iter()
            .all(|variable| variable.value.is_none())
    );
    let values = engine.shell_values(&listed[0]).unwrap();
    let secret = values
        .variables
        .iter()
        .find(|one| one.name == "secret")
        .unwrap();
    // A name like that is a key.
    assert_eq!(secret.value.as_deref(), Some("***"));
}

#[test]
fn shells_are_reset_ended_and_forgotten() {
    let house = House::new();
    let engine = house.builder().session("s").build().unwrap();
    says(&engine, "x=1");
    let shell = engine.shells().unwrap().remove(0);
    engine.reset_shell(&shell).unwrap();
    assert_eq!(says(&engine, "echo ${x-none}; x=2"), "none\n");
    engine.end_shell(&shell).unwrap();
    assert!(engine.shells().unwrap().is_empty());
    assert_eq!(says(&engine, "echo ${x-none}; x=3"), "none\n");
    let short = house
        .builder()
        .session("s")
        .shell_idle(Duration::from_millis(1));
    let short = short.build().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    let result = in_shell(&short, "dev", "echo ${x-none}");
    assert_eq!(result.stdout, "none\n");
    assert!(result.shell_note.unwrap().contains("started afresh"));
    std::thread::sleep(Duration::from_millis(20));
    assert!(short.shells().unwrap().is_empty());
    // One that a call has is not ended under it.
    let run = started(&engine, Invocation::bash("sleep 60").shell("dev"));
    let busy = engine.end_shell(&shell).unwrap_err();
    assert!(matches!(busy, ShellError::Busy { .. }), "{busy:?}");
    run.kill();
    assert!(run.wait_until(Some(Instant::now() + LONG)).is_ok());
}

#[test]
fn jobs_of_a_shell_become_tasks() {
    let house = House::new();
    let engine = house.builder().session("s").build().unwrap();
    let job = "x=1; (echo $BASHPID $(readlink /proc/self/ns/pid) >pid; exec sleep 60) & disown";
    let result = in_shell(&engine, "dev", job);
    assert_eq!(result.shell_state, Some(ShellOutcome::Saved), "{result:?}");
    let process = house.process("pid");
    assert!(eventually(LONG, || crate::support::is_alive(process)));
    assert_eq!(result.survivors[0].fate, "adopted", "{result:?}");
    // It is called by what was asked for, not by what we put around that.
    let text = "( sleep 60; : ) & disown";
    let ended = Invocation::bash(text)
        .shell("dev")
        .survivors(Survivors::Kill);
    let ended = run(&engine, ended);
    assert_eq!(ended.survivors[0].command, text, "{ended:?}");
    assert_eq!(says(&engine, "echo $x"), "1\n");
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(process.pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    assert_gone(&[process]);
}

#[test]
fn what_a_shell_remembers_is_judged() {
    let house = House::new();
    let engine = house
        .builder()
        .profile_name("careful")
        .session("s")
        .build()
        .unwrap();
    let effect = |shell: Option<&str>| {
        let mut invocation = Invocation::bash("git status");
        if let Some(shell) = shell {
            invocation = invocation.shell(shell);
        }
        engine.check(invocation).unwrap().judgement.decision.effect
    };
    assert_eq!(
        [effect(None), effect(Some("dev"))],
        [Effect::Allow, Effect::Allow]
    );
    // An engine that allows more made it so; here it counts all the same.
    let free = house.builder().session("s").build().unwrap();
    in_shell(&free, "dev", "git() { touch gotcha; }");
    assert_eq!(
        [effect(None), effect(Some("dev"))],
        [Effect::Allow, Effect::Ask]
    );
    let asked = engine
        .start(Invocation::bash("git status").shell("dev"))
        .unwrap();
    assert!(matches!(asked, bashful_engine::Started::NotAllowed(_)));
    assert!(!house.file("gotcha").exists());
    in_shell(&free, "path", "export PATH=$PWD:$PATH");
    assert_eq!(effect(Some("path")), Effect::Ask);
}

#[test]
fn a_value_for_one_call_is_judged_and_not_what_the_shell_has() {
    let house = House::new();
    let engine = house.builder().profile_name("careful").session("s");
    let engine = engine.build().unwrap();
    says(&engine, "x=status");
    let effect = |invocation: Invocation| {
        let checked = engine.check(invocation.shell("dev")).unwrap();
        checked.judgement.decision.effect
    };
    assert_eq!(effect(Invocation::bash("git $x")), Effect::Allow);
    let injected = Invocation::bash("git $x").variable("x", "push --force");
    assert_ne!(effect(injected), Effect::Allow);
}

#[test]
fn a_yes_is_for_what_the_shell_had_then() {
    let house = House::new();
    let engine = house.builder().profile_name("careful").session("s");
    let engine = engine.build().unwrap();
    let rights = |text: &str| {
        let started = engine.start(Invocation::bash(text).shell("dev")).unwrap();
        let Started::NotAllowed(result) = started else {
            panic!("{text} is allowed");
        };
        let id = result.approval.unwrap().id;
        let asks = crate::asking::desk(&house)
            .asks(WhichAsks::Pending)
            .unwrap();
        let ask = asks.into_iter().find(|ask| ask.id == id).unwrap();
        (ask.rights, ask.memory)
    };
    for name in ["good.py", "evil.py"] {
        fs::create_dir(house.file(name)).unwrap();
    }
    for (set, other, text) in [
        ("cd good.py; cd ..", "cd evil.py; cd ..", "cd - && ./go"),
        ("x=good.py", "x=evil.py", "python3 $x"),
        ("y=x x=good.py", "x=evil.py", "python3 ${!y}"),
        ("set -- good.py", "set -- evil.py", "python3 \"$@\""),
        ("REPLY=good.py", "REPLY=evil.py", "python3 $REPLY"),
        ("a=(good.py)", "a=(evil.py)", "python3 \"${a[@]}\""),
    ] {
        says(&engine, set);
        let (before, shown) = rights(text);
        let shown = shown.unwrap();
        assert!(
            shown.shell == "dev" && shown.text.contains("good.py"),
            "{shown:?}"
        );
        says(&engine, "unrelated=$((unrelated + 1))");
        // What names others by name may mean any.
        assert_eq!(rights(text).0 == before, !text.contains('!'), "{text}");
        says(&engine, set);
        let (before, _) = rights(text);
        says(&engine, other);
        assert_ne!(rights(text).0, before, "{text}");
    }
}

#[test]
fn a_directory_that_cannot_be_entered_is_left() {
    let house = House::new();
    let engine = house.builder().session("s").build().unwrap();
    says(&engine, "x=1; mkdir closed; cd closed; chmod 0 .");
    let result = in_shell(&engine, "dev", "echo $x; pwd");
    assert_eq!(
        result.stdout,
        format!("1\n{}\n", house.workspace().display()),
        "{result:?}"
    );
    assert!(result.shell_note.unwrap().contains("cannot be entered"));
    says(&engine, "chmod 700 closed");
}

#[test]
fn only_bash_with_a_good_name_in_a_session() {
    let house = House::new();
    let engine = house.engine();
    for name in ["", "-x", "a/b", "..", "a b", "a\n", &"x".repeat(65)] {
        let refused = engine
            .start(Invocation::bash("true").shell(name))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(refused.kind(), "shell_name", "{name:?}");
    }
    let program = Invocation::program("true", Vec::<String>::new()).shell("dev");
    let refused = engine.start(program).map(|_| ()).unwrap_err();
    assert_eq!(refused.kind(), "shell_without_bash");
    let once = house.builder().one_call().build().unwrap();
    let refused = once
        .start(Invocation::bash("true").shell("dev"))
        .map(|_| ())
        .unwrap_err();
    assert_eq!(refused.kind(), "shell_without_session");
}
