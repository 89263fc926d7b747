//! Why the record cannot be used.

use std::io;
use std::path::PathBuf;

/// Why an event cannot be put on record, or the record cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// It cannot be opened, read, written or synced.
    #[error("cannot {doing} the audit trail `{path}`", path = .path.display())]
    Failed {
        /// What was being done: `open`, `lock`, `read`, `write`, `sync`.
        doing: &'static str,
        /// The file of the trail that it was done to.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// Others can write to its directory.
    #[error("the state directory `{path}` is not private: others can write to it", path = .path.display())]
    NotPrivate {
        /// The state directory that others can write to.
        path: PathBuf,
    },
    /// It does not end with a record of ours, so nothing can be added to it.
    #[error("the audit trail `{path}` is damaged at record {at}: {detail}", path = .path.display())]
    Damaged {
        /// The trail's file.
        path: PathBuf,
        /// The number of the record.
        at: u64,
        /// What is wrong with it.
        detail: String,
    },
}
