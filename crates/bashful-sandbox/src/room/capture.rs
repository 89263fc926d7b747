//! The network of a room with named hosts: it has no interface but the loopback, and every
//! connection that leads elsewhere arrives at sockets that a gate outside serves.
//!
//! All addresses count as the room's own, so that connections to them stay inside, and a rule of
//! the kernel's packet filter hands them to one socket. What is not TCP, and no question to a name
//! server that the host's configuration names, meets nobody.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with, sockopt};

use super::Room;
use super::build::{BuildError, BuildStep, at, enter, in_child};
use crate::profile::Level;
use crate::sys::namespaces::{new_namespaces, raise_loopback};
use crate::sys::sockets::make_transparent;

mod filter;
mod message;

use message::Subsystem;

/// Where captured connections arrive. No run can listen at so low a port.
pub const CAPTURE_PORT: u16 = 809;
/// Where programs that know proxies find one.
pub const PROXY_PORT: u16 = 808;
/// Where names are asked for.
const NAMES_PORT: u16 = 53;
/// No resolver asks more.
const MOST_SERVERS: usize = 3;
const BACKLOG: i32 = 512;
/// Bytes of questions for names that may wait: those of thousands of programs at a time.
const ROOM_FOR_QUESTIONS: usize = 4 << 20;

impl Room {
    /// Makes the sockets that a gate serves, in the network of this room.
    pub fn gate_sockets(&self) -> Result<Vec<OwnedFd>, BuildError> {
        let servers = name_servers();
        let work = || {
            if let Some(user) = &self.shared.user {
                enter(user)?;
            }
            if let Some(network) = &self.shared.network {
                enter(network)?;
            }
            // Else only those are served that ask for a proxy, as the plan says.
            if self.plan.enforcement.network == Level::Full {
                capture().map_err(at(BuildStep::Namespaces, "nftables"))?;
            }
            sockets(&servers).map_err(at(BuildStep::Namespaces, "sockets"))
        };
        let (made, _) = in_child(0, work)?;
        Ok(made)
    }
}

/// Whether this kernel captures connections: tried in a network that goes with the attempt.
pub(crate) fn can_capture() -> bool {
    let own = if rustix::process::geteuid().is_root() {
        0
    } else {
        libc::CLONE_NEWUSER
    };
    let work = || {
        new_namespaces(own | libc::CLONE_NEWNET).map_err(at(BuildStep::Namespaces, "net"))?;
        raise_loopback().map_err(at(BuildStep::Namespaces, "lo"))?;
        capture().map_err(at(BuildStep::Namespaces, "nftables"))?;
        Ok(Vec::new())
    };
    in_child(0, work).is_ok()
}

/// The name servers of this host, as its resolvers take them from their file.
pub fn name_servers() -> Vec<IpAddr> {
    let text = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let addresses = text.lines().filter_map(|line| {
        let (word, address) = line.trim().split_once([' ', '\t'])?;
        let address = (word == "nameserver").then(|| address.split_ascii_whitespace().next());
        address??.parse().ok()
    });
    let mut found: Vec<IpAddr> = addresses.take(MOST_SERVERS).collect();
    if found.is_empty() {
        found.push(Ipv4Addr::LOCALHOST.into());
    }
    found
}

/// Has every address lead to the loopback, and all connections but the room's own to one socket.
fn capture() -> std::io::Result<()> {
    message::send(Subsystem::Routes, &[filter::route(libc::AF_INET)])?;
    // There may be no version 6 here, and then there is nothing to capture of it.
    let _ = message::send(Subsystem::Routes, &[filter::route(libc::AF_INET6)]);
    message::send(Subsystem::Filter, &filter::batch(CAPTURE_PORT))
}

fn sockets(servers: &[IpAddr]) -> std::io::Result<Vec<OwnedFd>> {
    let local = IpAddr::from(Ipv4Addr::LOCALHOST);
    let mut made = vec![
        listener(SocketAddr::new(local, CAPTURE_PORT))?,
        listener(SocketAddr::new(local, PROXY_PORT))?,
    ];
    let six = IpAddr::from(Ipv6Addr::LOCALHOST);
    made.extend(listener(SocketAddr::new(six, CAPTURE_PORT)));
    for server in servers {
        let address = SocketAddr::new(*server, NAMES_PORT);
        // A link's own server is none of the room's; its questions meet nobody.
        let Ok(datagrams) = questions(address) else {
            continue;
        };
        made.extend(datagrams);
        if server.is_loopback() {
            made.push(listener(address)?);
        }
    }
    Ok(made)
}

/// Sockets between which the kernel divides the questions for names: what finds no room in one is
/// lost, and its program waits for seconds.
fn questions(address: SocketAddr) -> std::io::Result<Vec<OwnedFd>> {
    let one = || {
        let socket = new(address, SocketType::DGRAM)?;
        sockopt::set_socket_reuseport(&socket, true)?;
        // More than is usual takes a right of root's.
        if sockopt::set_socket_recv_buffer_size_force(&socket, ROOM_FOR_QUESTIONS).is_err() {
            let _ = sockopt::set_socket_recv_buffer_size(&socket, ROOM_FOR_QUESTIONS);
        }
        bind(&socket, &address)?;
        Ok(socket)
    };
    (0..2).map(|_| one()).collect()
}

fn listener(address: SocketAddr) -> std::io::Result<OwnedFd> {
    let socket = new(address, SocketType::STREAM)?;
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

/// A socket that is not bound yet.
fn new(address: SocketAddr, kind: SocketType) -> std::io::Result<OwnedFd> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let socket = socket_with(family, kind, SocketFlags::CLOEXEC, None)?;
    if address.port() == CAPTURE_PORT {
        make_transparent(&socket, family)?;
    }
    if address.is_ipv6() {
        sockopt::set_ipv6_v6only(&socket, true)?;
    }
    Ok(socket)
}
