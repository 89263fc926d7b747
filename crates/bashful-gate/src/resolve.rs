//! Finding the addresses of a name: in the host's table, then by its name servers.
//!
//! The configuration is read once, before the gate is shut in. A name is asked for once, and what is
//! dialled is among what was found then.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use bashful_policy::HostName;
use bashful_sandbox::name_servers;

/// How long one server is waited for, and how often each is asked.
const PATIENCE: Duration = Duration::from_secs(2);
const TRIES: usize = 2;
/// No more addresses of a name are looked at.
const MOST_ADDRESSES: usize = 8;
const MOST_ANSWER: usize = 4096;

/// What knows the addresses of names.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    table: HashMap<HostName, Vec<IpAddr>>,
    servers: Vec<SocketAddr>,
    pub(crate) search: Vec<HostName>,
}

impl Resolver {
    /// The one that this host is configured to have.
    pub(crate) fn of_host() -> Self {
        let mut resolver = Self::default();
        for line in fs::read_to_string("/etc/hosts").unwrap_or_default().lines() {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_ascii_whitespace();
            let Some(Ok(address)) = words.next().map(str::parse::<IpAddr>) else {
                continue;
            };
            for name in words.filter_map(|word| HostName::parse(word).ok()) {
                resolver.table.entry(name).or_default().push(address);
            }
        }
        for line in fs::read_to_string("/etc/resolv.conf")
            .unwrap_or_default()
            .lines()
        {
            let mut words = line.split_ascii_whitespace();
            if matches!(words.next(), Some("search" | "domain")) {
                resolver.search = words
                    .filter_map(|word| HostName::parse(word).ok())
                    .collect();
            }
        }
        let servers = name_servers().into_iter();
        resolver.servers = servers
            .map(|address| SocketAddr::new(address, 53))
            .collect();
        resolver
    }

    /// The addresses of a name; none if nobody knows any.
    pub(crate) fn addresses(&self, name: &HostName) -> Vec<IpAddr> {
        if let Some(known) = self.table.get(name) {
            return known.clone();
        }
        let mut found = Vec::new();
        for kind in [Kind::Four, Kind::Six] {
            found.extend(self.ask(name, kind));
        }
        found.truncate(MOST_ADDRESSES);
        found
    }

