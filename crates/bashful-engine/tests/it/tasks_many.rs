//! Many agents at once: tasks, readers and killers side by side.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bashful_engine::{
    Engine, Invocation, Kill, OnTimeout, ReadRequest, Readiness, Ready, TaskFilter, TaskState,
    Timeout, Waited, Waiting, WhichTasks,
};

use crate::support::{House, LONG, numbered, started};

const AGENTS: usize = 64;

/// After this time it hangs. One keeper makes the processes of all agents one after the other, which
/// takes its time on a busy machine: a command may wait as long as this in its line.
const PATIENCE: Duration = bashful_keeper::LONGEST_IN_LINE.saturating_add(LONG);

/// All that a task prints, read by offset in small pieces until it has ended.
fn read_all(engine: &Engine, id: &str, until: Instant) -> String {
    let task = engine.task(id).unwrap();
    let (mut next, mut text) = (0, Vec::new());
    loop {
        assert!(Instant::now() < until, "{id} does not end");
        let wait = Duration::from_secs(2);
        let request = ReadRequest::after(next).wait(wait).max_bytes(701);
        let output = task.read(&request).unwrap();
        assert_eq!(output.start.max(next), output.start);
        text.extend_from_slice(&output.bytes);
        next = output.next;
        if output.ended {
            return String::from_utf8(text).unwrap();
        }
    }
}

/// One agent: a task that prints and ends, one that prints for ever, and one that sleeps.
fn agent(house: &House, number: usize, until: Instant) -> [String; 3] {
    let name = format!("agent-{number}");
    let engine = house
        .builder()
        .agent(&name)
        .session("many")
        .build()
        .unwrap();
    let start = |command: String| {
        let invocation = Invocation::bash(command).timeout(Timeout::Never).detached();
        started(&engine, invocation).id().to_owned()
    };
    let word = format!("{name}:");
    let counts = start(format!(
        "for ((i = 1; i <= 300; i++)); do echo {word}$i; done; exit 4"
    ));
    let endless = start(format!("while :; do echo {word}; sleep 0.01; done"));
    let sleeps = start("sleep 1000".to_owned());
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| read_all(&engine, &counts, until)))
            .collect();
        let follower = scope.spawn(|| read_all(&engine, &endless, until));
        let killers: Vec<_> = [&endless, &endless, &sleeps]
            .map(|id| {
                let engine = &engine;
                scope.spawn(move || {
                    engine.task(id).unwrap().kill(Kill::Politely).unwrap();
                })
            })
            .into_iter()
            .collect();
        for reader in readers {
            assert_eq!(reader.join().unwrap(), numbered(&word, 300));
        }
        let lines = follower.join().unwrap();
        assert!(lines.lines().all(|line| line == word), "{lines}");
        for killer in killers {
            killer.join().unwrap();
        }
    });
    let summary = engine.task(&counts).unwrap().summary().unwrap();
    assert_eq!(
        (summary.state, summary.exit_code),
        (TaskState::Finished, Some(4))
    );
    assert_eq!(summary.agent, name);
    [counts, endless, sleeps]
}

#[test]
fn heavy_agents_tasks_readers_and_killers_at_once() {
    let house = House::new();
    let until = Instant::now() + PATIENCE;
    let ids: Vec<String> = std::thread::scope(|scope| {
        let agents: Vec<_> = (0..AGENTS)
            .map(|number| {
                let house = &house;
                scope.spawn(move || agent(house, number, until))
            })
            .collect();
        let ended = agents.into_iter().flat_map(|agent| agent.join().unwrap());
        ended.collect()
    });
    let engine = house.engine();
    let all = engine.tasks(&TaskFilter::default().limit(10_000));
    assert!(all.iter().all(|task| task.state == TaskState::Finished));
    let found: BTreeSet<&str> = all.iter().map(|task| task.task_id.as_str()).collect();
    assert_eq!(found, ids.iter().map(String::as_str).collect());
    let running = TaskFilter::default().which(WhichTasks::Running);
    assert_eq!(engine.tasks(&running), []);
    bashful_engine::stop(&house.state(), &bashful_engine::StopWhich::All).unwrap();
}

#[test]
fn of_many_starts_with_one_name_one_gets_it() {
    let house = House::new();
    let engine = house.builder().session("names").build().unwrap();
    let winners: usize = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..12)
            .map(|_| {
                let invocation = Invocation::bash("sleep 1000")
                    .timeout(Timeout::Never)
                    .name("only-one")
                    .detached();
                let engine = &engine;
                scope.spawn(move || usize::from(engine.start(invocation).is_ok()))
            })
            .collect();
        starts.into_iter().map(|start| start.join().unwrap()).sum()
    });
    assert_eq!(winners, 1);
    let task = engine.task("only-one").unwrap();
    task.kill(Kill::Now).unwrap();
}

#[test]
fn a_library_lets_a_run_go_at_its_timeout() {
    let house = House::new();
    let engine = house.builder().session("s").build().unwrap();
    let invocation = |command: &str, limit| {
        Invocation::bash(command)
            .timeout(Timeout::After(Duration::from_millis(limit)))
            .on_timeout(OnTimeout::Background)
    };
    let run = started(&engine, invocation("sleep 1; echo done", 200));
    let Waiting::GoesOn(background) = run.wait_or_let_go().unwrap() else {
        panic!("it has ended");
    };
    let task = engine.task(&background.task_id).unwrap();
    assert_eq!(task.wait(Instant::now() + LONG).unwrap(), Waited::Ended);
    let output = task.read(&ReadRequest::after(0)).unwrap();
    assert_eq!((output.text().as_str(), output.ended), ("done\n", true));
    let run = started(&engine, invocation("echo quick", 50_000));
    let Waiting::Ended(result) = run.wait_or_let_go().unwrap() else {
        panic!("it goes on");
    };
    assert_eq!(result.stdout, "quick\n");
}

#[test]
fn a_library_waits_until_a_server_is_up() {
    let house = House::new();
    let engine = house.builder().session("s").build().unwrap();
    let command = "sleep 0.2; echo listening >&2; sleep 1000";
    let run = started(
        &engine,
        Invocation::bash(command).timeout(Timeout::Never).detached(),
    );
    let task = engine.task(run.id()).unwrap();
    let line = Readiness::Line("listen".to_owned());
    let up = task.ready_when(&line, Instant::now() + LONG).unwrap();
    assert_eq!(
        up,
        Ready::Up {
            line: Some("listening".to_owned())
        }
    );
    let never = Readiness::Line("never".to_owned());
    let soon = Instant::now() + Duration::from_millis(100);
    let late = task.ready_when(&never, soon).unwrap();
    assert!(matches!(late, Ready::TimedOut { .. }));
    task.kill(Kill::Now).unwrap();
    let ended = task
        .ready_when(&Readiness::Port(9), Instant::now() + LONG)
        .unwrap();
    assert!(matches!(ended, Ready::Ended(_)));
}
