//! Mending the database from what is the truth about it: the task directories and the trail.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bashful_sandbox::remove_abandoned_groups;
use rustix::fs::{FlockOperation, Mode, OFlags, fcntl_lock};
use serde::Serialize;

use crate::base::clock::now_ms;
use crate::model::error::store::StoreError;
use crate::model::places::Places;
use crate::record::audit::Trail;
use crate::record::index::{Reconciled, reconcile};
use crate::store::{self, DATABASE, SqliteStore, Store};
use crate::tasks::damaged;

mod places;
mod recall;

/// How long an engine takes to make a database, with plenty to spare.
const LONG: Duration = Duration::from_secs(600);

pub use recall::BrokenTrail;
use recall::{Recalled, recall};

/// What was mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Repaired {
    /// The version of this shape.
    pub v: u32,
    /// What became of the database.
    pub database: RepairedDatabase,
    /// What was taken over from the audit trail; absent where nothing had to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored: Option<Restored>,
    /// Directories of tasks that do not run and whose record cannot be read: where they are now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved_tasks: Vec<PathBuf>,
    /// Directories that others could enter, and cannot any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<PathBuf>,
    /// Sockets of keepers that are gone; they are gone too now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_sockets: Vec<PathBuf>,
    /// Control groups of keepers that are gone; they are gone too now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_groups: Vec<PathBuf>,
    /// What was found in the task directories, and is in the index now.
    pub index: Reconciled,
}

/// What became of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "was")]
#[non_exhaustive]
pub enum RepairedDatabase {
    /// There was nothing wrong with it.
    Fine,
    /// There was none, and there is one now.
    Absent,
    /// It was damaged. There is a new one, and the old one was moved.
    Damaged {
        /// What was wrong.
        detail: String,
        /// Where the old one is now, with what SQLite kept beside it.
        moved_to: PathBuf,
    },
}

/// What was taken over from the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Restored {
    /// How many asks were taken over.
    pub asks: u64,
    /// How many grants were taken over.
    pub grants: u64,
    /// How many records of the trail verified.
    pub records: u64,
    /// Where the trail stops being one; absent if all of it verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenTrail>,
}

