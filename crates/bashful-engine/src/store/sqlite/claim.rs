//! A claim that counts for every process, and is not on disk yet.
//!
//! Who starts a run by it syncs it beside the record of the start, while the keeper gets everything
//! ready; to wait for the disk twice in a row would be most of what a yes for one call costs.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::OFlags;

use super::fault::Fault;
use super::{SqliteStore, open};
use crate::model::error::store::StoreError;

/// A claim that is not on disk yet.
#[derive(Debug)]
#[must_use = "nothing may be started before it is synced"]
pub(crate) struct UnsyncedClaim {
    /// The database.
    path: PathBuf,
    /// Its log, in which the claim is until it is in the database, and then that is synced.
    /// SQLite has no locks on this file, so that closing it takes none away.
    log: File,
    log_is_named: Arc<AtomicBool>,
}

impl SqliteStore {
    /// What the next change will be synced by. Only while no other process can write.
    pub(super) fn unsynced(&self) -> io::Result<UnsyncedClaim> {
        let [log, _] = open::beside(&self.path);
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let log = rustix::fs::open(log, flags, rustix::fs::Mode::empty())?;
        Ok(UnsyncedClaim {
            path: self.path.clone(),
            log: log.into(),
            log_is_named: Arc::clone(&self.log_is_named),
        })
    }
}

impl UnsyncedClaim {
    /// Begins that, without waiting.
    pub(crate) fn begin(&self) {
        bashful_sandbox::begin_writeback(&self.log);
    }

    /// Puts it on disk.
    pub(crate) fn sync(self) -> Result<(), StoreError> {
        let synced = self.log.sync_data().and_then(|()| self.name_log());
        synced.map_err(|error| Fault::Log(error).at(&self.path))
    }

    fn name_log(&self) -> io::Result<()> {
        if self.log_is_named.load(Ordering::Acquire) {
            return Ok(());
        }
        if let Some(directory) = self.path.parent() {
            File::open(directory)?.sync_all()?;
        }
        self.log_is_named.store(true, Ordering::Release);
        Ok(())
    }
}
