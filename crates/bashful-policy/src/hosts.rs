//! Hosts that a run may reach: the one place that reads their names and decides what matches.
//!
//! Whoever reads a name more generously than whoever connects by it is led elsewhere. So a name is
//! read here, strictly, wherever it comes from: a file, a flag, a question to DNS, TLS or HTTP.

mod address;
mod error;
mod name;
mod presets;
mod rule;
#[cfg(test)]
mod tests;

pub use address::{Cidr, is_global, unmapped};
pub use error::{HostError, HostFault};
pub use name::{Host, HostName};
pub use presets::preset_names;
pub use rule::{HostRule, Ports, Target};

/// No list needs more; each connection is compared with all of them.
const MOST_RULES: usize = 256;

/// The hosts of a network by name. None means nothing is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRules {
    rules: Vec<HostRule>,
}

impl HostRules {
    /// Reads hosts, each with a port or without, and names of presets, which become their hosts.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, HostError> {
        let mut rules: Vec<HostRule> = Vec::new();
        let mut add = |rule: HostRule| {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        };
        for text in texts {
            let text = text.as_ref();
            match presets::hosts_of(text) {
                Some(hosts) => {
                    for host in hosts {
                        add(HostRule::parse(host)?);
                    }
                }
                None => add(HostRule::parse(text)?),
            }
        }
        if rules.len() > MOST_RULES {
            return Err(HostError::new("", HostFault::TooMany(MOST_RULES)));
        }
        Ok(Self { rules })
    }

    /// The rule that opens this port of this name.
    pub fn for_name(&self, name: &HostName, port: u16) -> Option<&HostRule> {
        self.rules.iter().find(|rule| rule.opens_name(name, port))
    }

    /// The rule that opens this port of this address by its number.
    pub fn for_address(&self, address: core::net::IpAddr, port: u16) -> Option<&HostRule> {
        let mut rules = self.rules.iter();
        rules.find(|rule| rule.opens_address(address, port))
    }

    /// Whether some port of this name is open.
    pub fn know_name(&self, name: &HostName) -> bool {
        self.rules.iter().any(|rule| rule.is_about(name))
    }

    /// Whether everything that `other` opens is open here.
    pub fn cover(&self, other: &Self) -> bool {
        let covered = |wanted: &HostRule| self.rules.iter().any(|rule| rule.covers(wanted));
        other.rules.iter().all(covered)
    }

    /// The rules as texts, each in its one spelling.
    pub fn texts(&self) -> Vec<String> {
        self.rules.iter().map(ToString::to_string).collect()
    }
}
