//! How a run ends: by itself, at its limit, because a caller asked; and what stays behind.

use std::fs;
use std::time::{Duration, Instant};

use bashful_engine::config::{Sandbox, Survivors};
use bashful_engine::{Backend, ExitClass, Invocation, Status, StopWhich, Timeout};

use crate::support::{House, LONG, assert_gone, eventually, is_alive, run, started};

#[test]
fn exit_codes_are_classified() {
    let house = House::new();
    let engine = house.engine();
    for (code, status, class) in [
        (0, Status::Success, ExitClass::Success),
        (1, Status::SoftFailure, ExitClass::SoftFailure),
        (127, Status::SoftFailure, ExitClass::SoftFailure),
        (128, Status::HardFailure, ExitClass::HardFailure),
        (255, Status::HardFailure, ExitClass::HardFailure),
    ] {
        let result = run(&engine, Invocation::bash(format!("exit {code}")));
        let told = (
            result.exit_code,
            result.status,
            result.exit_status,
            result.success,
        );
        assert_eq!(told, (Some(code), status, Some(class), code == 0));
    }
    for (signal, name) in [
        ("KILL", "SIGKILL"),
        ("TERM", "SIGTERM"),
        ("ABRT", "SIGABRT"),
    ] {
        let result = run(
            &engine,
            Invocation::bash(format!("kill -{signal} $$; sleep 9")),
        );
        assert_eq!(result.status, Status::HardFailure);
        assert_eq!(
            (result.exit_code, result.signal.as_deref()),
            (None, Some(name))
        );
    }
}

#[test]
fn cancel_is_polite_and_kill_is_not() {
    let house = House::new();
    let engine = house.engine();
    let polite = "trap 'echo bye; exit 7' TERM; touch ready; while :; do sleep 0.05; done";
    let running = started(&engine, Invocation::bash(polite));
    assert!(eventually(LONG, || house.file("ready").exists()));
    running.cancel();
    running.cancel();
    let result = running.wait_until(None).unwrap().unwrap();
    assert_eq!(
        (result.status, result.stdout.as_str()),
        (Status::Cancelled, "bye\n")
    );
    assert!(!result.success && !result.timed_out);
    assert_eq!(result.exit_status, Some(ExitClass::HardFailure));

    fs::remove_file(house.file("ready")).unwrap();
    let deaf = "trap '' TERM; touch ready; while :; do sleep 0.05; done";
    let running = started(&engine, Invocation::bash(deaf));
    assert!(eventually(LONG, || house.file("ready").exists()));
    running.kill();
    let result = running.wait_until(None).unwrap().unwrap();
    assert_eq!(result.status, Status::Cancelled);
    assert_eq!(result.signal.as_deref(), Some("SIGKILL"));
}

#[test]
fn a_kill_shortens_the_grace_of_a_cancel() {
    let house = House::new();
    let mut config = bashful_engine::config::Config::default();
    config.limits.term_grace = LONG * 5;
    let engine = house.builder().config(config).build().unwrap();
    let deaf = "trap '' TERM; touch ready; while :; do sleep 0.05; done";
    let running = started(&engine, Invocation::bash(deaf));
    assert!(eventually(LONG, || house.file("ready").exists()));
    running.cancel();
    std::thread::sleep(Duration::from_millis(200));
    running.kill();
    let result = running.wait_until(Some(Instant::now() + LONG));
    assert_eq!(result.unwrap().unwrap().signal.as_deref(), Some("SIGKILL"));
}

/// Children of every kind that is hard to end.
const HARD_TO_END: &str = r#"
    sleep 1000 & echo $! $(readlink /proc/self/ns/pid) > plain
    setsid bash -c 'echo $$ $(readlink /proc/self/ns/pid) > session; exec sleep 1000' &
    (setsid bash -c 'echo $$ $(readlink /proc/self/ns/pid) > orphan; exec sleep 1000' > /dev/null 2>&1 &)
    (trap '' TERM HUP INT; echo $BASHPID $(readlink /proc/self/ns/pid) > deaf; while :; do sleep 0.1; done) &
    (setsid env -i bash -c 'trap "" TERM; echo $$ $(readlink /proc/self/ns/pid) > bare; while :; do sleep 0.1; done' &)
    bash -c 'echo $$ $(readlink /proc/self/ns/pid) > stopped; kill -STOP $$' &
    echo $$ $(readlink /proc/self/ns/pid) > leader
