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
        /// The file.
        path: PathBuf,
    },
    /// It is damaged, or something else altogether.
    #[error("the database `{path}` is damaged: {detail}", path = .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// It was written by a newer Bashful.
    #[error("the database `{path}` has version {found}, and this Bashful knows {known}", path = .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The disk is full.
    #[error("cannot write the database `{path}`: the disk is full", path = .path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// What was to be kept cannot be put on record, so it was not kept.
    #[error("nothing counts that cannot be recorded")]
    Unrecorded(#[from] AuditError),
    /// It cannot be opened, read or written.
    #[error("cannot use the database `{path}`: {detail}", path = .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the database says.
        detail: String,
    },
}
