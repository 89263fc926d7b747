//! Why the store cannot be used.

use std::path::PathBuf;

use crate::model::error::record::AuditError;

/// Why the store cannot be used. Nothing of what runs is affected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process holds it for too long.
    #[error("the database `{path}` is locked by another process", path = .path.display())]
    Locked {
        /// The path of the database.
        path: PathBuf,
    },
    /// It is damaged, or no database of Bashful's at all.
    #[error("the database `{path}` is damaged: {detail}", path = .path.display())]
    Corrupt {
        /// The path of the database.
        path: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// It was written by a newer Bashful.
    #[error("the database `{path}` has version {found}, and this Bashful knows {known}", path = .path.display())]
    Newer {
        /// The path of the database.
        path: PathBuf,
        /// The version of the schema that the file has.
        found: i64,
        /// The newest version of the schema that this Bashful knows.
        known: i64,
    },
    /// The disk is full.
    #[error("cannot write the database `{path}`: the disk is full", path = .path.display())]
    Full {
        /// The path of the database.
        path: PathBuf,
    },
    /// What was to be kept cannot be put on record, so it was not kept.
    #[error("nothing counts that cannot be recorded")]
    Unrecorded(#[from] AuditError),
    /// It cannot be opened, read or written.
    #[error("cannot use the database `{path}`: {detail}", path = .path.display())]
    Unusable {
        /// The path of the database.
        path: PathBuf,
        /// What the database says.
        detail: String,
    },
}
