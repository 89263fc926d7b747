//! What a shell remembers from call to call.

use serde::{Deserialize, Serialize};

use crate::model::shell_bytes::Bytes;

/// What a shell remembers, as far as it differs from what every run begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShellState {
    /// Where it is; none before its first call.
    pub(crate) directory: Option<Bytes>,
    /// What new files do not get, unlike in a new shell.
    pub(crate) umask: Option<u16>,
    /// `$1` and so on.
    pub(crate) parameters: Vec<Bytes>,
    pub(crate) variables: Vec<Variable>,
    /// Variables of a run's environment that it does not have.
    pub(crate) unset: Vec<String>,
    pub(crate) functions: Vec<Function>,
    pub(crate) aliases: Vec<(String, Bytes)>,
    /// Options of `set -o` that are on or off unlike in a new shell.
    pub(crate) options: Switches,
    /// The same for `shopt`. A shell that lasts expands aliases unless it is told not to.
    pub(crate) shopts: Switches,
}

/// The option by which aliases are more than a list.
pub(crate) const EXPAND_ALIASES: &str = "expand_aliases";

/// One variable as a shell remembers it between two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// The letters of `declare`, sorted, without `a` and `A`.
    pub(crate) attributes: String,
    pub(crate) value: Value,
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Value {
    /// It is declared and has no value.
    None,
    Text(Bytes),
    /// An array; no value at all is not the same as an empty one.
    Array(Option<Vec<(u64, Bytes)>>),
    /// An array by keys.
    Map(Option<Vec<(Bytes, Bytes)>>),
}

/// A function as a shell remembers it between two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The letters of `declare` without `f`, sorted.
    pub(crate) attributes: String,
    /// What stands behind `NAME () `, as bash wrote it.
    pub(crate) body: String,
}

/// Options that differ from those of a new shell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Switches {
    pub(crate) on: Vec<String>,
    pub(crate) off: Vec<String>,
}

impl Variable {
    pub(crate) fn has(&self, attribute: char) -> bool {
        self.attributes.contains(attribute)
    }
}

impl ShellState {
    /// The functions as a text that defines them.
    pub(crate) fn definitions(&self) -> String {
        let define = |one: &Function| format!("{} () {}\n", one.name, one.body);
        self.functions.iter().map(define).collect()
    }
}

impl Function {
    pub(crate) fn is_exported(&self) -> bool {
        self.attributes.contains('x')
    }
}

/// What became of a shell's state after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellOutcome {
    /// The next call begins where this one ended.
    Saved,
    /// The next call begins where this one began.
    Kept,
}

impl ShellOutcome {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::Kept => "kept",
        }
    }
}
