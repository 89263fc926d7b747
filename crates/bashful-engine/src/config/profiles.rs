//! From what the files say about profiles and agents to one word about each.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bashful_policy::ResourceLimits;

use crate::confine::usual_limits;

use super::choice::nearest;
use super::error::ConfigError;
use super::key::Key;
use super::place::{Layer, Origin, shown};
use super::profile::{Bounds, DEFAULT_NAME, Profile};
use super::raw::{RawProfile, Said};
use super::resolve::{Layers, Resolved};
use super::setting_key::SettingKey;
use super::warning::{Warning, WarningReason};

impl Resolved {
    /// Resolves every profile that a file speaks about.
    pub(super) fn profiles(&mut self, layers: &mut Layers) {
        // What the admin says about the default holds for profiles that only others know, too:
        // nobody gets more by inventing a name.
        let base = layers.admin.profiles.get(DEFAULT_NAME).cloned();
        let known: BTreeSet<Arc<str>> = layers
            .admin
            .profiles
            .keys()
            .chain(layers.user.profiles.keys())
            .cloned()
            .chain(std::iter::once(Arc::from(DEFAULT_NAME)))
            .collect();
        let spoken: BTreeSet<Arc<str>> = known
            .iter()
            .filter(|name| {
                // The default that nobody mentions is not worth an entry.
                let files = [&layers.admin, &layers.user, &layers.project];
                files.iter().any(|file| file.profiles.contains_key(*name))
            })
            .chain(layers.project.profiles.keys())
            .cloned()
            .collect();
        for name in spoken {
            let admin = layers.admin.profiles.remove(&name).unwrap_or_default();
            let admin = or(admin, base.clone().unwrap_or_default());
            let user = layers.user.profiles.remove(&name).unwrap_or_default();
            let project = layers.project.profiles.remove(&name).unwrap_or_default();
            if known.contains(&name) {
                let profile = self.profile(&name, [admin, user, project]);
                // A default that says nothing new needs no entry.
                if *name != *DEFAULT_NAME || profile != Profile::default() {
                    self.config.profiles.insert(name.to_string(), profile);
                }
            } else {
                self.ignore_profile(&name, project);
            }
        }
    }

    /// Warns about each key of a profile that only the project knows.
    fn ignore_profile(&mut self, name: &Arc<str>, project: RawProfile) {
        let mut aside = Self::default();
        let nobody = RawProfile::default();
        let _ = aside.profile(name, [nobody.clone(), nobody, project]);
        for (key, origins) in aside.origins.iter() {
            for origin in origins {
                if let Origin::File { layer, place } = origin {
                    self.warnings.push(Warning {
                        key: key.clone(),
                        layer: *layer,
                        place: place.clone(),
                        reason: WarningReason::NoSuchProfile,
                    });
                }
            }
        }
        self.warnings.append(&mut aside.warnings);
    }

    /// Resolves one profile. The preset comes first, because it says what holds where nothing
    /// else is said.
    fn profile(&mut self, name: &Arc<str>, layers: [RawProfile; 3]) -> Profile {
        let [mut admin, mut user, mut project] = layers;
        let bounds = bounds(&admin);
        let mut profile = Profile {
            bounds,
            ..Profile::default()
        };
        macro_rules! voices {
            ($field:ident) => {
                [
                    (Layer::Admin, admin.$field.take()),
                    (Layer::User, user.$field.take()),
                    (Layer::Project, project.$field.take()),
                ]
            };
        }
        let key = |key| SettingKey::new(key, Some(name));
        profile.preset = self.scalar(key(Key::ProfilePreset), profile.preset, voices!(preset));
        profile.home = self.scalar(key(Key::ProfileHome), profile.home, voices!(home));
        profile.optional = self.list(
            key(Key::ProfileOptional),
            profile.optional,
            voices!(optional),
        );
        let base = profile.preset.capabilities();
        let changes = &mut profile.changes;
        let none = Vec::new;
        changes.paths_read = self.list(key(Key::ProfileRead), none(), voices!(paths_read));
        changes.paths_write = self.list(key(Key::ProfileWrite), none(), voices!(paths_write));
        changes.paths_deny = self.list(key(Key::ProfileDeny), none(), voices!(paths_deny));
        changes.classes = self.list(key(Key::ProfileClasses), none(), voices!(classes));
        changes.network = self.limit(
            key(Key::ProfileNetwork),
            Some(&base.network),
            voices!(network),
        );
        changes.commands = self.names(key(Key::ProfileCommands), None, voices!(commands));
        // Only a project file is compared with what the host decides.
        let usual = if project.has_limits() {
            usual_limits()
        } else {
            ResourceLimits::default()
        };
        let count = |value: Option<u64>| value.and_then(|value| usize::try_from(value).ok());
        let processes = count(usual.processes);
        let limits = &mut changes.resources;
        limits.memory = self.limit(
            key(Key::ProfileMemory),
            usual.memory.as_ref(),
            voices!(memory),
        );
        limits.processes = wide(self.limit(
            key(Key::ProfileProcesses),
            processes.as_ref(),
            voices!(processes),
        ));
        limits.cpu_time = self
            .limit(key(Key::ProfileCpuTime), None, voices!(cpu_time))
            .map(milliseconds);
        limits.cpu_share = wide(self.limit(key(Key::ProfileCpuShare), None, voices!(cpu_share)));
        limits.open_files = wide(self.limit(key(Key::ProfileOpenFiles), None, voices!(open_files)));
        limits.file_size = self.limit(
            key(Key::ProfileFileSize),
            usual.file_size.as_ref(),
            voices!(file_size),
        );
        limits.tmp_size = self.limit(
            key(Key::ProfileTmpSize),
            usual.tmp_size.as_ref(),
            voices!(tmp_size),
        );
        profile
    }

