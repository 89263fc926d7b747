//! What a learnt profile gives: what the runs were given, by their profile, flags and grants.

use bashful_policy::{Capabilities, CapabilityChanges, NetworkCapability, Preset, ResourceLimits};
use bashful_sandbox::Protection;

use crate::config::{Granted, HomeMode};
use crate::review::replay::{Recorded, Rights};

/// What a learnt profile gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LearntRights {
    pub(super) preset: Preset,
    pub(super) home: HomeMode,
    /// What it changes of the preset.
    pub(super) changes: CapabilityChanges,
}

impl LearntRights {
    /// As little as gives every run what it was given; none if that cannot be read of any.
    pub(super) fn of(runs: &[&Recorded]) -> Option<Self> {
        let given = |recorded: &&Recorded| {
            let mut rights = Rights::read(&recorded.request.rights)?;
            for grant in &recorded.grants {
                rights.capabilities = rights.capabilities.with(&grant.opens.changes());
            }
            Some(rights)
        };
        let all: Vec<Rights> = runs.iter().filter_map(given).collect();
        let preset = all.iter().map(|rights| rights.preset).max()?;
        let usual = preset.capabilities();
        let capabilities: Vec<&Capabilities> =
            all.iter().map(|rights| &rights.capabilities).collect();
        let beyond = |list: fn(&Capabilities) -> &Vec<String>| {
            let mut items: Vec<String> = Vec::new();
            for item in capabilities.iter().flat_map(|one| list(one)) {
                if !list(&usual).contains(item) && !items.contains(item) {
                    items.push(item.clone());
                }
            }
            items
        };
        let network = widest_network(&capabilities);
        let changes = CapabilityChanges {
            paths_read: beyond(|one| &one.paths_read),
            paths_write: beyond(|one| &one.paths_write),
            paths_deny: denied_to_all(&capabilities),
            network: (network != usual.network).then_some(network),
            commands: listed_for_all(&capabilities),
            resources: limits_of_all(&capabilities),
            classes: beyond(|one| &one.classes),
        };
        Some(Self {
            preset,
            home: home(&all),
            changes,
        })
    }

    /// What a run gets from it.
    pub(super) fn granted(&self) -> Granted {
        Granted {
            preset: self.preset,
            capabilities: self.preset.capabilities().with(&self.changes),
            optional: vec![Protection::Resources],
            home: self.home,
        }
    }

    /// The same without one class.
    pub(super) fn without_class(&self, class: &str) -> Self {
        let mut fewer = self.clone();
        fewer.changes.classes.retain(|one| one != class);
        fewer
    }
}

fn widest_network(all: &[&Capabilities]) -> NetworkCapability {
    let mut hosts: Vec<String> = Vec::new();
    for capabilities in all {
        match &capabilities.network {
            NetworkCapability::On => return NetworkCapability::On,
            NetworkCapability::Off => {}
            NetworkCapability::Hosts(named) => {
                let new = named.iter().filter(|host| !hosts.contains(host));
                let new: Vec<String> = new.cloned().collect();
                hosts.extend(new);
            }
        }
    }
    if hosts.is_empty() {
        NetworkCapability::Off
    } else {
        NetworkCapability::Hosts(hosts)
    }
}

/// What was hidden from one run and not from another may be what that other needed.
fn denied_to_all(all: &[&Capabilities]) -> Vec<String> {
    let Some((first, others)) = all.split_first() else {
        return Vec::new();
    };
    let everywhere = |path: &&String| others.iter().all(|one| one.paths_deny.contains(path));
    first
        .paths_deny
        .iter()
        .filter(everywhere)
        .cloned()
        .collect()
}

/// All programs that were listed, if every run had a list.
fn listed_for_all(all: &[&Capabilities]) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for capabilities in all {
        for name in capabilities.commands.as_ref()? {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    Some(names)
}

/// The highest of each limit, if every run had it.
fn limits_of_all(all: &[&Capabilities]) -> ResourceLimits {
    let mut limits = all.iter().map(|one| one.resources.values());
    let Some(first) = limits.next() else {
        return ResourceLimits::default();
    };
    let highest = limits.fold(first, |mut highest, limits| {
        for (high, limit) in highest.iter_mut().zip(limits) {
            *high = high.zip(limit).map(|(high, limit)| high.max(limit));
        }
        highest
    });
    ResourceLimits::from_values(highest)
}

fn home(all: &[Rights]) -> HomeMode {
    let is = |home: HomeMode| move |rights: &Rights| rights.home == home;
    if all.iter().any(is(HomeMode::RealMasked)) {
        HomeMode::RealMasked
    } else if all.iter().all(is(HomeMode::Private)) {
        HomeMode::Private
    } else if all.iter().all(is(HomeMode::Workspace)) {
        HomeMode::Workspace
    } else {
        HomeMode::Project
    }
}
