//! Messages for the kernel's network configuration, and its answers.

use std::io;

use rustix::net::{
    AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv,
    send as send_to, socket_with,
};

/// Who is spoken to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subsystem {
    Routes,
    Filter,
}

impl Subsystem {
    fn protocol(self) -> Option<Protocol> {
        match self {
            // Its number is zero.
            Self::Routes => None,
            Self::Filter => Some(netlink::NETFILTER),
        }
    }
}

/// One message: a header, and what follows it.
#[derive(Debug)]
pub(super) struct Message {
    kind: u16,
    flags: u16,
    body: Vec<u8>,
}

pub(super) const REQUEST: u16 = 1;
pub(super) const ACKNOWLEDGE: u16 = 4;
pub(super) const CREATE: u16 = 0x400;
pub(super) const APPEND: u16 = 0x800;
/// The kind of an answer that is an error, or none.
const OUTCOME: u16 = 2;
/// The length of a message's header.
const HEADER: usize = 16;

impl Message {
    pub(super) fn new(kind: u16, flags: u16, body: Vec<u8>) -> Self {
        Self { kind, flags, body }
    }

    fn to_bytes(&self, number: u32) -> Vec<u8> {
        let length = u32::try_from(HEADER + self.body.len()).unwrap_or_default();
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(self.kind.to_ne_bytes());
        bytes.extend((self.flags | REQUEST).to_ne_bytes());
        bytes.extend(number.to_ne_bytes());
        bytes.extend(0_u32.to_ne_bytes());
        bytes.extend(&self.body);
        pad(&mut bytes);
        bytes
    }
}

/// One attribute: its length, its kind, and a value.
pub(super) fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(4 + value.len()).unwrap_or_default();
    let mut bytes = length.to_ne_bytes().to_vec();
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(value);
    pad(&mut bytes);
    bytes
}

/// One that holds others.
pub(super) fn nested(kind: u16, values: &[Vec<u8>]) -> Vec<u8> {
    const NESTED: u16 = 0x8000;
    attribute(kind | NESTED, &values.concat())
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// Sends these together and hears of each that is to be acknowledged; the first error counts.
pub(super) fn send(to: Subsystem, messages: &[Message]) -> io::Result<()> {
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        to.protocol(),
    )?;
    let numbered = messages.iter().zip(1_u32..);
    let bytes: Vec<u8> = numbered
        .flat_map(|(message, number)| message.to_bytes(number))
        .collect();
    send_to(&socket, &bytes, SendFlags::empty())?;
    let acknowledged = |message: &&Message| message.flags & ACKNOWLEDGE != 0;
    let mut awaited = messages.iter().filter(acknowledged).count();
    let mut buffer = [0; 8192];
    while awaited > 0 {
        let (_, length) = recv(&socket, &mut buffer, RecvFlags::empty())?;
        let mut rest = buffer.get(..length).unwrap_or_default();
        while let Some((outcome, after)) = answer(rest) {
            outcome?;
            awaited = awaited.saturating_sub(1);
            rest = after;
        }
    }
    Ok(())
}

/// The first answer in these bytes, and what is behind it.
fn answer(bytes: &[u8]) -> Option<(io::Result<()>, &[u8])> {
    let length = u32::from_ne_bytes(bytes.get(..4)?.try_into().ok()?);
    let kind = u16::from_ne_bytes(bytes.get(4..6)?.try_into().ok()?);
    let code = i32::from_ne_bytes(bytes.get(HEADER..HEADER + 4)?.try_into().ok()?);
    let after = usize::try_from(length)
        .ok()?
        .next_multiple_of(4)
        .max(HEADER);
    let outcome = match (kind, code) {
        (OUTCOME, 0) => Ok(()),
        (OUTCOME, code) => Err(io::Error::from_raw_os_error(code.wrapping_neg())),
        _ => Err(io::ErrorKind::InvalidData.into()),
    };
    Some((outcome, bytes.get(after..).unwrap_or_default()))
}
