//! What this host offers, and what will be enforced on it.
//!
//! Settings of the kernel say little about what works, so a sandbox is really built once
//! and asked from inside. What it said is remembered until the next boot; what costs
//! nothing to look at is looked at every time.

use std::path::Path;

use bashful_sandbox::Host;
use serde::Serialize;

use crate::builder::Settings;
use crate::error::EngineError;
use crate::result::Enforcement;

mod checks;
mod judge;
mod kept;
mod logout;
mod memory;
mod mend;
mod trial;

use memory::Memory;
use trial::Trial;

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
    /// Whether everything that the built-in default profile needs is enforced.
    pub ok: bool,
    /// Whether the trial was made earlier since the last boot.
    pub remembered: bool,
    /// The version of Bashful.
    pub version: &'static str,
    /// Who asks.
    pub user: u32,
    /// What the host offers.
    pub host: Vec<Finding>,
    /// What a run in a sandbox tried, and whether the sandbox held.
    pub checks: Vec<Finding>,
    /// What will be enforced for a run of the built-in default profile.
    pub enforcement: Enforcement,
    /// What is missing.
    pub missing: Vec<Missing>,
    /// How the database is, and what its index holds. Nothing here says what is enforced.
    pub kept: Vec<Finding>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Its name.
    pub name: &'static str,
    /// How it is.
    pub state: State,
    /// The same for people.
    pub words: String,
}

/// How something is.
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

/// Something that is missing, and what mends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Missing {
    /// What is not enforced in full.
    pub what: &'static str,
    /// Why.
    pub reason: String,
    /// What to do about it.
    pub mend: Vec<String>,
}

/// Looks at this host.
pub(crate) fn diagnose(settings: &Settings, look: Look) -> Result<Diagnosis, EngineError> {
    let here = settings.workspace.as_deref().unwrap_or(Path::new("."));
    let host = Host::look(here);
    let memory = Memory::of(&settings.places, &host);
    let recalled = match look {
        Look::Remembered => memory.recall(),
        Look::Again => None,
    };
    let remembered = recalled.is_some();
    let trial = recalled.map_or_else(|| trial::make(settings), Ok)?;
    // Only good news is remembered: whoever mended something is not told the old story.
    if let (Trial::Ran(ran), false) = (&trial, remembered)
        && ran.held()
    {
        memory.store(ran);
    }
    Ok(Diagnosis {
        remembered,
        kept: kept::look(&settings.places)
            .into_iter()
            .chain(logout::look())
            .collect(),
        ..judge::judge(&host, &trial)
    })
}
