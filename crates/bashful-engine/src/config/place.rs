//! Where a setting was said: layer, file, line.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::setting_key::SettingKey;

/// One of the three files, from the one no other passes to the one that can only narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Layer {
    /// `/etc/bashful/config.toml`.
    Admin,
    /// The user's own file.
    User,
    /// `.bashful.toml` in the workspace.
    Project,
}

impl Layer {
    /// The word shown to people and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A position in a configuration file; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The path of the file.
    pub path: Arc<Path>,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

impl Location {
    /// The position of a byte offset in the text of a file.
    pub(super) fn at(path: &Arc<Path>, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let lines = before.matches('\n').count();
        let column = before
            .chars()
            .rev()
            .take_while(|next| *next != '\n')
            .count();
        Self {
            path: Arc::clone(path),
            line: count(lines),
            column: count(column),
        }
    }
}

/// The number of what comes after `before` things. Files are far too small for it to saturate.
fn count(before: usize) -> u32 {
    u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` line {}", shown_path(&self.path), self.line)
    }
}

/// Where an effective value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// No file set it.
    Default,
    /// A file set it.
    File {
        /// Which of the files.
        layer: Layer,
        /// Where in the file.
        place: Location,
    },
}

impl Origin {
    /// `default`, `admin`, `user` or `project`.
    pub fn as_str(&self) -> &'static str {
        self.layer().map_or("default", Layer::as_str)
    }

    /// The layer, if it was a file.
    pub fn layer(&self) -> Option<Layer> {
        match self {
            Self::Default => None,
            Self::File { layer, .. } => Some(*layer),
        }
    }

    /// The position, if it was a file.
    pub fn place(&self) -> Option<&Location> {
        match self {
            Self::Default => None,
            Self::File { place, .. } => Some(place),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())?;
        let Some(place) = self.place() else {
            return Ok(());
        };
        write!(formatter, " {}:{}", shown_path(&place.path), place.line)
    }
}

/// Where each effective value came from; a list may come from several files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(BTreeMap<SettingKey, Vec<Origin>>);

/// What a key has that no file set.
static DEFAULT: [Origin; 1] = [Origin::Default];

impl Origins {
    /// The origins of a key, at least one.
    pub fn of(&self, key: impl Into<SettingKey>) -> &[Origin] {
        self.0.get(&key.into()).map_or(&DEFAULT, Vec::as_slice)
    }

    /// Every key that a file set, with where.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&SettingKey, &[Origin])> {
        self.0
            .iter()
            .map(|(key, origins)| (key, origins.as_slice()))
    }

    pub(super) fn set(&mut self, key: impl Into<SettingKey>, origins: Vec<Origin>) {
        let key = key.into();
        if origins.is_empty() {
            self.0.remove(&key);
        } else {
            self.0.insert(key, origins);
        }
    }
}

/// Text out of a file, fit for a message: what a terminal would obey or hide is escaped, and the
/// length is bounded. A project file is written by strangers.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut out: String = text.chars().take(LONGEST).flat_map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

/// A path fit for a message; whole, because a cut path is of no use.
pub(super) fn shown_path(path: &Path) -> String {
    path.to_string_lossy().chars().flat_map(visible).collect()
}

/// The character itself, or its escape where it could not be seen as what it is.
fn visible(character: char) -> impl Iterator<Item = char> {
    let plain = matches!(character, '"' | '\'' | '\\');
    let escaped = (!plain).then(|| character.escape_debug());
    plain
        .then_some(character)
        .into_iter()
        .chain(escaped.into_iter().flatten())
}
