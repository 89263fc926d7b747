//! Which variables of a shell a text depends on, for the person who says yes to it.
//!
//! The rule errs to one side. A text of plain words, in which every expansion stands for itself,
//! depends on what programs get, on what bash uses by itself, and on what it names. Every other
//! text, and one that calls a function or an alias, depends on all that the shell remembers.

use super::own::is_used_by_bash;
use crate::model::shell_state::{ShellState, Value, Variable};

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
        let functions = state.functions.iter().map(|one| one.name.as_str());
        let aliases = state.aliases.iter().map(|one| one.0.as_str());
        let mut callable = functions.chain(aliases);
        // A reference is another variable, and other separators make other words.
        let odd = |one: &Variable| one.has('n') || one.name == "IFS";
        texts.blind |= BLIND.iter().any(|word| texts.has(word))
            || texts.words.split(is_between).any(|word| word == ".")
            || callable.any(|name| name == "command_not_found_handle" || texts.has(name))
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

/// Whether words end here.
fn is_between(letter: char) -> bool {
    letter.is_whitespace() || ";|&()<>".contains(letter)
}

/// Whether each word of a text is what it looks like: no pattern, no brace, no backslash, nothing
/// appended, and no expansion but of whole words.
fn is_plain(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied();
        let plain = match byte {
            b'\\' | b'`' | b'*' | b'?' | b'~' => false,
            b'+' => !matches!(next, Some(b'=' | b'(')),
            b'@' | b'!' => next != Some(b'('),
            b'[' | b'{' => stands_alone(text, at),
            b'$' => match expansion(text, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => false,
            },
            _ => true,
        };
        if !plain {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether `[`, `[[` or `{` is a word here, as in a test or a group.
fn stands_alone(text: &[u8], at: usize) -> bool {
    let same = |byte: &&u8| Some(*byte) == text.get(at);
    let before = text.iter().take(at).rev().find(|byte| !same(byte));
    let after = text.iter().skip(at).find(|byte| !same(byte));
    let blank = |byte: Option<&u8>| byte.is_none_or(|byte| is_between(char::from(*byte)));
    blank(before) && blank(after)
}

/// The end of an expansion that begins here, if it is one of the plain ones and nothing is
/// joined to it that could make a word of both.
fn expansion(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at + 1..)?;
    let name = |rest: &[u8]| {
        let part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = rest.iter().take_while(part).count();
        let begins = rest.first().is_some_and(|byte| !byte.is_ascii_digit());
        (length > 0 && begins).then_some(length)
    };
    let length = match rest.first()? {
        b'{' => {
            let length = name(rest.get(1..)?)?;
            let ends = rest.get(1 + length..)?;
            let tail = [&b"}"[..], b"[@]}"].into_iter();
            1 + length + tail.clone().find(|tail| ends.starts_with(tail))?.len()
        }
        b'@' | b'0'..=b'9' => 1,
        _ => name(rest)?,
    };
    let end = at + 1 + length;
    let quote = |byte: &&u8| !matches!(byte, b'"' | b'\'');
    let apart = |byte: Option<&u8>| {
        byte.is_none_or(|byte| is_between(char::from(*byte)) || b"=/:,".contains(byte))
    };
    let before = text.iter().take(at).rev().find(quote);
    let after = text.iter().skip(end).find(quote);
    (apart(before) && apart(after)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_are_told_from_others() {
        for text in [
            "npm test",
            "python3 \"$x\" ${y} \"${list[@]}\" \"$@\" $1",
            "[ -f file ] && [[ -n $x ]] || { make; }",
            "a=$x make --prefix=\"$HOME\"/lib",
            "git commit -m 'a b, c.' 2>&1 | cat",
        ] {
            assert!(is_plain(text.as_bytes()), "{text}");
        }
        for text in [
            "$a$b",
            "\"$a\"\"$b\"",
            "$a\"l\"",
            "ev$a",
            "${a}l",
            "\"$*\"",
            "${a[*]}",
            "${!a}",
            "${a@P}",
            "$(cat x)",
            "`cat x`",
            "$'\\x65'",
            "e\\val",
            "{e,x}val",
            "e?al",
            "ev*",
            "ev[a]l",
            "~",
            "a+=l",
            "$((x))",
            "ev@(al)",
        ] {
            assert!(!is_plain(text.as_bytes()), "{text}");
        }
    }
}
