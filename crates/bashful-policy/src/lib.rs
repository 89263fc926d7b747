//! Bashful's policy: from a command's text to a decision, with its reason.
//!
//! The crate is pure: no IO, no clock, no environment. To read it, start with `script.rs` (the
//! shape a command is read into), then `words.rs` and `reader.rs` (text to shape), `unwrap.rs`
//! (what `sudo`, `env` or `bash -c` really run), `dangerous.rs` (what is refused), `validator.rs`.
//!
//! What is refused here is a courtesy that gives a good message early. The boundary is the sandbox.

mod braces;
mod capabilities;
mod dangerous;
mod decision;
mod glob;
mod options;
mod paths;
mod profile;
mod quote;
mod reader;
mod script;
mod shells;
mod unwrap;
mod validator;
mod words;

pub use capabilities::{
    Capabilities, CapabilityChanges, NetworkCapability, Preset, ResourceLimits, UnknownPreset,
    Widening,
};
pub use decision::{Decision, Effect, Layer};
pub use profile::{PermissionProfile, ProfileBuilder, ProfileError};
pub use quote::{build_safe_command, escape_arg};
pub use validator::{CommandValidator, MAX_COMMAND_BYTES, ValidationError};
