//! Opening the database: privately, quickly, and never half made.
//!
//! A new database is made complete under another name and then linked into place, so that no
//! process ever sees one without its tables, and any number of processes can be first. A file that
//! is empty or has no version was therefore not left by us: it is damaged.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use rustix::fs::{Mode, OFlags};

use super::PATIENCE;
use super::fault::Fault;
use crate::model::error::store::StoreError;

/// Each brings the database from one version to the next. They are never changed, only added.
pub(super) const MIGRATIONS: [&str; 2] = [
    include_str!("../migrations/sqlite/0001.sql"),
    include_str!("../migrations/sqlite/0002.sql"),
];

/// The version that this Bashful writes: that of the last migration.
pub(super) const KNOWN: i64 = 2;

/// Opens the database at this path if there is one.
pub(super) fn existing(path: &Path) -> Result<Option<Connection>, StoreError> {
    if !is_there(path)? {
        return Ok(None);
    }
    let connection = connect(path).map_err(|fault| fault.at(path))?;
    let found = version(&connection).map_err(|fault| fault.at(path))?;
    if found > KNOWN {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known: KNOWN,
        });
    }
    if found <= 0 {
        return Err(StoreError::Corrupt {
            path: path.to_owned(),
            detail: "it has no version, so it is empty or not a database of Bashful".to_owned(),
        });
    }
    if found < KNOWN {
        migrate(&connection).map_err(|fault| fault.at(path))?;
    }
    Ok(Some(connection))
}

/// Makes a new database at this path, unless another process is faster.
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    let unusable = |error: io::Error| unusable(path, error.to_string());
    let fresh = fresh_name(path).map_err(unusable)?;
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(&fresh, flags, Mode::RUSR | Mode::WUSR)
        .map_err(|error| unusable(error.into()))?;
    let made = fill(&fresh).map_err(|fault| fault.at(path));
    let placed = made.and_then(|()| match fs::hard_link(&fresh, path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(unusable(error)),
        _ => Ok(()),
    });
    let _ = fs::remove_file(&fresh);
    placed
}

/// The files that SQLite keeps beside the database.
pub(crate) fn beside(path: &Path) -> [PathBuf; 2] {
    ["-wal", "-shm"].map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    })
}

/// Looks at the place without opening it: a second descriptor of the file that is closed again
/// would take away the locks that this process has through SQLite.
fn is_there(path: &Path) -> Result<bool, StoreError> {
    let unusable = |detail: &str| unusable(path, detail.to_owned());
    let directory = path.parent().ok_or_else(|| unusable("it has no place"))?;
    let ours = rustix::process::geteuid().as_raw();
    match fs::metadata(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unusable(&format!("cannot look at its directory: {error}"))),
        Ok(found) if !found.is_dir() => return Err(unusable("its place is not a directory")),
        Ok(found) if found.uid() != ours || found.mode() & 0o022 != 0 => {
            let shown = directory.display();
            return Err(unusable(&format!(
                "others can write to its directory; look at what is in it, then make it yours alone: \
                 `chmod 700 {shown}`"
            )));
        }
        Ok(_) => {}
    }
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => left_behind(path),
        Err(error) => Err(unusable(&format!("cannot look at it: {error}"))),
        Ok(found) if !found.is_file() => Err(StoreError::Corrupt {
            path: path.to_owned(),
            detail: "it is not a regular file".to_owned(),
        }),
        Ok(found) if found.uid() != ours || found.mode() & 0o022 != 0 => {
            Err(unusable("others can write to it"))
        }
        Ok(_) => Ok(true),
    }
}

/// A log without its database would be played into the next one.
fn left_behind(path: &Path) -> Result<bool, StoreError> {
    let [log, _] = beside(path);
    if fs::symlink_metadata(log).is_err() {
        return Ok(false);
    }
    // The process that made the database just now may have written its log already.
    if fs::symlink_metadata(path).is_ok() {
        return Ok(true);
    }
    Err(StoreError::Corrupt {
        path: path.to_owned(),
        detail: "the file is gone, and its log is still there".to_owned(),
    })
}

fn connect(path: &Path) -> Result<Connection, Fault> {
    // The connection is behind a lock of ours, so SQLite needs none.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // A process that only reads leaves the log as it is; see `SqliteStore::write`.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

pub(super) fn version(connection: &Connection) -> Result<i64, Fault> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Fills an empty file that no other process knows of.
fn fill(path: &Path) -> Result<(), Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    migrate(&connection)?;
    // This is remembered in the file.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error.into())
}

/// Brings a database up to this version. The process that comes second finds nothing to do.
fn migrate(connection: &Connection) -> Result<(), Fault> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let version = version(&transaction)?;
    let done = usize::try_from(version).unwrap_or_default();
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    if done < MIGRATIONS.len() {
        transaction.pragma_update(None, "user_version", KNOWN)?;
    }
    Ok(transaction.commit()?)
}

fn fresh_name(path: &Path) -> io::Result<PathBuf> {
    let mut random = [0; 8];
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".new-{:016x}", u64::from_ne_bytes(random)));
    Ok(PathBuf::from(name))
}

fn unusable(path: &Path, detail: String) -> StoreError {
    StoreError::Unusable {
        path: path.to_owned(),
        detail,
    }
}
