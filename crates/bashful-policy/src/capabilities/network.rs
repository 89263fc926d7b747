//! What the network is to a run.

use std::fmt;

/// What the network is to a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum NetworkCapability {
    /// Nothing but the room's own loopback.
    #[default]
    Off,
    /// The host's network.
    On,
    /// Only these hosts, each with a port or without.
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

    /// Whether this reaches a host that `other` does not. Hosts are compared as they are
    /// written: a host without a port counts as different from one with.
    pub fn is_wider_than(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::On) | (Self::Off, _) => false,
            (Self::On, _) => true,
            (Self::Hosts(hosts), Self::Off) => !hosts.is_empty(),
            (Self::Hosts(hosts), Self::Hosts(others)) => {
                hosts.iter().any(|host| !others.contains(host))
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
