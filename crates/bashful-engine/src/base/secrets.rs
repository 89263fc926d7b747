//! Which values must never show in output: listed ones, and those whose
//! variable's name says that they are keys.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Shorter values would mask half the output.
const SHORTEST: usize = 8;

/// Parts of a name that mark its value as a secret.
const KEY_LIKE: [&str; 14] = [
    "KEY",
    "KEYS",
    "APIKEY",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "PWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
];

/// Ends of a name's part that mark its value as a secret, such as `DBPASSWORD`.
const KEY_LIKE_ENDS: [&str; 6] = [
    "APIKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIALS",
];

/// The values to mask: the listed ones, those of the listed names, and those of
/// key-like names in the caller's environment.
pub(crate) fn secret_values(
    caller: &BTreeMap<String, String>,
    listed: &[String],
    names: &[String],
) -> Vec<String> {
    let named = caller
        .iter()
        .filter(|(name, value)| names.contains(name) || (is_key_like(name) && !is_path(value)))
        .map(|(_, value)| value);
    let long_enough = |value: &&String| value.chars().count() >= SHORTEST;
    let values: BTreeSet<&String> = listed.iter().chain(named).filter(long_enough).collect();
    values.into_iter().cloned().collect()
}

/// Whether the name of a variable says that its value is a key.
pub(crate) fn is_key_like(name: &str) -> bool {
    // The shell's own idea of where it is.
    if matches!(name, "PWD" | "OLDPWD") {
        return false;
    }
    let name = name.to_ascii_uppercase();
    name.split(['_', '-', '.'])
        .any(|part| KEY_LIKE.contains(&part) || KEY_LIKE_ENDS.iter().any(|end| part.ends_with(end)))
}

/// A key-like name may hold the place of a key instead of the key.
fn is_path(value: &str) -> bool {
    value.starts_with('/') && Path::new(value).exists()
}

/// Variables as a person is shown them: all that the caller gives, since it can change what the
/// command does, but for secrets that the engine knows.
pub(crate) fn shown_variables(variables: &[(String, String)], mask: &[String]) -> Vec<String> {
    let shown = variables.iter();
    let shown = shown.map(|(name, value)| masked(&format!("{name}={value}"), mask));
    shown.collect()
}

/// A text without the secrets that are known.
pub(crate) fn masked(text: &str, mask: &[String]) -> String {
    mask.iter().fold(text.to_owned(), |text, secret| {
        text.replace(secret.as_str(), "***")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_keys_are_recognised() {
        for name in [
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD",
            "PGPASSWORD",
            "discord_token",
            "MYSQL_PWD",
        ] {
            assert!(is_key_like(name), "{name}");
        }
        for name in [
            "PWD",
            "OLDPWD",
            "KEYBOARD",
            "MONKEY",
            "PATH",
            "TOKENIZERS_PARALLELISM",
            "COMPASS",
        ] {
            assert!(!is_key_like(name), "{name}");
        }
    }

    #[test]
    fn short_values_and_places_of_keys_are_left_alone() {
        let caller = BTreeMap::from([
            ("A_TOKEN".to_owned(), "short".to_owned()),
            ("B_KEY".to_owned(), "/etc/passwd".to_owned()),
            ("C_KEY".to_owned(), "long-enough-1".to_owned()),
            ("PLAIN".to_owned(), "listed-by-name".to_owned()),
        ]);
        let values = secret_values(&caller, &["listed-value".to_owned()], &["PLAIN".to_owned()]);
        assert_eq!(values, ["listed-by-name", "listed-value", "long-enough-1"]);
    }
}