    /// Resolves which agent has which profile.
    pub(super) fn agents(&mut self, layers: &mut Layers) -> Result<(), ConfigError> {
        let names: BTreeSet<Arc<str>> = [&layers.admin, &layers.user, &layers.project]
            .into_iter()
            .flat_map(|file| file.agents.keys().cloned())
            .collect();
        for name in names {
            let voices = [
                (Layer::Admin, layers.admin.agents.remove(&name).flatten()),
                (Layer::User, layers.user.agents.remove(&name).flatten()),
                (
                    Layer::Project,
                    layers.project.agents.remove(&name).flatten(),
                ),
            ];
            for (layer, said) in &voices {
                if let (Layer::Admin | Layer::User, Some(said)) = (layer, said) {
                    self.check_profile(said)?;
                }
            }
            let key = SettingKey::new(Key::AgentProfile, Some(&name));
            if let Some(profile) = self.limit(key, None, voices) {
                self.config.agents.insert(name.to_string(), profile);
            }
        }
        Ok(())
    }

    fn check_profile(&self, said: &Said<String>) -> Result<(), ConfigError> {
        let profiles = &self.config.profiles;
        if said.value == DEFAULT_NAME || profiles.contains_key(&said.value) {
            return Ok(());
        }
        let known = profiles.keys().map(String::as_str);
        let near = nearest(&said.value, known.chain(std::iter::once(DEFAULT_NAME)));
        Err(ConfigError::UnknownName {
            place: said.place.clone(),
            what: "profile",
            name: shown(&said.value),
            suggestion: near.map(str::to_owned),
        })
    }
}

impl RawProfile {
    /// Whether it speaks about a limit that the host decides otherwise.
    fn has_limits(&self) -> bool {
        self.memory.is_some()
            || self.processes.is_some()
            || self.file_size.is_some()
            || self.tmp_size.is_some()
    }
}

/// What the first says, and what the second says where the first is silent.
fn or(first: RawProfile, second: RawProfile) -> RawProfile {
    RawProfile {
        preset: first.preset.or(second.preset),
        home: first.home.or(second.home),
        optional: first.optional.or(second.optional),
        paths_read: first.paths_read.or(second.paths_read),
        paths_write: first.paths_write.or(second.paths_write),
        paths_deny: first.paths_deny.or(second.paths_deny),
        network: first.network.or(second.network),
        commands: first.commands.or(second.commands),
        classes: first.classes.or(second.classes),
        memory: first.memory.or(second.memory),
        processes: first.processes.or(second.processes),
        cpu_time: first.cpu_time.or(second.cpu_time),
        cpu_share: first.cpu_share.or(second.cpu_share),
        open_files: first.open_files.or(second.open_files),
        file_size: first.file_size.or(second.file_size),
        tmp_size: first.tmp_size.or(second.tmp_size),
    }
}

/// What the admin's word bounds.
fn bounds(admin: &RawProfile) -> Bounds {
    fn value<T: Clone>(said: Option<&Said<T>>) -> Option<T> {
        said.map(|said| said.value.clone())
    }
    Bounds {
        preset: value(admin.preset.as_ref()),
        home: value(admin.home.as_ref()),
        paths_read: value(admin.paths_read.as_ref()),
        paths_write: value(admin.paths_write.as_ref()),
        classes: value(admin.classes.as_ref()),
        network: value(admin.network.as_ref()),
        commands: value(admin.commands.as_ref()),
        resources: ResourceLimits {
            memory: value(admin.memory.as_ref()),
            processes: wide(value(admin.processes.as_ref())),
            cpu_time: value(admin.cpu_time.as_ref()).map(milliseconds),
            cpu_share: wide(value(admin.cpu_share.as_ref())),
            open_files: wide(value(admin.open_files.as_ref())),
            file_size: value(admin.file_size.as_ref()),
            tmp_size: value(admin.tmp_size.as_ref()),
        },
    }
}

fn wide(count: Option<usize>) -> Option<u64> {
    count.and_then(|count| u64::try_from(count).ok())
}

/// A duration is at most a year, so this never saturates.
fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
