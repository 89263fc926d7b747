//! What a run may do becomes the sandbox's profile, with its environment.

pub(crate) mod bounds;
pub(crate) mod environment;
pub(crate) mod profile;