"#;
const NAMES: [&str; 7] = [
    "plain", "session", "orphan", "deaf", "bare", "stopped", "leader",
];

#[test]
fn a_timeout_ends_the_whole_tree() {
    let house = House::new();
    let invocation = Invocation::bash(format!("{HARD_TO_END} echo told; sleep 1000"))
        .timeout(Timeout::After(Duration::from_secs(3)));
    let running = started(&house.engine(), invocation);
    let processes = NAMES.map(|name| house.process(name));
    let result = running
        .wait_until(Some(Instant::now() + LONG))
        .unwrap()
        .unwrap();
    assert_eq!((result.status, result.timed_out), (Status::TimedOut, true));
    assert_eq!(result.stdout, "told\n");
    assert!(result.survivors.iter().all(|one| one.fate != "unreachable"));
    let alive: Vec<&str> = NAMES
        .into_iter()
        .zip(processes)
        .filter_map(|(name, process)| is_alive(process).then_some(name))
        .collect();
    assert!(
        alive.is_empty(),
        "after the result there still are {alive:?}"
    );
}

#[test]
fn a_cancel_ends_the_whole_tree() {
    let house = House::new();
    let running = started(
        &house.engine(),
        Invocation::bash(format!("{HARD_TO_END} sleep 1000")),
    );
    let processes = NAMES.map(|name| house.process(name));
    running.cancel();
    let result = running
        .wait_until(Some(Instant::now() + LONG))
        .unwrap()
        .unwrap();
    assert_eq!(result.status, Status::Cancelled);
    assert_gone(&processes);
}

#[test]
fn dropping_the_run_ends_the_whole_tree_and_the_record_says_why() {
    let house = House::new();
    let engine = house.engine();
    let running = started(
        &engine,
        Invocation::bash(format!("{HARD_TO_END} sleep 1000")),
    );
    let id = running.id().to_owned();
    let processes = NAMES.map(|name| house.process(name));
    drop(running);
    assert_gone(&processes);
    let finished = || house.record(&id).unwrap().phase == bashful_keeper::Phase::Finished;
    assert!(eventually(LONG, finished));
    let ending = house.record(&id).unwrap().ending.unwrap();
    assert_eq!(ending, bashful_keeper::Ending::Cancelled);
    assert!(engine.running().is_empty());
}

#[test]
fn dropping_the_engine_and_its_runs_leaves_nothing() {
    let house = House::new();
    let engine = house.engine();
    let running = started(
        &engine,
        Invocation::bash("echo $$ $(readlink /proc/self/ns/pid) > leader; sleep 1000"),
    );
    let leader = house.process("leader");
    let pair = crate::support::keeper_pair(&house.begun(running.id()));
    drop(engine);
    assert!(is_alive(leader), "a run keeps what it needs");
    drop(running);
    assert_gone(&[leader, pair[0], pair[1]]);
}

#[test]
fn a_daemon_that_holds_the_output_is_not_waited_for() {
    let house = House::new();
    let command = "echo before; (setsid bash -c 'echo $$ $(readlink /proc/self/ns/pid) > daemon; sleep 1000' &); until [ -e go ]; do sleep 0.01; done; echo after; exit 6";
    let running = started(&house.engine(), Invocation::bash(command));
    let daemon = house.process("daemon");
    let begun = Instant::now();
    fs::write(house.file("go"), "").unwrap();
    let result = running.wait_until(Some(begun + LONG)).unwrap().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(30));
    let told = (result.stdout.as_str(), result.exit_code, result.status);
    assert_eq!(told, ("before\nafter\n", Some(6), Status::SoftFailure));
    assert!(result.survivors.iter().all(|one| one.fate == "killed"));
    // The daemon, and no process of ours.
    let pids: Vec<i32> = result.survivors.iter().map(|one| one.pid).collect();
    assert_eq!(pids, [daemon.pid], "{result:?}");
    assert!(!is_alive(daemon));
}

