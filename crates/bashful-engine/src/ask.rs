//! Asking a person: asks, answers and grants, and what a run was refused that becomes an ask.

pub mod approvals;
pub(crate) mod asking;
mod programs;
pub(crate) mod refusals;
