//! What several kinds of tests share.

pub(crate) mod context;
pub(crate) mod soak;
pub(crate) mod table;
pub(crate) mod whole;
