//! A world of its own for each test.

mod processes;
mod records;
mod running;
mod world;

pub(crate) use processes::{Marker, eventually, is_alive, parent_of};
pub(crate) use running::{Outcome, Running};
pub(crate) use world::{NOTICE, PATH, UNJUDGED, Walls, World, binary, ran, seq};
