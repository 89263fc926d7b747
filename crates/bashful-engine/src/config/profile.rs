//! Profiles: what the runs of an agent may do, and what a call may ask for on top.

use std::sync::LazyLock;

use bashful_policy::{Capabilities, CapabilityChanges, NetworkCapability, Preset, ResourceLimits};
use bashful_sandbox::Protection;

use super::choice::{Choice as _, HomeMode};
use super::scalar::Scalar as _;
use super::settings::Config;

/// The profile of an agent that no file names.
pub(super) const DEFAULT_NAME: &str = "default";

/// What the runs of an agent may do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The ready-made capabilities that it starts from.
    pub preset: Preset,
    /// What the home of a run is.
    pub home: HomeMode,
    /// Protections that a run may go without where they cannot be had.
    pub optional: Vec<Protection>,
    /// What it changes of the preset.
    pub changes: CapabilityChanges,
    /// What the admin file holds fast.
    pub(super) bounds: Bounds,
}

/// What the admin file says about a profile: the widest that anybody gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) preset: Option<Preset>,
    pub(super) home: Option<HomeMode>,
    pub(super) paths_read: Option<Vec<String>>,
    pub(super) paths_write: Option<Vec<String>>,
    pub(super) classes: Option<Vec<String>>,
    pub(super) network: Option<NetworkCapability>,
    pub(super) commands: Option<Vec<String>>,
    pub(super) resources: ResourceLimits,
}

/// What flags or a tool call ask for on top of a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Another preset.
    pub preset: Option<Preset>,
    /// Another home.
    pub home: Option<HomeMode>,
    /// Changes of the capabilities.
    pub changes: CapabilityChanges,
}

/// All that a run may do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Granted {
    /// The preset; `full` is dangerous, and front ends say so.
    pub preset: Preset,
    /// The capabilities, the preset's included.
    pub capabilities: Capabilities,
    /// Protections that the run may go without.
    pub optional: Vec<Protection>,
    /// What its home is.
    pub home: HomeMode,
}

/// Something that was asked for and that the admin file does not give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the admin file says `{bound}` for `{key}`, and `{given}` would pass it")]
#[non_exhaustive]
pub struct PassesAdmin {
    /// The key in the profile, such as `capabilities.network`.
    pub key: String,
    /// What was asked for.
    pub given: String,
    /// What the admin set.
    pub bound: String,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            preset: Preset::Workspace,
            home: HomeMode::Workspace,
            optional: vec![Protection::Resources],
            changes: CapabilityChanges::default(),
            bounds: Bounds::default(),
        }
    }
}

impl Config {
    /// The name of the profile of an agent.
    pub fn profile_name(&self, agent: &str) -> &str {
        self.agents.get(agent).map_or(DEFAULT_NAME, String::as_str)
    }

    /// The profile of an agent: the one that it is given by name, else `profile.default`.
    pub fn profile_for(&self, agent: &str) -> &Profile {
        static USUAL: LazyLock<Profile> = LazyLock::new(Profile::default);
        // Names of agents are checked when files are read, so a missing one is the default.
        self.profiles
            .get(self.profile_name(agent))
            .unwrap_or(&USUAL)
    }
}

impl Profile {
    /// What a run gets that asks for this on top.
    pub fn grant(&self, wish: &Wish) -> Result<Granted, PassesAdmin> {
        let preset = wish.preset.unwrap_or(self.preset);
        let home = wish.home.unwrap_or(self.home);
        self.bounds.check(preset, home, &wish.changes)?;
        let capabilities = preset
            .capabilities()
            .with(&self.changes)
            .with(&wish.changes);
        Ok(Granted {
            preset,
            capabilities,
            optional: self.optional.clone(),
            home,
        })
    }
}

impl Bounds {
    fn check(
        &self,
        preset: Preset,
        home: HomeMode,
        changes: &CapabilityChanges,
    ) -> Result<(), PassesAdmin> {
        if let Some(bound) = self.preset.filter(|bound| preset > *bound) {
            return Err(passes("preset", preset.as_str(), bound.as_str()));
        }
        // An admin who lists paths does not mean everything.
        let paths = self.paths_read.as_ref().or(self.paths_write.as_ref());
        if let Some(paths) = paths
            && preset == Preset::Full
            && self.preset.is_none()
        {
            return Err(passes("preset", preset.as_str(), &paths.join(", ")));
        }
        if let Some(bound) = self.home.filter(|bound| home.is_wider_than(bound)) {
            return Err(passes("home", home.as_str(), bound.as_str()));
        }
        let lists = [
            ("paths_read", &self.paths_read, &changes.paths_read),
            ("paths_write", &self.paths_write, &changes.paths_write),
            ("classes", &self.classes, &changes.classes),
        ];
        for (key, bound, asked) in lists {
            check_list(key, bound.as_ref(), asked)?;
        }
        if let Some(asked) = &changes.commands {
            check_list("commands", self.commands.as_ref(), asked)?;
        }
        if let (Some(bound), Some(asked)) = (&self.network, &changes.network)
            && asked.is_wider_than(bound)
        {
            let (asked, bound) = (asked.to_string(), bound.to_string());
            return Err(passes("capabilities.network", &asked, &bound));
        }
        let bounds = self.resources.values().into_iter();
        let asked = changes.resources.values();
        for ((bound, asked), name) in bounds.zip(asked).zip(ResourceLimits::NAMES) {
            if let (Some(bound), Some(asked)) = (bound, asked)
                && asked > bound
            {
                let key = format!("capabilities.resources.{name}");
                return Err(passes(&key, &asked.to_string(), &bound.to_string()));
            }
        }
        Ok(())
    }
}

/// A list of what is permitted may name only what the admin's has.
fn check_list(key: &str, bound: Option<&Vec<String>>, asked: &[String]) -> Result<(), PassesAdmin> {
    let Some(bound) = bound else { return Ok(()) };
    match asked.iter().find(|item| !bound.contains(item)) {
        Some(item) => Err(passes(
            &format!("capabilities.{key}"),
            item,
            &bound.join(", "),
        )),
        None => Ok(()),
    }
}

fn passes(key: &str, given: &str, bound: &str) -> PassesAdmin {
    PassesAdmin {
        key: key.to_owned(),
        given: super::place::shown(given),
        bound: super::place::shown(bound),
    }
}
