//! Shells that last: directory, variables, functions, aliases, options and mask stay from call
//! to call.
//!
//! Each call is a new bash that loads the last state, runs the command and saves the state:
//!
//! ```text
//! store ──► state ──► script ──► bash: load, run, save ──► dump ──► carry ──► state ──► store
//!             └─► facts ─► policy                          read as data, never as text to run
//! ```
//!
//! What a run saves is written by a process of the agent's. It is read strictly, into values;
//! the text for the next call is made from those values. `docs/design/0014-shells.md` says why.

use std::path::Path;

mod call;
mod carry;
mod declared;
mod dump;
mod facts;
mod listing;
mod name;
mod own;
mod reach;
mod script;
mod store;
#[cfg(test)]
mod tests;

pub use crate::model::error::shell::ShellError;
pub(crate) use call::{Armed, Arms, ShellCall, arm, directory_of};
pub(crate) use listing::Values;
pub use listing::{Shell, ShellVariable};
pub(crate) use name::{Key, check as check_name};
pub(crate) use script::FLAGS;
pub(crate) use store::{Held, list, peek, remove_expired};

/// Why a state was not saved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Kept {
    #[error("nothing was started")]
    NotStarted,
    #[error("the command did not run, because the shell's state could not be loaded")]
    NotLoaded,
    #[error("the state was not saved: the shell was ended, or replaced by `exec`")]
    NotSaved,
    #[error("the state was not saved: it is larger than 4 MiB")]
    TooLarge,
    #[error("the state was not saved: {0}")]
    Garbled(String),
    #[error("the state cannot be read back: {0}")]
    Unreadable(std::io::Error),
    #[error("the state could not be written to disk: {0}")]
    NotWritten(std::io::Error),
}

/// A workspace as shells are told apart by it.
pub(crate) fn workspace_text(workspace: &Path) -> String {
    workspace.to_string_lossy().into_owned()
}