/// Why nothing was mended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The database is in use, or cannot be made.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The damaged database cannot be moved.
    #[error("cannot move the damaged database `{path}`", path = .path.display())]
    Move {
        /// The file that could not be moved to its place.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// Closes our directories to others, makes a new database if it is damaged or gone, brings the
/// index up to date, and takes away what dead keepers left. Nothing is lost: what was damaged is moved. A database that others use is left alone.
///
/// Not for a process that itself has the database open.
pub fn repair(places: &Places) -> Result<Repaired, RepairError> {
    let closed = places::close(places);
    let path = places.state.join(DATABASE);
    let (database, restored) = match look(&path)? {
        Condition::Fine => (RepairedDatabase::Fine, None),
        Condition::Absent => {
            let recalled = recall(&Trail::at(&places.state));
            let fresh = Fresh::make(&path, &recalled)?;
            fresh.put_in_place(&path, &recalled)?;
            (RepairedDatabase::Absent, Some(recalled.into()))
        }
        Condition::Damaged(detail) => {
            let moving = |source| RepairError::Move {
                path: path.clone(),
                source,
            };
            // Held to the end, so that no process takes the old one for the new one.
            let _alone = alone_with(&path)?;
            let recalled = recall(&Trail::at(&places.state));
            let fresh = Fresh::make(&path, &recalled)?;
            let moved_to = move_aside(&path).map_err(moving)?;
            fresh.put_in_place(&path, &recalled)?;
            let database = RepairedDatabase::Damaged { detail, moved_to };
            (database, Some(recalled.into()))
        }
    };
    let store = SqliteStore::open(&path)?;
    store.mark_grants(now_ms())?;
    remove_unfinished(&places.state);
    let index = reconcile(&places.state, &store)?;
    Ok(Repaired {
        v: 1,
        database,
        restored,
        moved_tasks: move_damaged(&places.state),
        closed,
        removed_sockets: places::remove_dead(places),
        removed_groups: remove_abandoned_groups().removed,
        index,
    })
}

/// Where directories of tasks go that cannot be read.
const DAMAGED_TASKS: &str = "damaged-tasks";

/// Moves tasks aside whose record cannot be read, unless they run. Nothing is removed.
fn move_damaged(state: &Path) -> Vec<PathBuf> {
    let aside = state.join(DAMAGED_TASKS);
    let mut moved = Vec::new();
    for task in damaged(state).unwrap_or_default() {
        let to = aside.join(format!("{}-{}", task.task_id, now_ms()));
        let mut builder = fs::DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(&aside);
        let from = state.join("tasks").join(&task.task_id);
        // One that cannot be moved stays, and `doctor` goes on naming it.
        if !task.running && made.is_ok() && fs::rename(from, &to).is_ok() {
            moved.push(to);
        }
    }
    moved
}

/// How a database is.
pub(crate) enum Condition {
    Fine,
    Absent,
    Damaged(String),
}

/// Looks at all of a database.
pub(crate) fn look(path: &Path) -> Result<Condition, StoreError> {
    let store = match SqliteStore::open_existing(path) {
        Ok(None) => return Ok(Condition::Absent),
        Ok(Some(store)) => store,
        Err(StoreError::Corrupt { detail, .. }) => return Ok(Condition::Damaged(detail)),
        Err(error) => return Err(error),
    };
    match store.check() {
        Ok(()) => Ok(Condition::Fine),
        Err(StoreError::Corrupt { detail, .. }) => Ok(Condition::Damaged(detail)),
        Err(error) => Err(error),
    }
}

impl From<Recalled> for Restored {
    fn from(recalled: Recalled) -> Self {
        Self {
            asks: recalled.asks.len() as u64,
            grants: recalled.grants.len() as u64,
            records: recalled.records,
            broken: recalled.broken,
        }
    }
}

/// A complete database under another name, so that no process finds one that is half made.
struct Fresh(PathBuf);

impl Fresh {
    fn make(path: &Path, recalled: &Recalled) -> Result<Self, RepairError> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".mended-{}", now_ms()));
        let fresh = Self(PathBuf::from(name));
        let store = SqliteStore::open(&fresh.0)?;
        store.restore(&recalled.asks, &recalled.grants)?;
        store.close()?;
        Ok(fresh)
    }

    fn put_in_place(&self, path: &Path, recalled: &Recalled) -> Result<(), RepairError> {
        match fs::hard_link(&self.0, path) {
            Ok(()) => Ok(()),
            // Another process needed one in between, and made it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let theirs = SqliteStore::open(path)?;
                Ok(theirs.restore(&recalled.asks, &recalled.grants)?)
            }
            Err(source) => Err(RepairError::Move {
                path: self.0.clone(),
                source,
            }),
        }
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        for path in std::iter::once(self.0.clone()).chain(store::beside(&self.0)) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes sure that no other process has the database open: each that has holds a lock on it.
fn alone_with(path: &Path) -> Result<Option<File>, StoreError> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, Mode::empty()) else {
        // What cannot be opened this way is no database, and no process uses it as one.
        return Ok(None);
    };
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => Err(StoreError::Locked {
            path: path.to_owned(),
        }),
        _ => Ok(Some(file.into())),
    }
}

/// Moves a database and what is kept beside it out of the way.
fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".damaged-{}", now_ms()));
    let moved = PathBuf::from(name);
    let besides = store::beside(path).into_iter().zip(store::beside(&moved));
    // The database goes first: one without it is found to be damaged again.
    for (from, to) in std::iter::once((path.to_owned(), moved.clone())).chain(besides) {
        match rustix::fs::renameat_with(
            rustix::fs::CWD,
            &from,
            rustix::fs::CWD,
            &to,
            rustix::fs::RenameFlags::NOREPLACE,
        ) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(moved)
}

/// Removes what a process was making when it was killed. What is young may still be in the
/// making.
fn remove_unfinished(state: &Path) {
    let Ok(entries) = fs::read_dir(state) else {
        return;
    };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| {
            let rest = name.strip_prefix(DATABASE).unwrap_or_default();
            rest.starts_with(".new-") || rest.starts_with(".mended-")
        });
        let changed = entry.metadata().and_then(|about| about.modified());
        let age = changed.ok().and_then(|changed| changed.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > LONG) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests;
