//! The store as one SQLite file in the state directory.
//!
//! Many processes use it at once. Each call is one transaction, each that writes begins by
//! taking the write lock, and none waits longer than [`PATIENCE`] for others.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use self::fault::Fault;
use super::{
    AskFilter, AskLimits, Cleaned, GrantFilter, KnownSession, OpenedAsk, RecordAnswer, RecordAsk,
    RecordGrant, RecordScript, SavedScript, SavingScript, ScriptStore, Settlement, Settling, Store,
    TaskFilter, TaskRow,
};
use crate::model::ask::Ask;
use crate::model::error::store::StoreError;
use crate::model::grant::Grant;
use crate::model::script::id::{ScriptId, ScriptName};
use crate::model::script::{LastRun, Script, ScriptVersion};

mod asks;
mod claim;
mod clean;
mod fault;
mod grants;
mod open;
mod scripts;
mod settle;
mod tasks;
#[cfg(test)]
mod tests;

pub(crate) use claim::UnsyncedClaim;
pub(crate) use open::beside;
#[cfg(test)]
pub(crate) use tests::process::Other;

/// The name of the database in the state directory.
pub(crate) const DATABASE: &str = "bashful.db";

/// How long a call waits for other processes, and for other threads that use the same handle.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it is looked whether another thread is done.
const GLANCE: Duration = Duration::from_micros(50);

/// The store as one SQLite file.
#[derive(Debug)]
pub(crate) struct SqliteStore {
    path: PathBuf,
    connection: Mutex<Handle>,
    /// Whether a part of it was found to be damaged.
    damaged: AtomicBool,
    /// Whether the name of its log is on disk. While it is open, no process removes that.
    log_is_named: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Handle {
    connection: Connection,
    safety: Safety,
}

/// When a write is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Safety {
    /// Before the call returns: what must not come undone when the power fails.
    Now,
    /// Soon. The order is kept, so what is lost is lost from the end.
    Soon,
    /// With the next change that matters: what only counts is not worth tidying the log away.
    Sometime,
}

impl SqliteStore {
    /// Opens the database at this path, and makes it and its directory if they are not there.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(store) = Self::open_existing(path)? {
            return Ok(store);
        }
        if let Some(directory) = path.parent() {
            crate::model::places::make_private(directory).map_err(|error| {
                StoreError::Unusable {
                    path: path.to_owned(),
                    detail: format!("cannot make its directory: {error}"),
                }
            })?;
        }
        open::create(path)?;
        Self::open_existing(path)?.ok_or_else(|| StoreError::Unusable {
            path: path.to_owned(),
            detail: "it was removed as soon as it was made".to_owned(),
        })
    }

    /// Opens the database at this path; none if there is none.
    pub(crate) fn open_existing(path: &Path) -> Result<Option<Self>, StoreError> {
        Ok(open::existing(path)?.map(|connection| Self {
            path: path.to_owned(),
            connection: Mutex::new(Handle {
                connection,
                // This is what SQLite begins with.
                safety: Safety::Now,
            }),
            damaged: AtomicBool::new(false),
            log_is_named: Arc::default(),
        }))
    }

    /// Whether a part of it was found to be damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Reads all of it; what is wrong with it is an error.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let found: String = self.read(|connection| {
            Ok(connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?)
        })?;
        if found != "ok" {
            return Err(StoreError::Corrupt {
                path: self.path.clone(),
                detail: found,
            });
        }
        self.asks(&AskFilter::default())?;
        self.grants(&GrantFilter::default())?;
        self.tasks(&TaskFilter::default())?;
        self.scripts()?;
        Ok(())
    }

    /// Sets the marker of grants if there are any, in case a process took it away.
    pub(crate) fn mark_grants(&self, now_ms: u64) -> Result<(), StoreError> {
        self.write(Safety::Soon, |connection| {
            clean::mark_grants(connection, now_ms, self.state_directory())
        })
    }

    /// Closes it so that nothing of it is left in its log. No other process may have it open.
    pub(crate) fn close(self) -> Result<(), StoreError> {
        let Self {
            path, connection, ..
        } = self;
        let handle = connection
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        handle
            .connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
            .and_then(|_| handle.connection.close().map_err(|(_, error)| error))
            .map_err(|error| Fault::from(error).at(&path))?;
        let [log, _] = open::beside(&path);
        match log.symlink_metadata() {
            Err(_) => Ok(()),
            Ok(_) => Err(StoreError::Unusable {
                path,
                detail: "its log cannot be tidied away".to_owned(),
            }),
        }
    }

    fn state_directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        let handle = self.lock()?;
        // Each of them is one statement, which is a transaction by itself.
        work(&handle.connection).map_err(|fault| self.told(fault))
    }

    fn write<T>(
        &self,
        safety: Safety,
        work: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.lock()?
            .write(safety, work)
            .map_err(|fault| self.told(fault))
    }

    /// A fault as the caller is told of it.
    fn told(&self, fault: Fault) -> StoreError {
        let error = fault.at(&self.path);
        if matches!(error, StoreError::Corrupt { .. }) {
            self.damaged.store(true, Ordering::Relaxed);
        }
        error
    }

    /// The connection, while no other thread uses it, with what is left of the patience.
    fn lock(&self) -> Result<MutexGuard<'_, Handle>, StoreError> {
        let patience = Instant::now() + PATIENCE;
        let handle = loop {
            match self.connection.try_lock() {
                Ok(handle) => break handle,
                // A transaction that a panic went through was rolled back on the way.
                Err(TryLockError::Poisoned(handle)) => break handle.into_inner(),
                Err(TryLockError::WouldBlock) if Instant::now() < patience => {
                    std::thread::sleep(GLANCE);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Locked {
                        path: self.path.clone(),
                    });
                }
            }
        };
        handle
            .connection
            .busy_timeout(patience.saturating_duration_since(Instant::now()))
            .map_err(|error| Fault::from(error).at(&self.path))?;
        Ok(handle)
    }
}

