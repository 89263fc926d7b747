//! Profiles: what the runs of an agent may do, and what a call may ask for on top.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bashful_policy::{
    Capabilities, CapabilityChanges, Class, NetworkCapability, Otherwise, Policy, Preset,
    ResourceLimits,
};
use bashful_sandbox::Protection;

use super::choice::{Choice as _, HomeMode, Refused, nearest};
use super::place::shown;
use super::rules::ConfiguredRule;
use super::scalar::Scalar as _;
use super::settings::Config;

/// The profile of an agent that no file names.
pub(super) const DEFAULT_NAME: &str = "default";

/// The profiles that exist without a file, with what happens in them to what no rule knows.
pub(super) const BUILT_IN: [(&str, Otherwise); 3] = [
    (DEFAULT_NAME, Otherwise::Confined),
    ("careful", Otherwise::Ask),
    ("confined", Otherwise::Confined),
];

/// What the runs of an agent may do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The ready-made capabilities that it starts from.
    pub preset: Preset,
    /// What happens to a command that no rule knows.
    pub default: Otherwise,
    /// What the home of a run is.
    pub home: HomeMode,
    /// Protections that a run may go without where they cannot be had.
    pub optional: Vec<Protection>,
    /// The rules of all files for commands.
    pub rules: Vec<ConfiguredRule>,
    /// What files say about what classes refuse; for the others, see [`Profile::asks`].
    pub refused: BTreeMap<Class, Refused>,
    /// What it changes of the preset.
    pub changes: CapabilityChanges,
    /// What the admin file holds fast.
    pub(super) bounds: Bounds,
}

/// What the admin file says about a profile: the widest that any caller gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) preset: Option<Preset>,
    pub(super) default: Option<Otherwise>,
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
    /// The preset to use in the place of the profile's; absent: the profile's.
    pub preset: Option<Preset>,
    /// What the home of the run is to be; absent: as the profile says.
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

/// A wish that goes beyond what the admin file gives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the admin file says `{bound}` for `{key}`, and `{given}` goes beyond it")]
#[non_exhaustive]
pub struct PassesAdmin {
    /// The key in the profile, such as `capabilities.network`.
    pub key: String,
    /// What was asked for.
    pub given: String,
    /// What the admin set.
    pub bound: String,
}

/// A profile that neither a file nor Bashful itself knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no profile `{name}`{}",
    .suggestion.as_ref().map_or_else(String::new, |near| format!(": did you mean `{near}`?"))
)]
#[non_exhaustive]
pub struct UnknownProfile {
    /// The name as given, with unprintable characters escaped.
    pub name: String,
    /// The nearest name that exists.
    pub suggestion: Option<String>,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            preset: Preset::Workspace,
            default: Otherwise::Confined,
            home: HomeMode::Project,
            optional: vec![Protection::Resources],
            rules: Vec::new(),
            refused: BTreeMap::new(),
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
        // Names are checked when files are read, so a missing one is the default.
        let named = self.known_profile(self.profile_name(agent));
        named.unwrap_or_else(|| &BUILT_INS[0].1)
    }

    /// The profile with this name: one that a file speaks about, or a built-in one.
    pub fn profile_named(&self, name: &str) -> Result<&Profile, UnknownProfile> {
        self.known_profile(name).ok_or_else(|| UnknownProfile {
            name: shown(name),
            suggestion: nearest(name, self.profile_names()).map(str::to_owned),
        })
    }

    /// The names of all profiles: the built-in ones first.
    pub fn profile_names(&self) -> impl Iterator<Item = &str> {
        let built_in = BUILT_IN.iter().map(|(name, _)| *name);
        let others = self.profiles.keys().map(String::as_str);
        built_in.chain(others.filter(|name| !is_built_in(name)))
    }

    /// Whether an agent may go by the profile with this name: by no other than the one that
    /// the admin file gives it.
    pub fn check_profile(&self, agent: &str, asked: &str) -> Result<(), PassesAdmin> {
        match self.fixed_agents.get(agent) {
            Some(fixed) if fixed != asked => {
                Err(passes(&format!("agent.{agent}.profile"), asked, fixed))
            }
            _ => Ok(()),
        }
    }

    fn known_profile(&self, name: &str) -> Option<&Profile> {
        let built_in = || BUILT_INS.iter().find(|(known, _)| *known == name);
        self.profiles
            .get(name)
            .or_else(|| built_in().map(|(_, profile)| profile))
    }
}

