//! What is made of the record later: a database rebuilt, decisions replayed, a profile learnt.

pub mod learn;
pub(crate) mod repair;
pub mod replay;
