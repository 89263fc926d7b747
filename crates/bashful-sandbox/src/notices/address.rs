//! Network addresses as programs pass them to the kernel.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The address in these bytes of a `sockaddr`, if it leads out of a room without network.
pub(super) fn leads_out(bytes: &[u8]) -> Option<SocketAddr> {
    let word = |at: usize| Some([*bytes.get(at)?, *bytes.get(at + 1)?]);
    let family = i32::from(u16::from_ne_bytes(word(0)?));
    let port = u16::from_be_bytes(word(2)?);
    let address = match family {
        libc::AF_INET => {
            let octets: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
            IpAddr::V4(Ipv4Addr::from(octets))
        }
        libc::AF_INET6 => {
            let octets: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
            IpAddr::V6(Ipv6Addr::from(octets)).to_canonical()
        }
        _ => return None,
    };
    // The room has a loopback of its own; an unspecified address leads there too.
    let inside = address.is_loopback() || address.is_unspecified();
    (!inside).then(|| SocketAddr::new(address, port))
}
