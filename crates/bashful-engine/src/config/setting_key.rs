//! Keys as a file spells them.

use std::fmt;
use std::sync::Arc;

use super::key::Key;

/// A key as a file has it: a key with a `*` in its name comes once for each profile or agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SettingKey {
    /// The key as the table of keys has it, with `*` where a name stands.
    pub key: Key,
    /// The profile or agent that it is about.
    pub of: Option<Arc<str>>,
}

impl SettingKey {
    pub(super) fn new(key: Key, of: Option<&Arc<str>>) -> Self {
        Self {
            key,
            of: of.cloned(),
        }
    }

    /// The section and the name inside it, as they stand in a file.
    pub(super) fn split(&self) -> (String, &'static str) {
        let (section, name) = self.key.split();
        (spelled(section, self.of.as_deref()), name)
    }
}

impl From<Key> for SettingKey {
    fn from(key: Key) -> Self {
        Self { key, of: None }
    }
}

impl fmt::Display for SettingKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&spelled(self.key.name(), self.of.as_deref()))
    }
}

/// A name with what its `*` stands for; the default profile where nothing is said.
pub(super) fn spelled(name: &str, of: Option<&str>) -> String {
    let of = of.unwrap_or("default");
    name.replace('*', join("", of).as_str())
}

/// The full name of an entry in a section, with quotes where TOML needs them.
pub(super) fn join(section: &str, name: &str) -> String {
    let bare = |next: char| next.is_ascii_alphanumeric() || "_-".contains(next);
    let dot = if section.is_empty() { "" } else { "." };
    if !name.is_empty() && name.chars().all(bare) {
        format!("{section}{dot}{name}")
    } else {
        format!("{section}{dot}\"{name}\"")
    }
}
