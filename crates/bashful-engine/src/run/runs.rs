//! What an engine runs now, and what it let go.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bashful_keeper::{Spec, TaskId};

use crate::base::lock::lock;
use crate::launch::client::Client;
use crate::launch::progress::Outcome;
use crate::record::standing::{Standing, TaskState};
use crate::run::running::Report;

/// The runs of one engine.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    running: Mutex<HashMap<TaskId, Entry>>,
    left: Mutex<BTreeMap<TaskId, Left>>,
    /// When it was last seen what became of those that were let go.
    settled: Mutex<Option<Instant>>,
}

/// One line of the list of what runs.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) spec: Arc<Spec>,
    pub(crate) client: Arc<Client>,
}

/// A run that its caller let go: it goes on in the background, or did.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    pub(crate) spec: Arc<Spec>,
    pub(crate) report: Arc<Report>,
    /// The way to its keeper, until its end is known.
    client: Option<Arc<Client>>,
}

/// How many runs that were let go and have ended are remembered, with what was decided about
/// them.
const MOST_ENDED: usize = 256;
/// How long after one look at the runs that were let go the next one follows.
const BETWEEN: Duration = Duration::from_secs(1);

impl Runs {
    /// Lists a run until what is returned goes.
    pub(crate) fn list(self: &Arc<Self>, entry: Entry) -> Running {
        let id = entry.spec.id.clone();
        lock(&self.running).insert(id.clone(), entry);
        Running {
            id,
            runs: Arc::clone(self),
        }
    }

    /// The runs that a caller of this engine waits for, or may.
    pub(crate) fn listed(&self) -> Vec<Entry> {
        lock(&self.running).values().cloned().collect()
    }

    /// Whether a caller of this engine holds this run, and will see its end.
    pub(crate) fn is_listed(&self, id: &TaskId) -> bool {
        lock(&self.running).contains_key(id)
    }

    /// The run with this id, if it was let go.
    pub(crate) fn left(&self, id: &TaskId) -> Option<Left> {
        lock(&self.left).get(id).cloned()
    }

    /// What was asked, for a run of this engine.
    pub(crate) fn spec(&self, id: &TaskId) -> Option<Arc<Spec>> {
        let listed = lock(&self.running)
            .get(id)
            .map(|entry| Arc::clone(&entry.spec));
        listed.or_else(|| self.left(id).map(|left| left.spec))
    }

    /// The way to the keeper of a run of this engine.
    pub(crate) fn client(&self, id: &TaskId) -> Option<Arc<Client>> {
        let listed = lock(&self.running)
            .get(id)
            .map(|entry| Arc::clone(&entry.client));
        listed.or_else(|| self.left(id)?.client)
    }

    /// Sees which of those that were let go have ended, and puts that on record: on a thread of its
    /// own, because the digest of a long log takes its time, and not too often.
    pub(crate) fn settle(self: &Arc<Self>) {
        let open: Vec<Left> = lock(&self.left)
            .values()
            .filter(|left| left.is_open())
            .cloned()
            .collect();
        let now = Instant::now();
        let mut settled = lock(&self.settled);
        if open.is_empty() || settled.is_some_and(|at| now < at + BETWEEN) {
            return;
        }
        *settled = Some(now);
        let runs = Arc::clone(self);
        // Without a thread it is done another time.
        let _ = std::thread::Builder::new()
            .name("bashful-settle".to_owned())
            .spawn(move || {
                for left in open {
                    if let Some(outcome) = left.outcome() {
                        // Callers that want the result ask for it; here the record counts.
                        drop(left.report.result(outcome));
                        runs.has_ended(&left.spec.id);
                    }
                }
            });
    }

    /// The end of this run is known and on record.
    pub(crate) fn has_ended(&self, id: &TaskId) {
        let mut left = lock(&self.left);
        let client = left.get_mut(id).and_then(|left| left.client.take());
        let ended = left.values().filter(|left| left.client.is_none()).count();
        if ended > MOST_ENDED {
            let oldest = left.iter().find(|(_, left)| left.client.is_none());
            let oldest = oldest.map(|(id, _)| id.clone());
            oldest.and_then(|id| left.remove(&id));
        }
        drop(left);
        // Hanging up takes its time.
        drop(client);
    }
}

impl Left {
    /// Whether its end is not on record yet.
    pub(crate) fn is_open(&self) -> bool {
        self.client.is_some()
    }

    /// How it ended, if it has.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        if let Some(client) = &self.client {
            // That nothing was started may lie in the socket unread.
            client.is_open();
        }
        let told = self.report.progress.outcome();
        if let Some(Outcome::Refused(_) | Outcome::Finished(_)) = told {
            return told;
        }
        let standing = Standing::of(&self.report.account.directory).ok()?;
        let Some(Standing { state, record }) = standing else {
            // If its keeper went away, then before there was anything of it.
            return told;
        };
        match (state, record) {
            (TaskState::Finished, Some(record)) => Some(Outcome::Finished(Box::new(record))),
            (TaskState::Finished | TaskState::Lost, _) => Some(Outcome::Lost),
            (TaskState::Waiting, _) => None,
            (TaskState::Running | TaskState::NeedsInput, _) => {
                // It runs, so the keeper has no more to say of it.
                if let Some(client) = &self.client {
                    client.forget(&self.spec.id);
                }
                None
            }
        }
    }
}

/// A line in the list of what runs, which goes when this does.
#[derive(Debug)]
pub(crate) struct Running {
    id: TaskId,
    runs: Arc<Runs>,
}

impl Running {
    /// Remembers a run that goes on without us.
    pub(crate) fn leave_behind(&self, report: &Arc<Report>, client: &Arc<Client>) {
        let entry = lock(&self.runs.running).get(&self.id).cloned();
        if let Some(entry) = entry {
            let left = Left {
                spec: entry.spec,
                report: Arc::clone(report),
                client: Some(Arc::clone(client)),
            };
            lock(&self.runs.left).insert(self.id.clone(), left);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&self.runs.running).remove(&self.id);
    }
}
