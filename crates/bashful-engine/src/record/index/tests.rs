//! Task directories as keepers leave them, and as they should not be.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use bashful_keeper::TaskId;
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use super::{Reconciled, reconcile};
use crate::store::{DATABASE, SqliteStore, Store, TaskFilter};

fn spec(id: &TaskId) -> Value {
    json!({
        "v": 1, "id": id.as_str(), "command": "make", "agent": "claude", "session": "s",
        "workspace": "/w", "cwd": "/w/src", "variables": [], "term_grace_ms": 1,
        "log_quota": 1, "on_log_full": "stop", "keep_tail": 1, "adopt_survivors": false,
        "created_at_ms": 1000,
    })
}

fn record(id: &TaskId, phase: &str) -> Value {
    json!({
        "v": 1, "id": id.as_str(), "phase": phase, "keeper": { "pid": 1, "started": 1 },
        "started_at_ms": 1005,
    })
}

/// Makes a task directory; returns its spec, which a keeper would lock.
fn task(state: &Path, id: &TaskId, records: &[Value]) -> File {
    let directory = state.join("tasks").join(id.as_str());
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("spec"), spec(id).to_string()).unwrap();
    if !records.is_empty() {
        let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
        let lines = lines.join("\n") + "\n";
        fs::write(directory.join("state"), lines).unwrap();
    }
    File::open(directory.join("spec")).unwrap()
}

fn hold(spec: &File) {
    flock(spec, FlockOperation::NonBlockingLockExclusive).unwrap();
}

fn states(store: &dyn Store) -> Vec<(String, String)> {
    let tasks = store.tasks(&TaskFilter::default()).unwrap();
    let mut states: Vec<(String, String)> = tasks
        .into_iter()
        .map(|task| (task.id, task.state))
        .collect();
    states.sort();
    states
}

#[test]
fn what_runs_has_ended_or_is_lost_is_indexed() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path();
    let store = SqliteStore::open(&state.join(DATABASE)).unwrap();
    assert_eq!(reconcile(state, &store).unwrap(), Reconciled::default());

    let ids: Vec<TaskId> = (0..5).map(|_| TaskId::fresh("bash")).collect();
    let running = task(state, &ids[0], &[record(&ids[0], "running")]);
    hold(&running);
    let begun = task(state, &ids[1], &[]);
    hold(&begun);
    let mut last = record(&ids[2], "finished");
    last["exit_code"] = json!(3);
    last["duration_us"] = json!(7_999);
    task(state, &ids[2], &[record(&ids[2], "running"), last]);
    task(state, &ids[3], &[record(&ids[3], "running")]);
    task(state, &ids[4], &[]);
    // None of these is a task.
    fs::create_dir(state.join("tasks/spare")).unwrap();
    fs::write(state.join("tasks/notes"), "").unwrap();

    let counts = |running, finished, lost| Reconciled {
        running,
        finished,
        lost,
        unreadable: Vec::new(),
    };
    assert_eq!(reconcile(state, &store).unwrap(), counts(2, 1, 2));
    let expected = ["running", "running", "finished", "lost", "lost"];
    let mut expected: Vec<(String, String)> = ids
        .iter()
        .zip(expected)
        .map(|(id, state)| (id.to_string(), state.to_owned()))
        .collect();
    expected.sort();
    assert_eq!(states(&store), expected);
    let finished = store
        .tasks(&TaskFilter {
            state: Some("finished".to_owned()),
            ..TaskFilter::default()
        })
        .unwrap();
    assert_eq!(finished[0].exit_code, Some(3));
    assert_eq!(finished[0].created_at_ms, 1000);
    assert_eq!(finished[0].ended_at_ms, Some(1012));

    // A keeper that dies leaves what it ran as lost.
    drop((running, begun));
    assert_eq!(reconcile(state, &store).unwrap(), counts(0, 1, 4));
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_indexed() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path();
    let store = SqliteStore::open(&state.join(DATABASE)).unwrap();
    let ids: Vec<TaskId> = (0..4).map(|_| TaskId::fresh("bash")).collect();
    for id in &ids {
        task(state, id, &[record(id, "finished")]);
    }
    let of = |number: usize| state.join("tasks").join(ids[number].as_str());
    fs::write(of(0).join("spec"), "no JSON").unwrap();
    fs::write(of(1).join("state"), "no JSON either\n").unwrap();
    fs::remove_file(of(2).join("spec")).unwrap();
    let found = reconcile(state, &store).unwrap();
    let mut unreadable: Vec<String> = ids.iter().take(3).map(ToString::to_string).collect();
    unreadable.sort();
    assert_eq!(
        found,
        Reconciled {
            finished: 1,
            unreadable,
            ..Reconciled::default()
        }
    );
    assert_eq!(
        states(&store),
        [(ids[3].to_string(), "finished".to_owned())]
    );

    // A keeper makes this one just now.
    fs::write(of(0).join("spec"), "").unwrap();
    let spec = File::open(of(0).join("spec")).unwrap();
    hold(&spec);
    assert_eq!(reconcile(state, &store).unwrap().unreadable.len(), 2);
}

#[test]
fn a_place_that_is_no_directory_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path();
    let store = SqliteStore::open(&state.join(DATABASE)).unwrap();
    fs::write(state.join("tasks"), "").unwrap();
    fs::set_permissions(state.join("tasks"), fs::Permissions::from_mode(0o600)).unwrap();
    let found = reconcile(state, &store).unwrap();
    assert_eq!(found.unreadable, ["tasks"]);
}

#[test]
fn more_tasks_than_are_indexed_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path();
    let store = SqliteStore::open(&state.join(DATABASE)).unwrap();
    for _ in 0..1201 {
        let id = TaskId::fresh("bash");
        task(state, &id, &[record(&id, "finished")]);
    }
    assert_eq!(reconcile(state, &store).unwrap().finished, 1201);
    assert_eq!(store.tasks(&TaskFilter::default()).unwrap().len(), 1201);
}
