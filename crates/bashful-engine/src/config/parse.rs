//! From the text of a file to what it says, refusing every key that does not exist.
//!
//! The tree is walked by hand rather than by serde: this way an error can name the full key, line
//! and column and suggest another key, and never quotes a value.

use std::path::Path;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::key::{Key, join};
use super::place::shown;
use super::raw::RawConfig;
use super::reader::{Reader, Spanned};

/// Reads the text of the file at `path`.
pub(super) fn parse(text: &str, path: &Path) -> Result<RawConfig, ConfigError> {
    let reader = Reader::new(text, Arc::from(path));
    let document = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
        place: reader.place(error.span().map_or(0, |span| span.start)),
        problem: shown(error.message()),
    })?;
    let mut raw = RawConfig::default();
    section(&reader, "", document.get_ref(), &mut raw)?;
    Ok(raw)
}

fn section(
    reader: &Reader<'_>,
    name: &str,
    table: &DeTable<'_>,
    raw: &mut RawConfig,
) -> Result<(), ConfigError> {
    // The table is sorted by name; people expect to hear of the first mistake first.
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let full = join(name, key.get_ref());
        let unknown = |suggestion| ConfigError::UnknownKey {
            place: reader.place(key.span().start),
            key: shown(&first_leaf(full.clone(), value)),
            suggestion,
        };
        match (Key::find(name, key.get_ref()), value.get_ref()) {
            // A key below a key, such as `agent.NAME`, does not exist.
            (Some(_), DeValue::Table(inner)) if !inner.is_empty() => return Err(unknown(None)),
            (Some(known), _) => set(reader, known, value, raw)?,
            (None, DeValue::Table(inner)) if Key::is_section(&full) => {
                section(reader, &full, inner, raw)?;
            }
            (None, _) if Key::is_section(&full) => {
                return Err(reader.wrong_type(full, "a table", value));
            }
            (None, _) => return Err(unknown(Key::nearest(name, key.get_ref()))),
        }
    }
    Ok(())
}

/// The full name of what comes first in a value, however deep; the parser bounds the depth.
fn first_leaf(name: String, value: &Spanned<'_>) -> String {
    let DeValue::Table(table) = value.get_ref() else {
        return name;
    };
    match table.iter().min_by_key(|(key, _)| key.span().start) {
        Some((key, value)) => first_leaf(join(&name, key.get_ref()), value),
        None => name,
    }
}

/// Reads the value of a key as the type the key has.
fn set(
    reader: &Reader<'_>,
    key: Key,
    value: &Spanned<'_>,
    raw: &mut RawConfig,
) -> Result<(), ConfigError> {
    match key {
        Key::RequireDescription => raw.require_description = Some(reader.boolean(key, value)?),
        Key::BlockedCommands => raw.blocked_commands = Some(reader.commands(key, value)?),
        Key::Agent => raw.agent = Some(reader.agent(key, value)?),
        Key::Timeout => raw.limits.timeout = Some(reader.duration(key, value)?),
        Key::MaxTimeout => raw.limits.max_timeout = Some(reader.duration(key, value)?),
        Key::MaxOutput => raw.limits.max_output = Some(reader.count(key, value)?),
        Key::Keep => raw.limits.keep = Some(reader.choice(key, value)?),
        Key::LogQuota => raw.limits.log_quota = Some(reader.size(key, value)?),
        Key::OnLogFull => raw.limits.on_log_full = Some(reader.choice(key, value)?),
        Key::Survivors => raw.limits.survivors = Some(reader.choice(key, value)?),
        Key::TermGrace => raw.limits.term_grace = Some(reader.duration(key, value)?),
        Key::SecretValues => raw.secrets.values = Some(reader.secrets(key, value)?),
        Key::SecretNames => raw.secrets.names = Some(reader.variables(key, value)?),
        Key::EnvironmentPass => raw.environment.pass = Some(reader.variables(key, value)?),
        Key::KeeperIdle => raw.keeper.idle = Some(reader.duration(key, value)?),
    }
    Ok(())
}
