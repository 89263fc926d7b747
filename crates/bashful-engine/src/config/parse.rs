//! From the text of a file to what it says, refusing every key that does not exist.
//!
//! The tree is walked by hand rather than by serde: this way an error can name the full key, line
//! and column and suggest another key, and never quotes a value.

use std::path::Path;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::key::Key;
use super::place::{Layer, shown};
use super::raw::{RawConfig, RawProfile};
use super::reader::{A_NAME, Reader, Spanned, is_name};
use super::setting_key::{SettingKey, join, spelled};

/// Reads the text of the file at `path`, which is the one of this layer.
pub(super) fn parse(text: &str, path: &Path, layer: Layer) -> Result<RawConfig, ConfigError> {
    let reader = Reader::new(text, Arc::from(path), layer);
    let document = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
        place: reader.place(error.span().map_or(0, |span| span.start)),
        problem: shown(error.message()),
    })?;
    let mut raw = RawConfig::default();
    let whole = Section {
        pattern: String::new(),
        of: None,
    };
    section(&reader, &whole, document.get_ref(), &mut raw)?;
    Ok(raw)
}

/// A table of the file.
struct Section {
    /// Its name, with a `*` for the name of a profile or agent.
    pattern: String,
    /// What the `*` stands for.
    of: Option<Arc<str>>,
}

impl Section {
    /// A name in this section as the file has it.
    fn spell(&self, name: &str) -> String {
        join(&spelled(&self.pattern, self.of.as_deref()), name)
    }

    /// The section below this one, for a table with this name.
    fn below(&self, name: &str) -> Self {
        if Key::is_named_by_users(&self.pattern) {
            return Self {
                pattern: format!("{}.*", self.pattern),
                of: Some(Arc::from(name)),
            };
        }
        Self {
            pattern: join(&self.pattern, name),
            of: self.of.clone(),
        }
    }
}

