//! Showing the effective configuration with where it came from, for `bashful config show`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bashful_policy::{Class, NetworkCapability};
use bashful_sandbox::Protection;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::choice::{Choice as _, Refused};
use super::key::Key;
use super::load::Loaded;
use super::place::{Origin, shown_path};
use super::profile::{DEFAULT_NAME, Profile, is_built_in};
use super::secret::MASK;
use super::setting_key::SettingKey;
use super::units::{format_duration, format_size};

/// One effective setting. As JSON: `{"key", "value", "origins": [{"layer", "path", "line"}]}`,
/// with durations in milliseconds and sizes in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The key, with the name of the profile or agent where it has one.
    pub key: SettingKey,
    /// The value that is in force.
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
    /// A number of things, without a unit.
    Count(usize),
    /// A span of time.
    Duration(Duration),
    /// A number of bytes.
    Size(u64),
    /// A word or name.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// What the network is.
    Network(NetworkCapability),
    /// Rules, field by field.
    Rules(Vec<serde_json::Value>),
    /// What becomes of what classes refuse.
    Refused(BTreeMap<Class, Refused>),
}

impl Loaded {
    /// Every setting, in the order of [`Key::ALL`], one profile after the other. A key that has
    /// no value is left out.
    pub fn settings(&self) -> Vec<Setting> {
        let plain = Key::ALL.into_iter().filter(|key| !key.name().contains('*'));
        let of_profiles = self.profile_names().into_iter().flat_map(|name| {
            let keys = Key::ALL.into_iter();
            let keys = keys.filter(|key| key.name().starts_with("profile."));
            keys.map(move |key| SettingKey::new(key, Some(&name)))
        });
        let of_agents = self.config.agents.keys().map(|name| {
            let name = Arc::from(name.as_str());
            SettingKey::new(Key::AgentProfile, Some(&name))
        });
        plain
            .map(SettingKey::from)
            .chain(of_profiles)
            .chain(of_agents)
            .filter_map(|key| {
                Some(Setting {
                    value: self.value(&key)?,
                    origins: self.origins.of(key.clone()).to_vec(),
                    key,
                })
            })
            .collect()
    }

    /// The profiles that files speak about: the default first.
    fn profile_names(&self) -> Vec<Arc<str>> {
        let others = self.config.profiles.keys().map(String::as_str);
        let mentioned = |name: &str| {
            let mut keys = self.origins.iter().map(|(key, _)| key);
            keys.any(|key| key.of.as_deref() == Some(name) && key.key != Key::AgentProfile)
        };
        let others = others.filter(|name| !is_built_in(name) || mentioned(name));
        let others = others.filter(|name| *name != DEFAULT_NAME);
        let all = std::iter::once(DEFAULT_NAME).chain(others);
        all.map(Arc::from).collect()
    }

