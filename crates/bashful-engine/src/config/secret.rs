//! A value that must never be shown.

use std::fmt;

/// The fewest characters of a value that is masked. Masking a shorter one would riddle ordinary
/// output and so tell everybody what it is.
pub const SECRET_MINIMUM: usize = 8;

/// What stands in place of a secret wherever one would be shown.
pub(super) const MASK: &str = "***";

/// A secret that prints as `***`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SecretValue(String);

impl SecretValue {
    /// Wraps a value, or gives nothing when it has fewer than [`SECRET_MINIMUM`] characters.
    pub fn new(value: impl Into<String>) -> Option<Self> {
        let value = value.into();
        (value.chars().count() >= SECRET_MINIMUM).then_some(Self(value))
    }

    /// The value itself, for the masking code only.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}
