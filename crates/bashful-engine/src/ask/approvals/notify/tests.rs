//! Tests of notifications, with real programs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::*;
use crate::ask::approvals::{AskGround, AskState, Cause, Opening, Reachable};

fn ask(command: &str, workspace: &Path) -> Ask {
    Ask {
        id: "ask-1".to_owned(),
        created_at_ms: 1,
        expires_at_ms: 2,
        agent: "coder".to_owned(),
        session: "s".to_owned(),
        project: workspace.to_owned(),
        workspace: workspace.to_owned(),
        cwd: workspace.to_owned(),
        command: command.to_owned(),
        description: None,
        variables: Vec::new(),
        reads_input: false,
        input: None,
        memory: None,
        asking: Vec::new(),
        script: None,
        directories: None,
        digest: "0".to_owned(),
        ground: AskGround {
            rule: "r".to_owned(),
            layer: "builtin".to_owned(),
            reason: "because".to_owned(),
            span: None,
            fact: None,
            capability: None,
        },
        cause: Cause::Policy,
        shapes: Vec::new(),
        opens: Opening::default(),
        reach: Reachable::default(),
        policy: "p".to_owned(),
        rights: "r".to_owned(),
        count: 1,
        state: AskState::Pending,
        heard: false,
    }
}

fn approvals(command: &str) -> Approvals {
    Approvals {
        notify_command: command.to_owned(),
        ..Approvals::default()
    }
}

fn environment() -> BTreeMap<String, String> {
    let variable = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let list = [("PATH", USUAL_PATH), ("SECRET", "no"), ("HOME", "/root")];
    list.map(variable).into()
}

/// Waits until a file that is moved into its place is there.
fn appeared(path: &Path) -> String {
    let patience = Instant::now() + Duration::from_secs(10);
    while Instant::now() < patience {
        if let Ok(text) = fs::read_to_string(path) {
            return text;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{} did not appear", path.display());
}

/// A command that writes what it reads, or what `words` print, to a file.
fn writing(words: &str, path: &Path) -> String {
    let path = path.display();
    format!("{words} > '{path}.new' && mv '{path}.new' '{path}'")
}

#[test]
fn a_command_gets_the_ask_whatever_it_says() {
    let directory = tempfile::tempdir().unwrap();
    let owned = directory.path().join("owned");
    let hostile = format!(
        "$(touch {0}) `touch {0}` ; touch {0} '\"\n\u{202e}\u{1b}[31m\\",
        owned.display()
    );
    let long = "x".repeat(1_000_000);
    for (index, command) in [&hostile, &long].into_iter().enumerate() {
        let file = directory.path().join(index.to_string());
        let ask = ask(command, Path::new("/nowhere"));
        notify(&approvals(&writing("cat", &file)), &ask, &environment()).unwrap();
        let text = appeared(&file);
        assert_eq!(text.lines().count(), 1);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["v"], 1);
        assert_eq!(read["command"], **command);
        assert_eq!(serde_json::from_str::<Ask>(&text).unwrap(), ask);
    }
    assert!(!owned.exists());
}

#[test]
fn a_command_sees_little_of_the_environment_and_no_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("seen");
    let words = "{ env; pwd; (: < /dev/tty) 2>/dev/null && echo terminal; :; }";
    let ask = ask("true", Path::new("/nowhere"));
    notify(&approvals(&writing(words, &file)), &ask, &environment()).unwrap();
    let seen = appeared(&file);
    let unset = ["SECRET", "terminal", "BASHFUL"];
    assert!(!unset.iter().any(|word| seen.contains(word)), "{seen}");
    assert!(seen.contains("HOME=/root\n"), "{seen}");
    assert!(seen.ends_with("/\n"), "{seen}");
}

