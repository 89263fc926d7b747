//! Types that several rooms share: asks, grants, answers, scripts, results and errors.

pub(crate) mod answer;
pub(crate) mod answered_by;
pub(crate) mod approval;
pub(crate) mod approver;
pub(crate) mod ask;
pub(crate) mod asking;
pub(crate) mod cache_owner;
pub(crate) mod connections;
pub(crate) mod error;
pub(crate) mod grant;
pub(crate) mod guesses;
pub(crate) mod output;
pub(crate) mod places;
pub(crate) mod remedy;
pub(crate) mod result;
pub(crate) mod script;
pub(crate) mod shell_bytes;
pub(crate) mod shell_state;
pub(crate) mod task_ids;
pub(crate) mod task_name;
pub(crate) mod telling;
pub(crate) mod transfer;
