//! SQLite holds every law of stores; and the file itself is made privately and kept whole.

use std::path::PathBuf;

use super::{DATABASE, SqliteStore};
use crate::store::Store;
use crate::store::conformance::{Place, laws};

mod damage;
mod files;
mod marks;
pub(crate) mod process;
mod processes;

/// A state directory with a database.
struct Directory(tempfile::TempDir);

impl Directory {
    fn database(&self) -> PathBuf {
        self.0.path().join(DATABASE)
    }

    fn store(&self) -> SqliteStore {
        SqliteStore::open(&self.database()).unwrap()
    }
}

impl Place for Directory {
    fn open(&self) -> Box<dyn Store> {
        Box::new(self.store())
    }
}

fn directory() -> Directory {
    Directory(tempfile::tempdir().unwrap())
}

laws!(directory);
