//! What the policy is told about a shell.

use std::fmt::Write as _;

use bashful_policy::{RememberedVariable, ShellMemory};
use sha2::{Digest, Sha256};

use super::own::is_used_by_bash;
use super::state::{EXPAND_ALIASES, ShellState, Switches, Value, Variable};
use crate::builder::hexadecimal;
use crate::environment::is_key_like;

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
        let parameter = |text: &super::bytes::Bytes| text.text().map(str::to_owned);
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

    /// A digest of what can change what this text does, for whoever says yes to it; none if
    /// there is nothing of the kind.
    pub(crate) fn digest(&self, text: &str) -> Option<String> {
        let variables = self.telling(text);
        let options = (&self.options, &self.shopts);
        let parts = (
            &variables,
            &self.unset,
            &self.functions,
            &self.aliases,
            &self.parameters,
            options,
        );
        let nothing = variables.is_empty()
            && self.unset.is_empty()
            && self.functions.is_empty()
            && self.aliases.is_empty()
            && self.parameters.is_empty()
            && *options.0 == Switches::default()
            && *options.1 == Switches::default();
        if nothing {
            return None;
        }
        // Plain data always serialises; if it did not, nothing that was granted would fit.
        let bytes = serde_json::to_vec(&parts).unwrap_or_default();
        Some(hexadecimal(&Sha256::digest(bytes), 16))
    }

    /// What it remembers that can change what this text does, for whoever is asked about it.
    pub(crate) fn shown(&self, text: &str, mask: &[String]) -> String {
        let mut shown = String::new();
        for function in &self.functions {
            let _ = writeln!(shown, "{} () {}", function.name, function.body);
        }
        for (name, text) in &self.aliases {
            let _ = writeln!(shown, "alias {name}={}", String::from_utf8_lossy(&text.0));
        }
        for variable in self.telling(text) {
            let mut texts = Texts::default();
            texts.add_values(variable);
            let value = String::from_utf8_lossy(&texts.0);
            let hidden = is_key_like(&variable.name)
                || value.len() > LONGEST_VALUE
                || mask.iter().any(|secret| value.contains(secret.as_str()));
            let value = if hidden { "…" } else { value.trim_end() };
            let _ = writeln!(shown, "{}={value}", variable.name);
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            let text = String::from_utf8_lossy(&parameter.0);
            let _ = writeln!(shown, "${}={text}", index + 1);
        }
        let options = self.options.on.iter().chain(&self.shopts.on);
        let options: Vec<&str> = options.map(String::as_str).collect();
        if !options.is_empty() {
            let _ = writeln!(shown, "options: {}", options.join(" "));
        }
        shown
    }

    /// The variables that can change what a text does: those that programs get, those that
    /// change programs, those that bash uses by itself, and those that can be reached from the
    /// text.
    fn telling(&self, text: &str) -> Vec<&Variable> {
        let mut texts = Texts::default();
        texts.add(text.as_bytes());
        for function in &self.functions {
            texts.add(function.body.as_bytes());
        }
        for parameter in self
            .parameters
            .iter()
            .chain(self.aliases.iter().map(|one| &one.1))
        {
            texts.add(&parameter.0);
        }
        let listed = |variable: &Variable| {
            let name = variable.name.as_str();
            let changes = is_used_by_bash(name) || bashful_policy::is_hijack_variable(name);
            variable.has('x') || changes
        };
        let (mut telling, mut others): (Vec<&Variable>, Vec<&Variable>) =
            self.variables.iter().partition(|one| listed(one));
        for variable in &telling {
            texts.add_values(variable);
        }
        // What a variable holds may name the next one.
        loop {
            let (more, rest): (Vec<_>, Vec<_>) =
                others.into_iter().partition(|one| texts.name(&one.name));
            others = rest;
            if more.is_empty() {
                break;
            }
            for variable in &more {
                texts.add_values(variable);
            }
            telling.extend(more);
        }
        telling.sort_by(|one, other| one.name.cmp(&other.name));
        telling
    }
}

/// Texts in which names of variables are looked for.
#[derive(Debug, Default)]
struct Texts(Vec<u8>);

impl Texts {
    /// Words by which a text can reach what it does not name.
    const BLIND: [&[u8]; 7] = [
        b"${!", b"eval", b"declare", b"typeset", b"local", b"source", b". ",
    ];
    /// More than this is not searched: then everything counts as named.
    const MOST: usize = 256 << 10;

    fn add(&mut self, text: &[u8]) {
        if self.0.len() <= Self::MOST {
            self.0.extend(text);
            self.0.push(b'\n');
        }
    }

    fn add_values(&mut self, variable: &Variable) {
        match &variable.value {
            Value::None | Value::Array(None) | Value::Map(None) => {}
            Value::Text(text) => self.add(&text.0),
            Value::Array(Some(elements)) => {
                for (_, text) in elements {
                    self.add(&text.0);
                }
            }
            Value::Map(Some(elements)) => {
                for (key, text) in elements {
                    self.add(&key.0);
                    self.add(&text.0);
                }
            }
        }
    }

    fn name(&self, name: &str) -> bool {
        let has = |word: &[u8]| self.0.windows(word.len()).any(|part| part == word);
        self.0.len() > Self::MOST
            || has(name.as_bytes())
            || Self::BLIND.iter().any(|word| has(word))
    }
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
