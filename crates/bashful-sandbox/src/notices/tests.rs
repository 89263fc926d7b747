//! What can be tested without a run: addresses, counting, and which calls are reported at all.

use super::address::leads_out;
use super::seen::Seen;
use crate::profile::Violation;
use crate::seccomp::{Act, NoticeOptions};

fn inet(octets: [u8; 4], port: u16) -> Vec<u8> {
    let mut bytes = 2_u16.to_ne_bytes().to_vec();
    bytes.extend(port.to_be_bytes());
    bytes.extend(octets);
    bytes.extend([0; 8]);
    bytes
}

fn inet6(octets: [u8; 16], port: u16) -> Vec<u8> {
    let mut bytes = 10_u16.to_ne_bytes().to_vec();
    bytes.extend(port.to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(octets);
    bytes.extend([0; 4]);
    bytes
}

#[test]
fn only_addresses_outside_lead_out() {
    let told = |bytes: &[u8]| leads_out(bytes).map(|address| address.to_string());
    assert_eq!(
        told(&inet([192, 0, 2, 7], 443)),
        Some("192.0.2.7:443".to_owned())
    );
    assert_eq!(told(&inet([127, 0, 0, 53], 53)), None);
    assert_eq!(told(&inet([0, 0, 0, 0], 80)), None);
    let mut documentation = [0; 16];
    documentation[..4].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8]);
    documentation[15] = 1;
    assert_eq!(
        told(&inet6(documentation, 80)),
        Some("[2001:db8::1]:80".to_owned())
    );
    let mut loopback = [0; 16];
    loopback[15] = 1;
    assert_eq!(told(&inet6(loopback, 80)), None);
    // The loopback of the older protocol in the words of the newer.
    let mut mapped = [0; 16];
    mapped[10..].copy_from_slice(&[0xff, 0xff, 127, 0, 0, 1]);
    assert_eq!(told(&inet6(mapped, 80)), None);
    // Unix sockets, nothing at all, and cut short.
    assert_eq!(told(&[1, 0, b'/', b'x']), None);
    assert_eq!(told(&[]), None);
    for length in 0..8 {
        assert_eq!(told(&inet([192, 0, 2, 7], 443)[..length]), None);
    }
}

fn denied(number: u64) -> Violation {
    Violation {
        kind: "write".to_owned(),
        path: Some(format!("/etc/{number}").into()),
        ..Violation::default()
    }
}

#[test]
fn a_million_attempts_take_little_room() {
    let mut seen = Seen::default();
    let mut looks = 0;
    for number in 0..1_000_000_u64 {
        if seen.is_full() {
            seen.count_unread();
            continue;
        }
        // Every second one is the same again, and every third is no wall.
        let attempt = number / 2;
        seen.add(attempt, || {
            looks += 1;
            (attempt % 3 != 0).then(|| denied(attempt))
        });
    }
    assert!(looks < 200, "{looks}");
    let told = seen.into_violations();
    assert_eq!(told.len(), 101);
    assert!(told[..99].iter().all(|violation| violation.times == 2));
    assert_eq!(told[100].kind, "unlisted");
    let note = told[100].note.as_deref().unwrap();
    assert!(note.contains("999"), "{note}");
}

#[test]
fn the_same_by_another_name_is_told_once() {
    let mut seen = Seen::default();
    seen.add(1, || Some(denied(7)));
    seen.add(2, || Some(denied(7)));
    seen.add(3, || None);
    let told = seen.into_violations();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].times, 2);
}

#[test]
fn what_landlock_refused_and_was_seen_before_is_told_once() {
    let mut seen = Seen::default();
    seen.add(1, || Some(denied(7)));
    let refused = |path: &str, source: &str| Violation {
        path: Some(path.into()),
        source: source.to_owned(),
        ..denied(0)
    };
    assert!(seen.has_like(&refused("/etc/7", "landlock")));
    assert!(seen.has_like(&refused("/etc", "landlock")));
    assert!(!seen.has_like(&refused("/etc/8", "landlock")));
    assert!(!seen.has_like(&refused("/", "landlock")));
    assert!(!seen.has_like(&refused("/etc/7", "audit")));
}

#[test]
fn calls_are_told_only_where_they_may_meet_a_wall() {
    let options = |reads, network| NoticeOptions {
        reads,
        network,
        sockets: false,
    };
    let usual = options(false, false);
    let number = |number: i64| i32::try_from(number).unwrap();
    assert!(usual.of_call(number(libc::SYS_execve)).is_some());
    assert!(usual.of_call(number(libc::SYS_connect)).is_none());
    assert!(usual.of_call(number(libc::SYS_read)).is_none());
    assert!(usual.of_call(-1).is_none());
    let network = options(false, true);
    let (name, watched) = network.of_call(number(libc::SYS_connect)).unwrap();
    assert_eq!((name, watched.act), ("connect", Act::Connect { length: 2 }));
}
