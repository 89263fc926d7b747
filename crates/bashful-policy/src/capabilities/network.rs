//! What the network is to a run.

use std::fmt;

use crate::hosts::{HostError, HostRules};

/// What the network is to a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum NetworkCapability {
    /// Nothing but the room's own loopback.
    #[default]
    Off,
    /// The host's network.
    On,
    /// Only these hosts, as [`HostRules`] reads them.
    Hosts(Vec<String>),
}

impl NetworkCapability {
    /// The words for a file, a flag or JSON.
    pub const WORDS: [&str; 2] = ["off", "on"];

    /// The value for `off` or `on`.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "on" => Some(Self::On),
            _ => None,
        }
    }

    /// What a flag or a grant says: `off`, `on`, or hosts with commas between them.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        match Self::from_word(text) {
            Some(known) => Ok(known),
            None => Self::of_hosts(&text.split(',').collect::<Vec<_>>()),
        }
    }

    /// Only these hosts, each in its one spelling; a preset becomes its hosts.
    pub fn of_hosts<T: AsRef<str>>(hosts: &[T]) -> Result<Self, HostError> {
        HostRules::parse(hosts).map(|rules| Self::Hosts(rules.texts()))
    }

    /// This and what `other` opens besides.
    #[must_use]
    pub fn united(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::On, _) | (_, Self::On) => Self::On,
            (Self::Off, wider) | (wider, Self::Off) => wider.clone(),
            (Self::Hosts(ours), Self::Hosts(theirs)) => {
                let new = theirs.iter().filter(|host| !ours.contains(host));
                Self::Hosts(ours.iter().chain(new).cloned().collect())
            }
        }
    }

    /// Whether this reaches a host that `other` does not. What cannot be read counts as wider.
    pub fn is_wider_than(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::On) | (Self::Off, _) => false,
            (Self::On, _) => true,
            (Self::Hosts(hosts), Self::Off) => !hosts.is_empty(),
            (Self::Hosts(hosts), Self::Hosts(others)) => {
                match (HostRules::parse(hosts), HostRules::parse(others)) {
                    (Ok(ours), Ok(theirs)) => !theirs.cover(&ours),
                    _ => true,
                }
            }
        }
    }
}

impl fmt::Display for NetworkCapability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => formatter.write_str("off"),
            Self::On => formatter.write_str("on"),
            Self::Hosts(hosts) => formatter.write_str(&hosts.join(",")),
        }
    }
}
