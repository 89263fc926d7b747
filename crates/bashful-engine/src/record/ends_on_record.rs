//! Putting the end of a task on record, when the engine that started it does not.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bashful_keeper::TaskId;

use crate::record::recover_ends::OpenStarts;

/// What an engine knows about ends on record.
#[derive(Debug, Default)]
pub(crate) struct EndsOnRecord(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    starts: OpenStarts,
    /// Tasks that need no more looking.
    settled: BTreeSet<TaskId>,
}

/// More than this are not remembered; the trail knows them too.
const MOST: usize = 4096;

impl EndsOnRecord {
    /// Whether the end of this task is known to be on record.
    pub(crate) fn has(&self, id: &TaskId) -> bool {
        self.lock().settled.contains(id)
    }

    /// Puts the end of a task on record, unless it is or the engine that started the task may
    /// still do so; whether it is there now.
    pub(crate) fn record(&self, state: &Path, id: &TaskId) -> bool {
        let mut known = self.lock();
        // A trail that cannot be read or written is a matter for `bashful doctor`; it does not
        // take the answer away.
        let settled = matches!(known.starts.record_end(state, id), Ok(true));
        if settled {
            if known.settled.len() >= MOST {
                known.settled.pop_first();
            }
            known.settled.insert(id.clone());
        }
        settled
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
