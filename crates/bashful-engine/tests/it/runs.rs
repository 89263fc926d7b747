//! Many runs, from many places.

use std::time::{Duration, Instant};

use bashful_engine::{Invocation, Status};

use crate::support::{House, LONG, run, started};

#[test]
fn one_engine_serves_one_async_runtime_after_the_other() {
    let house = House::new();
    let runtime = || {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .unwrap()
    };
    let first = runtime();
    let engine = first.block_on(async { house.engine() });
    let result = first.block_on(engine.run(Invocation::bash("echo one")));
    assert_eq!(result.unwrap().stdout, "one\n");
    let begun = first.block_on(async { started(&engine, Invocation::bash("sleep 0.5; echo two")) });
    drop(first);
    // Begun in the first, awaited in the second.
    let second = runtime();
    assert_eq!(second.block_on(begun.wait()).unwrap().stdout, "two\n");
    let result = second.block_on(engine.run(Invocation::bash("echo three")));
    assert_eq!(result.unwrap().stdout, "three\n");
    drop(second);
    // And no runtime at all.
    assert_eq!(run(&engine, Invocation::bash("echo four")).stdout, "four\n");
}

#[test]
fn a_thread_waits_as_long_as_it_likes() {
    let house = House::new();
    let engine = house.engine();
    let begun = Instant::now();
    let running = started(&engine, Invocation::bash("sleep 1; echo done"));
    let soon = Some(Instant::now() + Duration::from_millis(50));
    let Err(running) = running.wait_until(soon) else {
        panic!("it ended too early")
    };
    assert!(begun.elapsed() < LONG);
    let past = Instant::now();
    let Err(running) = running.wait_until(Some(past)) else {
        panic!("it ended too early")
    };
    let result = running.wait_until(None).unwrap().unwrap();
    assert_eq!(
        (result.status, result.stdout.as_str()),
        (Status::Success, "done\n")
    );
    assert!(result.duration >= Duration::from_secs(1) && result.duration < LONG);
}

#[test]
fn threads_share_an_engine() {
    let house = House::new();
    let engine = house.engine();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let engine = engine.clone();
            scope.spawn(move || {
                for turn in 0..5 {
                    let text = format!("{thread}.{turn}");
                    let result = run(&engine, Invocation::bash(format!("echo {text}")));
                    assert_eq!(result.stdout, format!("{text}\n"));
                }
            });
        }
    });
}

#[test]
fn heavy_two_hundred_at_once_are_all_answered() {
    let house = House::new();
    let engine = house.engine();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let runs: Vec<_> = (0..200)
            .map(|number| {
                let command = format!(
                    "sleep 0.5; echo out{number}; echo err{number} >&2; exit $(({number} % 100))"
                );
                started(&engine, Invocation::bash(command))
            })
            .collect();
        assert_eq!(engine.running().len(), 200);
        for (number, running) in runs.into_iter().enumerate() {
            let waiting = tokio::time::timeout(LONG * 2, running.wait());
            let result = waiting.await.expect("it ends").unwrap();
            let told = (result.stdout, result.stderr, result.exit_code);
            let code = i32::try_from(number % 100).unwrap();
            let expected = (
                format!("out{number}\n"),
                format!("err{number}\n"),
                Some(code),
            );
            assert_eq!(told, expected);
        }
    });
    assert!(engine.running().is_empty());
    assert_eq!(house.tasks(), 200);
}

#[test]
fn what_is_used_is_plausible() {
    let house = House::new();
    let engine = house.engine();
    let idle = run(&engine, Invocation::bash("sleep 0.5"));
    let usage = idle.usage.unwrap();
    assert!(usage.cpu_ms < 400, "{usage:?}");
    assert!((100..200_000).contains(&usage.max_rss_kib), "{usage:?}");
    // In a child, so that the tree counts and not the leader alone.
    let busy = "bash -c 'end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do :; done'; true";
    let busy = run(&engine, Invocation::bash(busy));
    let usage = busy.usage.unwrap();
    let wall = u64::try_from(busy.duration.as_millis()).unwrap();
    // Half of it at least would be ours even on a very busy machine.
    assert!(
        usage.cpu_ms >= 100 && usage.cpu_ms <= wall + 500,
        "{usage:?} in {wall} ms"
    );
    let large = "head -c 60M /dev/zero | tail -c 60M | wc -c";
    let large = run(&engine, Invocation::bash(large));
    let usage = large.usage.unwrap();
    assert_eq!(large.stdout.trim(), "62914560");
    assert!(
        (50 << 10..500 << 10).contains(&usage.max_rss_kib),
        "{usage:?}"
    );
}

#[test]
fn what_orphans_used_counts_too() {
    let house = House::new();
    let command = "(setsid bash -c 'end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do :; done; touch done' &) ; until [ -e done ]; do sleep 0.05; done";
    let result = run(&house.engine(), Invocation::bash(command));
    let usage = result.usage.unwrap();
    assert!(usage.cpu_ms >= 100, "{usage:?}");
}

#[test]
fn the_list_of_what_runs_is_exact() {
    let house = House::new();
    let engine = house.engine();
    assert!(engine.running().is_empty());
    let running = started(
        &engine,
        Invocation::bash("sleep 0.3")
            .agent("ann")
            .description("a nap"),
    );
    let listed = engine.running();
    let [one] = listed.as_slice() else {
        panic!("{listed:?}")
    };
    assert_eq!(
        (
            one.task_id.as_str(),
            one.agent.as_str(),
            one.command.as_str()
        ),
        (running.id(), "ann", "sleep 0.3")
    );
    let seen = bashful_engine::running(&house.state()).unwrap();
    if let [task] = seen.as_slice() {
        assert_eq!(task.description.as_deref(), Some("a nap"));
        assert_eq!(task.cwd, house.workspace());
        assert!(task.output_file.starts_with(house.state()));
    }
    running.wait_until(None).unwrap().unwrap();
    assert!(engine.running().is_empty());
    assert!(bashful_engine::running(&house.state()).unwrap().is_empty());
}

#[test]
fn a_record_says_what_was_asked_and_no_value_of_a_variable() {
    let house = House::new();
    let invocation = Invocation::bash("true")
        .variable("INJECTED", "value-of-injected")
        .description("for the record")
        .operation_id("op-1")
        .agent("ann");
    let result = run(&house.engine(), invocation);
    let id = bashful_keeper::TaskId::parse(&result.task_id.unwrap()).unwrap();
    let directory = bashful_keeper::TaskDirectory::of(&house.state(), &id);
    let spec = directory.read_spec().unwrap();
    assert_eq!(spec.description.as_deref(), Some("for the record"));
    assert_eq!(spec.operation_id.as_deref(), Some("op-1"));
    assert_eq!(
        (spec.agent.as_str(), spec.command.as_str()),
        ("ann", "true")
    );
    assert!(spec.variables.contains(&"INJECTED".to_owned()));
    for name in ["spec", "state"] {
        let text = std::fs::read_to_string(directory.path().join(name)).unwrap();
        assert!(!text.contains("value-of-injected"), "{name}");
    }
}