    /// The configuration as TOML, with the origin of each value in a comment. Secrets show as
    /// `***`, which is too short to be read back by mistake.
    pub fn to_toml_with_origins(&self) -> String {
        let mut out = String::new();
        let mut section = String::new();
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

    fn value(&self, key: &SettingKey) -> Option<SettingValue> {
        use SettingValue::{Boolean, Count, Duration, List, Size, Text};
        let config = &self.config;
        let limits = &config.limits;
        Some(match key.key {
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
            Key::ScriptsKeepVersions => Count(config.scripts.keep_versions),
            Key::ScriptsMaxTimeout => Duration(config.scripts.max_timeout),
            Key::TasksPerAgent => Count(config.tasks.per_agent),
            Key::TasksTotalLog => Size(config.tasks.total_log),
            Key::TasksKeep => Count(config.tasks.keep),
            Key::TasksMaxAge => Duration(config.tasks.max_age),
            Key::CachesQuota => Size(config.caches.quota),
            Key::ApprovalsExpire => Duration(config.approvals.expire),
            Key::ApprovalsWait => Duration(config.approvals.wait),
            Key::ApprovalsMostPending => Count(config.approvals.most_pending),
            Key::ApprovalsNotifyDesktop => Boolean(config.approvals.notify_desktop),
            Key::ApprovalsNotifyCommand => Text(config.approvals.notify_command.clone()),
            Key::ApprovalsOutOfBand => List(config.approvals.out_of_band.clone()),
            Key::AuditAnchors => List(config.audit.anchors.clone()),
            Key::Sandbox => Text(config.sandbox.as_str().to_owned()),
            Key::AgentProfile => {
                let agent = key.of.as_deref()?;
                Text(config.agents.get(agent)?.clone())
            }
            _ => return profile_value(self.profile(key.of.as_deref()?), key.key),
        })
    }

    /// The profile with this name; the default where there is none.
    fn profile(&self, name: &str) -> Profile {
        self.config.profile_named(name).cloned().unwrap_or_default()
    }
}

/// What a profile says about a key.
fn profile_value(profile: Profile, key: Key) -> Option<SettingValue> {
    use SettingValue::{Count, Duration, List, Network, Rules, Size, Text};
    let Profile {
        preset,
        default,
        home,
        optional,
        rules,
        refused,
        changes,
        ..
    } = profile;
    let limits = changes.resources;
    let words = |list: &[Protection]| list.iter().map(|word| word.as_str().to_owned()).collect();
    let count = |value: Option<u64>| value.and_then(|value| usize::try_from(value).ok());
    let from_millis = std::time::Duration::from_millis;
    Some(match key {
        Key::ProfilePreset => Text(preset.to_string()),
        Key::ProfileDefault => Text(default.as_str().to_owned()),
        Key::ProfileHome => Text(home.as_str().to_owned()),
        Key::ProfileOptional => List(words(&optional)),
        Key::ProfileRule if rules.is_empty() => return None,
        Key::ProfileRule => Rules(rules.into_iter().map(|rule| rule.source).collect()),
        Key::ProfileRefused if refused.is_empty() => return None,
        Key::ProfileRefused => SettingValue::Refused(refused),
        Key::ProfileRead => List(changes.paths_read),
        Key::ProfileWrite => List(changes.paths_write),
        Key::ProfileDeny => List(changes.paths_deny),
        Key::ProfileNetwork => Network(changes.network?),
        Key::ProfileCommands => List(changes.commands?),
        Key::ProfileClasses => List(changes.classes),
        Key::ProfileMemory => Size(limits.memory?),
        Key::ProfileProcesses => Count(count(limits.processes)?),
        Key::ProfileCpuTime => Duration(from_millis(limits.cpu_time?)),
        Key::ProfileCpuShare => Count(count(limits.cpu_share)?),
        Key::ProfileOpenFiles => Count(count(limits.open_files)?),
        Key::ProfileFileSize => Size(limits.file_size?),
        Key::ProfileTmpSize => Size(limits.tmp_size?),
        Key::ProfileDiskSize => Size(limits.disk_size?),
        _ => return None,
    })
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
            Self::List(items) => list(items),
            Self::Network(NetworkCapability::Hosts(hosts)) => {
                format!("{{ hosts = {} }}", list(hosts))
            }
            Self::Network(network) => quoted(&network.to_string()),
            Self::Rules(rules) => inline(&rules.iter().cloned().collect()),
            Self::Refused(refused) => inline(&refused_json(refused)),
        }
    }
}

/// What becomes of what classes refuse, as a file has it.
fn refused_json(refused: &BTreeMap<Class, Refused>) -> serde_json::Value {
    let one = |(class, refused): (&Class, &Refused)| {
        let refused = serde_json::json!({ "refused": refused.as_str() });
        (class.as_str().to_owned(), refused)
    };
    refused.iter().map(one).collect()
}

/// A value as it stands in one line of a file.
fn inline(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => quoted(text),
        serde_json::Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        serde_json::Value::Object(fields) => {
            let field = |(name, value): (&String, _)| format!("{name} = {}", inline(value));
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// A list of texts as it stands in a file.
pub(crate) fn list(items: &[String]) -> String {
    let items: Vec<_> = items.iter().map(|item| quoted(item)).collect();
    format!("[{}]", items.join(", "))
}

/// A TOML string in which everything that a terminal would obey or hide is escaped. The `toml`
/// crate escapes only what TOML asks for, which leaves text direction marks and C1 controls.
pub(crate) fn quoted(text: &str) -> String {
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
        out.serialize_field("key", &self.key.to_string())?;
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
            Self::Network(network) => network.serialize(serializer),
            Self::Rules(rules) => rules.serialize(serializer),
            Self::Refused(refused) => refused_json(refused).serialize(serializer),
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
