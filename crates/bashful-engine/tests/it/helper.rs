//! Finding the keeper, and what is said when there is none or a wrong one.

use std::path::Path;
use std::time::{Duration, Instant};

use bashful_engine::{Engine, EngineError, Invocation, Places, VERSION};

use crate::support::{House, helper, outside, run, script};

/// What an engine with this helper says.
fn trouble(house: &House, helper: &Path) -> EngineError {
    let engine = house.builder().helper(helper).build().unwrap();
    let begun = Instant::now();
    let error = engine.start(Invocation::bash("touch never")).unwrap_err();
    // The patience with a greeting is ten seconds; the rest is a slow machine.
    let bound = Duration::from_secs(30);
    assert!(begun.elapsed() < bound, "it took {:?}", begun.elapsed());
    assert!(!house.file("never").exists());
    assert_eq!(house.tasks(), 0);
    assert!(error.hint().is_some(), "no hint for {error:?}");
    error
}

/// A helper that answers the greeting with this line and then waits a little.
fn answering(house: &House, line: &str) -> std::path::PathBuf {
    let path = house.path().join("fake-keeper");
    let text =
        format!("#!/bin/bash\nread -r hello\nprintf '%s\\n' '{line}' >&0\nread -r -t 5 more\n");
    script(&path, &text);
    path
}

