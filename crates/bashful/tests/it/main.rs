//! The `bashful` executable from outside: one module per topic.
//!
//! Every test has a [`support::World`] of its own: directories, an environment with
//! nothing of ours in it, and the executable. It holds for root and for an ordinary
//! user, beside other tests, and on a slow machine.

#![expect(
    clippy::disallowed_methods,
    reason = "tests start the executable from outside, not through the door it has"
)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may fail the test and say why"
)]

mod support;

mod approvals;
mod attacks;
mod audit;
mod bad_input;
mod bad_places;
mod basics;
mod caches;
mod cancellation;
mod completions;
mod configuration;
mod crashes;
mod descriptions;
mod directories;
mod doctor;
mod environment;
mod explain;
mod hook;
mod hosts;
mod input;
mod json;
mod logs;
mod many;
mod mcp;
mod mcp_install;
mod policy;
mod reference;
mod refusals;
mod registry;
mod repair;
mod resident;
mod sandbox;
mod scope;
mod screens;
mod scripts;
mod secrets;
mod sessions;
mod shells;
mod steps;
mod streams;
mod survivors;
mod tasks;
mod tasks_damage;
mod tasks_faults;
mod tasks_logs;
mod tasks_places;
mod tasks_questions;
mod tasks_quota;
mod tasks_ready;
mod terminal;
mod terminals;
mod timeouts;
mod tools;
mod trees;
mod truncation;
mod variables;
mod work;