#[test]
fn a_command_that_hangs_delays_nobody_and_leaves_no_child() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pid");
    let command = format!("{}; exec sleep 600", writing("echo $$ $PPID", &file));
    let ask = ask("true", Path::new("/nowhere"));
    let started = Instant::now();
    notify(&approvals(&command), &ask, &environment()).unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    let pids = appeared(&file);
    let pids: Vec<i32> = pids.split_whitespace().flat_map(str::parse).collect();
    let [hanging, timeout] = pids[..] else {
        panic!("{pids:?}");
    };
    // Its parent limits its time, and is not our child: nothing is left for us to reap.
    let name = fs::read_to_string(format!("/proc/{timeout}/comm")).unwrap();
    assert_eq!(name.trim(), "timeout");
    let ours = bashful_sandbox::children(rustix::process::getpid().as_raw_pid());
    assert!(!ours.contains(&timeout) && !ours.contains(&hanging));
    let limits = fs::read(format!("/proc/{timeout}/cmdline")).unwrap();
    assert!(limits.starts_with(b"timeout\0-k\x002\x0010\0sh\0-c\0"));
    for pid in [hanging, timeout] {
        let process = rustix::process::Pid::from_raw(pid).unwrap();
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
}

#[test]
fn a_missing_program_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let mut environment = environment();
    environment.insert("PATH".to_owned(), directory.path().display().to_string());
    let both = Approvals {
        notify_desktop: true,
        ..approvals("true")
    };
    let ask = ask("true", Path::new("/nowhere"));
    let error = notify(&both, &ask, &environment).unwrap_err();
    assert!(matches!(
        error,
        NotifyError::NoProgram(ProgramError::NotFound { name }) if name == "notify-send"
    ));
    // No person is to be told, so no program is missed.
    notify(&Approvals::default(), &ask, &environment).unwrap();
}

/// A stand-in for `notify-send` that writes down its arguments.
fn stand_in(directory: &Path, file: &Path) {
    let program = directory.join("notify-send");
    let words = writing(r#"printf '%s\0' "$@""#, file);
    fs::write(&program, format!("#!/bin/sh\n{words}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_desktop_gets_harmless_text() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("arguments");
    stand_in(directory.path(), &file);
    let mut environment = environment();
    let path = format!("{}:{USUAL_PATH}", directory.path().display());
    environment.insert("PATH".to_owned(), path);
    let desktop = Approvals {
        notify_desktop: true,
        ..Approvals::default()
    };
    let command = format!(
        "--icon=x\n<a href='x'>&\\074 $(id) \u{202e}\u{1b}{}",
        "é".repeat(500)
    );
    notify(
        &desktop,
        &ask(&command, Path::new("/nowhere")),
        &environment,
    )
    .unwrap();
    let arguments = appeared(&file);
    let arguments: Vec<_> = arguments.split_terminator('\0').collect();
    let shown = r"--icon=x\\n&lt;a href='x'&gt;&amp;\\074 $(id) \\u{202e}\\u{1b}";
    let visible = r"--icon=x\n<a href='x'>&\074 $(id) \u{202e}\u{1b}";
    let rest = "é".repeat(200 - visible.len());
    assert_eq!(
        arguments,
        [
            "--app-name=Bashful",
            "--",
            "Bashful: an agent asks to run a command",
            &format!("{shown}{rest}…\n\nbashful approvals show ask-1"),
        ]
    );
}

#[test]
fn programs_of_the_workspace_tell_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = directory.path().canonicalize().unwrap();
    let inside = workspace.join("bin");
    fs::create_dir(&inside).unwrap();
    let link = tempfile::tempdir().unwrap();
    let link = link.path().join("link");
    std::os::unix::fs::symlink(&inside, &link).unwrap();
    let path = format!("{}:{}::bin:../x:/usr/bin", inside.display(), link.display());
    assert_eq!(trusted_path(Some(&path), &workspace), "/usr/bin");
    let nothing = inside.display().to_string();
    assert_eq!(trusted_path(Some(&nothing), &workspace), USUAL_PATH);
    assert_eq!(trusted_path(None, &workspace), USUAL_PATH);
}
