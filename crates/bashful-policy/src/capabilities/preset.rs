//! Ready-made sets of capabilities.

use std::fmt;
use std::str::FromStr;

use super::{Capabilities, NetworkCapability, nearest};

/// A ready-made set of capabilities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Preset {
    /// The workspace can be read, nothing can be written but scratch.
    ReadOnly,
    /// The workspace can be written, and the programs on PATH and toolchains of the home can be read.
    #[default]
    Workspace,
    /// The same as `workspace`: toolchains were read only by this one once, and files name it.
    Build,
    /// Everything that the user may do, with the network.
    Full,
}

/// A word that names no preset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a preset{}", .word.escape_debug(),
    .suggestion.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
)]
pub struct UnknownPreset {
    /// What was given.
    pub word: String,
    /// The nearest name that exists.
    pub suggestion: Option<&'static str>,
}

impl Preset {
    /// Every preset, from narrow to wide. Each gives all that the one before it gives.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Workspace, Self::Build, Self::Full];

    /// The names of all presets, in the same order.
    pub const NAMES: [&str; 4] = ["read-only", "workspace", "build", "full"];

    /// The name that people and programs write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Workspace => "workspace",
            Self::Build => "build",
            Self::Full => "full",
        }
    }

    /// What it is for, in one sentence for people.
    pub fn description(self) -> &'static str {
        match self {
            Self::ReadOnly => "reads system directories and the workspace, writes only scratch",
            Self::Workspace => "reads system directories and toolchains, writes the workspace",
            Self::Build => "the same as workspace",
            Self::Full => {
                "reads and writes all that the user may, secrets included, with the network"
            }
        }
    }

    /// Whether a front end has to say that this is dangerous.
    pub fn is_dangerous(self) -> bool {
        self == Self::Full
    }

    /// The capabilities that it stands for. Which toolchains are seen depends on the host, so they
    /// are not in here.
    pub fn capabilities(self) -> Capabilities {
        let write = match self {
            Self::ReadOnly => None,
            Self::Workspace | Self::Build => Some("."),
            Self::Full => Some("/"),
        };
        Capabilities {
            paths_write: write.map(str::to_owned).into_iter().collect(),
            network: match self {
                Self::Full => NetworkCapability::On,
                _ => NetworkCapability::Off,
            },
            ..Capabilities::default()
        }
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(word: &str) -> Result<Self, UnknownPreset> {
        let known = Self::ALL.into_iter().find(|preset| preset.as_str() == word);
        known.ok_or_else(|| UnknownPreset {
            word: word.chars().take(80).collect(),
            suggestion: nearest(word, &Self::NAMES),
        })
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
