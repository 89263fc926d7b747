//! Whether a connection may be, and to which addresses.

use std::fmt;
use std::net::{IpAddr, UdpSocket};

use bashful_policy::{Host, HostRule, HostRules, Ports, is_global, unmapped};

use crate::resolve::Resolver;

/// Where a program wants to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

/// A connection that may be.
#[derive(Debug)]
pub(crate) struct Permitted {
    /// The rule that opens it, as it is written.
    pub(crate) rule: String,
    pub(crate) speech: Speech,
    /// What to dial, the first that answers.
    pub(crate) addresses: Vec<IpAddr>,
}

/// What may be spoken on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speech {
    /// HTTP or TLS, and it must name the host.
    Web,
    /// Anything; what is HTTP or TLS must name the host.
    Any,
    /// Anything: the host was opened by its number.
    Unnamed,
}

/// Why a connection may not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// No rule opens it.
    NotListed,
    /// It has no address, as far as is known here.
    Unknown,
    /// It has this address, which is not of the open internet.
    Inside(IpAddr),
    /// The program named this host on a connection that was opened for another.
    Misnamed(String),
    /// What may be spoken there is HTTP and TLS alone.
    Speech,
    /// Nobody answered there.
    Silent,
    /// The keeper did not put it on record.
    Unrecorded,
}

/// What decides about connections.
#[derive(Debug)]
pub(crate) struct Decider {
    rules: HostRules,
    resolver: Resolver,
}

impl Decider {
    pub(crate) fn new(rules: HostRules, resolver: Resolver) -> Self {
        Self { rules, resolver }
    }

    pub(crate) fn rules(&self) -> &HostRules {
        &self.rules
    }

    /// Decides, and finds the addresses: once, so that what is dialled is what was looked at.
    pub(crate) fn decide(&self, to: &Destination) -> Result<Permitted, Refused> {
        let permit = |rule: &HostRule, speech, addresses| Permitted {
            rule: rule.to_string(),
            speech,
            addresses,
        };
        let name = match &to.host {
            Host::Address(address) => {
                let address = unmapped(*address);
                let rule = self.rules.for_address(address, to.port);
                let rule = rule.ok_or(Refused::NotListed)?;
                return Ok(permit(rule, Speech::Unnamed, vec![address]));
            }
            Host::Name(name) => name,
        };
        let rule = self
            .rules
            .for_name(name, to.port)
            .ok_or(Refused::NotListed)?;
        let speech = match rule.ports {
            Ports::Web => Speech::Web,
            Ports::Only(_) => Speech::Any,
        };
        let found = self.resolver.addresses(name);
        let first = found.first().copied().ok_or(Refused::Unknown)?;
        let open = |address: &IpAddr| {
            is_global(*address) && !is_own(*address)
                || self.rules.for_address(*address, to.port).is_some()
        };
        let addresses: Vec<IpAddr> = found.into_iter().map(unmapped).filter(open).collect();
        if addresses.is_empty() {
            return Err(Refused::Inside(first));
        }
        Ok(permit(rule, speech, addresses))
    }
}

/// Whether an address is one of this host's own: then a socket can be bound to it. What cannot be
/// found out is taken for its own.
fn is_own(address: IpAddr) -> bool {
    let bound = UdpSocket::bind((address, 0));
    !bound.is_err_and(|error| error.kind() == std::io::ErrorKind::AddrNotAvailable)
}

impl fmt::Display for Destination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => write!(formatter, "{name}:{}", self.port),
            Host::Address(IpAddr::V6(six)) => write!(formatter, "[{six}]:{}", self.port),
            Host::Address(four) => write!(formatter, "{four}:{}", self.port),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotListed => write!(formatter, "is not among the hosts of this run"),
            Self::Unknown => write!(formatter, "has no address"),
            Self::Inside(address) => write!(
                formatter,
                "has the address {address}, which is not of the open internet and is opened by its number only"
            ),
            Self::Misnamed(other) => write!(formatter, "was opened, and `{other}` was named on it"),
            Self::Speech => write!(
                formatter,
                "is open for HTTP and TLS that name it, as no port was said"
            ),
            Self::Silent => write!(formatter, "does not answer"),
            Self::Unrecorded => write!(formatter, "could not be put on record"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_host_are_its_own() {
        for own in ["127.0.0.1", "127.8.0.9", "0.0.0.0"] {
            assert!(is_own(own.parse().unwrap()), "{own}");
        }
        assert!(!is_own("192.0.2.1".parse().unwrap()));
    }

    #[test]
    fn an_address_needs_a_rule_of_its_own() {
        let rules = HostRules::parse(&["a.example", "10.1.0.0/16:80"]).unwrap();
        let decider = Decider::new(rules, Resolver::default());
        let decide = |host: &str, port| {
            let host = Host::parse(host).unwrap();
            decider.decide(&Destination { host, port })
        };
        let permitted = decide("::ffff:10.1.2.3", 80).unwrap();
        assert_eq!(permitted.addresses, [IpAddr::from([10, 1, 2, 3])]);
        assert_eq!(permitted.speech, Speech::Unnamed);
        for (host, port) in [
            ("10.1.2.3", 81),
            ("10.2.2.3", 80),
            ("127.0.0.1", 80),
            ("b.example", 80),
        ] {
            assert_eq!(
                decide(host, port).unwrap_err(),
                Refused::NotListed,
                "{host}"
            );
        }
        assert_eq!(decide("a.example", 80).unwrap_err(), Refused::Unknown);
    }
}
