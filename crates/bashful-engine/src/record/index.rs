//! Bringing the task directories into the index. They are the truth; the index can be lost.

use std::path::Path;

use bashful_keeper::{Phase, State, TaskDirectory, TaskId};
use serde::Serialize;

use crate::model::error::store::StoreError;
use crate::model::task_ids::task_ids;
use crate::store::{Store, TaskRow};

/// How many tasks are indexed at once, so that no other process waits long.
const AT_ONCE: usize = 500;

/// What was found in the task directories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Reconciled {
    /// Tasks that run.
    pub running: u64,
    /// Tasks that have ended.
    pub finished: u64,
    /// Tasks whose keeper died.
    pub lost: u64,
    /// Directories that cannot be read, by name.
    pub unreadable: Vec<String>,
}

/// Brings all task directories into the index.
pub(crate) fn reconcile(state: &Path, store: &dyn Store) -> Result<Reconciled, StoreError> {
    let mut found = Reconciled::default();
    let Ok(ids) = task_ids(state) else {
        found.unreadable.push("tasks".to_owned());
        return Ok(found);
    };
    for some in ids.chunks(AT_ONCE) {
        let mut rows = Vec::new();
        for id in some {
            match read(state, id) {
                Read::Task(row) => rows.push(row),
                Read::NotYet => {}
                Read::Unreadable => found.unreadable.push(id.to_string()),
            }
        }
        store.index_tasks(&rows)?;
        for row in rows {
            let count = match row.state.as_str() {
                RUNNING => &mut found.running,
                FINISHED => &mut found.finished,
                _ => &mut found.lost,
            };
            *count += 1;
        }
    }
    Ok(found)
}

const RUNNING: &str = "running";
const FINISHED: &str = "finished";
const LOST: &str = "lost";

enum Read {
    Task(TaskRow),
    /// It is being made, or was taken away meanwhile.
    NotYet,
    Unreadable,
}

fn read(state: &Path, id: &TaskId) -> Read {
    let directory = TaskDirectory::of(state, id);
    // Asked first: what ends after this has written its last record by then.
    let owned = directory.is_owned();
    let (spec, last) = match (directory.read_spec(), directory.read_state()) {
        (Ok(spec), Ok(last)) => (spec, last),
        _ if owned || !directory.path().exists() => return Read::NotYet,
        _ => return Read::Unreadable,
    };
    let phase = match &last {
        Some(last) => last.phase,
        None if owned => Phase::Running,
        None => Phase::Lost,
    };
    Read::Task(TaskRow {
        id: id.to_string(),
        agent: spec.agent,
        session: spec.session,
        workspace: spec.workspace,
        command: spec.command,
        state: match phase {
            Phase::Running => RUNNING,
            Phase::Finished => FINISHED,
            Phase::Lost => LOST,
        }
        .to_owned(),
        exit_code: last.as_ref().and_then(|last| last.exit_code),
        created_at_ms: spec.created_at_ms,
        ended_at_ms: last.as_ref().and_then(ended_at_ms),
    })
}

fn ended_at_ms(last: &State) -> Option<u64> {
    let lasted_ms = last.duration_us? / 1000;
    Some(last.started_at_ms.saturating_add(lasted_ms))
}

#[cfg(test)]
mod tests;