    fn ask(&self, name: &HostName, kind: Kind) -> Vec<IpAddr> {
        for _ in 0..TRIES {
            for server in &self.servers {
                if let Ok(found) = ask(*server, name, kind) {
                    return found;
                }
            }
        }
        Vec::new()
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
enum Kind {
    Four = 1,
    Six = 28,
}

fn ask(server: SocketAddr, name: &HostName, kind: Kind) -> io::Result<Vec<IpAddr>> {
    let mut number = [0; 2];
    rustix::rand::getrandom(&mut number, rustix::rand::GetRandomFlags::empty())?;
    let question = question(number, name, kind);
    let any: SocketAddr = if server.is_ipv4() {
        (Ipv4Addr::UNSPECIFIED, 0).into()
    } else {
        (Ipv6Addr::UNSPECIFIED, 0).into()
    };
    // Connected: the kernel takes answers from this server only.
    let socket = UdpSocket::bind(any)?;
    socket.connect(server)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send(&question)?;
    let mut buffer = [0; MOST_ANSWER];
    // What others may have sent to the same port is passed over, for a while.
    for _ in 0..16 {
        let length = socket.recv(&mut buffer)?;
        match read(
            buffer.get(..length).unwrap_or_default(),
            &question,
            name,
            kind,
        ) {
            Told::Found(found) => return Ok(found),
            Told::Cut => return ask_connected(server, &question, name, kind),
            Told::Failed => return Err(io::ErrorKind::InvalidData.into()),
            Told::Strange => {}
        }
    }
    Err(io::ErrorKind::TimedOut.into())
}

fn ask_connected(
    server: SocketAddr,
    question: &[u8],
    name: &HostName,
    kind: Kind,
) -> io::Result<Vec<IpAddr>> {
    let mut stream = TcpStream::connect_timeout(&server, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = u16::try_from(question.len()).unwrap_or_default();
    stream.write_all(&[&length.to_be_bytes()[..], question].concat())?;
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut answer = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut answer)?;
    match read(&answer, question, name, kind) {
        Told::Found(found) => Ok(found),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn question(number: [u8; 2], name: &HostName, kind: Kind) -> Vec<u8> {
    // One question, with recursion.
    let mut bytes = [&number[..], &[1, 0, 0, 1, 0, 0, 0, 0, 0, 0]].concat();
    for label in name.as_str().split('.') {
        bytes.push(u8::try_from(label.len()).unwrap_or_default());
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes.extend((kind as u16).to_be_bytes());
    bytes.extend([0, 1]);
    bytes
}

/// What an answer is.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Found(Vec<IpAddr>),
    /// It did not fit, and is to be had on a connection.
    Cut,
    Failed,
    /// It is none to this question.
    Strange,
}

/// Reads an answer: the addresses of the name, or of what it is another name for.
fn read(bytes: &[u8], question: &[u8], name: &HostName, kind: Kind) -> Told {
    const NO_SUCH_NAME: u8 = 3;
    let (Some(header), Some(asked)) = (bytes.get(..12), question.get(12..)) else {
        return Told::Strange;
    };
    let echoed = bytes.get(12..12 + asked.len());
    let same = echoed.is_some_and(|echoed| echoed.eq_ignore_ascii_case(asked));
    if header.get(..2) != question.get(..2) || header[2] & 0x80 == 0 || !same {
        return Told::Strange;
    }
    match header[3] & 15 {
        0 => {}
        NO_SUCH_NAME => return Told::Found(Vec::new()),
        _ => return Told::Failed,
    }
    if header[2] & 2 != 0 {
        return Told::Cut;
    }
    let count = u16::from_be_bytes([header[6], header[7]]);
    let mut at = 12 + asked.len();
    let mut wanted = name.as_str().to_owned();
    let mut found = Vec::new();
    for _ in 0..count {
        let Some(record) = record(bytes, at) else {
            return Told::Failed;
        };
        at = record.end;
        let data = bytes.get(record.data..record.end).unwrap_or_default();
        match record.kind {
            _ if !record.owner.eq_ignore_ascii_case(&wanted) => {}
            ALIAS => match name_at(bytes, record.data) {
                Some((alias, _)) => wanted = alias,
                None => return Told::Failed,
            },
            one if one == kind as u16 => {
                let four = <[u8; 4]>::try_from(data).map(IpAddr::from);
                let address = four.or_else(|_| <[u8; 16]>::try_from(data).map(IpAddr::from));
                found.extend(address);
            }
            _ => {}
        }
    }
    Told::Found(found)
}

const ALIAS: u16 = 5;

struct Record {
    owner: String,
    kind: u16,
    data: usize,
    end: usize,
}

fn record(bytes: &[u8], at: usize) -> Option<Record> {
    let (owner, at) = name_at(bytes, at)?;
    let word = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let data = at + 10;
    let end = data + usize::from(word(at + 8)?);
    bytes.get(data..end)?;
    Some(Record {
        owner,
        kind: word(at)?,
        data,
        end,
    })
}

/// The name here, and where it ends. It may point back, but not for ever.
fn name_at(bytes: &[u8], mut at: usize) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut end = None;
    for _ in 0..128 {
        let length = *bytes.get(at)?;
        match length {
            0 => return Some((name, end.unwrap_or(at + 1))),
            192.. => {
                let low = *bytes.get(at + 1)?;
                end = end.or(Some(at + 2));
                at = usize::from(u16::from_be_bytes([length & 63, low]));
            }
            64.. => return None,
            _ => {
                let label = bytes.get(at + 1..=at + usize::from(length))?;
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(&String::from_utf8_lossy(label));
                at += 1 + usize::from(length);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name() -> HostName {
        HostName::parse("a.example").unwrap()
    }

    /// An answer with these records behind the question.
    fn answer(question: &[u8], records: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = question.to_vec();
        bytes[2] = 0x81;
        bytes[7] = u8::try_from(records.len()).unwrap();
        bytes.extend(records.concat());
        bytes
    }

    fn record(owner: &[u8], kind: u8, data: &[u8]) -> Vec<u8> {
        let length = u8::try_from(data.len()).unwrap();
        [owner, &[0, kind, 0, 1, 0, 0, 0, 9, 0, length], data].concat()
    }

    #[test]
    fn only_the_names_own_addresses_count() {
        let question = question([1, 2], &name(), Kind::Four);
        let own = [0xc0, 12];
        let alias = b"\x01b\x07example\0";
        let told = answer(
            &question,
            &[
                record(b"\x04evil\0", 1, &[6, 6, 6, 6]),
                record(&own, 5, alias),
                record(alias, 1, &[1, 2, 3, 4]),
                record(&own, 1, &[6, 6, 6, 6]),
            ],
        );
        let found = Told::Found(vec![IpAddr::from([1, 2, 3, 4])]);
        assert_eq!(read(&told, &question, &name(), Kind::Four), found);
        let mut other = told.clone();
        other[0] = 9;
        assert_eq!(read(&other, &question, &name(), Kind::Four), Told::Strange);
        other = told.clone();
        other[13] = b'x';
        assert_eq!(read(&other, &question, &name(), Kind::Four), Told::Strange);
        other = told.clone();
        other[2] |= 2;
        assert_eq!(read(&other, &question, &name(), Kind::Four), Told::Cut);
        other = told.clone();
        other.pop();
        assert_eq!(read(&other, &question, &name(), Kind::Four), Told::Failed);
    }

    #[test]
    fn a_name_that_points_at_itself_ends() {
        assert_eq!(name_at(&[0xc0, 0], 0), None);
    }

    proptest! {
        #[test]
        fn no_bytes_do_harm(tail in prop::collection::vec(any::<u8>(), 0..300), count in any::<u8>()) {
            let question = question([1, 2], &name(), Kind::Four);
            let mut bytes = answer(&question, &[tail]);
            bytes[7] = count;
            let _ = read(&bytes, &question, &name(), Kind::Four);
        }
    }
}
