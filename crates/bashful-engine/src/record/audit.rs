//! The record: one chain of JSON lines per state directory, only ever appended.
//!
//! Each line holds the digest of the one before it and its own. The record before a start is
//! synced to disk; if it cannot be written, nothing runs.

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

pub use crate::model::error::record::AuditError;
pub use anchor::{Anchor, AnchorError, Place, UnknownPlace};
pub use event::{
    Answered, Asked, Decided, Ended, Event, GrantChange, GrantChanged, InputHow, InputSent, Mended,
    OutputDigest, PolicyLoaded, Refused, Requested, Starting,
};
pub use reader::{Record, Records};
pub(crate) use script::Caller;
pub use script::{ScriptChange, ScriptChanged};
pub use trail::{Trail, Unsynced};
pub use verify::{
    Anchored, CheckedAnchors, LastRecord, Problem, ProblemKind, Remark, Verdict, Verification,
};
