//! What the whole of a script says about its variables: which are numbers, references or arrays.
//!
//! It is read from the words of the text, wherever they stand, so it can only see too many.

use std::collections::HashSet;

use super::calls::Objection;
use super::name::is_identifier;

/// Variables that bash keeps as numbers by itself: what they are given is evaluated.
const NUMBERS: &[&str] = &[
    "BASHPID", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "HISTCMD", "LINENO", "OPTIND", "PPID",
    "RANDOM", "SECONDS", "SRANDOM", "UID",
];

/// Attributes of variables that make bash evaluate what they are given, and what makes a position
/// mean another thing than it seems to.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    integers: HashSet<String>,
    references: HashSet<String>,
    arrays: HashSet<String>,
    /// Some array has texts for keys.
    has_keys: bool,
    exports_functions: bool,
    expands_aliases: bool,
}

impl Attributes {
    pub(super) fn of(script: &str) -> Self {
        let mut attributes = Self {
            expands_aliases: expands_aliases(script),
            ..Self::default()
        };
        for line in script.replace("\\\n", " ").lines() {
            if line.contains("=(") || line.contains('[') {
                attributes.array_signs(line);
            }
            let declares = ["declare", "typeset", "local", "readonly", "export"];
            let fills = ["mapfile", "readarray", "read", "coproc"];
            let mut words = declares.iter().chain(&fills);
            if words.any(|word| line.contains(word)) {
                attributes.declarations(line);
            }
        }
        attributes
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

    pub(super) const fn has_keys(&self) -> bool {
        self.has_keys
    }

    /// Why no template can be bound in the script.
    pub(super) fn objection(&self) -> Option<Objection> {
        if self.expands_aliases {
            return Some(Objection::new(
                "stands in a script with aliases, which can turn any word into a command",
                "use functions",
            ));
        }
        self.exports_functions.then_some(Objection::new(
            "stands in a script that gives its functions to other shells, which do not have the value",
            "give the value to those shells as an argument",
        ))
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
                "declare" | "typeset" | "local" | "readonly" | "export"
            );
            if !fills && !declares && *word != "read" {
                continue;
            }
            let rest = words.get(at + 1..).unwrap_or_default();
            let flags: String = rest
                .iter()
                .filter_map(|word| word.strip_prefix('-'))
                .collect();
            let first: String = rest
                .iter()
                .map_while(|word| word.strip_prefix('-'))
                .collect();
            let exports = declares && first.contains('f');
            self.exports_functions |= exports && (*word == "export" || first.contains('x'));
            self.has_keys |= flags.contains('A');
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
                if declares && flags.contains('i') {
                    self.integers.insert(name.to_owned());
                }
                if declares && flags.contains('n') {
                    self.references.insert(name.to_owned());
                }
            }
        }
    }
}

/// Whether the script has aliases, and bash is told to expand them.
fn expands_aliases(script: &str) -> bool {
    let ends = |sign: char| "\n;&|({".contains(sign);
    let begins = |word: &str, rest: &str| {
        let mut commands = script.split(ends).map(str::trim_start);
        commands.any(|command| command.starts_with(word) && command.contains(rest))
    };
    begins("alias ", "=")
        && (begins("shopt ", "expand_aliases")
            || begins("set ", "posix")
            || begins("POSIXLY_", "="))
}
