//! Tasks as any process sees them: listed, found, read, searched, awaited.

use std::fs;
use std::time::{Duration, Instant};

use bashful_engine::audit::{Event, Trail};
use bashful_engine::config::Keep;
use bashful_engine::{
    Engine, Invocation, OutputLimit, ReadRequest, Status, Stream, Task, TaskError, TaskFilter,
    TaskState, Waited, WhichTasks,
};

use crate::support::{House, LONG, eventually, run, started};

pub(crate) const LIMIT: OutputLimit = OutputLimit {
    keep: Keep::HeadTail,
    amount: 30_000,
    unit: bashful_engine::Unit::Characters,
};

/// Starts a command in the background, and lets go of it.
pub(crate) fn behind(engine: &Engine, invocation: Invocation) -> String {
    let run = started(engine, invocation.detached());
    run.id().to_owned()
}

/// How often the end of this task is on record.
pub(crate) fn ends_on_record(house: &House, id: &str) -> usize {
    let records = Trail::at(&house.state()).records().unwrap();
    let is_end = |event: Option<Event>| matches!(event, Some(Event::End(end)) if end.task == id);
    records
        .filter(|record| is_end(record.as_ref().unwrap().event.clone()))
        .count()
}

fn beginning(text: &str, length: usize) -> &str {
    text.get(..length).unwrap()
}

fn wait_for_end(task: &Task) {
    assert_eq!(task.wait(Instant::now() + LONG).unwrap(), Waited::Ended);
}

#[test]
fn a_task_can_be_followed_from_the_moment_it_was_asked_for() {
    let house = House::new();
    let engine = house.engine();
    let command = "echo one; until [ -e go ]; do sleep 0.01; done; echo two >&2; exit 3";
    let id = behind(&engine, Invocation::bash(command).description("a test"));
    // No wait in between: the keeper may not even have heard of it.
    let task = engine.task(&id).unwrap();
    assert!(task.result(LIMIT).unwrap().is_none());
    let first = task.read(&ReadRequest::default().wait(LONG)).unwrap();
    assert_eq!(
        (first.text().as_str(), first.next, first.ended),
        ("one\n", 4, false)
    );
    assert_eq!(first.state, TaskState::Running);
    let summary = task.summary().unwrap();
    assert_eq!(summary.description.as_deref(), Some("a test"));
    assert!(summary.pid.is_some() && summary.elapsed_ms.is_some() && summary.status.is_none());
    // Nothing new: it waits as long as it was told, and not longer.
    let begun = Instant::now();
    let quiet = ReadRequest::after(first.next).wait(Duration::from_millis(200));
    let nothing = task.read(&quiet).unwrap();
    assert_eq!(
        (nothing.text().as_str(), nothing.next, nothing.end),
        ("", 4, 4)
    );
    assert!(begun.elapsed() >= Duration::from_millis(200) && begun.elapsed() < LONG / 2);
    let early = task
        .wait(Instant::now() + Duration::from_millis(50))
        .unwrap();
    assert_eq!(early, Waited::StillRunning);
    fs::write(house.file("go"), "").unwrap();
    let second = task
        .read(&ReadRequest::after(first.next).wait(LONG))
        .unwrap();
    assert_eq!(second.text(), "two\n");
    assert_eq!(second.pieces[0].stream, Stream::Stderr);
    let last = task
        .read(&ReadRequest::after(second.next).wait(LONG))
        .unwrap();
    assert!(last.ended && last.bytes.is_empty());
    wait_for_end(&task);
    let result = task.result(LIMIT).unwrap().unwrap();
    assert_eq!(
        (result.stdout.as_str(), result.stderr.as_str()),
        ("one\n", "two\n")
    );
    assert_eq!(
        (result.status, result.exit_code),
        (Status::SoftFailure, Some(3))
    );
    // It was decided by this engine, which knows so, also the second time.
    assert!(result.decision.is_some());
    assert!(task.result(LIMIT).unwrap().unwrap().decision.is_some());
    let summary = task.summary().unwrap();
    assert_eq!(summary.state, TaskState::Finished);
    assert_eq!(
        (summary.status, summary.exit_code),
        (Some(Status::SoftFailure), Some(3))
    );
    assert_eq!((summary.output_bytes, summary.pid), (8, None));
    let first = task.read(&ReadRequest::after(0).max_bytes(2)).unwrap();
    assert_eq!((first.bytes.len(), first.next), (2, 2));
    assert_eq!(ends_on_record(&house, &id), 1);
}

