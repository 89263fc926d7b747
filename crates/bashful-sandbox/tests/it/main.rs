//! The door to spawn and the tree behind it, with real processes.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod launch;
mod mark;
mod support;
mod tree;
