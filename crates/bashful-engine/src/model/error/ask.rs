//! Why an ask or a grant cannot be dealt with.

use crate::model::error::record::AuditError;
use crate::model::error::store::StoreError;

/// Why something cannot be done at the desk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The record.
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
        /// How many.
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
        /// The grant.
        id: String,
    },
}