#[test]
fn another_engine_sees_the_same() {
    let house = House::new();
    let engine = house.engine();
    let command = "echo begun; until [ -e go ]; do sleep 0.01; done; echo ended";
    let id = behind(&engine, Invocation::bash(command).agent("ann"));
    house.begun(&id);
    drop(engine);
    let other = house.engine();
    let task = other.task(&id).unwrap();
    assert_eq!(
        task.read(&ReadRequest::default().wait(LONG))
            .unwrap()
            .text(),
        "begun\n"
    );
    let listed = other.tasks(&TaskFilter::default().which(WhichTasks::Running));
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].task_id.as_str(), listed[0].agent.as_str()),
        (id.as_str(), "ann")
    );
    assert_eq!(listed[0].state, TaskState::Running);
    assert_eq!(listed[0].workspace, house.workspace());
    fs::write(house.file("go"), "").unwrap();
    wait_for_end(&task);
    let result = task.result(LIMIT).unwrap().unwrap();
    assert_eq!(
        (result.stdout.as_str(), result.status),
        ("begun\nended\n", Status::Success)
    );
    assert_eq!(
        (result.agent.as_str(), result.command.as_str()),
        ("ann", command)
    );
    assert!(
        other
            .tasks(&TaskFilter::default().which(WhichTasks::Running))
            .is_empty()
    );
    let ended = other.tasks(&TaskFilter::default().which(WhichTasks::Finished));
    assert_eq!(ended.len(), 1);
    // No process that started it is left. Once that is sure, a look writes its end down, once.
    let recorded = || {
        assert!(task.read(&ReadRequest::default()).unwrap().ended);
        ends_on_record(&house, &id) == 1
    };
    assert!(eventually(LONG, recorded));
    task.result(LIMIT).unwrap().unwrap();
    house.engine().task(&id).unwrap().result(LIMIT).unwrap();
    bashful_engine::bring_up_to_date(&house.state()).unwrap();
    assert_eq!(ends_on_record(&house, &id), 1);
}

#[test]
fn the_ends_of_what_was_let_go_are_recorded_by_the_next_one() {
    let house = House::new();
    let engine = house.engine();
    let id = behind(&engine, Invocation::bash("exit 4"));
    house.begun(&id);
    wait_for_end(&house.engine().task(&id).unwrap());
    assert_eq!(ends_on_record(&house, &id), 0);
    let next = behind(&engine, Invocation::bash("true"));
    assert!(eventually(LONG, || ends_on_record(&house, &id) == 1));
    wait_for_end(&engine.task(&next).unwrap());
    assert_eq!(ends_on_record(&house, &next), 1);
}

#[test]
fn a_run_that_somebody_waits_for_is_recorded_by_them() {
    let house = House::new();
    let engine = house.engine();
    let running = started(&engine, Invocation::bash("echo told; exit 5"));
    let task = engine.task(running.id()).unwrap();
    wait_for_end(&task);
    assert_eq!(task.result(LIMIT).unwrap().unwrap().exit_code, Some(5));
    let id = running.id().to_owned();
    running.wait_until(None).unwrap().unwrap();
    task.result(LIMIT).unwrap().unwrap();
    assert_eq!(ends_on_record(&house, &id), 1);
}

