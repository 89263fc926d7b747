//! The way to a keeper: everything about a run made ready, the start put on record, and the word given.

pub(crate) mod carried;
pub(crate) mod client;
pub(crate) mod end_record;
pub(crate) mod find_keeper;
pub(crate) mod hide;
pub(crate) mod journal;
pub(crate) mod prepare;
mod program;
pub(crate) mod progress;
pub(crate) mod release;
pub(crate) mod sockets;
mod streams;
