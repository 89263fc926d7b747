//! What the policy is told about a shell.

use std::fmt::Write as _;

use bashful_policy::{RememberedVariable, ShellMemory};
use sha2::{Digest, Sha256};

use super::reach::reached;
use crate::base::digest::hexadecimal;
use crate::base::secrets::is_key_like;
use crate::model::shell_bytes::Bytes;
use crate::model::shell_state::{EXPAND_ALIASES, ShellState, Switches, Value, Variable};

/// A longer value is not worth being looked into.
const LONGEST_VALUE: usize = 4096;

impl ShellState {
    /// What the policy has to know. What is masked does not show up in a decision.
    /// `injected` are the names that this call has values of its own for.
    pub(crate) fn memory(&self, mask: &[String], injected: &[(String, String)]) -> ShellMemory {
        let is_own = |name: &str| injected.iter().all(|(injected, _)| injected != name);
        let exported = self.functions.iter().filter(|one| one.is_exported());
        let aliases = self.aliases.iter();
        let parameters = self.parameters.iter();
        let parameter = |text: &crate::model::shell_bytes::Bytes| text.text().map(str::to_owned);
        let unset = self.unset.iter().filter(|name| is_own(name));
        let unset = unset.map(|name| RememberedVariable {
            name: name.clone(),
            value: Some(String::new()),
            ..RememberedVariable::default()
        });
        let variables = self.variables.iter().filter(|one| is_own(&one.name));
        let variables = variables.map(|one| remembered(one, mask));
        ShellMemory {
            functions: self.definitions(),
            exported_functions: exported.map(|one| one.name.clone()).collect(),
            aliases: aliases
                .map(|(name, text)| {
                    let text = String::from_utf8_lossy(&text.0).into_owned();
                    (name.clone(), text)
                })
                .collect(),
            expands_aliases: !self.shopts.off.iter().any(|name| name == EXPAND_ALIASES)
                || self.options.on.iter().any(|name| name == "posix"),
            variables: variables.chain(unset).collect(),
            parameters: parameters.map(parameter).collect(),
            stops_on_failure: self.options.on.iter().any(|name| name == "errexit"),
            options: [&self.options.on, &self.shopts.on]
                .map(Clone::clone)
                .concat(),
        }
    }

    /// A digest of what can change what this text does, but for the directory, for the person
    /// who says yes to it; none if there is nothing of the kind.
    pub(crate) fn digest(&self, text: &str) -> Option<String> {
        let variables = reached(self, text);
        let options = (&self.options, &self.shopts);
        let parts = (
            &variables,
            &self.unset,
            &self.functions,
            &self.aliases,
            &self.parameters,
            self.umask,
            options,
        );
        let nothing = variables.is_empty()
            && self.unset.is_empty()
            && self.functions.is_empty()
            && self.aliases.is_empty()
            && self.parameters.is_empty()
            && self.umask.is_none()
            && *options.0 == Switches::default()
            && *options.1 == Switches::default();
        if nothing {
            return None;
        }
        // Plain data always serialises; if it did not, nothing that was granted would fit.
        let bytes = serde_json::to_vec(&parts).unwrap_or_default();
        Some(hexadecimal(&Sha256::digest(bytes), 16))
    }

    /// What it remembers that can change what this text does, for the person who is asked about
    /// it: all that the digest is of.
    pub(crate) fn shown(&self, text: &str, mask: &[String]) -> String {
        let mut shown = String::new();
        for function in &self.functions {
            let _ = writeln!(shown, "{} () {}", function.name, function.body);
            if !function.attributes.is_empty() {
                let _ = writeln!(shown, "declare -f{} {}", function.attributes, function.name);
            }
        }
        for (name, text) in &self.aliases {
            let _ = writeln!(shown, "alias {name}={}", word(text));
        }
        for variable in reached(self, text) {
            if !variable.attributes.is_empty() {
                let _ = write!(shown, "declare -{} ", variable.attributes);
            }
            let value = value(variable);
            let secret = |secret: &String| texts(variable).any(|text| text.contains(secret));
            let hidden = is_key_like(&variable.name) || mask.iter().any(secret);
            let _ = match value.char_indices().nth(LONGEST_VALUE) {
                _ if hidden => writeln!(shown, "{}=…", variable.name),
                Some((end, _)) => {
                    let begins = value.get(..end).unwrap_or_default();
                    let length = value.len();
                    writeln!(shown, "{}{begins}… ({length} bytes)", variable.name)
                }
                None => writeln!(shown, "{}{value}", variable.name),
            };
        }
        for name in &self.unset {
            let _ = writeln!(shown, "unset {name}");
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            let _ = writeln!(shown, "${}={}", index + 1, word(parameter));
        }
        if let Some(umask) = self.umask {
            let _ = writeln!(shown, "umask {umask:04o}");
        }
        for (says, names) in [
            ("set -o", &self.options.on),
            ("set +o", &self.options.off),
            ("shopt -s", &self.shopts.on),
            ("shopt -u", &self.shopts.off),
        ] {
            if !names.is_empty() {
                let _ = writeln!(shown, "{says} {}", names.join(" "));
            }
        }
        shown
    }
}

/// A text as a word of bash, so that it shows where it begins and ends.
fn word(bytes: &Bytes) -> String {
    if let Some(text) = bytes.text()
        && !text.contains(|letter: char| letter.is_control() || letter == '\'')
    {
        return format!("'{text}'");
    }
    let mut word = Vec::new();
    bytes.quoted(&mut word);
    String::from_utf8_lossy(&word).into_owned()
}

/// What stands behind the name of a variable.
fn value(variable: &Variable) -> String {
    let list = |elements: Vec<String>| format!("=({})", elements.join(" "));
    match &variable.value {
        Value::None | Value::Array(None) | Value::Map(None) => String::new(),
        Value::Text(text) => format!("={}", word(text)),
        Value::Array(Some(elements)) => {
            let one = |(at, text): &(u64, Bytes)| format!("[{at}]={}", word(text));
            list(elements.iter().map(one).collect())
        }
        Value::Map(Some(elements)) => {
            let one = |(key, text): &(Bytes, Bytes)| format!("[{}]={}", word(key), word(text));
            list(elements.iter().map(one).collect())
        }
    }
}

/// All texts in a variable.
fn texts(variable: &Variable) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
    let all: Vec<&Bytes> = match &variable.value {
        Value::None | Value::Array(None) | Value::Map(None) => Vec::new(),
        Value::Text(text) => vec![text],
        Value::Array(Some(elements)) => elements.iter().map(|(_, text)| text).collect(),
        Value::Map(Some(elements)) => elements
            .iter()
            .flat_map(|(key, text)| [key, text])
            .collect(),
    };
    all.into_iter().map(|one| String::from_utf8_lossy(&one.0))
}

fn remembered(variable: &Variable, mask: &[String]) -> RememberedVariable {
    let masked = |text: &&str| mask.iter().any(|secret| text.contains(secret.as_str()));
    let value = match &variable.value {
        Value::Text(text) => text.text(),
        _ => None,
    };
    let value = value.filter(|text| {
        text.len() <= LONGEST_VALUE && !masked(text) && !is_key_like(&variable.name)
    });
    RememberedVariable {
        name: variable.name.clone(),
        value: value.map(str::to_owned),
        exported: variable.has('x'),
        evaluates: variable.has('i') || variable.has('n'),
        refers: variable.has('n'),
        readonly: variable.has('r'),
        changes_case: ['l', 'u', 'c'].iter().any(|letter| variable.has(*letter)),
    }
}
