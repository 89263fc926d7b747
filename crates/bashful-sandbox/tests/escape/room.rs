//! The sandbox under attack.

use std::rc::Rc;

use bashful_sandbox::{Backend, Confined, Launch, Plan, Profile, Room, Survey, Wrapped};

use crate::process::chain;

/// Opens a room as the keeper does.
pub(crate) fn open(profile: &Profile) -> Result<Room, String> {
    open_like(profile, None)
}

/// The same for a further room: from a copy of what this one has, where that can be.
pub(crate) fn open_like(profile: &Profile, like: Option<&mut Room>) -> Result<Room, String> {
    Room::open_with(&plan(profile)?, None, like).map_err(|error| chain(&error))
}

/// The plan for this profile.
pub(crate) fn plan(profile: &Profile) -> Result<Rc<Plan>, String> {
    // All cases of one run of the suite look through the same libraries for programs.
    let cache = std::env::var_os(crate::CACHE).map(std::path::PathBuf::from);
    let survey = Survey::with_cache(profile, cache.as_deref()).map_err(|error| chain(&error))?;
    let plan = Plan::compile(profile, &survey).map_err(|error| chain(&error))?;
    Ok(Rc::new(plan))
}

/// What a wrapper program makes for each run, and the plan that it follows.
pub(crate) struct InWrapper {
    wrapped: Wrapped,
    plan: Rc<Plan>,
    /// Where its directory is.
    _place: tempfile::TempDir,
}

impl InWrapper {
    /// Gets ready as the keeper does.
    pub(crate) fn open(profile: &Profile, backend: Backend) -> Result<Self, String> {
        let cache = std::env::var_os(crate::CACHE).map(std::path::PathBuf::from);
        let survey = Survey::for_backend(profile, cache.as_deref(), backend)
            .map_err(|error| chain(&error))?;
        let plan = Rc::new(Plan::compile(profile, &survey).map_err(|error| chain(&error))?);
        let place = tempfile::tempdir().map_err(|error| chain(&error))?;
        let wrapped = Wrapped::open(&plan, &place.path().join("room"));
        Ok(Self {
            wrapped: wrapped.map_err(|error| chain(&error))?,
            plan,
            _place: place,
        })
    }

    pub(crate) fn exec(&mut self, launch: &Launch) -> Result<Confined, String> {
        let started = self.wrapped.start(&self.plan, launch);
        let mut confined = started.map_err(|error| chain(&error))?;
        confined.await_start().map_err(|error| chain(&error))?;
        Ok(confined)
    }
}
