//! What every room may use: time, places, digests, names of paths, and who calls.

pub(crate) mod caller;
pub(crate) mod clock;
pub(crate) mod digest;
pub(crate) mod error_chain;
pub(crate) mod installed;
pub(crate) mod interrupts;
pub(crate) mod kept;
pub(crate) mod legible;
pub(crate) mod lock;
pub(crate) mod outside;
pub(crate) mod process;
pub(crate) mod programs;
pub(crate) mod real;
pub(crate) mod removal;
pub(crate) mod secrets;
pub(crate) mod usual_limits;