#[test]
fn output_printed_shortly_after_the_leader_ended_is_kept() {
    let house = House::new();
    let command = "(sleep 0.05; echo late) & echo early; exit 0";
    let result = run(&house.engine(), Invocation::bash(command));
    assert_eq!(result.stdout, "early\nlate\n");
    assert!(result.survivors.is_empty());
}

#[test]
fn survivors_that_are_adopted_go_on_as_a_task() {
    let house = House::new();
    let engine = house.engine();
    let command = "(setsid bash -c 'echo $$ $(readlink /proc/self/ns/pid) > daemon; until [ -e go ]; do sleep 0.05; done; echo from the daemon' &); until [ -s daemon ]; do sleep 0.01; done; echo told";
    let result = run(
        &engine,
        Invocation::bash(command).survivors(Survivors::Adopt),
    );
    assert_eq!(
        (result.status, result.stdout.as_str()),
        (Status::Success, "told\n")
    );
    let daemon = house.process("daemon");
    let survivor = result.survivors.iter().find(|one| one.pid == daemon.pid);
    let survivor = survivor.expect("the daemon is listed");
    assert_eq!(survivor.fate, "adopted");
    let heir = survivor.task_id.clone().expect("it has a task");
    assert!(is_alive(daemon));
    let listed = bashful_engine::running(&house.state()).unwrap();
    assert!(listed.iter().any(|task| task.task_id == heir), "{listed:?}");
    fs::write(house.file("go"), "").unwrap();
    let finished = || house.record(&heir).unwrap().phase == bashful_keeper::Phase::Finished;
    assert!(eventually(LONG, finished));
    let log = house.state().join("tasks").join(&heir).join("out.log");
    assert_eq!(fs::read_to_string(log).unwrap(), "from the daemon\n");
}

#[test]
fn adopted_survivors_can_be_stopped() {
    let house = House::new();
    let engine = house.engine();
    let command = "(trap '' TERM; setsid bash -c 'trap \"\" TERM; echo $$ $(readlink /proc/self/ns/pid) > daemon; while :; do sleep 0.05; done' > /dev/null 2>&1 &); until [ -s daemon ]; do sleep 0.01; done";
    let adopt = Invocation::bash(command).survivors(Survivors::Adopt);
    let result = run(&engine, adopt);
    let daemon = house.process("daemon");
    assert!(is_alive(daemon) && result.survivors.iter().any(|one| one.fate == "adopted"));
    // Adopted means owned: it outlives the engine, and `stop` ends it.
    drop(engine);
    std::thread::sleep(Duration::from_millis(300));
    assert!(is_alive(daemon));
    let stopped = bashful_engine::stop(&house.state(), &StopWhich::All).unwrap();
    assert_eq!((stopped.stopped.len(), stopped.still_running.len()), (1, 0));
    assert_gone(&[daemon]);
}

#[test]
fn stop_ends_one_agents_tasks_or_all() {
    let house = House::new();
    let engine = house.engine();
    let start = |agent: &str| {
        let command = format!("echo $$ $(readlink /proc/self/ns/pid) > {agent}; sleep 1000");
        started(&engine, Invocation::bash(command).agent(agent))
    };
    let (ann, bob) = (start("ann"), start("bob"));
    let (one, other) = (house.process("ann"), house.process("bob"));
    let stopped =
        bashful_engine::stop(&house.state(), &StopWhich::Agent("ann".to_owned())).unwrap();
    assert_eq!(stopped.stopped.len(), 1);
    assert_gone(&[one]);
    assert!(is_alive(other));
    let result = ann.wait_until(None).unwrap().unwrap();
    assert_eq!(result.status, Status::Cancelled);
    bashful_engine::stop(&house.state(), &StopWhich::All).unwrap();
    assert_gone(&[other]);
    let result = bob.wait_until(None).unwrap().unwrap();
    assert_eq!(result.status, Status::Cancelled);
}

