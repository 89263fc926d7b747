//! Names that people give to tasks, such as `dev-server`.

use crate::model::error::InvalidInvocation;

/// The most bytes that a name may have.
const LONGEST: usize = 40;
/// What the ids of other things begin with.
const TAKEN: [&str; 6] = ["bash-", "python-", "script-", "ask-", "grant-", "session-"];

/// Refuses what cannot be the name of a task. The letters of an id begin with a digit, so a name
/// is never taken for one, nor one for a name.
pub(crate) fn check_name(name: &str) -> Result<(), InvalidInvocation> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST {
        "it has more than 40 characters"
    } else if TAKEN.iter().any(|taken| name.starts_with(taken)) {
        "it looks like an id"
    } else if !name.starts_with(|first: char| first.is_ascii_lowercase()) || !is_plain(name) {
        "it must begin with a lower-case letter and hold only lower-case letters, digits, `-`, `_` and `.`"
    } else {
        return Ok(());
    };
    Err(InvalidInvocation::TaskName {
        name: name.chars().take(80).collect(),
        reason,
    })
}

/// Whether this has only characters that an id or a name can have.
pub(crate) fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
    };
    text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_plain_and_no_id() {
        for name in ["a", "dev-server", "db_1.test", "bash", "x0"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let long = "a".repeat(41);
        for name in [
            "",
            "-x",
            "1x",
            "Dev",
            "a b",
            "a/b",
            "../x",
            "a\n",
            "a\u{1b}[2J",
            "é",
            "bash-1",
            "ask-x",
            ".hidden",
            &long,
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
