//! How hosts are read and what their rules open: tables, and laws over generated texts.

use std::net::IpAddr;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    entry: Vec<Entry>,
    host: Vec<Read>,
    opens: Vec<Opens>,
    covers: Vec<Wider>,
    global: Vec<Global>,
}

#[derive(Deserialize)]
struct Entry {
    text: String,
    #[serde(default)]
    becomes: Vec<String>,
    #[serde(default)]
    says: String,
}

#[derive(Deserialize)]
struct Read {
    text: String,
    becomes: String,
}

#[derive(Deserialize)]
struct Opens {
    rules: Vec<String>,
    open: Vec<String>,
    closed: Vec<String>,
}

#[derive(Deserialize)]
struct Wider {
    wide: Vec<String>,
    narrow: Vec<String>,
    covers: bool,
}

#[derive(Deserialize)]
struct Global {
    address: IpAddr,
    open: bool,
}

fn tables() -> Tables {
    toml::from_str(include_str!("tests.toml")).unwrap()
}

#[test]
fn entries_are_read_or_refused_with_a_reason() {
    for Entry {
        text,
        becomes,
        says,
    } in tables().entry
    {
        match HostRules::parse(&[&text]) {
            Ok(rules) => assert_eq!(rules.texts(), becomes, "{text:?}"),
            Err(error) => {
                let error = error.to_string();
                assert!(becomes.is_empty() && !says.is_empty(), "{text:?}: {error}");
                assert!(error.contains(&says), "{text:?}: {error}");
            }
        }
    }
}

#[test]
fn hosts_are_read_in_one_way() {
    for Read { text, becomes } in tables().host {
        let read = match Host::parse(&text) {
            Ok(Host::Name(name)) => name.to_string(),
            Ok(Host::Address(address)) => address.to_string(),
            Err(_) => String::new(),
        };
        assert_eq!(read, becomes, "{text:?}");
    }
}

#[test]
fn rules_open_what_they_say() {
    for Opens {
        rules,
        open,
        closed,
    } in tables().opens
    {
        let parsed = HostRules::parse(&rules).unwrap();
        let opens = |text: &String| {
            let (host, port) = text.rsplit_once(':').unwrap();
            let port = port.parse().unwrap();
            match Host::parse(host).unwrap() {
                Host::Name(name) => parsed.for_name(&name, port).is_some(),
                Host::Address(address) => parsed.for_address(address, port).is_some(),
            }
        };
        for text in &open {
            assert!(opens(text), "{rules:?} must open {text}");
        }
        for text in &closed {
            assert!(!opens(text), "{rules:?} must not open {text}");
        }
    }
}

#[test]
fn wider_lists_cover_narrower_ones() {
    for Wider {
        wide,
        narrow,
        covers,
    } in tables().covers
    {
        let read = |texts: &[String]| HostRules::parse(texts).unwrap();
        assert_eq!(
            read(&wide).cover(&read(&narrow)),
            covers,
            "{wide:?} {narrow:?}"
        );
    }
}

#[test]
fn only_the_open_internet_is_global() {
    for Global { address, open } in tables().global {
        assert_eq!(is_global(address), open, "{address}");
    }
}

#[test]
fn presets_are_lists_of_hosts() {
    for name in preset_names() {
        let rules = HostRules::parse(&[name]).unwrap();
        assert!(!rules.texts().is_empty(), "{name}");
        assert!(
            rules.texts().iter().all(|host| host.contains('.')),
            "{name}"
        );
    }
}

proptest! {
    #[test]
    fn what_is_read_is_read_again_as_the_same(text in "\\PC{0,40}|[a-z0-9.*:/\\[\\]_-]{0,40}") {
        if let Ok(rules) = HostRules::parse(&[&text]) {
            let texts = rules.texts();
            prop_assert_eq!(&HostRules::parse(&texts).unwrap(), &rules);
            prop_assert!(rules.cover(&rules));
            prop_assert!(!texts.iter().any(|text| text.chars().any(|one| one.is_whitespace() || one.is_control())));
        }
    }

    #[test]
    fn a_name_is_never_an_address_for_anybody(text in "[0-9a-fx.]{1,20}") {
        if let Ok(Host::Name(name)) = Host::parse(&text) {
            let last = name.as_str().rsplit('.').next().unwrap();
            prop_assert!(!last.starts_with("0x") && last.parse::<u64>().is_err());
        }
    }

    #[test]
    fn a_cover_opens_whatever_is_covered(
        wide in "(\\*\\.)?[ab]{1,2}\\.[ab]\\.c(:8[01])?",
        narrow in "(\\*\\.)?([ab]\\.)?[ab]{1,2}\\.[ab]\\.c(:8[01])?",
        name in "([ab]\\.)?([ab]\\.)?[ab]{1,2}\\.[ab]\\.c",
        port in prop_oneof![Just(80_u16), Just(81), Just(443)],
    ) {
        let wide = HostRules::parse(&[wide]).unwrap();
        let narrow = HostRules::parse(&[narrow]).unwrap();
        let name = HostName::parse(&name).unwrap();
        if wide.cover(&narrow) && narrow.for_name(&name, port).is_some() {
            prop_assert!(wide.for_name(&name, port).is_some());
        }
    }

    #[test]
    fn dresses_of_an_address_count_as_it(bits in any::<u32>()) {
        let four = std::net::Ipv4Addr::from_bits(bits);
        let [a, b, c, d] = four.octets();
        let high = u16::from_be_bytes([a, b]);
        let low = u16::from_be_bytes([c, d]);
        let dresses = [
            four.to_ipv6_mapped(),
            std::net::Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            std::net::Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
        ];
        for dress in dresses {
            prop_assert_eq!(unmapped(dress.into()), IpAddr::from(four));
            prop_assert_eq!(is_global(dress.into()), is_global(four.into()));
        }
    }
}
