//! What a recorded run was given, and how much of that was its own wish.

use std::str::FromStr as _;

use bashful_policy::{Capabilities, CapabilityChanges, Preset, ResourceLimits};
use serde_json::Value;

use crate::config::{Choice as _, Granted, HomeMode, Wish};

/// What a recorded run was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rights {
    pub(crate) preset: Preset,
    pub(crate) home: HomeMode,
    pub(crate) capabilities: Capabilities,
}

impl Rights {
    /// Reads what was put on record; none if this version cannot.
    pub(crate) fn read(recorded: &Value) -> Option<Self> {
        let word = |name: &str| recorded.get(name).and_then(Value::as_str);
        let capabilities = recorded.get("capabilities")?.clone();
        Some(Self {
            preset: Preset::from_str(word("preset")?).ok()?,
            home: HomeMode::from_word(word("home")?).ok()?,
            capabilities: serde_json::from_value(capabilities).ok()?,
        })
    }

    /// What the run had beyond what its profile gives anyway: its own flags, as far as can be
    /// told from what is left of them.
    pub(crate) fn beyond(&self, usual: &Granted) -> Wish {
        let (mine, usual_ones) = (&self.capabilities, &usual.capabilities);
        Wish {
            preset: other(&self.preset, &usual.preset),
            home: other(&self.home, &usual.home),
            changes: CapabilityChanges {
                paths_read: more(&mine.paths_read, &usual_ones.paths_read),
                paths_write: more(&mine.paths_write, &usual_ones.paths_write),
                paths_deny: more(&mine.paths_deny, &usual_ones.paths_deny),
                network: other(&mine.network, &usual_ones.network),
                commands: mine
                    .commands
                    .clone()
                    .filter(|_| mine.commands != usual_ones.commands),
                resources: other_limits(&mine.resources, &usual_ones.resources),
                classes: more(&mine.classes, &usual_ones.classes),
            },
        }
    }
}

fn other<T: Clone + PartialEq>(mine: &T, usual: &T) -> Option<T> {
    (mine != usual).then(|| mine.clone())
}

fn more(mine: &[String], usual: &[String]) -> Vec<String> {
    let beyond = mine.iter().filter(|item| !usual.contains(item));
    beyond.cloned().collect()
}

fn other_limits(mine: &ResourceLimits, usual: &ResourceLimits) -> ResourceLimits {
    let usual = usual.values();
    let mut values = mine.values();
    for (mine, usual) in values.iter_mut().zip(usual) {
        mine.take_if(|limit| Some(*limit) == usual);
    }
    ResourceLimits::from_values(values)
}
