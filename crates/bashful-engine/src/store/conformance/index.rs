//! Laws of the index.

use std::path::PathBuf;

use super::{NOON, Place, ask, grant, put};
use crate::model::grant::Scope;
use crate::store::{KnownSession, TaskFilter, TaskRow};

fn task(id: &str, state: &str) -> TaskRow {
    TaskRow {
        id: id.to_owned(),
        agent: "claude".to_owned(),
        session: "terminal-1".to_owned(),
        workspace: PathBuf::from("/home/ada/engine"),
        command: "make".to_owned(),
        state: state.to_owned(),
        exit_code: (state == "finished").then_some(2),
        created_at_ms: NOON,
        ended_at_ms: (state == "finished").then_some(NOON + 50),
    }
}

pub(in crate::store) fn tasks_are_indexed_and_brought_up_to_date(place: &dyn Place) {
    let store = place.open();
    let mut later = task("a", "running");
    later.created_at_ms = NOON + 1;
    store
        .index_tasks(&[later.clone(), task("b", "running"), task("c", "lost")])
        .unwrap();
    let finished = task("b", "finished");
    store.index_tasks(std::slice::from_ref(&finished)).unwrap();
    // A caller that looked before the end comes too late.
    for state in ["running", "lost"] {
        store.index_tasks(&[task("b", state)]).unwrap();
    }
    let all = store.tasks(&TaskFilter::default()).unwrap();
    assert_eq!(all, [finished.clone(), task("c", "lost"), later.clone()]);
    let filter = |agent: Option<&str>, session: Option<&str>, state: Option<&str>| TaskFilter {
        agent: agent.map(str::to_owned),
        session: session.map(str::to_owned),
        state: state.map(str::to_owned),
    };
    let running = store.tasks(&filter(None, None, Some("running"))).unwrap();
    assert_eq!(running, [later]);
    let codex = store.tasks(&filter(Some("codex"), None, None)).unwrap();
    assert_eq!(codex, []);
    let ours = store
        .tasks(&filter(
            Some("claude"),
            Some("terminal-1"),
            Some("finished"),
        ))
        .unwrap();
    assert_eq!(ours, [finished]);
}

pub(in crate::store) fn sessions_are_known_from_all_that_is_kept(place: &dyn Place) {
    let store = place.open();
    assert_eq!(store.known().unwrap(), []);
    store.index_tasks(&[task("b", "finished")]).unwrap();
    let mut early = ask("ask-1");
    early.created_at_ms = NOON - 7;
    put(&*store, &early);
    put(&*store, &ask("ask-2"));
    let mut codex = grant("grant-1", Scope::Session);
    codex.agent = "codex".to_owned();
    store.add_grant(&codex).unwrap();
    store.add_grant(&grant("grant-2", Scope::User)).unwrap();
    let session = |agent: &str, seen: (u64, u64), tasks, asks| KnownSession {
        agent: agent.to_owned(),
        session: "terminal-1".to_owned(),
        first_seen_ms: seen.0,
        last_seen_ms: seen.1,
        tasks,
        asks,
    };
    let expected = [
        session("claude", (NOON - 7, NOON + 50), 1, 2),
        session("codex", (NOON, NOON), 0, 0),
    ];
    assert_eq!(store.known().unwrap(), expected);
}
