//! Values, and how they are written down for bash without becoming code.

use std::fmt::Write as _;

/// What a template stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One text; numbers and booleans arrive as theirs.
    Text(String),
    /// Several texts: several words where the template is a word of its own, and one text with
    /// blanks between them in quotes.
    List(Vec<String>),
}

impl Value {
    /// Whether it holds a NUL, which no variable of bash can.
    pub(super) fn has_nul(&self) -> bool {
        match self {
            Self::Text(text) => text.contains('\0'),
            Self::List(texts) => texts.iter().any(|text| text.contains('\0')),
        }
    }

    /// The value as one text.
    pub(super) fn joined(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(texts) => texts.join(" "),
        }
    }

    /// The right side of an assignment that gives exactly this value, on one line.
    pub(super) fn write_to(&self, line: &mut String) {
        match self {
            Self::Text(text) => quote(text, line),
            Self::List(texts) => {
                line.push('(');
                for (index, text) in texts.iter().enumerate() {
                    if index > 0 {
                        line.push(' ');
                    }
                    quote(text, line);
                }
                line.push(')');
            }
        }
    }
}

/// Quotes a text with `$'…'`, in printable ASCII only: it holds no end of a line, so it shifts no
/// line numbers, and no locale reads it otherwise.
pub(super) fn quote(text: &str, line: &mut String) {
    line.reserve(text.len() + 3);
    line.push_str("$'");
    for byte in text.bytes() {
        match byte {
            b'\'' => line.push_str("\\'"),
            b'\\' => line.push_str("\\\\"),
            b'\n' => line.push_str("\\n"),
            b' '..=b'~' => line.push(char::from(byte)),
            other => {
                // Three digits are never continued by what follows.
                let _ = write!(line, "\\{other:03o}");
            }
        }
    }
    line.push('\'');
}

/// Whether this is a number that means the same wherever bash evaluates it. Others could be names
/// of variables, or octal.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits == "0" && text == "0" || !digits.starts_with('0');
    plain && !digits.is_empty() && text.parse::<i64>().is_ok_and(|_| !text.starts_with('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_plain_decimals() {
        for number in ["0", "7", "-7", "42", "9223372036854775807", "-9223372036854775808"] {
            assert!(is_number(number), "{number}");
        }
        let others = [
            "", "-", "+7", "-0", "007", "0x1f", "1e3", "1.5", " 1", "1 ", "1\n", "a", "a[0]",
            "a[$(id)]", "9223372036854775808", "--1", "\u{663}",
        ];
        for other in others {
            assert!(!is_number(other), "{other:?}");
        }
    }

    #[test]
    fn what_is_quoted_is_one_line_of_ascii() {
        let mut line = String::new();
        quote("it's\n\u{e9}\t\\ $(x) \u{7f}", &mut line);
        assert_eq!(line, r"$'it\'s\n\303\251\011\\ $(x) \177'");
        let mut line = String::new();
        Value::List(vec!["a".to_owned(), String::new()]).write_to(&mut line);
        assert_eq!(line, "($'a' $'')");
    }
}
