//! What harmless values look like.

use crate::git_config::address;

/// What a harmless value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A truth value as git understands it, also a key that stands alone.
    Boolean,
    /// A truth value or one of these words.
    BooleanOr(&'static [&'static str]),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number, perhaps with a unit.
    Number,
    /// A number or one of these words.
    NumberOr(&'static [&'static str]),
    /// Words such as `bold #ff0000` or `auto,column`; or a truth value.
    Words,
    /// One line of text.
    Line,
    /// Text of any number of lines.
    Text,
    /// Text like the name of a reference: without space, not like an option.
    Reference,
    /// An address that names a host and nothing else.
    Address,
    /// The name of a remote.
    RemoteName,
    /// The name of a remote, or a dot for this repository.
    RemoteNameOrDot,
    /// A single mark, or `auto`.
    Mark,
}

impl Shape {
    /// Whether a value looks like this.
    pub(super) fn fits(self, value: &[u8]) -> bool {
        match self {
            Self::Boolean => is_boolean(value),
            Self::BooleanOr(words) => is_boolean(value) || is_one_of(value, words),
            Self::Word(words) => is_one_of(value, words),
            Self::Number => is_number(value),
            Self::NumberOr(words) => is_number(value) || is_one_of(value, words),
            Self::Words => is_boolean(value) || are_words(value),
            Self::Line => !value.iter().any(u8::is_ascii_control),
            Self::Text => !value
                .iter()
                .any(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t')),
            Self::Reference => is_reference(value),
            Self::Address => address::host_of(value).is_some(),
            Self::RemoteName => address::is_remote_name(value),
            Self::RemoteNameOrDot => value == b"." || address::is_remote_name(value),
            Self::Mark => {
                value == b"auto" || matches!(value, [mark] if mark.is_ascii_punctuation())
            }
        }
    }
}

fn is_one_of(value: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| word.as_bytes() == value)
}

fn is_boolean(value: &[u8]) -> bool {
    let names = ["true", "false", "yes", "no", "on", "off", ""];
    is_number(value)
        || names
            .iter()
            .any(|name| value.eq_ignore_ascii_case(name.as_bytes()))
}

fn is_number(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let digits = match digits.split_last() {
        Some((unit, rest)) if b"kKmMgG".contains(unit) => rest,
        _ => digits,
    };
    (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
}

/// Without a slash, so that a variable that a future git executes is at least no path.
fn are_words(value: &[u8]) -> bool {
    let is_word_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b" ,:#=_-".contains(byte);
    !value.is_empty() && value.iter().all(is_word_byte)
}

fn is_reference(value: &[u8]) -> bool {
    let is_odd = |byte: &u8| byte.is_ascii_control() || *byte == b' ';
    !value.is_empty() && !value.starts_with(b"-") && !value.iter().any(is_odd)
}
