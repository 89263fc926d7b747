//! What a run may not do whatever it sees: system calls, and things that must not appear.

use std::path::PathBuf;

use bashful_sandbox::{Guard, Refusal, Watch};
use serde::Serialize;

/// System calls that are refused alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RefusedCalls {
    /// The names of the system calls.
    pub calls: Vec<&'static str>,
    /// With which arguments; always, if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The error that the program gets, or `SIGSYS`.
    pub answer: &'static str,
    /// Why the sandbox refuses them, in words for people.
    pub reason: &'static str,
}

/// A file or directory that does not exist and is held back when a run makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Watched {
    /// Where it would be.
    pub path: PathBuf,
    /// What happens: `held back`, `hooks held back` or `keys that execute taken out`.
    pub then: &'static str,
}

impl From<Refusal> for RefusedCalls {
    fn from(refusal: Refusal) -> Self {
        Self {
            calls: refusal.calls,
            condition: refusal.condition,
            answer: refusal.answer,
            reason: refusal.reason,
        }
    }
}

impl From<&Watch> for Watched {
    fn from(watch: &Watch) -> Self {
        Self {
            path: watch.root.join(&watch.path),
            then: match watch.guard {
                Guard::Hold => "held back",
                Guard::Hooks => "hooks held back",
                Guard::GitConfig => "keys that execute taken out",
                Guard::Links => "links in it held back",
                Guard::BareRepository => "held back if it makes a repository",
                Guard::GitFile | Guard::CommonDirectory => "held back unless git put it there",
                Guard::Interrupted | Guard::Attributes => "held back if it starts a program",
                Guard::NewHosts => "held back if it names a new host",
                Guard::Alternates | Guard::Conflicts => "held back if it leads outside",
                Guard::Addresses => "all in it held back",
                Guard::Index => "held back if it names a repository's files",
            },
        }
    }
}
