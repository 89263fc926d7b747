//! Waiting for tasks: soon told, at little cost, and never for ever.

use std::fs;
use std::time::{Duration, Instant};

use bashful_engine::{
    Invocation, ReadRequest, SearchRequest, Status, TaskFilter, TaskState, Waited,
};

use crate::support::{House, LONG, run};
use crate::tasks::{LIMIT, behind, ends_on_record};

#[test]
fn a_task_whose_keeper_was_killed_is_lost_and_its_output_readable() {
    let house = House::new();
    let engine = house.engine();
    let id = behind(&engine, Invocation::bash("echo kept; sleep 1000"));
    let task = engine.task(&id).unwrap();
    assert_eq!(
        task.read(&ReadRequest::default().wait(LONG))
            .unwrap()
            .text(),
        "kept\n"
    );
    let [keeper, _] = crate::support::keeper_pair(&house.begun(&id));
    let waiting = {
        let task = task.clone();
        std::thread::spawn(move || {
            let output = task.read(&ReadRequest::after(5).wait(LONG)).unwrap();
            (output, Instant::now())
        })
    };
    std::thread::sleep(Duration::from_millis(100));
    let killed = Instant::now();
    bashful_sandbox::signal_process(keeper, rustix::process::Signal::KILL);
    let (output, at) = waiting.join().unwrap();
    assert!(output.ended && output.state == TaskState::Lost);
    assert!(
        at - killed < Duration::from_secs(10),
        "it took {:?}",
        at - killed
    );
    let result = task.result(LIMIT).unwrap().unwrap();
    assert_eq!(
        (result.status, result.stdout.as_str()),
        (Status::Broken, "kept\n")
    );
    assert!(result.error.unwrap().contains("keeper"));
    let summary = house.engine().task(&id).unwrap().summary().unwrap();
    assert_eq!(
        (summary.state, summary.status),
        (TaskState::Lost, Some(Status::Broken))
    );
    assert_eq!(ends_on_record(&house, &id), 1);
}

#[test]
fn a_task_that_is_being_started_is_never_lost() {
    let house = House::new();
    let engine = house.engine();
    let watcher = house.engine();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut looks = 0_u32;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                for task in watcher.tasks(&TaskFilter::default().limit(3)) {
                    assert_ne!(task.state, TaskState::Lost, "{task:?}");
                    looks += 1;
                }
            }
            looks
        });
        for _ in 0..60 {
            run(&engine, Invocation::bash("true"));
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(looking.join().unwrap() > 0);
    });
}

#[test]
fn output_reaches_a_waiting_reader_soon() {
    let house = House::new();
    let engine = house.engine();
    // A line with the time, now and then.
    let command = "for i in 1 2 3 4 5 6 7 8; do sleep 0.1; date +%s%N; done";
    let id = behind(&engine, Invocation::bash(command));
    let task = house.engine().task(&id);
    let task = task.unwrap_or_else(|_| {
        house.begun(&id);
        house.engine().task(&id).unwrap()
    });
    let (mut next, mut lags) = (0, Vec::new());
    loop {
        let output = task.read(&ReadRequest::after(next).wait(LONG)).unwrap();
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        if let Some(line) = output.text().lines().last() {
            let written = Duration::from_nanos(line.parse().unwrap());
            lags.push(now.saturating_sub(written));
        }
        next = output.next;
        if output.ended {
            break;
        }
    }
    lags.sort();
    assert!(lags.len() >= 4, "{lags:?}");
    // A busy machine may make one of them late; half of them are far below the promise.
    assert!(lags[lags.len() / 2] < Duration::from_millis(50), "{lags:?}");
}

#[test]
fn many_waiting_readers_cost_one_thread_and_little_time() {
    let house = House::new();
    let engine = house.engine();
    let id = behind(
        &engine,
        Invocation::bash("until [ -e go ]; do sleep 0.1; done; echo done"),
    );
    let task = engine.task(&id).unwrap();
    house.begun(&id);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let readers: Vec<_> = (0..1000)
        .map(|_| {
            let task = task.clone();
            runtime.spawn(async move {
                let request = ReadRequest::default().wait(LONG * 2);
                task.read_async(&request).await.unwrap().text()
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    let threads = fs::read_dir("/proc/self/task").unwrap().count();
    assert!(threads < 50, "{threads} threads");
    let used = || {
        let usage = fs::read_to_string("/proc/self/stat").unwrap();
        let fields: Vec<&str> = usage
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        // User and system time, in hundredths of a second.
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let before = used();
    std::thread::sleep(Duration::from_secs(2));
    let spent = used() - before;
    assert!(spent < 100, "{spent} hundredths of a second in two seconds");
    fs::write(house.file("go"), "").unwrap();
    for reader in readers {
        assert_eq!(runtime.block_on(reader).unwrap(), "done\n");
    }
}

#[tokio::test]
async fn futures_do_the_same() {
    let house = House::new();
    let engine = house.engine();
    let id = behind(&engine, Invocation::bash("sleep 0.2; echo told"));
    let task = engine.task(&id).unwrap();
    let output = task
        .read_async(&ReadRequest::default().wait(LONG))
        .await
        .unwrap();
    assert_eq!(output.text(), "told\n");
    let waited = task.wait_async(Instant::now() + LONG).await.unwrap();
    assert_eq!(waited, Waited::Ended);
    let found = task.search_async(SearchRequest::new("told")).await.unwrap();
    assert_eq!(found.lines.len(), 1);
    assert_eq!(ends_on_record(&house, &id), 1);
}
