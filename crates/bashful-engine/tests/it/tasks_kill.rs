//! Ending tasks: of this engine, of others, of processes that are gone.

use std::time::{Duration, Instant};

use bashful_engine::{
    Engine, Invocation, Kill, Killed, ReadRequest, Status, TaskError, TaskFilter, TaskState,
    Waited, WhichTasks,
};

use crate::support::{House, LONG, assert_gone, is_alive, outside, started};

const SLEEPER: &str = "echo $$ $(readlink /proc/self/ns/pid) > leader; sleep 1000";
const STUBBORN: &str =
    "trap '' TERM; echo $$ $(readlink /proc/self/ns/pid) > leader; while :; do sleep 0.05; done";

fn behind(engine: &Engine, command: &str) -> String {
    let run = started(engine, Invocation::bash(command).detached());
    run.id().to_owned()
}

/// A keeper does not stay long after its last task.
fn brief() -> bashful_engine::config::Config {
    let mut config = bashful_engine::config::Config::default();
    config.keeper.idle = Duration::from_millis(200);
    config
}

fn ended(killed: Killed) -> Status {
    match killed {
        Killed::Ended(summary) => {
            assert_eq!(summary.state, TaskState::Finished);
            summary.status.unwrap()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_engine_ends_what_it_let_go() {
    let house = House::new();
    let engine = house.engine();
    for (command, kill) in [
        (SLEEPER, Kill::Politely),
        (STUBBORN, Kill::Politely),
        (STUBBORN, Kill::Now),
    ] {
        let id = behind(&engine, command);
        let leader = house.process("leader");
        let task = engine.task(&id).unwrap();
        let begun = Instant::now();
        assert_eq!(ended(task.kill(kill).unwrap()), Status::Cancelled);
        assert_gone(&[leader]);
        let grace = if command == STUBBORN && kill == Kill::Politely {
            2
        } else {
            0
        };
        assert!(begun.elapsed() >= Duration::from_secs(grace));
        match task.kill(kill).unwrap() {
            Killed::AlreadyEnded(summary) => assert_eq!(summary.status, Some(Status::Cancelled)),
            other => panic!("{other:?}"),
        }
        std::fs::remove_file(house.file("leader")).unwrap();
    }
}

#[test]
fn a_task_can_be_ended_at_once() {
    let house = House::new();
    let engine = house.engine();
    // It may not even have begun.
    let id = behind(&engine, "sleep 1000");
    let killed = engine.task(&id).unwrap().kill(Kill::Politely).unwrap();
    assert_eq!(ended(killed), Status::Cancelled);
}

#[test]
fn a_lone_task_of_an_engine_that_is_gone_can_be_ended() {
    let house = House::new();
    let engine = house.engine();
    let id = behind(&engine, SLEEPER);
    let leader = house.process("leader");
    drop(engine);
    let other = house.engine();
    assert_eq!(
        ended(other.task(&id).unwrap().kill(Kill::Now).unwrap()),
        Status::Cancelled
    );
    assert_gone(&[leader]);
}

#[test]
fn one_of_several_tasks_of_an_engine_is_ended_by_others() {
    let house = House::new();
    let engine = house.engine();
    let first = behind(&engine, SLEEPER);
    let second = behind(&engine, "sleep 1000");
    let leader = house.process("leader");
    house.begun(&second);
    let other = house.engine();
    assert_eq!(
        ended(other.task(&first).unwrap().kill(Kill::Now).unwrap()),
        Status::Cancelled
    );
    assert_gone(&[leader]);
    assert_eq!(
        other.task(&second).unwrap().state().unwrap(),
        TaskState::Running
    );
    // Their engine does so too.
    assert_eq!(
        ended(engine.task(&second).unwrap().kill(Kill::Now).unwrap()),
        Status::Cancelled
    );
}

#[test]
fn of_several_tasks_whose_keeper_has_no_socket_none_is_ended_by_others() {
    let house = House::new();
    let engine = house.engine();
    let first = behind(&engine, SLEEPER);
    let second = behind(&engine, "sleep 1000");
    let leader = house.process("leader");
    // A person has cleaned the directory up.
    std::fs::remove_file(house.begun(&second).socket.unwrap()).unwrap();
    let other = house.engine();
    match other.task(&first).unwrap().kill(Kill::Now).unwrap_err() {
        TaskError::OutOfReach {
            others: 1, agent, ..
        } => assert_eq!(agent.as_deref(), Some("default")),
        error => panic!("{error:?}"),
    }
    assert!(is_alive(leader));
    for id in [first, second] {
        assert_eq!(
            ended(engine.task(&id).unwrap().kill(Kill::Now).unwrap()),
            Status::Cancelled
        );
    }
}

#[test]
fn in_a_named_session_one_task_of_several_is_ended_from_elsewhere() {
    let house = House::new();
    let engine = house
        .builder()
        .session("shared")
        .config(brief())
        .build()
        .unwrap();
    let first = behind(&engine, SLEEPER);
    let second = behind(&engine, "sleep 1000");
    let leader = house.process("leader");
    house.begun(&second);
    // One that does not even belong to the session.
    let other = house.engine();
    assert_eq!(
        ended(other.task(&first).unwrap().kill(Kill::Politely).unwrap()),
        Status::Cancelled
    );
    assert_gone(&[leader]);
    assert_eq!(
        other.task(&second).unwrap().state().unwrap(),
        TaskState::Running
    );
    assert_eq!(
        ended(other.task(&second).unwrap().kill(Kill::Now).unwrap()),
        Status::Cancelled
    );
}

const HOUSE: &str = "BASHFUL_TEST_TASKS_HOUSE";

/// In a process that a test started for it, starts two tasks in a named session and waits to be
/// killed.
fn is_starter() -> bool {
    let Some(root) = std::env::var_os(HOUSE) else {
        return false;
    };
    let root = std::path::PathBuf::from(root);
    let engine = Engine::builder()
        .helper(crate::support::helper())
        .places(bashful_engine::Places::under(&root))
        .workspace(root.join("workspace"))
        .session("survives")
        .config(brief())
        .build()
        .unwrap();
    behind(&engine, SLEEPER);
    behind(
        &engine,
        "echo begun; until [ -e go ]; do sleep 0.01; done; echo ended; exit 6",
    );
    std::thread::sleep(LONG * 5);
    true
}

#[test]
fn tasks_of_a_named_session_survive_the_process_that_started_them() {
    if is_starter() {
        return;
    }
    let house = House::new();
    let name = "tasks_kill::tasks_of_a_named_session_survive_the_process_that_started_them";
    let mut starter = outside(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", name])
        .env(HOUSE, house.path())
        .env("HOME", house.path().join("home"))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let leader = house.process("leader");
    let engine = house.engine();
    let running = || engine.tasks(&TaskFilter::default().which(WhichTasks::Running));
    assert!(crate::support::eventually(LONG, || {
        let running = running();
        running.len() == 2 && running.iter().all(|it| it.state == TaskState::Running)
    }));
    starter.kill().unwrap();
    starter.wait().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let listed = running();
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert!(listed.iter().all(|task| task.session == "survives"));
    let [sleeper, worker] = listed.as_slice() else {
        panic!()
    };
    let sleeper = engine.task(&sleeper.task_id).unwrap();
    let worker = engine.task(&worker.task_id).unwrap();
    assert_eq!(
        worker
            .read(&ReadRequest::default().wait(LONG))
            .unwrap()
            .text(),
        "begun\n"
    );
    std::fs::write(house.file("go"), "").unwrap();
    assert_eq!(worker.wait(Instant::now() + LONG).unwrap(), Waited::Ended);
    let limit = bashful_engine::OutputLimit::bytes(bashful_engine::config::Keep::Head, 1000);
    let result = worker.result(limit).unwrap().unwrap();
    assert_eq!(
        (result.stdout.as_str(), result.exit_code),
        ("begun\nended\n", Some(6))
    );
    assert!(is_alive(leader));
    assert_eq!(
        ended(sleeper.kill(Kill::Politely).unwrap()),
        Status::Cancelled
    );
    assert_gone(&[leader]);
}