/// The built-in profiles as they are when no file speaks about them.
static BUILT_INS: LazyLock<[(&str, Profile); 3]> = LazyLock::new(|| {
    BUILT_IN.map(|(name, default)| {
        let profile = Profile {
            default,
            ..Profile::default()
        };
        (name, profile)
    })
});

/// Whether this profile exists without a file.
pub(super) fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(known, _)| *known == name)
}

impl Profile {
    /// A profile with this name before any file has spoken.
    pub(super) fn before_files(name: &str) -> Self {
        let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
        Self {
            default: built_in.map_or(Otherwise::Confined, |(_, default)| *default),
            ..Self::default()
        }
    }

    /// What becomes of what this class refuses, where no file says it: a person is asked only
    /// where the kernel holds what no rule knows.
    pub(super) fn usually_refused(&self, class: Class) -> Refused {
        let asked = Policy::ASKED_IN_CONFINED.contains(&class);
        if asked && self.default == Otherwise::Confined {
            Refused::Ask
        } else {
            Refused::Deny
        }
    }

    /// The classes whose refusal a person is asked about instead.
    pub fn asks(&self) -> Vec<Class> {
        let asks = |class: &Class| {
            let said = self.refused.get(class).copied();
            said.unwrap_or_else(|| self.usually_refused(*class)) == Refused::Ask
        };
        Class::ALL.into_iter().filter(asks).collect()
    }

    /// Whether commands may go unjudged: not if the admin file says how they are judged.
    pub(crate) fn check_policy_off(&self) -> Result<(), PassesAdmin> {
        if let Some(bound) = self.bounds.default {
            return Err(passes("default", "none", bound.as_str()));
        }
        let of_admin = |rule: &&ConfiguredRule| rule.rule.layer == bashful_policy::Layer::Admin;
        match self.rules.iter().find(of_admin) {
            Some(rule) => Err(passes("rule", "none", &rule.rule.id)),
            None => Ok(()),
        }
    }

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

impl Profile {
    /// What a managed script gets that declares this: no more than that, and nothing that the
    /// admin does not give. What the profile denies stays denied, and where the script says
    /// nothing about commands or limits, the profile's hold.
    pub(crate) fn grant_script(&self, declared: &Capabilities) -> Result<Granted, PassesAdmin> {
        let (preset, home) = (Preset::ReadOnly, HomeMode::Workspace);
        let asked = CapabilityChanges {
            paths_read: declared.paths_read.clone(),
            paths_write: declared.paths_write.clone(),
            paths_deny: declared.paths_deny.clone(),
            network: Some(declared.network.clone()),
            commands: declared.commands.clone(),
            resources: declared.resources,
            classes: declared.classes.clone(),
        };
        self.bounds.check(preset, home, &asked)?;
        let kept = CapabilityChanges {
            paths_deny: self.changes.paths_deny.clone(),
            commands: self.changes.commands.clone(),
            resources: self.changes.resources,
            ..CapabilityChanges::default()
        };
        Ok(Granted {
            preset,
            capabilities: preset.capabilities().with(&kept).with(&asked),
            optional: self.optional.clone(),
            home,
        })
    }

    /// What a run gets to which a person opened this as well, and nothing else.
    pub(crate) fn widen(
        &self,
        granted: &Granted,
        opened: &CapabilityChanges,
    ) -> Result<Granted, PassesAdmin> {
        self.bounds.check(granted.preset, granted.home, opened)?;
        let mut capabilities = granted.capabilities.with(opened);
        // Hosts come on top of those that it reaches already.
        capabilities.network = capabilities.network.united(&granted.capabilities.network);
        Ok(Granted {
            capabilities,
            ..granted.clone()
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
        given: shown(given),
        bound: shown(bound),
    }
}
