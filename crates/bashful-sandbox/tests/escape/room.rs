//! The sandbox under attack.

use std::rc::Rc;

use bashful_sandbox::{Plan, Profile, Room, Survey};

use crate::process::chain;

/// Opens a room as the keeper does.
pub(crate) fn open(profile: &Profile) -> Result<Room, String> {
    // All cases of one run of the suite look through the same libraries for programs.
    let cache = std::env::var_os(crate::CACHE).map(std::path::PathBuf::from);
    let survey = Survey::with_cache(profile, cache.as_deref()).map_err(|error| chain(&error))?;
    let plan = Plan::compile(profile, &survey).map_err(|error| chain(&error))?;
    Room::open(&Rc::new(plan)).map_err(|error| chain(&error))
}
