//! How the database is, and what its index holds.

use std::collections::BTreeSet;

use super::{Finding, State};
use crate::places::Places;
use crate::repair::{Condition, look as look_at};
use crate::store::{DATABASE, SqliteStore, Store, StoreError, TaskFilter};

/// Looks at what is kept. Nothing is made or mended.
pub(super) fn look(places: &Places) -> Vec<Finding> {
    let path = places.state.join(DATABASE);
    let (state, words) = match look_at(&path) {
        Ok(Condition::Fine) => (State::Ok, "the database is fine".to_owned()),
        Ok(Condition::Absent) => (State::Ok, "there is no database yet".to_owned()),
        Ok(Condition::Damaged(detail)) => (
            State::Failed,
            format!("the database is damaged: {detail}; `bashful doctor --repair` mends it"),
        ),
        Err(StoreError::Locked { .. }) => (
            State::Weak,
            "the database is locked by another process".to_owned(),
        ),
        Err(error) => (State::Failed, error.to_string()),
    };
    let database = Finding {
        name: "database",
        state,
        words,
    };
    let index = match SqliteStore::open_existing(&path) {
        Ok(Some(store)) => index(&store).ok(),
        Ok(None) | Err(_) => None,
    };
    std::iter::once(database).chain(index).collect()
}

fn index(store: &dyn Store) -> Result<Finding, StoreError> {
    let tasks = store.tasks(&TaskFilter::default())?.len();
    let known = store.known()?;
    let agents: BTreeSet<&str> = known.iter().map(|session| session.agent.as_str()).collect();
    Ok(Finding {
        name: "index",
        state: State::Ok,
        words: format!(
            "the index holds tasks: {tasks}, sessions: {}, agents: {}",
            known.len(),
            agents.len()
        ),
    })
}
