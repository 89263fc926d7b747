//! Configuration: which files are read, what they may say, and which layer wins.
//!
//! Three files hold the same keys. From weakest to strongest:
//!
//! 1. the built-in defaults, documented in [`DEFAULT_TOML`];
//! 2. the user file, `$XDG_CONFIG_HOME/bashful/config.toml`;
//! 3. the project file, `.bashful.toml` in the workspace, which can only narrow;
//! 4. environment and flags, which the front ends apply to the resolved [`Config`].
//!
//! None of them passes the admin file, `/etc/bashful/config.toml`: what it sets is both the value
//! every caller starts from and the widest that any caller gets. [`Loaded::ceilings`] carries that
//! bound to the front end that applies flags.
//!
//! The work is done in two steps. A file becomes an all-optional raw value that mirrors it and
//! knows no key outside [`Key`]; the raw values of all layers then become one [`Config`]. What
//! each layer may do to each key stands in one table, [`Key`]'s rows in `config/key.rs`.

mod ceilings;
mod choice;
pub mod env;
mod error;
mod file;
mod key;
mod load;
mod narrow;
mod parse;
mod place;
mod profile;
mod profiles;
mod raw;
mod reader;
mod resolve;
mod rules;
mod scalar;
mod secret;
mod setting_key;
mod settings;
mod show;
mod sources;
mod units;
mod warning;

pub use ceilings::Ceilings;
pub(crate) use choice::nearest;
pub use choice::{Choice, HomeMode, Keep, OnLogFull, Refused, Sandbox, Survivors, UnknownChoice};
pub use error::ConfigError;
pub use key::{Key, ProjectMay, Rule};
pub(crate) use load::check_file;
pub use load::{Loaded, SourceRead};
pub use place::{Layer, Location, Origin, Origins};
pub use profile::{Granted, PassesAdmin, Profile, UnknownProfile, Wish};
pub use rules::{ConfiguredRule, UnknownClass};
pub use secret::{SECRET_MINIMUM, SecretValue};
pub use setting_key::SettingKey;
pub use settings::{
    Approvals, Audit, Caches, Config, Environment, Keeper, Limits, Scripts, Secrets, Tasks,
};
pub use show::{Setting, SettingValue};
pub(crate) use show::{list, quoted};
pub use sources::{ADMIN_FILE, AdminOwner, Lookups, PROJECT_FILE, Sources};
pub use units::{
    MAX_DURATION, MAX_SIZE, Quantity, UnitError, UnitProblem, format_duration, format_size,
    parse_duration, parse_size,
};
pub use warning::{Warning, WarningReason};

/// The shipped defaults as a commented file that names every key.
///
/// It is for people: nothing parses it when Bashful runs. A test holds it equal to
/// `Config::default()`.
pub const DEFAULT_TOML: &str = include_str!("config/default.toml");

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_files;
#[cfg(test)]
mod tests_layers;
#[cfg(test)]
mod tests_parse;
#[cfg(test)]
mod tests_profiles;
#[cfg(test)]
mod tests_widen;
