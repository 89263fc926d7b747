//! Which variables of a shell a text depends on, for the person who says yes to it.
//!
//! The rule errs to one side. A text of plain words, in which every expansion stands for itself,
//! depends on what programs get, on what bash uses by itself, and on what it names. Every other
//! text, and one that calls a function or an alias, depends on all that the shell remembers.

use self::plain::is_plain;
use super::own::is_used_by_bash;
use crate::model::shell_state::{ShellState, Value, Variable};

mod plain;

/// Words by which a text gets at what it does not name, or makes words that it does not show.
const BLIND: [&str; 31] = [
    "alias",
    "bind",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "coproc",
    "declare",
    "enable",
    "eval",
    "export",
    "fc",
    "function",
    "getopts",
    "help",
    "history",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "select",
    "set",
    "shopt",
    "source",
    "trap",
    "typeset",
    "unset",
];

/// More than this is not searched: then everything counts as named.
const MOST: usize = 256 << 10;

/// The variables that can change what this text does, by name.
pub(super) fn reached<'a>(state: &'a ShellState, text: &str) -> Vec<&'a Variable> {
    let texts = Texts::of(state, text);
    let goes = ["cd", "pushd", "popd"].iter().any(|word| texts.has(word));
    let depends = |variable: &&Variable| {
        let name = variable.name.as_str();
        let by_bash = is_used_by_bash(name) && (name != "OLDPWD" || goes);
        let by_programs = variable.has('x') || bashful_policy::is_hijack_variable(name);
        texts.blind || by_bash || by_programs || texts.has(name)
    };
    let mut reached: Vec<&Variable> = state.variables.iter().filter(depends).collect();
    reached.sort_by(|one, other| one.name.cmp(&other.name));
    reached
}

/// A text with the values that it names, without quotes.
#[derive(Debug, Default)]
struct Texts {
    words: String,
    blind: bool,
}

impl Texts {
    fn of(state: &ShellState, text: &str) -> Self {
        let mut texts = Self::default();
        texts.add(text.as_bytes());
        for parameter in &state.parameters {
            texts.add(&parameter.0);
        }
        // What a variable holds may name the next one.
        let mut others: Vec<&Variable> = state.variables.iter().collect();
        while !texts.blind {
            let named = |one: &&Variable| texts.has(&one.name);
            let (more, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(named);
            others = rest;
            if more.is_empty() {
                break;
            }
            for variable in more {
                texts.add_values(variable);
            }
        }
        let mut functions = state.functions.iter().map(|one| one.name.as_str());
        let mut aliases = state.aliases.iter().map(|one| one.0.as_str());
        // A reference is another variable, and other separators make other words.
        let odd = |one: &Variable| {
            one.has('n') || one.name == "IFS" || is_rewritten(one) && texts.has(&one.name)
        };
        texts.blind |= BLIND.iter().any(|word| texts.has(word))
            || texts.words.split(ends_word).any(|word| word == ".")
            || functions.any(|name| is_hidden(name) || texts.has(name))
            || aliases.any(|name| texts.has(name))
            || !state.functions.is_empty() && texts.has_values_from_elsewhere(state)
            || state.variables.iter().any(odd)
            || state.unset.iter().any(|name| name == "IFS")
            || texts.has("IFS");
        texts
    }

    fn add(&mut self, text: &[u8]) {
        let Ok(text) = std::str::from_utf8(text) else {
            self.blind = true;
            return;
        };
        if !is_plain(text.as_bytes()) || self.words.len() + text.len() > MOST {
            self.blind = true;
            return;
        }
        let bare = text.chars().filter(|letter| !matches!(letter, '"' | '\''));
        self.words.extend(bare);
        self.words.push('\n');
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

    /// Whether it expands a variable whose value may come from the environment of the run: that may
    /// be the name of a function. A path is none.
    fn has_values_from_elsewhere(&self, state: &ShellState) -> bool {
        let is_known = |name: &str| {
            let remembered = state.variables.iter().any(|one| one.name == name);
            // What an environment has is written in capitals, or injected and shown for itself.
            let is_set_here = name.contains(|letter: char| letter.is_ascii_lowercase());
            remembered || is_set_here || ["HOME", "PWD", "OLDPWD"].contains(&name)
        };
        let mut expansions = self.words.split('$').skip(1);
        expansions.any(|rest| {
            let rest = rest.strip_prefix('{').unwrap_or(rest);
            let part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let name = rest
                .split(|letter| !part(letter))
                .next()
                .unwrap_or_default();
            let is_variable = name.starts_with(|first: char| !first.is_ascii_digit());
            is_variable && !is_known(name)
        })
    }

    /// Whether this stands somewhere as a word.
    fn has(&self, word: &str) -> bool {
        let part = |letter: char| letter.is_alphanumeric() || letter == '_';
        self.words.match_indices(word).any(|(at, _)| {
            let before = self.words.get(..at).unwrap_or_default();
            let after = self.words.get(at + word.len()..).unwrap_or_default();
            !before.ends_with(part) && !after.starts_with(part)
        })
    }
}

/// Whether a variable holds something else than what is assigned to it.
fn is_rewritten(variable: &Variable) -> bool {
    ['i', 'l', 'u', 'c']
        .iter()
        .any(|letter| variable.has(*letter))
}

/// Whether a function can be called by a text in which its name does not stand: bash calls it by
/// itself, arithmetic comes to it, or expansions with a sign between them do.
fn is_hidden(name: &str) -> bool {
    name == "command_not_found_handle"
        || name.bytes().all(|byte| byte.is_ascii_digit())
        || name.contains([':', ','])
}

/// Whether a word, or the name in front of a value, ends here.
fn ends_word(letter: char) -> bool {
    is_between(letter) || letter == '='
}

/// Whether words end here.
fn is_between(letter: char) -> bool {
    letter.is_whitespace() || ";|&()<>".contains(letter)
}
