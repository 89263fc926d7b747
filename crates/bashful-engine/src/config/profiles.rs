//! From what the files say about profiles and agents to one word about each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bashful_policy::{Class, ResourceLimits};

use crate::base::usual_limits::usual_limits;

use super::choice::Refused;
use super::error::ConfigError;
use super::key::Key;
use super::place::{Layer, Location, Origin};
use super::profile::{BUILT_IN, Bounds, DEFAULT_NAME, Profile, is_built_in};
use super::raw::{Maybe, RawProfile, Said};
use super::resolve::{Layers, Resolved};
use super::rules::{ConfiguredRule, known_class};
use super::scalar::Scalar as _;
use super::setting_key::SettingKey;
use super::warning::{Warning, WarningReason};

impl Resolved {
    /// Resolves every profile that a file speaks about.
    pub(super) fn profiles(&mut self, layers: &mut Layers) {
        // What the admin says about the default holds for profiles that only others know, too: no
        // caller gets more by inventing a name.
        let base = layers.admin.profiles.get(DEFAULT_NAME).cloned();
        let known: BTreeSet<Arc<str>> = layers
            .admin
            .profiles
            .keys()
            .chain(layers.user.profiles.keys())
            .cloned()
            .chain(BUILT_IN.iter().map(|(name, _)| Arc::from(*name)))
            .collect();
        let spoken: BTreeSet<Arc<str>> = known
            .iter()
            .filter(|name| {
                // What no file mentions is not worth an entry, unless the admin bounds it.
                base.is_some() || layers.mention(name)
            })
            .chain(layers.project.profiles.keys())
            .cloned()
            .collect();
        for name in spoken {
            let mentioned = layers.mention(&name);
            let admin = layers.admin.profiles.remove(&name).unwrap_or_default();
            let mut base = base.clone().unwrap_or_default();
            // The admin's word about the default does not make another profile less strict.
            let own = Profile::before_files(&name).default;
            base.default.take_if(|said| said.value.is_wider_than(&own));
            base.refused.retain(|_, said| said.value == Refused::Deny);
            // What the admin forbids in the default is forbidden everywhere.
            let forbidden = if *name == *DEFAULT_NAME {
                None
            } else {
                base.rules.take()
            };
            let mut admin = or(admin, base);
            add_rules(&mut admin.rules, forbidden);
            let user = layers.user.profiles.remove(&name).unwrap_or_default();
            let project = layers.project.profiles.remove(&name).unwrap_or_default();
            if known.contains(&name) {
                let mut aside = Self::default();
                // About a built-in one that only exists, no file said anything.
                let ledger = if mentioned { &mut *self } else { &mut aside };
                let profile = ledger.profile(&name, [admin, user, project]);
                // A built-in one that says nothing new needs no entry.
                if !is_built_in(&name) || profile != Profile::before_files(&name) {
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
            ..Profile::before_files(name)
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
        profile.default = self.scalar(key(Key::ProfileDefault), profile.default, voices!(default));
        profile.home = self.scalar(key(Key::ProfileHome), profile.home, voices!(home));
        profile.optional = self.list(
            key(Key::ProfileOptional),
            profile.optional,
            voices!(optional),
        );
        profile.rules = self.rules(key(Key::ProfileRule), voices!(rules));
        profile.refused = self.refused(
            &key(Key::ProfileRefused),
            &profile,
            &[
                (Layer::Admin, std::mem::take(&mut admin.refused)),
                (Layer::User, std::mem::take(&mut user.refused)),
                (Layer::Project, std::mem::take(&mut project.refused)),
            ],
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
        limits.disk_size = self.limit(
            key(Key::ProfileDiskSize),
            usual.disk_size.as_ref(),
            voices!(disk_size),
        );
        profile
    }

    /// Resolves what becomes of what classes refuse, class by class.
    fn refused(
        &mut self,
        key: &SettingKey,
        profile: &Profile,
        voices: &[(Layer, BTreeMap<Class, Said<Refused>>); 3],
    ) -> BTreeMap<Class, Refused> {
        let named = Class::ALL.into_iter();
        let named = named.filter(|class| voices.iter().any(|(_, said)| said.contains_key(class)));
        let mut all = BTreeMap::new();
        for class in named {
            let usual = profile.usually_refused(class);
            let of_class = voices.each_ref();
            let of_class = of_class.map(|(layer, said)| (*layer, said.get(&class).cloned()));
            if let Some(refused) = self.limit(key.clone(), Some(&usual), of_class) {
                all.insert(class, refused);
            }
        }
        all
    }

    /// Puts the rules of all files together; the layers stay apart. A project can only narrow,
    /// so what it would allow does not count.
    fn rules(
        &mut self,
        key: SettingKey,
        voices: [(Layer, Maybe<Vec<ConfiguredRule>>); 3],
    ) -> Vec<ConfiguredRule> {
        let mut all = Vec::new();
        let mut origins = Vec::new();
        for (layer, said) in voices {
            let Some(Said { value, place }) = said else {
                continue;
            };
            let counts = |rule: &ConfiguredRule| layer != Layer::Project || rule.narrows();
            let (counting, ignored): (Vec<_>, Vec<_>) = value.into_iter().partition(counts);
            for rule in ignored {
                self.warnings.push(Warning {
                    key: key.clone(),
                    layer,
                    place: Location {
                        path: Arc::clone(&place.path),
                        line: u32::try_from(rule.rule.line).unwrap_or(place.line),
                        column: 1,
                    },
                    reason: WarningReason::Allows { rule: rule.rule.id },
                });
            }
            if !counting.is_empty() {
                origins.push(Origin::File { layer, place });
                all.extend(counting);
            }
        }
        self.origins.set(key, origins);
        all
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
            if let [(Layer::Admin, Some(said)), ..] = &voices {
                let fixed = &mut self.config.fixed_agents;
                fixed.insert(name.to_string(), said.value.clone());
            }
            let key = SettingKey::new(Key::AgentProfile, Some(&name));
            if let Some(profile) = self.limit(key, None, voices) {
                self.config.agents.insert(name.to_string(), profile);
            }
        }
        Ok(())
    }

    fn check_profile(&self, said: &Said<String>) -> Result<(), ConfigError> {
        let known = self.config.profile_named(&said.value);
        known.map(drop).map_err(|unknown| ConfigError::UnknownName {
            place: said.place.clone(),
            what: "profile",
            name: unknown.name,
            suggestion: unknown.suggestion,
        })
    }
}

/// Every class that a file opens is one that Bashful or a rule of one of the files knows.
pub(super) fn check_classes(layers: &Layers) -> Result<(), ConfigError> {
    let files = [&layers.admin, &layers.user, &layers.project];
    let profiles = || files.iter().flat_map(|file| file.profiles.values());
    let rules = || {
        let rules = profiles().filter_map(|profile| profile.rules.as_ref());
        rules.flat_map(|rules| &rules.value)
    };
    for said in profiles().filter_map(|profile| profile.classes.as_ref()) {
        for name in &said.value {
            let named = rules().filter_map(|rule| rule.rule.capability.as_deref());
            known_class(name, named).map_err(|unknown| ConfigError::UnknownName {
                place: said.place.clone(),
                what: "class",
                name: unknown.name,
                suggestion: unknown.suggestion,
            })?;
        }
    }
    Ok(())
}

impl Layers {
    /// Whether a file speaks about a profile.
    fn mention(&self, profile: &str) -> bool {
        let files = [&self.admin, &self.user, &self.project];
        files.iter().any(|file| file.profiles.contains_key(profile))
    }
}

impl RawProfile {
    /// Whether it speaks about a limit that the host decides otherwise.
    fn has_limits(&self) -> bool {
        self.memory.is_some()
            || self.processes.is_some()
            || self.file_size.is_some()
            || self.tmp_size.is_some()
            || self.disk_size.is_some()
    }
}

/// What the first says, and what the second says where the first is silent.
fn or(first: RawProfile, second: RawProfile) -> RawProfile {
    RawProfile {
        preset: first.preset.or(second.preset),
        default: first.default.or(second.default),
        home: first.home.or(second.home),
        optional: first.optional.or(second.optional),
        rules: first.rules.or(second.rules),
        refused: {
            let mut refused = second.refused;
            refused.extend(first.refused);
            refused
        },
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
        disk_size: first.disk_size.or(second.disk_size),
    }
}

/// Adds rules that only narrow.
fn add_rules(rules: &mut Maybe<Vec<ConfiguredRule>>, more: Maybe<Vec<ConfiguredRule>>) {
    let Some(mut more) = more else { return };
    more.value.retain(ConfiguredRule::narrows);
    match rules {
        Some(rules) => rules.value.extend(more.value),
        None => *rules = Some(more),
    }
}

/// What the admin's word bounds.
fn bounds(admin: &RawProfile) -> Bounds {
    fn value<T: Clone>(said: Option<&Said<T>>) -> Option<T> {
        said.map(|said| said.value.clone())
    }
    Bounds {
        preset: value(admin.preset.as_ref()),
        default: value(admin.default.as_ref()),
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
            disk_size: value(admin.disk_size.as_ref()),
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
