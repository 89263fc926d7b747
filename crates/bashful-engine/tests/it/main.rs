//! The library as its users see it: real commands, a real keeper, a house of its own for each test.

mod agent_tool;
mod bad_input;
mod endings;
mod environment;
mod events;
mod helper;
mod output;
mod primitive;
mod runs;
mod secrets;
mod sessions;
mod spans;
mod support;
