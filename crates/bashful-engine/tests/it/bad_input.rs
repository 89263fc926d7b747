//! Bad input: each a typed error before anything runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use bashful_engine::config::{Config, Keep, Sandbox};
use bashful_engine::{
    Engine, EngineError, InvalidInvocation, Invocation, MAX_COMMAND_BYTES, OutputLimit, Timeout,
};

use crate::support::{House, is_root, run, started};

/// The kind of error that keeps this from running.
fn refusal(engine: &Engine, invocation: Invocation) -> &'static str {
    match engine.start(invocation) {
        Err(EngineError::Invalid(invalid)) => invalid.kind(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn commands_that_are_none() {
    let house = House::new();
    let engine = house.engine();
    let none: [&str; 0] = [];
    let long = "x".repeat(MAX_COMMAND_BYTES + 1);
    let cases = [
        (Invocation::bash(""), "empty_command"),
        (Invocation::bash(" \n\t "), "empty_command"),
        (Invocation::program("", none), "empty_command"),
        (Invocation::bash("echo a\0b"), "nul_byte"),
        (Invocation::program("echo", ["a\0b"]), "nul_byte"),
        (Invocation::bash(long.clone()), "command_too_long"),
        (Invocation::program("echo", [long]), "command_too_long"),
        (
            Invocation::program("no-such-program", none),
            "program_not_found",
        ),
        (
            Invocation::program("./no-such-program", none),
            "program_not_found",
        ),
    ];
    for (invocation, kind) in cases {
        assert_eq!(refusal(&engine, invocation), kind);
    }
    assert_eq!(house.tasks(), 0);
}

#[test]
fn directories_that_will_not_do() {
    let house = House::new();
    let engine = house.engine();
    fs::write(house.file("file"), "").unwrap();
    fs::create_dir(house.file("sub")).unwrap();
    symlink("/", house.file("root")).unwrap();
    symlink("..", house.file("up")).unwrap();
    symlink("nowhere", house.file("dangling")).unwrap();
    symlink("loop", house.file("loop")).unwrap();
    let at = |path: &str| Invocation::bash("touch never").cwd(path);
    for (path, kind) in [
        ("missing", "missing_directory"),
        ("dangling", "missing_directory"),
        ("file", "not_a_directory"),
        ("file/x", "not_a_directory"),
        ("loop", "unreadable_directory"),
        ("..", "outside_workspace"),
        ("sub/../..", "outside_workspace"),
        ("root", "outside_workspace"),
        ("root/tmp", "outside_workspace"),
        ("up", "outside_workspace"),
        ("/", "outside_workspace"),
    ] {
        assert_eq!(refusal(&engine, at(path)), kind, "{path}");
    }
    for (path, kind) in [
        ("missing", "missing_directory"),
        ("file", "not_a_directory"),
    ] {
        let invocation = Invocation::bash("true").workspace(house.file(path));
        assert_eq!(refusal(&engine, invocation), kind, "{path}");
    }
    assert_eq!(house.tasks(), 0);
}

#[test]
fn a_directory_that_looks_like_the_workspace_is_not_it() {
    let house = House::new();
    let beside = house.path().join("workspace-evil");
    fs::create_dir(&beside).unwrap();
    let invocation = Invocation::bash("true").cwd(&beside);
    assert_eq!(refusal(&house.engine(), invocation), "outside_workspace");
}

#[test]
fn a_directory_that_cannot_be_entered() {
    let house = House::new();
    let closed = house.file("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let invocation = Invocation::bash("pwd").cwd("closed");
    let engine = house.engine();
    if is_root() {
        // Only root could enter it, and a command is not root.
        let error = started(&engine, invocation).wait_until(None).unwrap();
        match error.unwrap_err() {
            EngineError::Invalid(invalid) => assert_eq!(invalid.kind(), "unreadable_directory"),
            other => panic!("{other:?}"),
        }
    } else {
        assert_eq!(refusal(&engine, invocation), "unreadable_directory");
    }
    let without = house.builder().sandbox(Sandbox::None).build().unwrap();
    let invocation = Invocation::bash("pwd").cwd("closed");
    if is_root() {
        assert_eq!(run(&without, invocation).exit_code, Some(0));
    } else {
        assert_eq!(refusal(&without, invocation), "unreadable_directory");
    }
}

#[test]
fn a_path_that_is_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let house = House::new();
    let odd = house.workspace().join(OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(&odd).unwrap();
    let invocation = Invocation::bash("true").cwd(&odd);
    assert_eq!(refusal(&house.engine(), invocation), "path_not_utf8");
    let invocation = Invocation::bash("true").workspace(odd);
    assert_eq!(refusal(&house.engine(), invocation), "path_not_utf8");
}

#[test]
fn variables_that_are_none_or_too_powerful() {
    let house = House::new();
    let engine = house.engine();
    for (name, value, kind) in [
        ("", "x", "variable_name"),
        ("A=B", "x", "variable_name"),
        ("2A", "x", "variable_name"),
        ("A B", "x", "variable_name"),
        ("A\0", "x", "variable_name"),
        ("A", "x\0y", "variable_value"),
        ("A", &"x".repeat(131_070), "variable_too_long"),
        ("LD_PRELOAD", "x", "startup_variable"),
        ("LD_LIBRARY_PATH", "x", "startup_variable"),
        ("BASH_ENV", "x", "startup_variable"),
        ("ENV", "x", "startup_variable"),
        ("PROMPT_COMMAND", "x", "startup_variable"),
        ("IFS", "x", "startup_variable"),
        ("GIT_SSH_COMMAND", "x", "startup_variable"),
        ("GIT_PAGER", "x", "startup_variable"),
        ("GIT_CONFIG_COUNT", "1", "startup_variable"),
        ("PYTHONSTARTUP", "x", "startup_variable"),
        ("NODE_OPTIONS", "x", "startup_variable"),
    ] {
        let invocation = Invocation::bash("true").variable(name, value);
        assert_eq!(refusal(&engine, invocation), kind, "{name:?}");
    }
    let chosen = Invocation::bash("echo $IFS")
        .variable("NODE_OPTIONS", "--x")
        .allow_startup_variables();
    assert_eq!(run(&engine, chosen).exit_code, Some(0));
    assert_eq!(house.tasks(), 1);
}

#[test]
fn limits_that_make_no_sense() {
    let house = House::new();
    let mut config = Config::default();
    config.limits.max_timeout = Duration::from_secs(10);
    config.limits.timeout = Duration::from_secs(5);
    let engine = house.builder().config(config).build().unwrap();
    let timed = |timeout| Invocation::bash("true").timeout(Timeout::After(timeout));
    assert_eq!(refusal(&engine, timed(Duration::ZERO)), "zero_timeout");
    let over = Duration::from_millis(10_001);
    match engine.start(timed(over)) {
        Err(EngineError::Invalid(InvalidInvocation::TimeoutTooLong { asked, limit })) => {
            assert_eq!((asked, limit), (over, Duration::from_secs(10)));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        run(&engine, timed(Duration::from_secs(10))).exit_code,
        Some(0)
    );
    for keep in [Keep::Head, Keep::Tail, Keep::HeadTail] {
        let invocation = Invocation::bash("true").output(OutputLimit::characters(keep, 0));
        assert_eq!(refusal(&engine, invocation), "zero_output");
    }
}

#[test]
fn a_description_where_one_is_required() {
    let house = House::new();
    let mut config = Config::default();
    config.require_description = true;
    let engine = house.builder().config(config).build().unwrap();
    assert_eq!(
        refusal(&engine, Invocation::bash("true")),
        "description_required"
    );
    let blank = Invocation::bash("true").description("  ");
    assert_eq!(refusal(&engine, blank), "description_required");
    let result = run(&engine, Invocation::bash("true").description("nothing"));
    assert_eq!(result.description.as_deref(), Some("nothing"));
}

#[test]
fn a_log_copy_that_cannot_be_written() {
    let house = House::new();
    let engine = house.engine();
    for path in ["/nonexistent/log", "/", "/proc/self/nope"] {
        let invocation = Invocation::bash("touch never").log_copy(path);
        assert_eq!(refusal(&engine, invocation), "unwritable_log", "{path}");
    }
    assert_eq!(house.tasks(), 0);
}

#[test]
fn a_workspace_that_nobody_named() {
    let house = House::new();
    // This process's own directory is neither `/` nor its home, unless HOME says so.
    let here = std::env::current_dir().unwrap();
    let mut environment = house.environment();
    environment.insert("HOME".into(), here.display().to_string());
    let engine = Engine::builder()
        .places(bashful_engine::Places::under(&house.path()))
        .environment(environment)
        .build()
        .unwrap();
    assert_eq!(
        refusal(&engine, Invocation::bash("true")),
        "workspace_too_wide"
    );
}

#[test]
fn a_state_directory_that_cannot_be_written() {
    let house = House::new();
    // A file where the directory should be: true for root as well.
    fs::write(house.state(), "").unwrap();
    let begun = std::time::Instant::now();
    match house.engine().start(Invocation::bash("touch never")) {
        Err(EngineError::StateDirectory { path, .. }) => {
            assert!(path.starts_with(house.state()), "{}", path.display());
        }
        other => panic!("{other:?}"),
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(30), "the answer took {took:?}");
    assert!(!house.file("never").exists());
    match house.engine().start(Invocation::bash("rm -rf /")) {
        Err(EngineError::StateDirectory { .. }) => {}
        other => panic!("a refusal without a record: {other:?}"),
    }
}

#[test]
fn no_bash_on_the_path() {
    let house = House::new();
    let mut environment = house.environment();
    environment.insert("PATH".into(), "/nonexistent:relative".into());
    let engine = house.builder().environment(environment).build().unwrap();
    match engine.start(Invocation::bash("true")) {
        Err(EngineError::NoBash { path }) => assert_eq!(path, "/nonexistent:relative"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_that_cannot_be_executed() {
    let house = House::new();
    crate::support::script(&house.file("broken"), "#!/nonexistent/interpreter\n");
    let none: [&str; 0] = [];
    let run = crate::support::started(&house.engine(), Invocation::program("./broken", none));
    match run.wait_until(None) {
        Ok(Err(EngineError::Execute { program, source })) => {
            assert!(program.ends_with(Path::new("broken")));
            assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(house.tasks(), 0, "nothing ran, so nothing is recorded");
}
