//! The library as its users see it: real commands, a real keeper, a house of its own for each test.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

mod agent_tool;
mod asking;
mod audit;
mod bad_input;
mod endings;
mod environment;
mod events;
mod helper;
mod output;
mod policy;
mod primitive;
mod runs;
mod scripts;
mod scripts_approval;
mod scripts_halves;
mod scripts_reach;
mod scripts_run;
mod scripts_validate;
mod secrets;
mod sessions;
mod shells;
mod spans;
mod support;
mod tasks;
mod tasks_kill;
mod tasks_many;
mod tasks_search;
mod tasks_wait;
mod terminals;
mod tools;
mod tools_reference;
