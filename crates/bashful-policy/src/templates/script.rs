//! What the whole of a script says about its variables: which are numbers, references or arrays.
//!
//! It is read from the words of the text, wherever they stand, so it can only see too many.

use std::collections::HashSet;

use super::calls::Objection;
use super::name::is_identifier;
use super::part::Part;
use crate::facts::{Argument, Facts};

/// Variables that bash keeps as numbers by itself: what they are given is evaluated.
const NUMBERS: &[&str] = &[
    "BASHPID",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "HISTCMD",
    "LINENO",
    "OPTIND",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SRANDOM",
    "UID",
];

/// Attributes of variables that make bash evaluate what they are given.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    integers: HashSet<String>,
    references: HashSet<String>,
    arrays: HashSet<String>,
}

impl Attributes {
    pub(super) fn of(script: &str) -> Self {
        let mut attributes = Self::default();
        for line in script.lines() {
            if line.contains("=(") || line.contains('[') {
                attributes.array_signs(line);
            }
            let declares = ["declare", "typeset", "local", "readonly", "export"];
            let fills = ["mapfile", "readarray", "read", "coproc"];
            if declares
                .iter()
                .chain(&fills)
                .any(|word| line.contains(word))
            {
                attributes.declarations(line);
            }
        }
        attributes
    }

    /// Adds what calls declare whose words only show after expansion, as in `decl""are -i x`.
    pub(super) fn declared_in(&mut self, facts: &Facts) {
        for call in &facts.calls {
            if !declares(call.program()) {
                continue;
            }
            let words = call.operands();
            let known = || words.iter().map(Argument::known);
            let flags: String = known().filter_map(|word| word.strip_prefix('-')).collect();
            for word in known() {
                let name = word.split(['=', '[']).next().unwrap_or_default();
                let name = name.trim_end_matches('+');
                if !is_identifier(name) {
                    continue;
                }
                if flags.contains(['a', 'A']) {
                    self.arrays.insert(name.to_owned());
                }
                if flags.contains('i') {
                    self.integers.insert(name.to_owned());
                }
                if flags.contains('n') {
                    self.references.insert(name.to_owned());
                }
            }
        }
    }

    pub(super) fn is_integer(&self, name: &str) -> bool {
        self.integers.contains(name) || NUMBERS.contains(&name)
    }

    pub(super) fn is_reference(&self, name: &str) -> bool {
        self.references.contains(name)
    }

    pub(super) fn is_array(&self, name: &str) -> bool {
        self.arrays.contains(name)
    }

    /// `name=(` and `name[`.
    fn array_signs(&mut self, line: &str) {
        for (at, _) in line.match_indices("=(").chain(line.match_indices('[')) {
            let before = line.get(..at).unwrap_or_default();
            let before = before.strip_suffix('+').unwrap_or(before);
            let name = before
                .rsplit(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'))
                .next()
                .unwrap_or_default();
            if is_identifier(name) {
                self.arrays.insert(name.to_owned());
            }
        }
    }

    /// The names behind `declare -i` and its kin, up to the end of the line.
    fn declarations(&mut self, line: &str) {
        let words: Vec<&str> = line
            .split(|sign: char| sign.is_whitespace() || ";&|(){}\"'".contains(sign))
            .filter(|word| !word.is_empty())
            .collect();
        for (at, word) in words.iter().enumerate() {
            let fills = matches!(*word, "mapfile" | "readarray" | "coproc");
            let declares = matches!(
                *word,
                "declare" | "typeset" | "local" | "readonly" | "export" | "read"
            );
            if !fills && !declares {
                continue;
            }
            let rest = words.get(at + 1..).unwrap_or_default();
            let flags: String = rest
                .iter()
                .filter_map(|word| word.strip_prefix('-'))
                .collect();
            let names = rest
                .iter()
                .map(|word| word.split('=').next().unwrap_or_default());
            for name in names.map(|name| name.trim_end_matches('+')) {
                if !is_identifier(name) {
                    continue;
                }
                if fills || flags.contains(['a', 'A']) {
                    self.arrays.insert(name.to_owned());
                }
                if declares && *word != "read" && flags.contains('i') {
                    self.integers.insert(name.to_owned());
                }
                if declares && *word != "read" && flags.contains('n') {
                    self.references.insert(name.to_owned());
                }
            }
        }
    }
}

fn declares(name: &str) -> bool {
    matches!(
        name,
        "declare" | "typeset" | "local" | "readonly" | "export"
    )
}

/// Scripts in which no template can be bound.
pub(super) fn objection_to_all(parts: &[Part<'_>]) -> Option<Objection> {
    let calls = || parts.iter().flat_map(|part| &part.facts.calls);
    let has = |names: &[&str], word: &str| {
        calls().any(|call| {
            names.contains(&call.program()) && call.operands().iter().any(|next| next.text == word)
        })
    };
    let aliases = calls().any(|call| call.program() == "alias" && !call.operands().is_empty());
    let expands = has(&["shopt"], "expand_aliases")
        || has(&["set", "bash", "shopt"], "posix")
        || parts.iter().any(|part| {
            let mut assignments = part.facts.assignments.iter();
            assignments.any(|assignment| assignment.name == "POSIXLY_CORRECT")
        });
    if aliases && expands {
        return Some(Objection::new(
            "is in a script with aliases, which can turn any word into a command",
            "use functions",
        ));
    }
    let exports = calls().any(|call| {
        let flags: String = call
            .operands()
            .iter()
            .filter_map(|word| word.known().strip_prefix('-'))
            .collect();
        match call.program() {
            "export" => flags.contains('f'),
            "declare" | "typeset" => flags.contains('f') && flags.contains('x'),
            _ => false,
        }
    });
    exports.then_some(Objection::new(
        "is in a script that gives its functions to other shells, which do not have the value",
        "give the value to those shells as an argument",
    ))
}
