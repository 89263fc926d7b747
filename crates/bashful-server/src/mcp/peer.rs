//! Who is at the other end of a connection: what Bashful runs may not call Bashful, or a command
//! that has the network and finds the token could say yes to itself.

use std::fs;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bashful_engine::approvals::belongs_to_a_run;

/// Where the kernel lists connections.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// Whether the client of this connection is a stranger to our runs. One on this machine whose
/// connection cannot be found is none.
pub(super) fn is_stranger(client: SocketAddr, server: SocketAddr) -> bool {
    let Some(inode) = inode(client, server) else {
        // From elsewhere: what runs here would be in the table.
        return !client.ip().to_canonical().is_loopback();
    };
    for _ in 0..LOOKS {
        let mut held = Held::No;
        for pid in processes().filter(|pid| belongs_to_a_run(*pid)) {
            match held_by(pid, inode) {
                Held::Yes => return false,
                Held::Unknown => held = Held::Unknown,
                Held::No => {}
            }
        }
        if held == Held::No {
            return true;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    false
}

/// What a run starts cannot be looked into before it is what it is to be, which takes a moment.
const LOOKS: usize = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Whether a process holds a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Yes,
    No,
    /// It does not let us look.
    Unknown,
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
            // State, queues, timer, retransmits, user, timeout, and then the inode.
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

/// All processes.
fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn held_by(pid: i32, inode: u64) -> Held {
    let wanted = format!("socket:[{inode}]");
    match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(mut descriptors) => {
            let found = descriptors.any(|entry| {
                let target = entry.and_then(|entry| fs::read_link(entry.path()));
                target.is_ok_and(|target| target.as_os_str() == wanted.as_str())
            });
            if found { Held::Yes } else { Held::No }
        }
        // It has ended, and holds nothing any more.
        Err(error) if error.kind() == ErrorKind::NotFound => Held::No,
        Err(_) => Held::Unknown,
    }
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
            assert_eq!(held_by(own, inode), Held::Yes);
            assert_eq!(held_by(own, inode + 1), Held::No);
            assert!(processes().any(|pid| pid == own));
            assert!(is_stranger(client_at, server));
            drop(client);
        }
    }

    #[test]
    fn a_client_here_that_cannot_be_found_is_no_stranger() {
        let server = "127.0.0.1:1".parse().unwrap();
        assert!(!is_stranger("127.0.0.1:2".parse().unwrap(), server));
        assert!(!is_stranger(
            "[::ffff:127.0.0.1]:2".parse().unwrap(),
            server
        ));
        assert!(is_stranger("192.0.2.7:2".parse().unwrap(), server));
    }
}
