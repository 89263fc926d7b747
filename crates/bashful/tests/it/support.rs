//! A world of its own for each test.

mod processes;
mod running;
mod world;

pub(crate) use processes::{Marker, eventually, is_alive, start_of};
pub(crate) use running::{Outcome, Running};
pub(crate) use world::{NOTICE, PATH, World, binary, ran, seq};
