//! A run that goes on: waiting for it, its events, its end on record.

pub(crate) mod account;
pub(crate) mod background;
pub(crate) mod claim;
pub(crate) mod events;
pub(crate) mod running;
pub(crate) mod runs;
pub(crate) mod watch;
