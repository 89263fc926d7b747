//! How the database is, what its index holds, and whether the records of tasks can be read.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Finding, State};
use crate::model::error::store::StoreError;
use crate::model::places::Places;
use crate::review::repair::{Condition, look as look_at};
use crate::store::{DATABASE, SqliteStore, Store, TaskFilter};
use crate::tasks::damaged;

/// What mends all that is ours to mend.
pub(super) const REPAIR: &str = "bashful doctor --repair";

/// Looks at what is kept. Nothing is made or mended.
pub(super) fn look(places: &Places) -> Vec<Finding> {
    let path = places.state.join(DATABASE);
    let told = |state, words: &str| Finding::new("database", state, words);
    let database = match look_at(&path) {
        Ok(Condition::Fine) => told(State::Ok, "the database is fine"),
        Ok(Condition::Absent) => told(State::Ok, "there is no database yet"),
        Ok(Condition::Damaged(detail)) => told(
            State::Failed,
            &format!("the database is damaged: {detail}; `{REPAIR}` mends it"),
        )
        .mended_by([REPAIR]),
        Err(StoreError::Locked { .. }) => {
            told(State::Weak, "the database is locked by another process")
        }
        Err(error) => told(State::Failed, &error.to_string()),
    };
    let index = match SqliteStore::open_existing(&path) {
        Ok(Some(store)) => index(&store).ok(),
        Ok(None) | Err(_) => None,
    };
    std::iter::once(database)
        .chain(index)
        .chain(records(&places.state))
        .collect()
}

/// Tasks whose record cannot be read; nothing where all can.
fn records(state: &Path) -> Option<Finding> {
    let words = match damaged(state) {
        Ok(damaged) => {
            let first = damaged.first()?;
            let running = damaged.iter().filter(|task| task.running).count();
            let id = &first.task_id;
            let mend = if running > 0 {
                "`bashful kill` ends those that run, then `bashful doctor --repair` moves them aside"
            } else {
                "`bashful doctor --repair` moves them aside"
            };
            format!(
                "tasks with a damaged record: {}, {running} of them running, such as `{id}` ({}); {mend}",
                damaged.len(),
                first.reason
            )
        }
        Err(error) => format!(
            "cannot read which tasks there are in `{}`: {error}; make the directory yours and readable",
            state.join("tasks").display()
        ),
    };
    Some(Finding::new("records", State::Failed, words).mended_by([REPAIR]))
}

fn index(store: &dyn Store) -> Result<Finding, StoreError> {
    let tasks = store.tasks(&TaskFilter::default())?.len();
    let known = store.known()?;
    let agents: BTreeSet<&str> = known.iter().map(|session| session.agent.as_str()).collect();
    let words = format!(
        "the index holds tasks: {tasks}, sessions: {}, agents: {}",
        known.len(),
        agents.len()
    );
    Ok(Finding::new("index", State::Ok, words))
}
