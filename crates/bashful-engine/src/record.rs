//! The record: the audit trail, ends that are recorded later, and the index of tasks.

pub(crate) mod asks;
pub mod audit;
pub(crate) mod ends_on_record;
pub(crate) mod index;
pub(crate) mod log_digest;
pub(crate) mod next_cleaning;
pub(crate) mod recover_ends;
pub(crate) mod standing;
