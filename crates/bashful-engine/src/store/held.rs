//! The database of an engine: opened when it is needed first, and kept open from run to run.
//!
//! To open it takes longer than all that a run wants of it, and the process that closes it last
//! writes its log back and removes it. What lies in its place is compared at every use: a database
//! that was replaced, removed or mended meanwhile is opened anew. One that no run has used for
//! [`IDLE`] is closed, so that an engine that only waits keeps no person from mending it, and
//! leaves no log.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{DATABASE, ScriptStore as _, SqliteStore};
use crate::model::error::store::StoreError;
use crate::model::script::LastRun;
use crate::model::script::id::ScriptId;

/// After this long without a use it is closed.
const IDLE: Duration = Duration::from_secs(10);

/// The database of an engine.
#[derive(Debug)]
pub(crate) struct HeldStore {
    path: PathBuf,
    /// After this long without a use a thread closes it; none: there is no such thread.
    idle: Option<Duration>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// The thread that closes it has work to do, or the engine is at its end.
    called: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: Option<Open>,
    /// How runs of scripts ended, to be noted when no caller waits for it.
    ends: Vec<(ScriptId, LastRun)>,
    /// A thread waits to close it.
    is_watched: bool,
    is_over: bool,
}

#[derive(Debug)]
struct Open {
    store: Arc<SqliteStore>,
    /// The file that it is. Its number cannot become another's while it is open.
    file: FileId,
    used: Instant,
}

/// Device and number of a file.
type FileId = (u64, u64);

impl HeldStore {
    /// The database in this state directory. A process that forks its keepers has one thread, so
    /// it closes it by itself; see [`HeldStore::rest`].
    pub(crate) fn at(state: &Path, forks_keepers: bool) -> Self {
        Self::closed_after((!forks_keepers).then_some(IDLE), state)
    }

    fn closed_after(idle: Option<Duration>, state: &Path) -> Self {
        Self {
            path: state.join(DATABASE),
            idle,
            shared: Arc::default(),
        }
    }

    /// The store, made if it is not there. Not for keeping: who wants it later asks again.
    pub(crate) fn get(&self) -> Result<Arc<SqliteStore>, StoreError> {
        let mut state = self.shared.lock();
        let before = file_at(&self.path);
        if let Some(open) = &mut state.open {
            if Some(open.file) == before && !open.store.is_damaged() {
                open.used = Instant::now();
                return Ok(Arc::clone(&open.store));
            }
            state.open = None;
        }
        let store = Arc::new(SqliteStore::open(&self.path)?);
        // What was made or replaced this very moment is told apart at the next use.
        if let Some(file) = before.filter(|before| file_at(&self.path) == Some(*before)) {
            state.open = Some(Open {
                store: Arc::clone(&store),
                file,
                used: Instant::now(),
            });
            if let Some(idle) = self.idle.filter(|_| !state.is_watched) {
                state.is_watched = self.watch(idle);
            }
        }
        Ok(store)
    }

    /// Notes how a run of a script ended, without keeping the caller that waits for its result.
    pub(crate) fn note_end(&self, script: ScriptId, run: LastRun) {
        let mut state = self.shared.lock();
        if state.is_watched && state.open.is_some() {
            state.ends.push((script, run));
            drop(state);
            self.shared.called.notify_all();
            return;
        }
        drop(state);
        match self.get() {
            Ok(store) => note(&store, [(script, run)]),
            Err(error) => tracing::warn!(%error, "{NOT_NOTED}"),
        }
    }

    /// Closes it where no thread does: what comes now may take long, and needs no database.
    pub(crate) fn rest(&self) {
        if self.idle.is_none() {
            let open = self.shared.lock().open.take();
            drop(open);
        }
    }

    /// Starts who closes it; whether that could be done. Where it cannot, it stays open.
    fn watch(&self, idle: Duration) -> bool {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("bashful-store".to_owned());
        thread.spawn(move || shared.close_when_idle(idle)).is_ok()
    }
}

impl Drop for HeldStore {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_over = true;
        let open = state.open.take();
        let ends = std::mem::take(&mut state.ends);
        drop(state);
        self.shared.called.notify_all();
        if let Some(open) = open {
            note(&open.store, ends);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // It is whole after every statement, so a panic elsewhere did not tear it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close_when_idle(&self, idle: Duration) {
        let mut state = self.lock();
        let left = |state: &State| {
            let used = state.open.as_ref().map(|open| open.used.elapsed());
            used.and_then(|used| idle.checked_sub(used))
                .filter(|left| !left.is_zero())
        };
        while let Some(left) = left(&state).filter(|_| !state.is_over) {
            let ends = std::mem::take(&mut state.ends);
            state = if let (false, Some(open)) = (ends.is_empty(), &state.open) {
                let store = Arc::clone(&open.store);
                drop(state);
                note(&store, ends);
                self.lock()
            } else {
                let waited = self.called.wait_timeout(state, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            };
        }
        state.is_watched = false;
        let ends = std::mem::take(&mut state.ends);
        let open = state.open.take();
        drop(state);
        // Its log may have to be written back as well, for which no caller has to wait.
        if let Some(open) = open {
            note(&open.store, ends);
        }
    }
}

const NOT_NOTED: &str = "the end of a script is not noted";

/// What is only counted takes nothing away: the trail has it all.
fn note(store: &SqliteStore, ends: impl IntoIterator<Item = (ScriptId, LastRun)>) {
    for (script, run) in ends {
        if let Err(error) = store.note_script_run(script, &run) {
            tracing::warn!(%error, "{NOT_NOTED}");
        }
    }
}

/// The file at this path, if it is one that no other user can write.
fn file_at(path: &Path) -> Option<FileId> {
    let about = fs::symlink_metadata(path).ok()?;
    let ours = about.uid() == rustix::process::geteuid().as_raw();
    let is_plain = about.is_file() && ours && about.mode() & 0o022 == 0;
    is_plain.then(|| (about.dev(), about.ino()))
}

#[cfg(test)]
mod tests;
