//! Why an ask or a grant cannot be dealt with.

use crate::model::error::record::AuditError;
use crate::model::error::store::StoreError;

/// Why the approval queue cannot do what it was asked to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalError {
    /// The database could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The change could not be put on record, so it does not count.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// There is nothing of this name.
    #[error("there is no {what} `{}`", id.escape_debug())]
    Unknown {
        /// `ask` or `grant`.
        what: &'static str,
        /// The id as given.
        id: String,
    },
    /// Several begin like this.
    #[error("`{id}` is the beginning of {count} ids")]
    Ambiguous {
        /// The id as given.
        id: String,
        /// How many ids begin like this.
        count: usize,
    },
    /// A grant for nothing.
    #[error("a grant for every command must open something")]
    OpensNothing,
    /// A grant that would be too wide.
    #[error("a grant for `{}` would be for almost everything", shape.escape_debug())]
    TooWide {
        /// The shape as given.
        shape: String,
    },
    /// The grant does not hold any more, so that it cannot be taken back.
    #[error("the grant `{id}` no longer holds")]
    NotHolding {
        /// The id of the grant.
        id: String,
    },
}
