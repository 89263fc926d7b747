//! Judging a request: by the policy, and by the grants that apply to it.

pub(crate) mod apply_grants;
pub mod policy;
pub(crate) mod repositories;
pub(crate) mod transfers;
