//! Shells as they are shown: names, and values only where the caller asks for them.

use serde::Serialize;

use super::store::ShellRecord;
use crate::model::shell_state::{ShellState, Value};

/// A shell, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Shell {
    /// The name that calls use it by.
    pub name: String,
    /// Whose it is.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// In which workspace.
    pub workspace: String,
    /// Where its next call starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// When its first call began, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// When its last call ended.
    pub used_at_ms: u64,
    /// How many calls saved its state.
    pub calls: u64,
    /// Whether a call has it now.
    pub busy: bool,
    /// Its variables, as far as not every run has them.
    pub variables: Vec<ShellVariable>,
    /// Variables of every run that it does not have.
    pub unset: Vec<String>,
    /// The names of its functions, without their bodies.
    pub functions: Vec<String>,
    /// The names of its aliases, without what they stand for.
    pub aliases: Vec<String>,
    /// Its options, as words for `set` and `shopt`.
    pub options: Vec<String>,
    /// What new files do not get.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub umask: Option<String>,
}

/// A variable of a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ShellVariable {
    /// Its name, which is shown even where its value is not.
    pub name: String,
    /// The letters that `declare` has for what it is.
    pub attributes: String,
    /// What it holds, if that was asked for; secrets are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Whether values are told.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Values<'a> {
    Hidden,
    /// With these texts masked.
    Masked(&'a [String]),
}

impl Shell {
    pub(crate) fn of(record: &ShellRecord, busy: bool, values: Values<'_>) -> Self {
        let state = &record.state;
        let directory = state.directory.as_ref();
        Self {
            name: record.name.clone(),
            agent: record.agent.clone(),
            session: record.session.clone(),
            workspace: record.workspace.clone(),
            directory: directory.map(|path| String::from_utf8_lossy(&path.0).into_owned()),
            created_at_ms: record.created_at_ms,
            used_at_ms: record.used.at_ms,
            calls: record.used.calls,
            busy,
            variables: variables(state, values),
            unset: state.unset.clone(),
            functions: state.functions.iter().map(|one| one.name.clone()).collect(),
            aliases: state.aliases.iter().map(|(name, _)| name.clone()).collect(),
            options: options(state),
            umask: state.umask.map(|umask| format!("{umask:04o}")),
        }
    }
}

fn variables(state: &ShellState, values: Values<'_>) -> Vec<ShellVariable> {
    let shown = |bytes: &[u8]| match values {
        Values::Hidden => None,
        Values::Masked(mask) => {
            let mut text = String::from_utf8_lossy(bytes).into_owned();
            for secret in mask {
                text = text.replace(secret.as_str(), "***");
            }
            Some(text)
        }
    };
    let variable = |variable: &crate::model::shell_state::Variable| {
        let mut attributes = variable.attributes.clone();
        let value = match &variable.value {
            Value::None => None,
            // A key is one whatever the configuration lists.
            Value::Text(_) if crate::base::secrets::is_key_like(&variable.name) => shown(b"***"),
            Value::Text(text) => shown(&text.0),
            Value::Array(_) => {
                attributes.insert(0, 'a');
                None
            }
            Value::Map(_) => {
                attributes.insert(0, 'A');
                None
            }
        };
        ShellVariable {
            name: variable.name.clone(),
            attributes,
            value,
        }
    };
    state.variables.iter().map(variable).collect()
}

fn options(state: &ShellState) -> Vec<String> {
    let words = |sign: &'static str, names: &[String]| -> Vec<String> {
        names.iter().map(|name| format!("{sign} {name}")).collect()
    };
    [
        words("set -o", &state.options.on),
        words("set +o", &state.options.off),
        words("shopt -s", &state.shopts.on),
        words("shopt -u", &state.shopts.off),
    ]
    .concat()
}
