//! Sessions: runs of one share a keeper, runs of another have theirs.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::{Marker, Running, World, binary, eventually, is_alive, ran};

/// The keeper of a run with these arguments.
fn keeper(world: &World, arguments: &[&str]) -> (i32, u64) {
    let (code, result) = world.json(&[arguments, &["true"]].concat());
    assert_eq!(code, 0, "{result}");
    world.keeper_of(&result)
}

#[test]
fn one_session_shares_one_keeper() {
    let world = World::new();
    let first = keeper(&world, &["--session", "one"]);
    let second = keeper(&world, &["--session", "one"]);
    assert_eq!(first, second);
    assert_eq!(world.living_keepers().len(), 1);
}

#[test]
fn different_sessions_have_different_keepers() {
    let world = World::new();
    let one = keeper(&world, &["--session", "one"]);
    let other = keeper(&world, &["--session", "other"]);
    assert_ne!(one, other);
    assert_eq!(world.living_keepers().len(), 2);
}

#[test]
fn different_agents_and_workspaces_have_different_keepers() {
    let world = World::new();
    fs::create_dir(world.path("second")).unwrap();
    let keepers = [
        keeper(&world, &["--session", "s"]),
        keeper(&world, &["--session", "s", "--agent", "bob"]),
        keeper(&world, &["--session", "s", "--workspace", "../second"]),
    ];
    let mut distinct = keepers.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 3, "{keepers:?}");
}

#[test]
fn without_a_session_each_call_is_its_own() {
    let world = World::new();
    assert_ne!(keeper(&world, &[]), keeper(&world, &[]));
    assert!(eventually(|| world.living_keepers().is_empty()));
}

#[test]
fn the_session_can_come_from_the_environment() {
    let world = World::new();
    let mut command = world.run_command(&["--json", "true"]);
    command.env("BASHFUL_SESSION", "from-outside");
    let (_, result) = Running::start(command).end().outcome().json();
    assert_eq!(result["session"], "from-outside");
    let mut command = world.run_command(&["--json", "--session", "named", "true"]);
    command.env("BASHFUL_SESSION", "from-outside");
    let (_, result) = Running::start(command).end().outcome().json();
    assert_eq!(result["session"], "named");
}

#[test]
fn runs_of_a_session_go_on_side_by_side() {
    let world = World::new();
    let marker = Marker::fresh();
    let slow = world.start(&["--session", "s", &marker.sleep()]);
    marker.wait_for(1);
    assert_eq!(
        world.run(&["--session", "s", "echo quick"]),
        ran(0, "quick\n", "")
    );
    assert_eq!(marker.sleepers().len(), 1);
    assert_eq!(world.keepers().len(), 1);
    drop(slow);
    marker.assert_gone_soon();
}

#[test]
fn many_first_calls_of_a_session_find_one_keeper() {
    let world = World::new();
    let runs: Vec<Running> = (0..16)
        .map(|_| world.start(&["--session", "new", "echo here"]))
        .collect();
    for run in runs {
        assert_eq!(run.end().outcome(), ran(0, "here\n", ""));
    }
    assert_eq!((world.records().len(), world.keepers().len()), (16, 1));
}

#[test]
fn an_idle_keeper_ends() {
    let world = World::new();
    world.configure("[keeper]\nidle = \"500ms\"\n");
    assert_eq!(world.run(&["--session", "s", "true"]).code, 0);
    let [(pid, started)] = world.keepers()[..] else {
        panic!("not one keeper")
    };
    assert!(eventually(|| !is_alive(pid, started)));
    let sockets = fs::read_dir(world.path("run/bashful")).unwrap().flatten();
    let left: Vec<_> = sockets
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "sock"))
        .collect();
    assert_eq!(left, [] as [std::path::PathBuf; 0]);
    // And the next call starts another.
    assert_eq!(
        world.run(&["--session", "s", "echo again"]),
        ran(0, "again\n", "")
    );
}

#[test]
fn only_the_owner_can_reach_the_socket() {
    let world = World::new();
    assert_eq!(world.run(&["--session", "s", "true"]).code, 0);
    let directory = world.path("run/bashful");
    let mode = fs::metadata(directory).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn the_session_is_in_the_record() {
    let world = World::new();
    let (_, result) = world.json(&["--session", "talk", "true"]);
    let task = world
        .state()
        .join("tasks")
        .join(result["task_id"].as_str().unwrap());
    let spec = fs::read_to_string(task.join("spec")).unwrap();
    let spec: serde_json::Value = serde_json::from_str(&spec).unwrap();
    let found = json!([result["session"], spec["session"]]);
    assert_eq!(found, json!(["talk", "talk"]));
}

#[test]
fn runs_on_one_terminal_are_one_session() {
    let world = World::new();
    let program = binary();
    let program = program.display();
    let line = format!("{program} run --json true; {program} run --json true");
    let mut command = world.program("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh");
    let drawn = Running::start(command).end().outcome().stdout;
    let objects = drawn.lines().filter(|line| line.starts_with('{'));
    let results: Vec<serde_json::Value> = objects
        .map(|line| serde_json::from_str(line.trim()).unwrap())
        .collect();
    let [first, second] = &results[..] else {
        panic!("{drawn:?}")
    };
    assert_eq!(first["session"], second["session"]);
    assert!(
        first["session"].as_str().unwrap().starts_with("terminal-"),
        "{first}"
    );
    assert_eq!(world.keeper_of(first), world.keeper_of(second));
}

#[test]
fn a_session_lives_in_a_home_however_deep_it_is() {
    let world = World::new();
    // Deeper than the address of a socket can say, and without a directory for sockets.
    let state = world.path("state").join("deep".repeat(40));
    let call = |arguments: &[&str]| {
        let mut command = world.bashful(arguments);
        command
            .env_remove("XDG_RUNTIME_DIR")
            .env("XDG_STATE_HOME", &state);
        Running::start(command).end().outcome()
    };
    let keeper = |arguments: &[&str]| {
        let arguments = [&["run", "--json", "--session", "one"], arguments].concat();
        let (code, result) = call(&arguments).json();
        assert_eq!(code, 0, "{result}");
        let id = result["task_id"].as_str().unwrap().to_owned();
        let record = state.join("bashful/tasks").join(&id).join("state");
        let record = fs::read_to_string(record).unwrap();
        let record: serde_json::Value =
            serde_json::from_str(record.lines().next().unwrap()).unwrap();
        (id, record["keeper"].clone(), record["socket"].clone())
    };
    let (_, first, _) = keeper(&["true"]);
    let (task, second, socket) = keeper(&["--background", "sleep 1000"]);
    assert_eq!(first, second);
    // It is reached by others, in the private place that it belongs to.
    let socket = std::path::PathBuf::from(socket.as_str().unwrap());
    assert_eq!(socket.parent(), Some(state.join("bashful/run").as_path()));
    assert_eq!(call(&["kill", &task]).code, 0);
    let told = call(&["doctor"]).stdout;
    assert!(told.contains("keepers with a socket: 1"), "{told}");
    let pid = i32::try_from(first["pid"].as_i64().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
    assert!(eventually(|| !socket.exists()));
}
