//! Showing the effective configuration with where it came from, for `bashful config show`.

use std::fmt::Write as _;
use std::time::Duration;

use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::choice::Choice as _;
use super::key::Key;
use super::load::Loaded;
use super::place::{Origin, shown_path};
use super::secret::MASK;
use super::units::{format_duration, format_size};

/// One effective setting. As JSON: `{"key", "value", "origins": [{"layer", "path", "line"}]}`,
/// with durations in milliseconds and sizes in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The key.
    pub key: Key,
    /// Its value.
    pub value: SettingValue,
    /// Where the value came from: one origin, or for a list each file that added to it.
    pub origins: Vec<Origin>,
}

/// A value that can be shown; secrets are not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingValue {
    /// Yes or no.
    Boolean(bool),
    /// A number.
    Count(usize),
    /// A span of time.
    Duration(Duration),
    /// A number of bytes.
    Size(u64),
    /// A word or name.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

impl Loaded {
    /// Every setting, in the order of [`Key::ALL`].
    pub fn settings(&self) -> Vec<Setting> {
        let setting = |key| Setting {
            key,
            value: self.value(key),
            origins: self.origins.of(key).to_vec(),
        };
        Key::ALL.into_iter().map(setting).collect()
    }

    /// The configuration as TOML, with the origin of each value in a comment. Secrets show as
    /// `***`, which is too short to be read back by mistake.
    pub fn to_toml_with_origins(&self) -> String {
        let mut out = String::new();
        let mut section = "";
        for Setting {
            key,
            value,
            origins,
        } in self.settings()
        {
            let (of, name) = key.split();
            if of != section {
                section = of;
                // Writing to a string cannot fail.
                let _ = writeln!(out, "\n[{section}]");
            }
            let origins: Vec<_> = origins.iter().map(Origin::to_string).collect();
            let _ = writeln!(
                out,
                "{name} = {}  # {}",
                value.to_toml(),
                origins.join(", ")
            );
        }
        out
    }

    fn value(&self, key: Key) -> SettingValue {
        use SettingValue::{Boolean, Count, Duration, List, Size, Text};
        let config = &self.config;
        let limits = &config.limits;
        match key {
            Key::RequireDescription => Boolean(config.require_description),
            Key::BlockedCommands => List(config.blocked_commands.clone()),
            Key::Agent => Text(config.agent.clone()),
            Key::Timeout => Duration(limits.timeout),
            Key::MaxTimeout => Duration(limits.max_timeout),
            Key::MaxOutput => Count(limits.max_output),
            Key::Keep => Text(limits.keep.as_str().to_owned()),
            Key::LogQuota => Size(limits.log_quota),
            Key::OnLogFull => Text(limits.on_log_full.as_str().to_owned()),
            Key::Survivors => Text(limits.survivors.as_str().to_owned()),
            Key::TermGrace => Duration(limits.term_grace),
            Key::SecretValues => List(
                config
                    .secrets
                    .values
                    .iter()
                    .map(|_| MASK.to_owned())
                    .collect(),
            ),
            Key::SecretNames => List(config.secrets.names.clone()),
            Key::EnvironmentPass => List(config.environment.pass.clone()),
            Key::KeeperIdle => Duration(config.keeper.idle),
        }
    }
}

impl SettingValue {
    /// The value as it would stand in a file.
    pub fn to_toml(&self) -> String {
        match self {
            Self::Boolean(flag) => flag.to_string(),
            Self::Count(number) => number.to_string(),
            Self::Duration(duration) => quoted(&format_duration(*duration)),
            Self::Size(bytes) => quoted(&format_size(*bytes)),
            Self::Text(text) => quoted(text),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(|item| quoted(item)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }
}

/// A TOML string in which everything that a terminal would obey or hide is escaped. The `toml`
/// crate escapes only what TOML asks for, which leaves text direction marks and C1 controls.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for next in text.chars() {
        match next {
            '"' | '\\' => out.extend(['\\', next]),
            '\'' => out.push(next),
            _ if next.escape_debug().count() == 1 => out.push(next),
            // Writing to a string cannot fail.
            _ => {
                let _ = write!(out, "\\U{:08X}", u32::from(next));
            }
        }
    }
    out.push('"');
    out
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Setting", 3)?;
        out.serialize_field("key", self.key.name())?;
        out.serialize_field("value", &self.value)?;
        out.serialize_field("origins", &self.origins)?;
        out.end()
    }
}

impl Serialize for SettingValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Boolean(flag) => serializer.serialize_bool(*flag),
            Self::Count(number) => number.serialize(serializer),
            // Durations are at most a year, so this never saturates.
            Self::Duration(duration) => u64::try_from(duration.as_millis())
                .unwrap_or(u64::MAX)
                .serialize(serializer),
            Self::Size(bytes) => bytes.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = self.place();
        let fields = if place.is_some() { 3 } else { 1 };
        let mut out = serializer.serialize_struct("Origin", fields)?;
        out.serialize_field("layer", self.as_str())?;
        if let Some(place) = place {
            // A path need not be valid text, and JSON must be.
            out.serialize_field("path", &shown_path(&place.path))?;
            out.serialize_field("line", &place.line)?;
        }
        out.end()
    }
}