fn section(
    reader: &Reader<'_>,
    here: &Section,
    table: &DeTable<'_>,
    raw: &mut RawConfig,
) -> Result<(), ConfigError> {
    // The table is sorted by name; people expect to hear of the first mistake first.
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let name = key.get_ref();
        let full = here.spell(name);
        if Key::is_named_by_users(&here.pattern) && !is_name(name) {
            return Err(ConfigError::BadValue {
                place: reader.place(key.span().start),
                item: shown(&full),
                expected: A_NAME,
            });
        }
        let below = here.below(name);
        let unknown = |suggestion| ConfigError::UnknownKey {
            place: reader.place(key.span().start),
            key: shown(&first_leaf(full.clone(), value)),
            suggestion,
        };
        match (Key::find(&here.pattern, name), value.get_ref()) {
            // The keys that may be tables.
            (Some(known @ (Key::ProfileNetwork | Key::ProfileRefused)), _) => {
                let key = SettingKey::new(known, here.of.as_ref());
                set(reader, &key, value, raw)?;
            }
            // A key below a key, such as `limits.timeout.x`, does not exist.
            (Some(_), DeValue::Table(inner)) if !inner.is_empty() => return Err(unknown(None)),
            (Some(known), _) => {
                let key = SettingKey::new(known, here.of.as_ref());
                set(reader, &key, value, raw)?;
            }
            (None, DeValue::Table(inner)) if Key::is_section(&below.pattern) => {
                // A profile exists as soon as it is named.
                if let ("profile.*", Some(of)) = (below.pattern.as_str(), &below.of) {
                    raw.profiles.entry(Arc::clone(of)).or_default();
                }
                section(reader, &below, inner, raw)?;
            }
            (None, _) if Key::is_section(&below.pattern) => {
                return Err(reader.wrong_type(full, "a table", value));
            }
            (None, _) => {
                let near = Key::nearest(&here.pattern, name);
                return Err(unknown(near.map(|near| spelled(&near, here.of.as_deref()))));
            }
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
    key: &SettingKey,
    value: &Spanned<'_>,
    raw: &mut RawConfig,
) -> Result<(), ConfigError> {
    match key.key {
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
        Key::ScriptsKeepVersions => raw.scripts.keep_versions = Some(reader.number(key, value)?),
        Key::ScriptsMaxTimeout => raw.scripts.max_timeout = Some(reader.duration(key, value)?),
        Key::TasksPerAgent => raw.tasks.per_agent = Some(reader.number(key, value)?),
        Key::TasksTotalLog => raw.tasks.total_log = Some(reader.size(key, value)?),
        Key::TasksKeep => raw.tasks.keep = Some(reader.number(key, value)?),
        Key::TasksMaxAge => raw.tasks.max_age = Some(reader.duration(key, value)?),
        Key::CachesQuota => raw.caches.quota = Some(reader.size(key, value)?),
        Key::ApprovalsExpire => raw.approvals.expire = Some(reader.duration(key, value)?),
        Key::ApprovalsWait => raw.approvals.wait = Some(reader.duration_or_zero(key, value)?),
        Key::ApprovalsMostPending => {
            raw.approvals.most_pending = Some(reader.number(key, value)?);
        }
        Key::ApprovalsNotifyDesktop => {
            raw.approvals.notify_desktop = Some(reader.boolean(key, value)?);
        }
        Key::ApprovalsNotifyCommand => {
            raw.approvals.notify_command = Some(reader.shell_text(key, value)?);
        }
        Key::ApprovalsOutOfBand => {
            raw.approvals.out_of_band = Some(reader.commands(key, value)?);
        }
        Key::AuditAnchors => raw.audit.anchors = Some(reader.anchors(key, value)?),
        Key::Sandbox => raw.sandbox = Some(reader.choice(key, value)?),
        Key::AgentProfile => {
            let profile = Some(reader.agent(key, value)?);
            if let Some(agent) = &key.of {
                raw.agents.insert(Arc::clone(agent), profile);
            }
        }
        _ => {
            if let Some(of) = &key.of {
                let profile = raw.profiles.entry(Arc::clone(of)).or_default();
                set_in_profile(reader, key, value, profile)?;
            }
        }
    }
    Ok(())
}

/// The same for the keys of a profile.
fn set_in_profile(
    reader: &Reader<'_>,
    key: &SettingKey,
    value: &Spanned<'_>,
    raw: &mut RawProfile,
) -> Result<(), ConfigError> {
    match key.key {
        Key::ProfilePreset => raw.preset = Some(reader.choice(key, value)?),
        Key::ProfileDefault => raw.default = Some(reader.choice(key, value)?),
        Key::ProfileHome => raw.home = Some(reader.choice(key, value)?),
        Key::ProfileOptional => raw.optional = Some(reader.choices(key, value)?),
        Key::ProfileRule => raw.rules = Some(reader.rules(value)?),
        Key::ProfileRefused => raw.refused = reader.refused(key, value)?,
        Key::ProfileRead => raw.paths_read = Some(reader.names(key, value, "a path")?),
        Key::ProfileWrite => raw.paths_write = Some(reader.names(key, value, "a path")?),
        Key::ProfileDeny => raw.paths_deny = Some(reader.names(key, value, "a path")?),
        Key::ProfileNetwork => raw.network = Some(reader.network(key, value)?),
        Key::ProfileCommands => raw.commands = Some(reader.names(key, value, "a program")?),
        Key::ProfileClasses => raw.classes = Some(reader.names(key, value, "a class")?),
        Key::ProfileMemory => raw.memory = Some(reader.size(key, value)?),
        Key::ProfileProcesses => raw.processes = Some(reader.number(key, value)?),
        Key::ProfileCpuTime => raw.cpu_time = Some(reader.duration(key, value)?),
        Key::ProfileCpuShare => raw.cpu_share = Some(reader.number(key, value)?),
        Key::ProfileOpenFiles => raw.open_files = Some(reader.number(key, value)?),
        Key::ProfileFileSize => raw.file_size = Some(reader.size(key, value)?),
        Key::ProfileTmpSize => raw.tmp_size = Some(reader.size(key, value)?),
        Key::ProfileDiskSize => raw.disk_size = Some(reader.size(key, value)?),
        _ => {}
    }
    Ok(())
}
