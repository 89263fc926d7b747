//! One entry of a list of hosts: what it says, and what it opens.

use core::net::IpAddr;
use std::fmt;

use super::address::{Cidr, unmapped};
use super::error::{HostError, HostFault};
use super::name::{Host, HostName};

/// One entry of a list of hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    /// Which hosts.
    pub target: Target,
    /// Which of their ports.
    pub ports: Ports,
}

/// Which hosts an entry is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The one with this name.
    Name(HostName),
    /// All that stand below this name, without itself.
    Below(HostName),
    /// Addresses by their numbers.
    Network(Cidr),
}

/// Which ports an entry opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ports {
    /// Those of the web, for HTTP and TLS only: no port was said.
    Web,
    /// This one.
    Only(u16),
}

impl Ports {
    fn open(self, port: u16) -> bool {
        match self {
            Self::Web => matches!(port, 80 | 443),
            Self::Only(only) => only == port,
        }
    }

    fn cover(self, other: Self) -> bool {
        match other {
            Self::Web => self == Self::Web,
            // Other protocols may speak at a port that was said.
            Self::Only(_) => self == other,
        }
    }
}

impl HostRule {
    pub(super) fn parse(text: &str) -> Result<Self, HostError> {
        let fail = |fault| HostError::new(text, fault);
        if text
            .chars()
            .any(|one| one.is_whitespace() || one.is_control())
        {
            return Err(fail(HostFault::Blank));
        }
        let (host, port) = split(text).ok_or_else(|| fail(HostFault::Port))?;
        let ports = match port {
            None => Ports::Web,
            Some(digits) => Ports::Only(port_of(digits).ok_or_else(|| fail(HostFault::Port))?),
        };
        let target = target(host).map_err(fail)?;
        if let (Target::Name(name), Ports::Web) = (&target, ports)
            && name.labels() == 1
        {
            return Err(fail(HostFault::NoPreset));
        }
        Ok(Self { target, ports })
    }

    /// Whether it opens this port of this name.
    pub(super) fn opens_name(&self, name: &HostName, port: u16) -> bool {
        self.is_about(name) && self.ports.open(port)
    }

    pub(super) fn is_about(&self, name: &HostName) -> bool {
        match &self.target {
            Target::Name(ours) => ours == name,
            Target::Below(above) => name.is_below(above),
            Target::Network(_) => false,
        }
    }

    pub(super) fn opens_address(&self, address: IpAddr, port: u16) -> bool {
        match &self.target {
            Target::Network(network) => network.holds(address) && self.ports.open(port),
            Target::Name(_) | Target::Below(_) => false,
        }
    }

    pub(super) fn covers(&self, other: &Self) -> bool {
        let target = match (&self.target, &other.target) {
            (Target::Below(above), Target::Name(name)) => name.is_below(above),
            (Target::Below(above), Target::Below(name)) => name == above || name.is_below(above),
            (Target::Network(ours), Target::Network(theirs)) => ours.covers(theirs),
            (ours, theirs) => ours == theirs,
        };
        target && self.ports.cover(other.ports)
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.target, self.ports) {
            (Target::Name(name), _) => write!(formatter, "{name}")?,
            (Target::Below(name), _) => write!(formatter, "*.{name}")?,
            (Target::Network(network), Ports::Only(_)) if network.address().is_ipv6() => {
                write!(formatter, "[{network}]")?;
            }
            (Target::Network(network), _) => write!(formatter, "{network}")?,
        }
        match self.ports {
            Ports::Web => Ok(()),
            Ports::Only(port) => write!(formatter, ":{port}"),
        }
    }
}

/// What is before the port, and the port. None if brackets do not end.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = text.strip_prefix('[') {
        let (within, after) = rest.split_once(']')?;
        return match after.strip_prefix(':') {
            Some(port) => Some((within, Some(port))),
            None => after.is_empty().then_some((within, None)),
        };
    }
    match text.split_once(':') {
        // Version 6 without brackets has no port.
        Some((_, after)) if after.contains(':') => Some((text, None)),
        Some((host, port)) => Some((host, Some(port))),
        None => Some((text, None)),
    }
}

fn port_of(digits: &str) -> Option<u16> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| plain)
}

fn target(host: &str) -> Result<Target, HostFault> {
    let read = |text: &str| Host::parse(text).map_err(|error| error.fault);
    if let Some(above) = host.strip_prefix("*.") {
        return match read(above)? {
            Host::Name(name) if name.is_own() => Err(HostFault::Localhost),
            Host::Name(name) if name.labels() > 1 => Ok(Target::Below(name)),
            Host::Name(_) => Err(HostFault::TooWide),
            Host::Address(_) => Err(HostFault::Star),
        };
    }
    if host == "*" {
        return Err(HostFault::TooWide);
    }
    let (address, prefix) = match host.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (host, None),
    };
    let address = match read(address)? {
        Host::Address(address) => address,
        Host::Name(_) if prefix.is_some() => return Err(HostFault::Character('/')),
        Host::Name(name) if name.is_own() => return Err(HostFault::Localhost),
        Host::Name(name) => return Ok(Target::Name(name)),
    };
    let plain = unmapped(address);
    if plain != address {
        return Err(HostFault::Mapped(plain.to_string()));
    }
    let network = match prefix {
        None => Some(Cidr::single(address)),
        Some(digits) => {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            let prefix = digits.parse().ok().filter(|_| plain);
            // Two halves of everything would be everything.
            prefix
                .filter(|prefix| *prefix >= 8)
                .and_then(|prefix| Cidr::new(address, prefix))
        }
    };
    network.map(Target::Network).ok_or(HostFault::Network)
}
