//! A world of its own for each test.

mod clock;
mod host;
mod processes;
mod pty;
mod records;
mod running;
mod screen;
mod world;

pub(crate) use clock::shifted;
pub(crate) use host::Host;
pub(crate) use processes::{Marker, eventually, is_alive, is_long, parent_of, start_of};
pub(crate) use pty::Terminal;
pub(crate) use running::{Outcome, Running};
pub(crate) use screen::with_whole_rows;
pub(crate) use world::{NOTICE, PATH, UNJUDGED, Walls, World, binary, ran, seq};
