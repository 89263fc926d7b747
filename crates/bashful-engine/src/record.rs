//! The record: the audit trail, ends that are recorded later, and the index of tasks.

pub mod audit;
pub(crate) mod index;
pub(crate) mod recover_ends;
