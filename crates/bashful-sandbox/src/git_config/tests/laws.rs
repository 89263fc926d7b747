//! Laws that hold whatever the three texts are.

use std::collections::HashMap;

use proptest::prelude::*;

use super::super::{Hosts, decide, merge, sanitise, syntax};
use super::reading::pieces;
use super::{Pair, dangers, git_reads, we_read};

/// A line of a configuration that is likely to meet its like in another one.
fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "[core]\n",
        "[Core]",
        "[remote \"o\"]\n",
        "[remote.o] ",
        "[branch \"x\"]\n",
        "[user]\n",
        "[alias]\n",
        "[user][core]",
        "\tbare = true\n",
        "bare\n",
        "\tbare = false # c\n",
        "\turl = /a\n",
        "\turl = /b\n",
        "\turl = ext::x\n",
        "url=\"/a\"\r\n",
        "\tfetch = 1\n",
        "\tfetch = 2\n",
        "\tfetch = 3\n",
        "\tname = a \\\n b\n",
        "\tname = \"a;\\\"\\\\\"\n",
        "\tname = c\n",
        "\tfsmonitor = x\n",
        "\tfsmonitor\n",
        "\tx = !y\n",
        "\tremote = o\n",
        "\tdescription = a\\nb\\t\n",
        "# c\n",
        "; d\\\n",
        "\n",
        "\r\n",
        " ",
        "\tname = e\\\n",
        "\tuploadpack = x\n",
        "\tmerge = refs/heads/x\n",
    ])
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let lines = prop::collection::vec(line(), 0..14);
    (lines, 0_usize..3).prop_map(|(lines, cut)| {
        let mut text = lines.concat().into_bytes();
        text.truncate(text.len().saturating_sub(cut));
        text
    })
}

fn group(pairs: Vec<Pair>) -> HashMap<Vec<u8>, Vec<Option<Vec<u8>>>> {
    let mut groups: HashMap<_, Vec<_>> = HashMap::new();
    for (name, value) in pairs {
        groups.entry(name).or_default().push(value);
    }
    groups
}

/// What is meant, worked out from the decision and not from the text.
fn meant(base: &[u8], private: &[u8], host: &[u8]) -> HashMap<Vec<u8>, Vec<Option<Vec<u8>>>> {
    let base = syntax::parse(base).unwrap();
    let private = syntax::parse(private).unwrap();
    let document = syntax::parse(host).unwrap();
    let mut groups = group(we_read(host).unwrap());
    for target in decide::decide(&base, &private, &document, &Hosts::Any).targets {
        let name = [target.name.stem.unwrap(), target.name.key].join(&b'.');
        let values = target.values.iter();
        let values: Vec<_> = values.map(|v| v.value.map(<[u8]>::to_vec)).collect();
        if values.is_empty() {
            groups.remove(&name);
        } else {
            groups.insert(name, values);
        }
    }
    groups
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_change_changes_nothing(run in text(), host in text()) {
        if let Ok(merged) = merge(&run, &run, &host, &Hosts::Any) {
            prop_assert_eq!(merged.text, host);
            prop_assert!(merged.held.is_empty() && !merged.changed);
        }
    }

    #[test]
    fn dangers_are_exactly_the_host_s(base in text(), private in text(), host in text()) {
        let readable = [&base, &private, &host].iter().all(|text| we_read(text).is_some());
        let merged = merge(&base, &private, &host, &Hosts::Any);
        prop_assert_eq!(merged.is_ok(), readable);
        if let Ok(merged) = merged {
            prop_assert_eq!(dangers(&merged.text), dangers(&host));
            prop_assert_eq!(merged.changed, merged.text != host);
            // Doing it again changes nothing more.
            let again = merge(&private, &private, &merged.text, &Hosts::Any).unwrap();
            prop_assert_eq!(again.text, merged.text);
        }
    }

    #[test]
    fn an_untouched_host_follows_the_run(base in text(), private in text()) {
        if let Ok(merged) = merge(&base, &private, &base, &Hosts::Any) && merged.held.is_empty() {
            let (left, right) = (we_read(&merged.text), we_read(&private));
            prop_assert_eq!(left.map(group), right.map(group));
        }
    }

    #[test]
    fn sanitising_twice_is_sanitising_once(text in text()) {
        if let Ok(once) = sanitise(&text, &Hosts::Any) {
            prop_assert_eq!(dangers(&once.text), []);
            let twice = sanitise(&once.text, &Hosts::Any).unwrap();
            prop_assert!(!twice.changed && twice.held.is_empty());
            prop_assert_eq!(twice.text, once.text);
        }
    }

    #[test]
    fn odd_texts_never_smuggle(base in pieces(), private in pieces(), host in pieces()) {
        if let Ok(merged) = merge(&base, &private, &host, &Hosts::Any) {
            prop_assert_eq!(dangers(&merged.text), dangers(&host));
        }
    }

    #[test]
    fn any_value_is_written_faithfully(
        value in prop::collection::vec(1_u8.., 0..12),
        subsection in prop::collection::vec(1_u8.., 0..8),
    ) {
        let mut text = Vec::new();
        super::super::write::header(&mut text, &[b"a.", subsection.as_slice()].concat(), b"\n");
        let wanted = decide::Wanted { spelling: b"Key", value: Some(&value) };
        super::super::write::line(&mut text, &wanted, b"\n");
        let name = [b"a.", subsection.as_slice(), b".key"].concat();
        if subsection.contains(&b'\n') {
            prop_assert_eq!(we_read(&text), None);
        } else if !value.windows(2).any(|pair| pair == b"\r\n") {
            prop_assert_eq!(we_read(&text), Some(vec![(name, Some(value))]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn git_reads_what_was_meant(base in text(), private in text(), host in text()) {
        if let Ok(merged) = merge(&base, &private, &host, &Hosts::Any) {
            let read = git_reads(&merged.text).map(group);
            prop_assert_eq!(read, Some(meant(&base, &private, &host)));
        }
    }
}