#[test]
fn a_helper_that_is_missing_or_no_program() {
    let house = House::new();
    let plain = house.path().join("plain");
    std::fs::write(&plain, "text").unwrap();
    for path in [Path::new("/nonexistent/bashful"), &plain, Path::new("/")] {
        match trouble(&house, path) {
            EngineError::HelperStart { path: named, .. } => assert_eq!(named, path),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_helper_of_another_version_that_refuses() {
    let house = House::new();
    let answer = r#"{"mismatch":{"version":"9.8.7","protocol":7,"pid":1}}"#;
    let path = answering(&house, answer);
    let error = trouble(&house, &path);
    let message = error.to_string();
    assert!(
        message.contains("9.8.7") && message.contains(VERSION),
        "{message}"
    );
    match error {
        EngineError::HelperVersion {
            path: named,
            found,
            expected,
        } => {
            assert_eq!(named, path);
            assert_eq!((found.as_str(), expected.as_str()), ("9.8.7", VERSION));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_helper_of_another_version_that_does_not_refuse() {
    let house = House::new();
    let (protocol, pid) = (bashful_keeper::PROTOCOL, 1);
    for (version, protocol) in [("9.8.7", protocol), (VERSION, protocol + 1)] {
        let answer =
            format!(r#"{{"hello":{{"version":"{version}","protocol":{protocol},"pid":{pid}}}}}"#);
        match trouble(&house, &answering(&house, &answer)) {
            EngineError::HelperVersion { found, .. } => assert_eq!(found, version),
            other => panic!("{other:?}"),
        }
    }
}

/// What the real keeper answers to this line.
fn real_answer(hello: &str) -> String {
    use std::io::{BufRead, BufReader, Write};
    let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let pid = bashful_sandbox::Launch::new(helper(), "bashful-keeper")
        .argument(bashful_keeper::KEEPER_ARGUMENT)
        .stdin(theirs.into())
        .start()
        .unwrap();
    ours.write_all(format!("{hello}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(&ours).read_line(&mut line).unwrap();
    drop(ours);
    bashful_sandbox::reap(pid).unwrap();
    line
}

#[test]
fn the_real_keeper_refuses_another_version() {
    for hello in [
        // An older engine, which knows fewer fields than this version.
        r#"{"hello":{"version":"0.0.0-other","protocol":0}}"#,
        r#"{"hello":{"version":"0.0.0-other","protocol":1,"state":"/nonexistent","listen":null,"idle_ms":0}}"#,
        // A newer one, which knows more.
        r#"{"hello":{"version":"0.0.0-other","protocol":9,"state":"/nonexistent","listen":null,"idle_ms":0,"more_to_come":true,"new":[1]}}"#,
    ] {
        let answer = real_answer(hello);
        assert!(
            answer.starts_with(r#"{"mismatch":"#),
            "{answer:?} to {hello}"
        );
        assert!(answer.contains(VERSION), "{answer}");
    }
}

#[test]
fn a_helper_that_is_something_else() {
    let house = House::new();
    let echo = house.path().join("echo");
    script(&echo, "#!/bin/bash\nexec cat >&0\n");
    let talker = answering(&house, "Usage: talker [OPTIONS]");
    for path in [
        Path::new("/bin/true"),
        Path::new("/bin/cat"),
        &echo,
        &talker,
    ] {
        match trouble(&house, path) {
            EngineError::HelperMute { path: named, .. } => assert_eq!(named, path),
            other => panic!("{}: {other:?}", path.display()),
        }
    }
}

#[test]
fn heavy_a_helper_that_only_sleeps_is_given_up() {
    let house = House::new();
    let path = house.path().join("sleeper");
    script(&path, "#!/bin/bash\nexec sleep 45\n");
    match trouble(&house, &path) {
        EngineError::HelperMute { .. } => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_that_comes_with_the_greeting_is_heard_at_once() {
    let house = House::new();
    let path = house.path().join("quick-keeper");
    let protocol = bashful_keeper::PROTOCOL;
    let hello = format!(r#"{{"hello":{{"version":"{VERSION}","protocol":{protocol},"pid":1}}}}"#);
    // Both lines in one write, and then it stays: nothing more will come.
    let text = format!(
        r#"#!/bin/bash
read -r hello
read -r start
id=${{start#*'"id":"'}}
refused='{{"refused":{{"id":"'${{id%%'"'*}}'","fault":{{"kind":"execute","subject":"/x","errno":2}}}}}}'
printf '%s\n%s\n' '{hello}' "$refused" >&0
/bin/sleep 25 <&0 &
"#
    );
    script(&path, &text);
    let engine = house.builder().helper(path).build().unwrap();
    let begun = Instant::now();
    let running = crate::support::started(&engine, Invocation::bash("true"));
    match running.wait_until(Some(begun + Duration::from_secs(20))) {
        Ok(Err(EngineError::Execute { .. })) => {}
        other => panic!("{other:?}"),
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(10), "it took {took:?}");
}

#[test]
fn an_executable_finds_the_keeper_beside_it_or_says_where_it_looked() {
    let this = std::env::current_exe().unwrap();
    // First as a test, then as a copy of itself somewhere else.
    if let Some(expected) = std::env::var_os("BASHFUL_TEST_EXPECTS_HELPER") {
        let house = House::new();
        let path = house.environment()["PATH"].clone();
        let engine = Engine::builder()
            .places(Places::under(&house.path()))
            .workspace(house.workspace())
            .environment([("PATH".to_owned(), path)].into())
            .build()
            .unwrap();
        if expected == "yes" {
            assert_eq!(
                run(&engine, Invocation::bash("echo found")).stdout,
                "found\n"
            );
            return;
        }
        let here = this.parent().unwrap().join("bashful");
        match engine.start(Invocation::bash("touch never")) {
            Err(EngineError::NoHelper { looked }) => {
                let named = format!("`{}`", here.display());
                assert_eq!(looked.first(), Some(&named), "{looked:?}");
                return;
            }
            other => panic!("{other:?}"),
        }
    }
    let house = House::new();
    let copy = house.path().join("program");
    std::fs::copy(&this, &copy).unwrap();
    let child = |expected: &str| {
        let name = "helper::an_executable_finds_the_keeper_beside_it_or_says_where_it_looked";
        let output = outside(&copy)
            .args(["--exact", name])
            .env("BASHFUL_TEST_EXPECTS_HELPER", expected)
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}"
        );
    };
    child("no");
    std::fs::copy(helper(), house.path().join("bashful")).unwrap();
    child("yes");
}
