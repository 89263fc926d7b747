//! What can go wrong while configuration is loaded.
//!
//! No variant holds a value out of a file whole: `secrets.values` must not leak through an
//! error, and the parser's own errors quote the line they point at. Durations, sizes and words
//! are quoted, escaped and cut, by the errors of their own.

use std::io;
use std::path::PathBuf;

use super::choice::UnknownChoice;
use super::place::{Location, shown_path};
use super::secret::SECRET_MINIMUM;
use super::setting_key::SettingKey;
use super::units::UnitError;

/// Why the configuration could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file is there but cannot be opened.
    #[error("cannot open configuration file `{}`", shown_path(.path))]
    Open {
        /// The path of the configuration file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file was opened but cannot be read.
    #[error("cannot read configuration file `{}`", shown_path(.path))]
    Read {
        /// The path of the configuration file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What lies at the path is not a regular file.
    #[error("configuration file `{}` is {found}, not a regular file", shown_path(.path))]
    NotAFile {
        /// The path of the configuration file.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// The file is longer than any configuration.
    #[error("configuration file `{}` has more than {limit} bytes", shown_path(.path))]
    TooLarge {
        /// The path of the configuration file.
        path: PathBuf,
        /// The most bytes it may have.
        limit: u64,
    },
    /// Others than its owner can change the file.
    #[error(
        "configuration file `{}` can be written by others (mode `{mode:04o}`): run `chmod go-w {}`",
        shown_path(.path), shell_word(.path)
    )]
    WritableByOthers {
        /// The path of the configuration file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Everybody can put another file in the place of this one.
    #[error(
        "the directory of a configuration file, `{}`, can be written by everybody (mode `{mode:04o}`): \
         run `chmod o-w {}`",
        shown_path(.path), shell_word(.path)
    )]
    OpenDirectory {
        /// The directory that holds the configuration file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file belongs to a user who has no say in it.
    #[error(
        "configuration file `{}` belongs to uid `{owner}`: run `chown {expected} {}` \
         and `chmod go-w {}`, or remove it",
        shown_path(.path), shell_word(.path), shell_word(.path)
    )]
    WrongOwner {
        /// The path of the configuration file.
        path: PathBuf,
        /// Who owns it.
        owner: u32,
        /// The uid that should own it.
        expected: u32,
    },
    /// The file is not text.
    #[error("configuration file `{}` is not valid UTF-8 in line {line}", shown_path(.path))]
    NotUtf8 {
        /// The path of the configuration file.
        path: PathBuf,
        /// The first line that is not.
        line: usize,
    },
    /// The file is not TOML.
    #[error("invalid TOML in {place} column {}: {problem}", .place.column)]
    Syntax {
        /// Where in the file the parser stopped.
        place: Location,
        /// What the parser said, which names kinds of things and quotes nothing.
        problem: String,
    },
    /// A key that does not exist.
    #[error("unknown key `{key}` in {place}{}", did_you_mean(.suggestion.as_deref()))]
    UnknownKey {
        /// Where in the file the key stands.
        place: Location,
        /// The full name as found, with unprintable characters escaped.
        key: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// A value of the wrong type.
    #[error(
        "wrong type for `{item}` in {place} column {}: expected {expected}, found {found}",
        .place.column
    )]
    WrongType {
        /// Where in the file the value stands.
        place: Location,
        /// The key, with an index for an item of a list.
        item: String,
        /// What the key takes.
        expected: &'static str,
        /// What was there.
        found: &'static str,
    },
    /// A duration or size that cannot be read.
    #[error("bad value for `{key}` in {place} column {}", .place.column)]
    Unit {
        /// Where in the file the value stands.
        place: Location,
        /// The key that the value was given for.
        key: SettingKey,
        /// What is wrong with it.
        source: UnitError,
    },
    /// A word that is none of the choices.
    #[error("bad value for `{key}` in {place} column {}", .place.column)]
    Choice {
        /// Where in the file the value stands.
        place: Location,
        /// The key that the value was given for.
        key: SettingKey,
        /// What may be given.
        source: UnknownChoice,
    },
    /// A host that cannot be read as one.
    #[error("bad host for `{key}` in {place} column {}", .place.column)]
    Host {
        /// Where in the file the list stands.
        place: Location,
        /// The key that the list was given for.
        key: SettingKey,
        /// Which host, and what is wrong with it.
        source: bashful_policy::HostError,
    },
    /// A value of the right type that makes no sense.
    #[error("bad value for `{item}` in {place} column {}: expected {expected}", .place.column)]
    BadValue {
        /// Where in the file the value stands.
        place: Location,
        /// The key, with an index for an item of a list.
        item: String,
        /// What the key takes.
        expected: &'static str,
    },
    /// Rules that cannot be used.
    #[error("{}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Rules {
        /// What is wrong with each, with file and line.
        errors: Vec<bashful_policy::RuleError>,
    },
    /// A name that is none of those that exist.
    #[error("there is no {what} `{name}`, named in {place}{}", did_you_mean(.suggestion.as_deref()))]
    UnknownName {
        /// Where in the file the name stands.
        place: Location,
        /// What kind of thing was named.
        what: &'static str,
        /// The name, with unprintable characters escaped.
        name: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// A secret too short to be masked.
    #[error(
        "`secrets.values[{index}]` in {place} column {} has fewer than {SECRET_MINIMUM} characters: \
         masking it would garble ordinary output",
        .place.column
    )]
    ShortSecret {
        /// Where in the file the item stands.
        place: Location,
        /// Which item of the list, from 0.
        index: usize,
    },
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

/// A path as one word of a shell command.
fn shell_word(path: &std::path::Path) -> String {
    let text = shown_path(path);
    let plain = |next: char| next.is_ascii_alphanumeric() || "/._-+".contains(next);
    if text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