#[test]
fn tasks_are_found_by_the_beginning_of_their_id_and_by_nothing_else() {
    let house = House::new();
    let engine = house.engine();
    let id = run(&engine, Invocation::bash("true").agent("ann"))
        .task_id
        .unwrap();
    let (_, letters) = id.split_once('-').unwrap();
    for text in [
        id.as_str(),
        beginning(&id, 18),
        letters,
        beginning(letters, 10),
    ] {
        assert_eq!(engine.task(text).unwrap().id(), id, "{text}");
    }
    let other = run(&engine, Invocation::bash("true").agent("bob"))
        .task_id
        .unwrap();
    match engine.task("bash-").unwrap_err() {
        TaskError::Ambiguous { candidates, .. } => {
            assert_eq!(candidates, [other.clone(), id.clone()]);
        }
        error => panic!("{error:?}"),
    }
    for text in [
        "",
        "../x",
        "bash-/",
        ".spare-1",
        "-",
        "BASH-1",
        "a\0b",
        "é",
        &"a".repeat(65),
    ] {
        let error = engine.task(text).unwrap_err();
        assert!(
            matches!(error, TaskError::Malformed { .. }),
            "{text:?}: {error:?}"
        );
    }
    let mut wrong = id.clone();
    wrong.replace_range(id.len() - 1.., if id.ends_with('0') { "1" } else { "0" });
    match engine.task(&wrong).unwrap_err() {
        TaskError::Unknown { similar, .. } => assert!(similar.contains(&id), "{similar:?}"),
        error => panic!("{error:?}"),
    }
    // For ann, there is nothing of bob's: not by id, not by its beginning, not in a hint.
    let ann = TaskFilter::default()
        .agent("ann")
        .workspace(house.workspace());
    assert_eq!(engine.task_among("bash", &ann).unwrap().id(), id);
    match engine.task_among(&other, &ann).unwrap_err() {
        TaskError::Unknown { similar, .. } => assert!(!similar.contains(&other)),
        error => panic!("{error:?}"),
    }
    assert!(!engine.task(&other).unwrap().belongs_to(&ann));
    let elsewhere = TaskFilter::default().workspace(house.path());
    assert!(engine.task_among(&id, &elsewhere).is_err());
    assert_eq!(engine.tasks(&ann).len(), 1);
    // The newest of two, and the newest last.
    let all: Vec<String> = engine
        .tasks(&TaskFilter::default())
        .into_iter()
        .map(|it| it.task_id)
        .collect();
    assert_eq!(all, [id, other.clone()]);
    let one: Vec<String> = engine
        .tasks(&TaskFilter::default().limit(1))
        .into_iter()
        .map(|it| it.task_id)
        .collect();
    assert_eq!(one, [other]);
}

#[test]
fn a_place_behind_the_end_is_an_error_that_names_the_end() {
    let house = House::new();
    let engine = house.engine();
    let id = run(&engine, Invocation::bash("echo 123")).task_id.unwrap();
    let task = engine.task(&id).unwrap();
    let error = task.read(&ReadRequest::after(5)).unwrap_err();
    assert!(
        matches!(
            error,
            TaskError::PastEnd {
                offset: 5,
                end: 4,
                ..
            }
        ),
        "{error:?}"
    );
    let end = task.read(&ReadRequest::after(4).wait(LONG)).unwrap();
    assert!(end.ended && end.next == 4);
}

#[test]
fn a_start_that_failed_says_so_and_is_on_record() {
    let house = House::new();
    crate::support::script(&house.file("broken"), "#!/nonexistent/interpreter\n");
    let engine = house.engine();
    let none: [&str; 0] = [];
    let id = behind(&engine, Invocation::program("./broken", none));
    let task = engine.task(&id).unwrap();
    match task.wait(Instant::now() + LONG).unwrap_err() {
        TaskError::NotStarted { task, source } => {
            assert_eq!(task, id);
            assert!(matches!(
                source,
                bashful_engine::EngineError::Execute { .. }
            ));
        }
        error => panic!("{error:?}"),
    }
    assert_eq!(ends_on_record(&house, &id), 1);
    assert!(engine.tasks(&TaskFilter::default()).is_empty());
}

#[test]
fn a_long_history_is_listed_quickly() {
    let house = House::new();
    let engine = house.engine();
    let id = run(&engine, Invocation::bash("true")).task_id.unwrap();
    let tasks = house.state().join("tasks");
    let (spec, state) = (tasks.join(&id).join("spec"), tasks.join(&id).join("state"));
    let (spec, state) = (
        fs::read_to_string(spec).unwrap(),
        fs::read_to_string(state).unwrap(),
    );
    for number in 0..5000 {
        let other = format!("bash-0{number:015}");
        let directory = tasks.join(&other);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("spec"), spec.replace(&id, &other)).unwrap();
        fs::write(directory.join("state"), state.replace(&id, &other)).unwrap();
    }
    let begun = Instant::now();
    let newest = engine.tasks(&TaskFilter::default().limit(10));
    assert_eq!(newest.len(), 10);
    assert_eq!(newest.last().unwrap().task_id, id);
    assert!(
        engine
            .tasks(&TaskFilter::default().which(WhichTasks::Running))
            .is_empty()
    );
    assert!(engine.task(&id).is_ok());
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}
