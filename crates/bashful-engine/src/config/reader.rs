//! Reading single values, with errors that say where and never what.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bashful_policy::{Class, NetworkCapability};
use toml::de::DeValue;

use super::choice::{Choice, Refused};
use super::error::ConfigError;
use super::place::{Layer, Location, shown};
use super::raw::Said;
use super::secret::SecretValue;
use super::setting_key::{SettingKey, join};
use super::units::{UnitProblem, parse_duration, parse_size};

/// A parsed value and where it stands.
pub(super) type Spanned<'a> = toml::Spanned<DeValue<'a>>;

/// The most characters a result may be asked to hold, so that memory stays bounded.
const MAX_OUTPUT: usize = 1 << 30;

/// The most of other things.
const MAX_NUMBER: usize = u32::MAX as usize;

/// The most characters of an agent's name.
const MAX_AGENT: usize = 64;

/// What a name looks like.
pub(super) const A_NAME: &str =
    "at most 64 letters, digits, `.`, `_` and `-`, a letter or digit first";

/// Whether this can be the name of an agent or a profile.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |next: char| next.is_ascii_alphanumeric() || "._-".contains(next);
    name.len() <= MAX_AGENT
        && name.chars().all(plain)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
}

/// Reads the values of one file.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) path: Arc<Path>,
    pub(super) layer: Layer,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, path: Arc<Path>, layer: Layer) -> Self {
        Self { text, path, layer }
    }

    pub(super) fn place(&self, offset: usize) -> Location {
        Location::at(&self.path, self.text, offset)
    }

    pub(super) fn boolean(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<bool>, ConfigError> {
        match value.get_ref() {
            DeValue::Boolean(flag) => Ok(self.said(*flag, value)),
            _ => Err(self.wrong_type(key.to_string(), "`true` or `false`", value)),
        }
    }

    pub(super) fn duration(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<Duration>, ConfigError> {
        let expected = "a string with a unit, such as `\"90s\"`";
        let text = self.string(key.to_string(), expected, value)?;
        let duration = parse_duration(text).map_err(|source| ConfigError::Unit {
            place: self.place(value.span().start),
            key: key.clone(),
            source,
        })?;
        Ok(self.said(duration, value))
    }

    /// A duration that may be none at all.
    pub(super) fn duration_or_zero(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<Duration>, ConfigError> {
        match self.duration(key, value) {
            Err(ConfigError::Unit { source, .. }) if source.problem == UnitProblem::Zero => {
                Ok(self.said(Duration::ZERO, value))
            }
            read => read,
        }
    }

    pub(super) fn size(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<u64>, ConfigError> {
        let expected = "a string with a unit, such as `\"256M\"`";
        let text = self.string(key.to_string(), expected, value)?;
        let size = parse_size(text).map_err(|source| ConfigError::Unit {
            place: self.place(value.span().start),
            key: key.clone(),
            source,
        })?;
        Ok(self.said(size, value))
    }

    pub(super) fn count(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<usize>, ConfigError> {
        let DeValue::Integer(integer) = value.get_ref() else {
            let expected = "a number of characters without a unit, such as `30000`";
            return Err(self.wrong_type(key.to_string(), expected, value));
        };
        usize::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|number| (1..=MAX_OUTPUT).contains(number))
            .map(|number| self.said(number, value))
            .ok_or_else(|| {
                self.bad_value(key.to_string(), "a number from `1` to `1073741824`", value)
            })
    }

    /// A number of things other than characters.
    pub(super) fn number(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<usize>, ConfigError> {
        let DeValue::Integer(integer) = value.get_ref() else {
            let expected = "a number without a unit, such as `200`";
            return Err(self.wrong_type(key.to_string(), expected, value));
        };
        usize::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|number| (1..=MAX_NUMBER).contains(number))
            .map(|number| self.said(number, value))
            .ok_or_else(|| {
                self.bad_value(key.to_string(), "a number from `1` to `4294967295`", value)
            })
    }

    pub(super) fn choice<T: Choice>(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<T>, ConfigError> {
        let word = self.string(key.to_string(), "a string", value)?;
        let choice = T::from_word(word).map_err(|source| ConfigError::Choice {
            place: self.place(value.span().start),
            key: key.clone(),
            source,
        })?;
        Ok(self.said(choice, value))
    }

    /// An agent's name becomes part of paths and of messages, so its characters are few.
    pub(super) fn agent(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<String>, ConfigError> {
        let name = self.string(key.to_string(), "a string", value)?;
        if is_name(name) {
            Ok(self.said(name.to_owned(), value))
        } else {
            Err(self.bad_value(key.to_string(), A_NAME, value))
        }
    }

    pub(super) fn choices<T: Choice>(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<Vec<T>>, ConfigError> {
        let mut choices = Vec::new();
        for (word, item) in self.items(key, value)? {
            let choice = T::from_word(word).map_err(|source| ConfigError::Choice {
                place: self.place(item.span().start),
                key: key.clone(),
                source,
            })?;
            choices.push(choice);
        }
        Ok(self.said(choices, value))
    }

    /// Paths, patterns, programs and classes: anything that can be printed.
    pub(super) fn names(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
        expected: &'static str,
    ) -> Result<Said<Vec<String>>, ConfigError> {
        let valid = |text: &str| !text.is_empty() && !text.chars().any(char::is_control);
        self.texts(key, value, expected, valid)
    }

    pub(super) fn network(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<NetworkCapability>, ConfigError> {
        let expected = "`\"off\"`, `\"on\"`, `true`, `false` or `{ hosts = […] }`";
        let network = match value.get_ref() {
            DeValue::Boolean(true) => NetworkCapability::On,
            DeValue::Boolean(false) => NetworkCapability::Off,
            DeValue::String(word) => NetworkCapability::from_word(word)
                .ok_or_else(|| self.bad_value(key.to_string(), expected, value))?,
            DeValue::Table(table) => match table.get("hosts") {
                Some(hosts) if table.len() == 1 => {
                    let named = self.names(key, hosts, "a host")?.value;
                    NetworkCapability::of_hosts(&named).map_err(|source| ConfigError::Host {
                        place: self.place(hosts.span().start),
                        key: key.clone(),
                        source,
                    })?
                }
                _ => return Err(self.bad_value(key.to_string(), expected, value)),
            },
            _ => return Err(self.wrong_type(key.to_string(), expected, value)),
        };
        Ok(self.said(network, value))
    }

    /// What becomes of what each class refuses: `{ CLASS = { refused = "ask" } }`.
    pub(super) fn refused(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<BTreeMap<Class, Said<Refused>>, ConfigError> {
        let expected = "a table for each class, such as `{ refused = \"ask\" }`";
        let DeValue::Table(classes) = value.get_ref() else {
            return Err(self.wrong_type(key.to_string(), expected, value));
        };
        let mut all = BTreeMap::new();
        for (name, settings) in classes {
            let class = name.get_ref().parse::<Class>();
            let class = class.map_err(|unknown| ConfigError::UnknownName {
                place: self.place(name.span().start),
                what: "class",
                name: shown(&unknown.word),
                suggestion: unknown.suggestion.map(str::to_owned),
            })?;
            let item = join(&key.to_string(), class.as_str());
            let DeValue::Table(settings) = settings.get_ref() else {
                return Err(self.wrong_type(item, expected, settings));
            };
            for (name, word) in settings {
                if name.get_ref() != "refused" {
                    return Err(ConfigError::UnknownKey {
                        place: self.place(name.span().start),
                        key: shown(&join(&item, name.get_ref())),
                        suggestion: Some(join(&item, "refused")),
                    });
                }
                all.insert(class, self.choice(key, word)?);
            }
        }
        Ok(all)
    }

    pub(super) fn commands(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<Vec<String>>, ConfigError> {
        // A blank entry would block nothing or everything, depending on who reads it.
        let valid = |text: &str| !text.trim().is_empty() && !text.contains('\0');
        self.texts(key, value, "a command", valid)
    }

    /// A text for a shell, which may be empty.
    pub(super) fn shell_text(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<String>, ConfigError> {
        let text = self.string(key.to_string(), "a string", value)?;
        if text.contains('\0') {
            return Err(self.bad_value(key.to_string(), "a command or `\"\"`", value));
        }
        Ok(self.said(text.trim().to_owned(), value))
    }

    /// Where the audit trail is anchored.
    pub(super) fn anchors(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<Vec<String>>, ConfigError> {
        let valid = |text: &str| match text.split_once(':') {
            _ if text.contains('\0') => false,
            Some(("file", path)) => path.starts_with('/'),
            Some(("command", command)) => !command.trim().is_empty(),
            _ => text == "journald",
        };
        let expected = "`file:` with an absolute path, `journald`, or `command:` with a command";
        self.texts(key, value, expected, valid)
    }

    pub(super) fn variables(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<Vec<String>>, ConfigError> {
        let valid = |text: &str| !text.is_empty() && !text.contains(['=', '\0']);
        self.texts(key, value, "the name of an environment variable", valid)
    }

    pub(super) fn secrets(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
    ) -> Result<Said<Vec<SecretValue>>, ConfigError> {
        let mut secrets = Vec::new();
        for (index, (text, item)) in self.items(key, value)?.into_iter().enumerate() {
            let secret = SecretValue::new(text).ok_or_else(|| ConfigError::ShortSecret {
                place: self.place(item.span().start),
                index,
            })?;
            secrets.push(secret);
        }
        Ok(self.said(secrets, value))
    }

    /// A list of texts that all pass a check.
    fn texts(
        &self,
        key: &SettingKey,
        value: &Spanned<'_>,
        expected: &'static str,
        valid: impl Fn(&str) -> bool,
    ) -> Result<Said<Vec<String>>, ConfigError> {
        let mut texts = Vec::new();
        for (index, (text, item)) in self.items(key, value)?.into_iter().enumerate() {
            if !valid(text) {
                return Err(self.bad_value(format!("{key}[{index}]"), expected, item));
            }
            texts.push(text.to_owned());
        }
        Ok(self.said(texts, value))
    }

    /// The texts of a list, each with where it stands.
    fn items<'v>(
        &self,
        key: &SettingKey,
        value: &'v Spanned<'_>,
    ) -> Result<Vec<(&'v str, &'v Spanned<'v>)>, ConfigError> {
        let DeValue::Array(array) = value.get_ref() else {
            return Err(self.wrong_type(key.to_string(), "a list of strings", value));
        };
        let item = |(index, item)| {
            let text = self.string(format!("{key}[{index}]"), "a string", item)?;
            Ok((text, item))
        };
        array.iter().enumerate().map(item).collect()
    }

    fn string<'v>(
        &self,
        item: String,
        expected: &'static str,
        value: &'v Spanned<'_>,
    ) -> Result<&'v str, ConfigError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong_type(item, expected, value)),
        }
    }

    fn said<T>(&self, value: T, at: &Spanned<'_>) -> Said<T> {
        let place = self.place(at.span().start);
        Said { value, place }
    }

    pub(super) fn wrong_type(
        &self,
        item: String,
        expected: &'static str,
        value: &Spanned<'_>,
    ) -> ConfigError {
        ConfigError::WrongType {
            place: self.place(value.span().start),
            item,
            expected,
            found: match value.get_ref() {
                DeValue::String(_) => "a string",
                DeValue::Integer(_) => "a bare number",
                DeValue::Float(_) => "a fraction",
                DeValue::Boolean(_) => "a boolean",
                DeValue::Datetime(_) => "a date",
                DeValue::Array(_) => "a list",
                DeValue::Table(_) => "a table",
            },
        }
    }

    pub(super) fn bad_value(
        &self,
        item: String,
        expected: &'static str,
        value: &Spanned<'_>,
    ) -> ConfigError {
        ConfigError::BadValue {
            place: self.place(value.span().start),
            item,
            expected,
        }
    }
}
