//! Capabilities: what a run may do, as people and programs write it.
//!
//! Paths are texts here. They are resolved where files can be looked at, which is not in this
//! crate.

mod json;
mod network;
mod preset;
mod resources;
#[cfg(test)]
mod tests;

pub use network::NetworkCapability;
pub use preset::{Preset, UnknownPreset};
pub use resources::ResourceLimits;

/// What a run may do.
///
/// The default is nothing beyond what every run has: it reads system directories and its
/// workspace, and has no network.
///
/// ```
/// use bashful_policy::{Capabilities, CapabilityChanges, NetworkCapability, Preset};
///
/// let flags = CapabilityChanges {
///     paths_read: vec!["~/data".to_owned()],
///     network: Some(NetworkCapability::On),
///     ..CapabilityChanges::default()
/// };
/// let granted = Preset::Workspace.capabilities().with(&flags);
/// assert_eq!(granted.paths_write, ["."]);
/// assert_eq!(granted.paths_read, ["~/data"]);
/// assert_eq!(granted.network, NetworkCapability::On);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Files and directories that may be read besides the workspace.
    pub paths_read: Vec<String>,
    /// Files and directories that may be written; `.` is the workspace.
    pub paths_write: Vec<String>,
    /// Files and directories that are not to be seen, whatever else is granted.
    pub paths_deny: Vec<String>,
    /// What the network is.
    pub network: NetworkCapability,
    /// The only programs that may run: any if absent, only the shell's built-ins if empty.
    pub commands: Option<Vec<String>>,
    /// How much memory, time, disk and so on a run may take.
    pub resources: ResourceLimits,
    /// Classes of commands that are refused otherwise, such as `sudo`.
    pub classes: Vec<String>,
}

/// What a profile, a set of flags or a tool call changes about capabilities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapabilityChanges {
    /// Further paths to read.
    pub paths_read: Vec<String>,
    /// Further paths to write.
    pub paths_write: Vec<String>,
    /// Further paths that are not to be seen.
    pub paths_deny: Vec<String>,
    /// What the network is to be.
    pub network: Option<NetworkCapability>,
    /// The only programs that may run.
    pub commands: Option<Vec<String>>,
    /// Limits to set.
    pub resources: ResourceLimits,
    /// Further classes of commands that are not refused.
    pub classes: Vec<String>,
}

/// A wish that [`Capabilities::narrow`] left out because it would widen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Widening {
    /// The key, such as `paths_read` or `resources.memory`.
    pub key: &'static str,
    /// What was asked for: one value, or the items of a list that are not granted.
    pub given: Vec<String>,
}

impl Capabilities {
    /// These capabilities, changed: lists of paths and classes grow; a given network, list of
    /// commands or limit replaces the one before. What is denied stays denied.
    #[must_use]
    pub fn with(&self, changes: &CapabilityChanges) -> Self {
        Self {
            paths_read: united(&self.paths_read, &changes.paths_read),
            paths_write: united(&self.paths_write, &changes.paths_write),
            paths_deny: united(&self.paths_deny, &changes.paths_deny),
            network: changes
                .network
                .clone()
                .unwrap_or_else(|| self.network.clone()),
            commands: changes.commands.clone().or_else(|| self.commands.clone()),
            resources: self.resources.with(&changes.resources),
            classes: united(&self.classes, &changes.classes),
        }
    }

    /// These capabilities, as far as `wish` goes: the result never gives more than `self` does.
    /// What would give more is left out and returned.
    ///
    /// A list of paths, commands or classes that is not empty replaces the one before, so that
    /// it can be shorter; an item that was not granted is left out. A limit that is not set counts
    /// as `usual`, which holds in that case.
    pub fn narrow(
        &self,
        wish: &CapabilityChanges,
        usual: &ResourceLimits,
    ) -> (Self, Vec<Widening>) {
        let mut refused = Vec::new();
        let mut list = |key, granted: &[String], wished: &[String]| {
            if wished.is_empty() {
                return granted.to_vec();
            }
            let (kept, outside): (Vec<String>, Vec<String>) = wished
                .iter()
                .cloned()
                .partition(|item| granted.contains(item));
            if outside.is_empty() {
                return kept;
            }
            refused.push(Widening {
                key,
                given: outside,
            });
            // The caller only asked for more than it has, by mistake: nothing is taken away.
            if kept.is_empty() {
                granted.to_vec()
            } else {
                kept
            }
        };
        let paths_read = list("paths_read", &self.paths_read, &wish.paths_read);
        let paths_write = list("paths_write", &self.paths_write, &wish.paths_write);
        let classes = list("classes", &self.classes, &wish.classes);
        let commands = match (&self.commands, &wish.commands) {
            (granted, None) => granted.clone(),
            (None, Some(wished)) => Some(wished.clone()),
            (Some(_), Some(wished)) if wished.is_empty() => Some(Vec::new()),
            (Some(granted), Some(wished)) => Some(list("commands", granted, wished)),
        };
        let network = match &wish.network {
            Some(wished) if wished.is_wider_than(&self.network) => {
                refused.push(Widening {
                    key: "network",
                    given: vec![wished.to_string()],
                });
                self.network.clone()
            }
            Some(wished) => wished.clone(),
            None => self.network.clone(),
        };
        let resources = self.resources.narrow(&wish.resources, usual, |key, given| {
            refused.push(Widening {
                key,
                given: vec![given.to_string()],
            });
        });
        let narrowed = Self {
            paths_read,
            paths_write,
            paths_deny: united(&self.paths_deny, &wish.paths_deny),
            network,
            commands,
            resources,
            classes,
        };
        (narrowed, refused)
    }
}

impl CapabilityChanges {
    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<CapabilityChanges> for Capabilities {
    /// What is granted where nothing was before.
    fn from(changes: CapabilityChanges) -> Self {
        Self::default().with(&changes)
    }
}

/// Both lists, each item once, in the order in which they were given.
fn united(before: &[String], more: &[String]) -> Vec<String> {
    let mut all = before.to_vec();
    for item in more {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    all
}

/// The known name nearest to a mistyped one, if one is near.
pub(crate) fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    /// Longer names are no typing errors, and comparing them costs time.
    const LONGEST: usize = 64;
    const ALIKE: f64 = 0.8;
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    let (score, best) = known
        .iter()
        .map(|known| (strsim::jaro_winkler(&name, known), *known))
        .max_by(|left, right| left.0.total_cmp(&right.0))?;
    (score >= ALIKE).then_some(best)
}
