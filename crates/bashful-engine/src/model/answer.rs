//! An answer to an ask, and what became of it.

use std::time::Duration;

use super::ask::Ask;
use super::grant::{Grant, Scope};

/// What somebody says to an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// Yes.
    Allow {
        /// How far.
        scope: Scope,
        /// For how long; none: until it is revoked.
        expires: Option<Duration>,
    },
    /// No.
    Deny {
        /// A word to the agent.
        message: Option<String>,
    },
    /// This command instead; it is judged anew.
    Edit {
        /// The command.
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
    /// Somebody or something was faster; the answer left nothing behind.
    TooLate {
        /// The ask as it stands.
        ask: Box<Ask>,
    },
}