#[test]
fn a_detached_run_finishes_without_its_engine() {
    let house = House::new();
    for by_method in [true, false] {
        let engine = house.engine();
        let command = "echo begun; until [ -e go ]; do sleep 0.02; done; echo ended; exit 3";
        let invocation = Invocation::bash(command);
        let id = if by_method {
            started(&engine, invocation).detach()
        } else {
            let running = started(&engine, invocation.detached());
            running.id().to_owned()
        };
        house.begun(&id);
        drop(engine);
        std::thread::sleep(Duration::from_millis(100));
        let pair = crate::support::keeper_pair(&house.begun(&id));
        fs::write(house.file("go"), "").unwrap();
        let finished = || house.record(&id).unwrap().phase == bashful_keeper::Phase::Finished;
        assert!(eventually(LONG, finished));
        let state = house.record(&id).unwrap();
        assert_eq!(state.exit_code, Some(3));
        assert_eq!(state.ending, Some(bashful_keeper::Ending::Exited));
        let log = house.state().join("tasks").join(&id).join("out.log");
        assert_eq!(fs::read_to_string(log).unwrap(), "begun\nended\n");
        assert_gone(&pair);
        fs::remove_file(house.file("go")).unwrap();
    }
}

#[test]
fn a_run_that_is_detached_at_once_goes_on() {
    let house = House::new();
    for sandbox in [Sandbox::By(Backend::Native), Sandbox::None] {
        for round in 0..20 {
            let engine = house.builder().sandbox(sandbox).build().unwrap();
            let id = started(&engine, Invocation::bash("sleep 0.2; exit 3")).detach();
            drop(engine);
            let finished = || {
                let record = house.record(&id);
                record.is_some_and(|it| it.phase == bashful_keeper::Phase::Finished)
            };
            let told = format!("round {round} with {sandbox:?}");
            assert!(eventually(LONG / 6, finished), "{told}: no end");
            let state = house.record(&id).unwrap();
            assert_eq!(state.exit_code, Some(3), "{told}: {state:?}");
        }
    }
}

#[test]
fn a_run_whose_keeper_is_killed_is_lost_and_says_so() {
    let house = House::new();
    let engine = house.engine();
    let command = "echo kept; (setsid bash -c 'echo $$ $(readlink /proc/self/ns/pid) > child; exec sleep 1000' &); echo $$ $(readlink /proc/self/ns/pid) > leader; sleep 1000";
    let running = started(&engine, Invocation::bash(command));
    let id = running.id().to_owned();
    let processes = [house.process("leader"), house.process("child")];
    // The log is written as it is read: wait for the line that we look for below.
    let log = house.state().join("tasks").join(&id).join("out.log");
    let logged = || fs::read(&log).is_ok_and(|bytes| bytes == b"kept\n");
    assert!(eventually(LONG, logged));
    let [keeper, guard] = crate::support::keeper_pair(&house.begun(&id));
    let reach = bashful_sandbox::signal_process(keeper, rustix::process::Signal::KILL);
    assert_eq!(reach, bashful_sandbox::Reach::Delivered);
    let result = running
        .wait_until(Some(Instant::now() + LONG))
        .unwrap()
        .unwrap();
    assert_eq!(result.status, Status::Broken);
    assert!(result.error.unwrap().contains("keeper"));
    assert_gone(&[processes[0], processes[1], guard]);
    let record = house.record(&id).unwrap();
    assert_eq!(record.phase, bashful_keeper::Phase::Lost);
    assert!(bashful_engine::running(&house.state()).unwrap().is_empty());
    // The engine goes on with a new keeper.
    assert_eq!(
        run(&engine, Invocation::bash("echo again")).stdout,
        "again\n"
    );
}
