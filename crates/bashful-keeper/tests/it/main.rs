//! The keeper from outside: its records, its logs, its masking, and the process itself.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

mod conversation;
mod log_reader;
mod masking;
mod records;
