//! What went wrong inside a transaction, and what it means for the caller.

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;

use crate::model::error::record::AuditError;
use crate::model::error::store::StoreError;

/// What went wrong. The path is added where it leaves the store.
#[derive(Debug)]
pub(super) enum Fault {
    /// The database says so.
    Sqlite(rusqlite::Error),
    /// A row is there that cannot be read.
    Row {
        table: &'static str,
        id: String,
        detail: String,
    },
    /// What was to be kept cannot be kept, or nothing of it makes sense.
    Senseless(String),
    /// The marker of grants cannot be set.
    Marker(io::Error),
    /// The log of the database cannot be synced.
    Log(io::Error),
    /// It cannot be put on record.
    Unrecorded(AuditError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Fault {
    /// The same, as the caller is told of it.
    pub(super) fn at(self, path: &Path) -> StoreError {
        let path = path.to_owned();
        match self {
            Self::Sqlite(error) => of_sqlite(&error, path),
            Self::Row { table, id, detail } => StoreError::Corrupt {
                path,
                detail: format!(
                    "the {table} `{}` cannot be read: {detail}",
                    id.escape_debug()
                ),
            },
            Self::Unrecorded(error) => StoreError::Unrecorded(error),
            Self::Senseless(detail) => StoreError::Unusable { path, detail },
            Self::Marker(error) | Self::Log(error)
                if error.kind() == io::ErrorKind::StorageFull =>
            {
                StoreError::Full { path }
            }
            Self::Marker(error) => StoreError::Unusable {
                path,
                detail: format!("cannot say that there are grants: {error}"),
            },
            Self::Log(error) => StoreError::Unusable {
                path,
                detail: format!("cannot sync its log: {error}"),
            },
        }
    }
}

fn of_sqlite(error: &rusqlite::Error, path: std::path::PathBuf) -> StoreError {
    let detail = error.to_string();
    match error.sqlite_error_code() {
        // The third is what many that open a database at the same moment can get.
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed,
        ) => StoreError::Locked { path },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt { path, detail }
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        // What SQLite says when it has no room for the index of its log.
        Some(ErrorCode::SystemIoFailure) if is_full(&path) => StoreError::Full { path },
        _ => StoreError::Unusable { path, detail },
    }
}

/// Less than this is left where SQLite has no room to work: the index of its log takes half of it.
const WORKING_ROOM: u64 = 64 << 10;

/// Whether the disk on which this lies is full.
fn is_full(path: &Path) -> bool {
    let place = path.parent().unwrap_or(path);
    rustix::fs::statvfs(place)
        .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < WORKING_ROOM)
}
