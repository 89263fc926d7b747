//! What a file said and the engine does not follow.

use std::fmt;

use super::key::Key;
use super::place::{Layer, Location};
use super::setting_key::SettingKey;

/// A setting that was ignored. It is no error: a cloned repository must neither widen what a
/// person allows nor stop them from working.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The key that the file set.
    pub key: SettingKey,
    /// The layer whose word does not count.
    pub layer: Layer,
    /// Where it was said.
    pub place: Location,
    /// Why it does not count.
    pub reason: WarningReason,
}

/// Why a setting was ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningReason {
    /// A project file has no say about this key.
    NotForProjects,
    /// A project file tried to widen.
    Widens {
        /// What the project asked for.
        given: String,
        /// What is in force instead.
        kept: String,
    },
    /// The admin file says otherwise.
    PassesAdmin {
        /// What was asked for.
        given: String,
        /// What the admin set.
        bound: String,
    },
    /// Names that the admin's list does not have.
    OutsideAdminList {
        /// The names, which are dropped.
        names: Vec<String>,
    },
    /// Names in a project file that were not granted.
    NotGranted {
        /// The names, which are dropped.
        names: Vec<String>,
    },
    /// A rule of a project file allows what it is about.
    Allows {
        /// The rule's id.
        rule: String,
    },
    /// A project file speaks about a profile that no other layer knows.
    NoSuchProfile,
    /// `limits.timeout` is above `limits.max_timeout`.
    AboveMaximum {
        /// The timeout asked for.
        given: String,
        /// The maximum, which is used.
        maximum: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, place, .. } = self;
        write!(formatter, "ignored `{key}` in {place}: ")?;
        match &self.reason {
            WarningReason::NotForProjects => {
                write!(formatter, "a project file cannot set it")
            }
            WarningReason::Widens { given, kept } => write!(
                formatter,
                "a project file can only narrow, and `{given}` is wider than `{kept}`"
            ),
            WarningReason::PassesAdmin { given, bound } => write!(
                formatter,
                "the admin file says `{bound}`, and `{given}` goes beyond it"
            ),
            WarningReason::OutsideAdminList { names } => write!(
                formatter,
                "the admin file does not list `{}`",
                names.join("`, `")
            ),
            WarningReason::NotGranted { names } => write!(
                formatter,
                "a project file can only narrow, and `{}` was not granted",
                names.join("`, `")
            ),
            WarningReason::Allows { rule } => write!(
                formatter,
                "a project file can only narrow, and rule `{rule}` allows"
            ),
            WarningReason::NoSuchProfile => {
                write!(formatter, "a project file cannot add a profile")
            }
            WarningReason::AboveMaximum { given, maximum } => write!(
                formatter,
                "`{given}` is above `{}`, which is `{maximum}`",
                Key::MaxTimeout
            ),
        }
    }
}
