//! An answer to an ask, and what became of it.

use std::time::Duration;

use super::ask::Ask;
use super::grant::{Grant, Scope};

/// What a person says to an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// The command may run, or may reach what it was denied.
    Allow {
        /// To which later runs the yes applies as well.
        scope: Scope,
        /// For how long; none: until it is revoked.
        expires: Option<Duration>,
    },
    /// The command does not run.
    Deny {
        /// A word to the agent.
        message: Option<String>,
    },
    /// This command instead; it is judged anew.
    Edit {
        /// The command that the person wrote in the place of the agent's.
        command: String,
    },
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Settled {
    /// It was the first, and counts.
    Counts {
        /// The ask as it stands now.
        ask: Box<Ask>,
        /// The grant that it left behind.
        grant: Option<Box<Grant>>,
        /// Other asks that the same grant answers, as they stand now.
        also: Vec<Ask>,
    },
    /// Another answer, the deadline or a change of the script came first; this answer has no
    /// effect.
    TooLate {
        /// The ask as it stands.
        ask: Box<Ask>,
    },
}
