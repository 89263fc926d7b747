//! The record: one chain of JSON lines per state directory, only ever appended.
//!
//! Each line holds the digest of the one before it and its own. The record before a start is
//! synced to disk; if it cannot be written, nothing runs.

use std::io;
use std::path::PathBuf;

mod anchor;
mod directory;
mod event;
mod files;
mod head;
mod line;
mod reader;
mod recover;
mod script;
mod subject;
#[cfg(test)]
mod tests;
mod trail;
mod verify;

pub use anchor::{Anchor, AnchorError, Place, UnknownPlace};
pub use event::{
    Answered, Asked, Decided, Ended, Event, GrantChange, GrantChanged, InputHow, InputSent, Mended,
    OutputDigest, PolicyLoaded, Refused, Requested, Starting,
};
pub use reader::{Record, Records};
pub use script::{ScriptChange, ScriptChanged};
pub use trail::{Trail, Unsynced};
pub use verify::{
    Anchored, CheckedAnchors, LastRecord, Problem, ProblemKind, Remark, Verdict, Verification,
};

/// Why something cannot be put on record or read from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// It cannot be opened, read, written or synced.
    #[error("cannot {doing} the audit trail `{path}`", path = .path.display())]
    Failed {
        /// What was being done: `open`, `lock`, `read`, `write`, `sync`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// Others can write to its directory.
    #[error("the state directory `{path}` is not private: others can write to it", path = .path.display())]
    NotPrivate {
        /// The directory.
        path: PathBuf,
    },
    /// It does not end with a record of ours, so nothing can be added to it.
    #[error("the audit trail `{path}` is damaged at record {at}: {detail}", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the record.
        at: u64,
        /// What is wrong with it.
        detail: String,
    },
}
