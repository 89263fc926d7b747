//! What is found in a script: by bash, by our own reading, by shellcheck.

use serde::{Deserialize, Serialize};

/// A remark about a script, for its author and for the person who is asked about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScriptFinding {
    /// The line, from 1; absent where it is about the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// How bad it is.
    pub severity: Severity,
    /// Who found it.
    pub source: FindingSource,
    /// Its name there, such as `SC2086` or `dynamic-name`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// What it is, for a person. It may quote the script: make it visible first.
    pub message: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It works; its author should know of it all the same.
    Info,
    /// It is probably a mistake, or the sandbox will stop it.
    Warning,
    /// It cannot work, or is refused.
    Error,
}

/// Which reading of the script made a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FindingSource {
    /// `bash -n`.
    Bash,
    /// Our own reading.
    Bashful,
    /// shellcheck, where it is installed.
    Shellcheck,
}

impl ScriptFinding {
    /// A finding of our own reading.
    pub(crate) fn own(severity: Severity, code: &str, message: String) -> Self {
        Self {
            line: None,
            column: None,
            severity,
            source: FindingSource::Bashful,
            code: code.to_owned(),
            message,
        }
    }

    /// The same at this line.
    #[must_use]
    pub(crate) fn at_line(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }
}