impl Handle {
    fn write<T>(
        &mut self,
        safety: Safety,
        work: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.safety != safety {
            let word = match safety {
                Safety::Now => "FULL",
                Safety::Soon | Safety::Sometime => "NORMAL",
            };
            self.connection.pragma_update(None, "synchronous", word)?;
            self.safety = safety;
        }
        // A process that wrote tidies the log away when it is the last to go.
        if safety != Safety::Sometime {
            self.connection
                .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        }
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        let answer = work(&transaction)?;
        transaction.commit()?;
        Ok(answer)
    }
}

impl Store for SqliteStore {
    fn open_ask_recorded(
        &self,
        ask: &Ask,
        limits: AskLimits,
        record: &mut RecordAsk<'_>,
    ) -> Result<OpenedAsk, StoreError> {
        self.write(Safety::Soon, |connection| {
            let opened = asks::open(connection, ask, limits)?;
            record(&opened).map_err(Fault::Unrecorded)?;
            Ok(opened)
        })
    }

    fn ask(&self, id: &str) -> Result<Option<Ask>, StoreError> {
        self.read(|connection| asks::one(connection, id))
    }

    fn asks(&self, which: &AskFilter) -> Result<Vec<Ask>, StoreError> {
        self.read(|connection| asks::list(connection, which))
    }

    fn settle_recorded(
        &self,
        settling: &Settling<'_>,
        record: &mut RecordAnswer<'_>,
    ) -> Result<Settlement, StoreError> {
        self.write(Safety::Soon, |connection| {
            let settlement = settle::settle(connection, settling, self.state_directory())?;
            match &settlement {
                Settlement::Done { ask, also } => record(ask, also),
                Settlement::Overtaken(ask) => record(ask, &[]),
                Settlement::Before(_) | Settlement::Unknown => Ok(()),
            }
            .map_err(Fault::Unrecorded)?;
            Ok(settlement)
        })
    }

    fn hear(&self, id: &str) -> Result<bool, StoreError> {
        self.write(Safety::Soon, |connection| asks::hear(connection, id))
    }

    fn expire_asks(&self, now_ms: u64) -> Result<Vec<Ask>, StoreError> {
        self.write(Safety::Soon, |connection| asks::expire(connection, now_ms))
    }

    fn add_grant_recorded(
        &self,
        grant: &Grant,
        record: &mut RecordGrant<'_>,
    ) -> Result<(), StoreError> {
        self.write(Safety::Soon, |connection| {
            grants::add(connection, grant, self.state_directory())?;
            record(grant).map_err(Fault::Unrecorded)
        })
    }

