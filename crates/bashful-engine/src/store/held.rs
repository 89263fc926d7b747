//! The database of an engine: opened when it is needed first, and kept open from run to run.
//!
//! To open it takes longer than all that a run wants of it, and whoever closes it last writes its
//! log back and removes it. What lies in its place is compared at every use: a database that was
//! replaced, removed or mended meanwhile is opened anew. One that nobody has used for [`IDLE`] is
//! closed, so that an engine that only waits keeps nobody from mending it, and leaves no log.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{DATABASE, SqliteStore, StoreError};

/// After so long without a use it is closed.
const IDLE: Duration = Duration::from_secs(10);

/// The database of an engine.
#[derive(Debug)]
pub(crate) struct HeldStore {
    path: PathBuf,
    /// After so long without a use it is closed; none: nobody else does that.
    idle: Option<Duration>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Nobody will use it any more.
    over: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: Option<Open>,
    /// Somebody waits to close it.
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

    /// Closes it where nobody else does: what comes now may take long, and needs no database.
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
        drop(state);
        self.shared.over.notify_all();
        drop(open);
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
            let waited = self.over.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.is_watched = false;
        let open = state.open.take();
        drop(state);
        // Its log may have to be written back, for which nobody has to wait.
        drop(open);
    }
}

/// The file at this path, if it is one that nobody else can write.
fn file_at(path: &Path) -> Option<FileId> {
    let about = fs::symlink_metadata(path).ok()?;
    let ours = about.uid() == rustix::process::geteuid().as_raw();
    let is_plain = about.is_file() && ours && about.mode() & 0o022 == 0;
    is_plain.then(|| (about.dev(), about.ino()))
}

#[cfg(test)]
mod tests;
