//! Who is at the other end of a connection: what Bashful runs may not call Bashful, or a command
//! that has the network and finds the token could say yes to itself.

use std::collections::VecDeque;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bashful_engine::approvals::is_run_by_bashful;

/// Where the kernel lists connections.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// Processes seen at the other end before, looked at first: a client connects often.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<VecDeque<i32>>);

/// How many are remembered.
const MOST_KNOWN: usize = 8;

impl Known {
    /// Whether the client of this connection is a stranger to our runs. On this machine its process
    /// must be found: a run could hide its end of a connection, and a client has no reason to.
    pub(super) fn is_stranger(&self, client: SocketAddr, server: SocketAddr) -> bool {
        let Some(inode) = inode(client, server) else {
            // From another machine: what runs here would be in the table.
            return !client.ip().to_canonical().is_loopback();
        };
        let known: Vec<i32> = self.lock().iter().copied().collect();
        let holder = known.into_iter().chain(processes());
        let Some(holder) = holder.into_iter().find(|pid| holds(*pid, inode)) else {
            return false;
        };
        // Asked anew each time: a number may be another process's by now.
        let stranger = !is_run_by_bashful(holder);
        if stranger {
            self.remember(holder);
        }
        stranger
    }

    fn remember(&self, pid: i32) {
        let mut known = self.lock();
        if !known.contains(&pid) {
            known.push_front(pid);
            known.truncate(MOST_KNOWN);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<i32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client's end of a connection, if it is on this machine.
fn inode(client: SocketAddr, server: SocketAddr) -> Option<u64> {
    TABLES.into_iter().find_map(|table| {
        let text = fs::read_to_string(table).ok()?;
        text.lines().skip(1).find_map(|line| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let (local, remote) = (address(words.next()?)?, address(words.next()?)?);
            let same = |one: SocketAddr, other: SocketAddr| {
                (one.ip().to_canonical(), one.port()) == (other.ip().to_canonical(), other.port())
            };
            // State, queues, timer, retransmits, user, timeout, and then the inode, which is 0 once
            // no process has the socket.
            let inode = words.nth(6)?.parse().ok()?;
            (same(local, client) && same(remote, server)).then_some(inode)
        })
    })
}

/// An address as the kernel's tables write it: words of the machine's byte order in hexadecimal.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |index: usize| {
        let digits = ip.get(index * 8..index * 8 + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    let ip = match ip.len() {
        8 => IpAddr::from(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (index, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(index)?);
            }
            IpAddr::from(Ipv6Addr::from(bytes))
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

/// The numbers of all processes that this user sees in `/proc`.
fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether a process is seen to hold a socket.
fn holds(pid: i32, inode: u64) -> bool {
    let wanted = format!("socket:[{inode}]");
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd"));
    descriptors.into_iter().flatten().flatten().any(|entry| {
        let target = fs::read_link(entry.path());
        target.is_ok_and(|target| target.as_os_str() == wanted.as_str())
    })
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_holder_of_a_connection_is_found() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else {
                // A machine without the newer protocol has no such clients either.
                assert_eq!(address, "[::1]:0");
                continue;
            };
            let server = listener.local_addr().unwrap();
            let client = TcpStream::connect(server).unwrap();
            let client_at = client.local_addr().unwrap();
            let inode = inode(client_at, server).unwrap();
            let own = i32::try_from(std::process::id()).unwrap();
            assert!(holds(own, inode) && !holds(own, inode + 1));
            assert!(processes().any(|pid| pid == own));
            let known = Known::default();
            for _ in 0..2 {
                assert!(known.is_stranger(client_at, server));
                assert_eq!(*known.lock(), [own]);
            }
            drop(client);
        }
    }

    #[test]
    fn a_client_here_that_cannot_be_found_is_no_stranger() {
        let known = Known::default();
        let server = "127.0.0.1:1".parse().unwrap();
        assert!(!known.is_stranger("127.0.0.1:2".parse().unwrap(), server));
        assert!(!known.is_stranger("[::ffff:127.0.0.1]:2".parse().unwrap(), server));
        assert!(known.is_stranger("192.0.2.7:2".parse().unwrap(), server));
    }
}