    fn grant(&self, id: &str) -> Result<Option<Grant>, StoreError> {
        self.read(|connection| grants::one(connection, id))
    }

    fn grants(&self, which: &GrantFilter) -> Result<Vec<Grant>, StoreError> {
        self.read(|connection| grants::list(connection, which))
    }

    fn claim_unsynced(
        &self,
        id: &str,
        claimant: &str,
        now_ms: u64,
    ) -> Result<Option<UnsyncedClaim>, StoreError> {
        self.write(Safety::Soon, |connection| {
            // Before it counts: a claim that cannot be synced is none.
            let claim = self.unsynced().map_err(Fault::Log)?;
            let claimed = grants::claim(connection, id, claimant, now_ms)?;
            Ok(claimed.then_some(claim))
        })
    }

    fn release(&self, id: &str, claimant: &str) -> Result<(), StoreError> {
        self.write(Safety::Soon, |connection| {
            grants::release(connection, id, claimant, self.state_directory())
        })
    }

    fn revoke_recorded(
        &self,
        id: &str,
        now_ms: u64,
        record: &mut RecordGrant<'_>,
    ) -> Result<bool, StoreError> {
        self.write(Safety::Now, |connection| {
            let revoked = grants::revoke(connection, id, now_ms)?;
            if let Some(grant) = &revoked {
                record(grant).map_err(Fault::Unrecorded)?;
            }
            Ok(revoked.is_some())
        })
    }

    fn clean(&self, older_than_ms: u64, now_ms: u64) -> Result<Cleaned, StoreError> {
        let cleaning = clean::Cleaning {
            older_than_ms,
            now_ms,
            directory: self.state_directory(),
        };
        self.write(Safety::Soon, |connection| {
            clean::clean(connection, &cleaning)
        })
    }

    fn index_tasks(&self, rows: &[TaskRow]) -> Result<(), StoreError> {
        self.write(Safety::Soon, |connection| tasks::index(connection, rows))
    }

    fn tasks(&self, which: &TaskFilter) -> Result<Vec<TaskRow>, StoreError> {
        self.read(|connection| tasks::list(connection, which))
    }

    fn known(&self) -> Result<Vec<KnownSession>, StoreError> {
        self.read(tasks::known)
    }

    fn restore(&self, asks: &[Ask], grants: &[Grant]) -> Result<(), StoreError> {
        self.write(Safety::Now, |connection| {
            for grant in grants {
                grants::put(connection, grant, self.state_directory())?;
            }
            asks.iter()
                .try_for_each(|ask| asks::restore(connection, ask))
        })
    }
}

impl ScriptStore for SqliteStore {
    fn save_script_recorded(
        &self,
        saving: &SavingScript<'_>,
        record: &mut RecordScript<'_>,
    ) -> Result<SavedScript, StoreError> {
        self.write(Safety::Now, |connection| {
            let saved = scripts::save(connection, saving)?;
            if saved == SavedScript::Done {
                let settled = scripts::settle_asks(connection, saving)?;
                record(&settled).map_err(Fault::Unrecorded)?;
            }
            Ok(saved)
        })
    }

    fn script(&self, id: ScriptId) -> Result<Option<Script>, StoreError> {
        self.read(|connection| scripts::one(connection, id))
    }

    fn script_named(&self, name: &ScriptName) -> Result<Option<Script>, StoreError> {
        self.read(|connection| scripts::named(connection, name))
    }

    fn scripts(&self) -> Result<Vec<Script>, StoreError> {
        self.read(scripts::list)
    }

    fn script_versions(&self, id: ScriptId) -> Result<Vec<ScriptVersion>, StoreError> {
        self.read(|connection| scripts::versions(connection, id))
    }

    fn script_text(&self, id: ScriptId, hash: &str) -> Result<Option<String>, StoreError> {
        self.read(|connection| scripts::text(connection, id, hash))
    }

    fn note_script_run(&self, id: ScriptId, run: &LastRun) -> Result<(), StoreError> {
        self.write(Safety::Sometime, |connection| {
            scripts::note_run(connection, id, run)
        })
    }
}
