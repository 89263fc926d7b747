//! What this host offers, and what will be enforced on it.
//!
//! Settings of the kernel say little about what works, so a sandbox is really built once
//! and asked from inside. What it said is remembered until the next boot; what costs
//! nothing to look at is looked at every time.

use crate::engine::Engine;
use crate::request::invocation::Invocation;
use std::path::Path;

use bashful_sandbox::Host;
use serde::Serialize;

use crate::explain::Explanation;
use crate::model::error::EngineError;
use crate::model::result::Enforcement;
use crate::request::settings::Settings;

mod checks;
mod judge;
mod keepers;
mod kept;
mod logout;
mod memory;
mod mend;
mod offers;
mod places;
mod programs;
mod restrictions;
mod trial;
mod used;

use memory::Memory;
pub use offers::BackendOffer;

use trial::Trials;

/// Whether to go by what an earlier look found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// What was found since the last boot is good enough.
    Remembered,
    /// Everything is tried anew.
    Again,
}

/// What this host offers, and what will be enforced on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The version of this shape.
    pub v: u32,
    /// Whether everything that the configured profile needs is enforced, and there is a place
    /// for records.
    pub ok: bool,
    /// Whether the trial was made earlier since the last boot.
    pub remembered: bool,
    /// The version of Bashful.
    pub version: &'static str,
    /// The id of the user who asks, and for whom runs would be made.
    pub user: u32,
    /// What the host offers.
    pub host: Vec<Finding>,
    /// Programs of others that Bashful uses or can use.
    pub programs: Vec<Finding>,
    /// What a run in a sandbox tried, and whether the sandbox held.
    pub checks: Vec<Finding>,
    /// What each backend would enforce here, the strongest first.
    pub backends: Vec<BackendOffer>,
    /// What will be enforced for a run of the configured profile.
    pub enforcement: Enforcement,
    /// What will be used here: the backend and the profile, as configured.
    pub used: Vec<Finding>,
    /// What is missing.
    pub missing: Vec<Missing>,
    /// The directories in which Bashful keeps its things, and its keepers.
    pub places: Vec<Finding>,
    /// How the database is, and what its index holds. Nothing here says what is enforced.
    pub kept: Vec<Finding>,
    /// The clients that are set up, and whether their own shells are off. Empty unless the
    /// caller knows of clients.
    pub clients: Vec<Finding>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// A short name of what was looked at, such as `backend`.
    pub name: &'static str,
    /// How it is.
    pub state: State,
    /// The same for people.
    pub words: String,
    /// What to do about it: commands, one of which is enough. Empty where nothing needs to be
    /// done, or nothing can.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mend: Vec<String>,
}

impl Finding {
    /// A finding that nothing needs to be done about.
    pub fn new(name: &'static str, state: State, words: impl Into<String>) -> Self {
        Self {
            name,
            state,
            words: words.into(),
            mend: Vec::new(),
        }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn mended_by(mut self, mend: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.mend.extend(mend.into_iter().map(Into::into));
        self
    }
}

/// How a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it should be.
    Ok,
    /// Less than there could be.
    Weak,
    /// Not there, or not holding.
    Failed,
}

/// What this host lacks, and what mends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Missing {
    /// What is not enforced in full.
    pub what: &'static str,
    /// What keeps it from being enforced, in words for people.
    pub reason: String,
    /// What to do about it.
    pub mend: Vec<String>,
}

/// Looks at this host. `planned` is what a run of the configured profile would be.
pub(crate) fn diagnose(
    settings: &Settings,
    look: Look,
    planned: &Result<Explanation, EngineError>,
) -> Result<Diagnosis, EngineError> {
    let here = settings.workspace.as_deref().unwrap_or(Path::new("."));
    let host = Host::look(here);
    let memory = Memory::of(&settings.places);
    let recalled = match look {
        Look::Remembered => memory.recall(),
        Look::Again => None,
    };
    let remembered = recalled.is_some();
    let trials = recalled.map_or_else(|| Trials::make(settings), Ok)?;
    if !remembered {
        memory.store(&trials);
    }
    let places = places::look(&settings.places);
    let demand = used::Demand::of(settings, planned);
    let used = trials.used(settings.sandbox);
    let judged = judge::judge(&host, &trials, &demand, used);
    Ok(Diagnosis {
        ok: judged.ok && places.iter().all(|place| place.state != State::Failed),
        remembered,
        programs: programs::look(settings.path().unwrap_or_default(), &trials, &host),
        backends: offers::look(&trials, demand.optional, host.landlock),
        used: used::look(settings, &demand, used),
        places,
        kept: kept::look(&settings.places)
            .into_iter()
            .chain(logout::look())
            .collect(),
        ..judged
    })
}

impl Engine {
    /// Tells what this host offers and what will be enforced on it, by really building a
    /// sandbox once. A sandbox that held is remembered until the next boot.
    pub fn doctor(&self, look: Look) -> Result<Diagnosis, EngineError> {
        let planned = self.explain(Invocation::bash("true"));
        diagnose(self.settings(), look, &planned)
    }
}
