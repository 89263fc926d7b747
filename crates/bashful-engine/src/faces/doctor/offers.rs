//! What each backend would enforce on this host.

use bashful_sandbox::{Backend, Protection};
use serde::Serialize;

use super::State;
use super::trial::{Trial, Trials};
use super::used::falls_short;
use crate::config::Choice as _;
use crate::model::result::Enforcement;

/// A backend, and what it would enforce here for the built-in default profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BackendOffer {
    /// The name that the configuration gives this backend.
    pub name: &'static str,
    /// `ok` if it gives what the configured profile needs, `weak` if it gives less.
    pub state: State,
    /// The same for people, with the reason where it cannot be used.
    pub words: String,
    /// What it enforces; absent where it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<Enforcement>,
}

/// All of them, the strongest first.
pub(super) fn look(trials: &Trials, optional: &[Protection], landlock: u32) -> Vec<BackendOffer> {
    let all = trials.0.iter();
    all.map(|(backend, trial)| match (backend, landlock) {
        // It is what they hold files with.
        (Backend::Firejail | Backend::Landlock, 0) => {
            unusable(*backend, "this kernel offers no Landlock")
        }
        _ => offer(*backend, trial, optional),
    })
    .collect()
}

fn unusable(backend: Backend, reason: &str) -> BackendOffer {
    let name = backend.as_str();
    BackendOffer {
        name,
        state: State::Failed,
        words: format!("{name} cannot be used: {reason}"),
        enforcement: None,
    }
}

fn offer(backend: Backend, trial: &Trial, optional: &[Protection]) -> BackendOffer {
    let name = backend.as_str();
    let ran = match trial {
        Trial::Ran(ran) => ran,
        Trial::NotBuilt { reason } => return unusable(backend, reason),
    };
    let applied = ran.enforcement;
    let less: Vec<String> = Protection::ALL
        .iter()
        .map(|(word, protection)| (word, applied.of(*protection)))
        .filter(|(_, level)| *level < bashful_sandbox::Level::Full)
        .map(|(word, level)| format!("{word} {}", level.as_str()))
        .collect();
    let short = falls_short(applied, optional);
    let (state, words) = match (ran.held(), less.is_empty()) {
        (false, _) => {
            let leaks = ran.leaks().map(|(_, words)| words);
            let leaks: Vec<&str> = leaks.collect();
            let words = format!(
                "{name} does not hold what it says: a run {}",
                leaks.join(", ")
            );
            (State::Failed, words)
        }
        (true, true) => (State::Ok, format!("{name} enforces everything in full")),
        (true, false) => {
            let state = if short.is_empty() {
                State::Ok
            } else {
                State::Weak
            };
            (
                state,
                format!(
                    "{name} enforces everything in full but: {}",
                    less.join(", ")
                ),
            )
        }
    };
    BackendOffer {
        name,
        state,
        words,
        enforcement: Some(Enforcement::of(Some(applied))),
    }
}
