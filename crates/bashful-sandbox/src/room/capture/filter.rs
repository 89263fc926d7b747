//! What is said to the kernel so that it captures connections: a route and a filter, always the same.
//!
//! The numbers are those of the kernel's `linux/rtnetlink.h` and `linux/netfilter/nf_tables.h`.

use super::message::{ACKNOWLEDGE, APPEND, CREATE, Message, attribute, nested};

/// A route by which every address is this machine's own.
pub(super) fn route(family: i32) -> Message {
    const NEW_ROUTE: u16 = 24;
    const TABLE_LOCAL: u8 = 255;
    const BY_BOOT: u8 = 3;
    const SCOPE_HOST: u8 = 254;
    const LOCAL: u8 = 2;
    const OUT: u16 = 4;
    const LOOPBACK: u32 = 1;
    let family = u8::try_from(family).unwrap_or_default();
    let mut body = vec![family, 0, 0, 0, TABLE_LOCAL, BY_BOOT, SCOPE_HOST, LOCAL];
    body.extend(0_u32.to_ne_bytes());
    body.extend(attribute(OUT, &LOOPBACK.to_ne_bytes()));
    Message::new(NEW_ROUTE, CREATE | ACKNOWLEDGE, body)
}

const IPV4: u8 = 2;
const IPV6: u8 = 10;
/// A family for both.
const INET: u8 = 1;
/// The number of nftables among the parts of netfilter.
const NFTABLES: u16 = 10;
const TCP: u8 = 6;

/// The filter, all of it or nothing: what is TCP and does not lead to the loopback is handed to the
/// socket at this port.
pub(super) fn batch(port: u16) -> [Message; 6] {
    const BEGIN: u16 = 16;
    const END: u16 = 17;
    let frame = |kind| {
        let mut body = vec![0, 0];
        body.extend(NFTABLES.to_be_bytes());
        Message::new(kind, 0, body)
    };
    let loopback_6 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    [
        frame(BEGIN),
        change(0, 0, &[text(1, NAME)]),
        change(3, 0, &chain()),
        // The first byte of the destination, and all of it.
        change(6, APPEND, &rule(IPV4, port, 16, &[127])),
        change(6, APPEND, &rule(IPV6, port, 24, &loopback_6)),
        frame(END),
    ]
}

const NAME: &str = "bashful";

fn change(what: u16, flags: u16, attributes: &[Vec<u8>]) -> Message {
    let mut body = vec![INET, 0, 0, 0];
    body.extend(attributes.concat());
    Message::new(NFTABLES << 8 | what, flags | CREATE | ACKNOWLEDGE, body)
}

fn chain() -> [Vec<u8>; 5] {
    const PREROUTING: u32 = 0;
    const ACCEPT: u32 = 1;
    // As all that changes packets: before it is decided whose they are.
    const PRIORITY: i32 = -150;
    [
        text(1, NAME),
        text(3, NAME),
        nested(
            4,
            &[number(1, PREROUTING), attribute(2, &PRIORITY.to_be_bytes())],
        ),
        number(5, ACCEPT),
        text(7, "filter"),
    ]
}

/// Hands what is TCP of this version over, but for this destination.
fn rule(version: u8, port: u16, offset: u32, but: &[u8]) -> [Vec<u8>; 3] {
    const VERSION: u32 = 15;
    const PROTOCOL: u32 = 16;
    const NETWORK_HEADER: u32 = 1;
    let length = u32::try_from(but.len()).unwrap_or_default();
    let payload = [
        number(1, REGISTER),
        number(2, NETWORK_HEADER),
        number(3, offset),
        number(4, length),
    ];
    let expressions = [
        expression("meta", &[number(1, REGISTER), number(2, VERSION)]),
        compare(EQUAL, &[version]),
        expression("meta", &[number(1, REGISTER), number(2, PROTOCOL)]),
        compare(EQUAL, &[TCP]),
        expression("payload", &payload),
        compare(OTHER, but),
        expression(
            "immediate",
            &[number(1, REGISTER), value(2, &port.to_be_bytes())],
        ),
        expression("tproxy", &[number(1, version.into()), number(3, REGISTER)]),
    ];
    [text(1, NAME), text(2, NAME), nested(4, &expressions)]
}

/// Where expressions pass values on.
const REGISTER: u32 = 1;
const EQUAL: u32 = 0;
const OTHER: u32 = 1;

fn compare(how: u32, with: &[u8]) -> Vec<u8> {
    expression(
        "cmp",
        &[number(1, REGISTER), number(2, how), value(3, with)],
    )
}

fn expression(name: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    nested(1, &[text(1, name), nested(2, attributes)])
}

fn value(kind: u16, bytes: &[u8]) -> Vec<u8> {
    nested(kind, &[attribute(1, bytes)])
}

fn number(kind: u16, value: u32) -> Vec<u8> {
    attribute(kind, &value.to_be_bytes())
}

fn text(kind: u16, text: &str) -> Vec<u8> {
    attribute(kind, &[text.as_bytes(), b"\0"].concat())
}
