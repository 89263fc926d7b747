//! Addresses: which of them are of the open internet, and which stand for another one.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

/// The address that this one stands for: version 4 within version 6, in all its dresses.
pub fn unmapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(six) = address else {
        return address;
    };
    let four = match six.segments() {
        // Mapped, translated by NAT64, and 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => [high, low],
        _ => return address,
    };
    let bits = u32::from(four[0]) << 16 | u32::from(four[1]);
    Ipv4Addr::from_bits(bits).into()
}

/// Whether an address is one of the open internet: not private, of a link, of the machine itself, of a
/// cloud's metadata service, or kept for something else. What is not known to be is not.
pub fn is_global(address: IpAddr) -> bool {
    match unmapped(address) {
        IpAddr::V4(four) => !CLOSED_4.iter().any(|(network, prefix)| {
            let network = Cidr::new(Ipv4Addr::from(*network).into(), *prefix);
            network.is_some_and(|network| network.holds(four.into()))
        }),
        IpAddr::V6(six) => {
            let [a, b, ..] = six.segments();
            let kept = a == 0x2001 && (b < 0x200 || b == 0xdb8);
            let documents = a == 0x3fff && b < 0x1000;
            (0x2000..0x4000).contains(&a) && !kept && !documents
        }
    }
}

/// What the registries keep for other uses, and the address of Azure's own services.
const CLOSED_4: &[([u8; 4], u8)] = &[
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([168, 63, 129, 16], 32),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// A network of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    prefix: u8,
}

impl Cidr {
    /// A network whose bits after the prefix are zero.
    pub fn new(address: IpAddr, prefix: u8) -> Option<Self> {
        let whole = Self { address, prefix };
        let (bits, width) = bits(address);
        let begins = prefix <= width && bits & !mask(prefix, width) == 0;
        begins.then_some(whole)
    }

    /// A network of a single address.
    pub fn single(address: IpAddr) -> Self {
        let (_, prefix) = bits(address);
        Self { address, prefix }
    }

    /// Whether an address, as what it stands for, is in it.
    pub fn holds(&self, address: IpAddr) -> bool {
        let (ours, width) = bits(self.address);
        let (theirs, other) = bits(unmapped(address));
        width == other && theirs & mask(self.prefix, width) == ours
    }

    /// Whether all of another network is in it.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.prefix <= other.prefix && self.holds(other.address)
    }

    pub(super) fn address(&self) -> IpAddr {
        self.address
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, width) = bits(self.address);
        if self.prefix == width {
            return write!(formatter, "{}", self.address);
        }
        write!(formatter, "{}/{}", self.address, self.prefix)
    }
}

/// An address as a number, and how many bits it has.
fn bits(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(four) => (four.to_bits().into(), 32),
        IpAddr::V6(six) => (Ipv6Addr::to_bits(six), 128),
    }
}

/// The bits before the prefix, in a number of this width.
fn mask(prefix: u8, width: u8) -> u128 {
    let after = u32::from(width.saturating_sub(prefix));
    let all = u128::MAX >> (128 - u32::from(width));
    all & u128::MAX.checked_shl(after).unwrap_or(0)
}
