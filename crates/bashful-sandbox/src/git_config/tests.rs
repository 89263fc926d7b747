//! Tests of reading, deciding and writing, most of them against git itself.

mod addresses;
mod attacks;
mod laws;
mod merging;
mod reading;
mod scenarios;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Attempt, HeldKey, Hosts, Merged, merge, syntax};

/// A variable and its value, none for a key that stands alone.
type Pair = (Vec<u8>, Option<Vec<u8>>);

/// Git without the configuration of any user.
fn git(home: &Path) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "real git is what these tests compare with"
    )]
    let mut command = Command::new("git");
    command
        .current_dir(home)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// What git reads from a text; none if it refuses.
fn git_reads(text: &[u8]) -> Option<Vec<Pair>> {
    let mut child = git(Path::new("/"))
        .args(["config", "--file", "-", "--no-includes", "--list", "-z"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Git may refuse before it has read everything; what it says counts.
    let _ = child.stdin.take().unwrap().write_all(text);
    let output = child.wait_with_output().unwrap();
    if !output.status.success() {
        return None;
    }
    let records = output.stdout.split_inclusive(|byte| *byte == 0);
    let pair = |record: &[u8]| {
        let record = record.strip_suffix(b"\0").unwrap();
        let mut parts = record.splitn(2, |byte| *byte == b'\n');
        let name = parts.next().unwrap().to_vec();
        (name, parts.next().map(<[u8]>::to_vec))
    };
    Some(records.map(pair).collect())
}

/// What we read from a text; none if we refuse.
fn we_read(text: &[u8]) -> Option<Vec<Pair>> {
    let document = syntax::parse(text).ok()?;
    let pair = |entry: &syntax::Entry| {
        let name = document.name(entry);
        let mut flat = name.stem.map(<[u8]>::to_vec).unwrap_or_default();
        if name.stem.is_some() {
            flat.push(b'.');
        }
        flat.extend_from_slice(name.key);
        (flat, entry.value.clone())
    };
    Some(document.entries.iter().map(pair).collect())
}

/// The pairs that are not harmless.
fn dangers(text: &[u8]) -> Vec<(String, Option<Vec<u8>>)> {
    let document = syntax::parse(text).unwrap();
    super::harmless::exceptions(&document)
        .map(|(name, value)| (format!("{name:?}"), value.map(<[u8]>::to_vec)))
        .collect()
}

fn merged(base: &str, private: &str, host: &str) -> Merged {
    merge(
        base.as_bytes(),
        private.as_bytes(),
        host.as_bytes(),
        &Hosts::Any,
    )
    .unwrap()
}

fn set(key: &str, value: &str) -> HeldKey {
    HeldKey {
        key: key.to_owned(),
        value: value.to_owned(),
        attempt: Attempt::Set,
    }
}

fn removed(key: &str, value: &str) -> HeldKey {
    HeldKey {
        attempt: Attempt::Remove,
        ..set(key, value)
    }
}
