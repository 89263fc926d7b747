//! Names of hosts, read strictly: in one way, which no resolver reads otherwise.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

use super::error::{HostError, HostFault};

const MOST_NAME: usize = 253;
const MOST_LABEL: usize = 63;

/// The name of a host: lower case, without a dot at its end, and never a number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(String);

/// What stands where a host is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// A name.
    Name(HostName),
    /// An address by its number, as it was written.
    Address(IpAddr),
}

impl Host {
    /// Reads a host, without a port. An address of version 6 may be in brackets.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let within = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        if within.is_some() || text.contains(':') {
            let address = within.unwrap_or(text).parse::<Ipv6Addr>();
            return match address {
                Ok(address) => Ok(Self::Address(address.into())),
                Err(_) => Err(HostError::new(text, HostFault::Number)),
            };
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        check(name).map_err(|fault| HostError::new(text, fault))?;
        if !is_numeric(name.rsplit('.').next().unwrap_or_default()) {
            return Ok(Self::Name(HostName(name.to_ascii_lowercase())));
        }
        // Resolvers read `127.1`, `0x7f.1` and `2130706433` as addresses.
        match text.parse::<Ipv4Addr>() {
            Ok(address) => Ok(Self::Address(address.into())),
            Err(_) => Err(HostError::new(text, HostFault::Number)),
        }
    }
}

impl HostName {
    /// Reads a name; an address is none.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        match Host::parse(text)? {
            Host::Name(name) => Ok(name),
            Host::Address(_) => Err(HostError::new(text, HostFault::Number)),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How many parts it has.
    pub(super) fn labels(&self) -> usize {
        self.0.split('.').count()
    }

    /// Whether it stands below another one, and is not that.
    pub fn is_below(&self, other: &Self) -> bool {
        let above = self.0.strip_suffix(other.as_str());
        above.is_some_and(|above| above.len() > 1 && above.ends_with('.'))
    }

    /// Whether programs take it for the machine that they run on.
    pub(super) fn is_own(&self) -> bool {
        self.0.rsplit('.').next() == Some("localhost")
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn check(name: &str) -> Result<(), HostFault> {
    for letter in name.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '.' => {}
            '*' => return Err(HostFault::Star),
            _ if letter.is_whitespace() || letter.is_control() => return Err(HostFault::Blank),
            _ if !letter.is_ascii() => return Err(HostFault::NotAscii),
            _ => return Err(HostFault::Character(letter)),
        }
    }
    let fits = |label: &str| (1..=MOST_LABEL).contains(&label.len());
    if name.len() > MOST_NAME || !name.split('.').all(fits) {
        return Err(HostFault::Length);
    }
    Ok(())
}

/// Whether the last part of a name makes it a number for some resolver.
fn is_numeric(label: &str) -> bool {
    let hexadecimal = label.starts_with("0x") || label.starts_with("0X");
    hexadecimal || label.bytes().all(|byte| byte.is_ascii_digit())
}
