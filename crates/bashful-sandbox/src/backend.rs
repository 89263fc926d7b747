//! The ways in which a plan can be enforced.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What enforces a plan.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default,
)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Bashful itself: namespaces, mounts, Landlock, a filter, control groups.
    #[default]
    Native,
    /// The program `bwrap`, with our filter and our limits.
    Bubblewrap,
    /// The program `firejail`, with our filter and our limits.
    Firejail,
    /// Landlock and a filter alone, for hosts without namespaces.
    Landlock,
}

impl Backend {
    /// All of them, the strongest first.
    pub const ALL: [Self; 4] = [
        Self::Native,
        Self::Bubblewrap,
        Self::Firejail,
        Self::Landlock,
    ];

    /// The word for it, as in results and configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Bubblewrap => "bubblewrap",
            Self::Firejail => "firejail",
            Self::Landlock => "landlock",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A word that names no backend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no backend is called `{0}`")]
pub struct UnknownBackend(pub String);

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|backend| backend.as_str() == word)
            .ok_or_else(|| UnknownBackend(word.to_owned()))
    }
}
