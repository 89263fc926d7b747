//! One line of the trail: how it is put together, sealed and taken apart again.
//!
//! `{"v":1,"seq":N,"at_ms":T,"event":…,"prev":"…","hash":"…"}`. The hash is that of the line
//! without `,"hash":"…"`, and what is taken away has always the same length. So a program that
//! checks a trail needs no canonical JSON, only SHA-256.

use std::fmt::Write;

use serde::Deserialize;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use super::event::Event;

/// A line that is longer is none of ours.
pub(super) const MAX_LINE: usize = 8 << 20;

/// A number that is larger is none of ours either: JSON holds no larger ones everywhere.
pub(super) const MAX_NUMBER: u64 = 1 << 53;

const VERSION: &str = "{\"v\":1,\"seq\":";
const TIME: &str = ",\"at_ms\":";
const PREV: &str = ",\"prev\":\"";
const HASH: &str = ",\"hash\":\"";
/// The length of what follows the part that is hashed: the hash and the end of the line.
const SEAL: usize = HASH.len() + Seal::LENGTH + "\"}".len();

/// The hash of a record, as it is written: 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seal([u8; Self::LENGTH]);

impl Seal {
    pub(super) const LENGTH: usize = 64;
    /// What stands before the first record.
    pub(super) const NONE: Self = Self([b'0'; Self::LENGTH]);

    /// Reads one; `None` if it is not written as we write it.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let digits: [u8; Self::LENGTH] = text.try_into().ok()?;
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        digits.iter().all(is_digit).then_some(Self(digits))
    }

    /// The SHA-256 of these parts, one after the other.
    pub(super) fn over(parts: &[&[u8]]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part);
        }
        let mut text = [b'0'; Self::LENGTH];
        for (pair, byte) in text.chunks_exact_mut(2).zip(digest.finalize()) {
            if let [high, low] = pair {
                *high = DIGITS[usize::from(byte >> 4)];
                *low = DIGITS[usize::from(byte & 15)];
            }
        }
        Self(text)
    }

    pub(super) fn as_str(&self) -> &str {
        // Only digits are ever put in.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Appends one record and the end of its line to a text; tells its hash.
pub(super) fn compose(
    text: &mut String,
    seq: u64,
    at_ms: u64,
    prev: &Seal,
    event: &Event,
) -> serde_json::Result<Seal> {
    let start = text.len();
    let fields = serde_json::to_string(event)?;
    // An event is an object with at least its tag.
    let fields = fields
        .strip_prefix('{')
        .and_then(|fields| fields.strip_suffix('}'))
        .unwrap_or_default();
    // Writing to a string does not fail.
    let _ = write!(text, "{VERSION}{seq}{TIME}{at_ms},{fields}{PREV}");
    text.push_str(prev.as_str());
    text.push('"');
    let body = text.as_bytes().get(start..).unwrap_or_default();
    let seal = Seal::over(&[body, b"}"]);
    text.push_str(HASH);
    text.push_str(seal.as_str());
    text.push_str("\"}\n");
    Ok(seal)
}

/// A line that has the shape of a record.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) seq: u64,
    pub(super) at_ms: u64,
    pub(super) prev: Seal,
    pub(super) hash: Seal,
    pub(super) text: &'a str,
    body: &'a [u8],
}

impl<'a> Line<'a> {
    /// Takes a line apart, without its end. Says what is wrong with one that is no record.
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, &'static str> {
        if line.len() > MAX_LINE {
            return Err("the line is too long");
        }
        let text = std::str::from_utf8(line).map_err(|_| "it is not text")?;
        let (body, seal) = line
            .split_at_checked(line.len().wrapping_sub(SEAL))
            .ok_or("it is too short")?;
        let hash = seal
            .strip_prefix(HASH.as_bytes())
            .and_then(|rest| rest.strip_suffix(b"\"}"))
            .and_then(Seal::parse)
            .ok_or("it does not end with a hash")?;
        let before = body.len().wrapping_sub(PREV.len() + Seal::LENGTH + 1);
        let prev = body
            .get(before..)
            .and_then(|end| end.strip_prefix(PREV.as_bytes()))
            .and_then(|rest| rest.strip_suffix(b"\""))
            .and_then(Seal::parse)
            .ok_or("it does not name the record before it")?;
        let rest = text
            .strip_prefix(VERSION)
            .ok_or("it does not begin like a record of version 1")?;
        let (seq, rest) = number(rest).ok_or("its number is not valid")?;
        let rest = rest.strip_prefix(TIME).ok_or("it has no time")?;
        let (at_ms, _) = number(rest).ok_or("its time is not valid")?;
        Ok(Self {
            seq,
            at_ms,
            prev,
            hash,
            text,
            body,
        })
    }

    /// Whether the hash is that of the line.
    pub(super) fn is_sealed(&self) -> bool {
        Seal::over(&[self.body, b"}"]) == self.hash
    }

    /// The same and more: a line that a program could read in two ways is no record either.
    pub(super) fn check(&self) -> Result<Envelope<'a>, &'static str> {
        if !self.is_sealed() {
            return Err("its hash does not match the line");
        }
        let envelope: Envelope = serde_json::from_str(self.text).map_err(|_| "it is not JSON")?;
        Ok(envelope)
    }
}

/// What every record has. A field that stands twice is refused by the reader.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope<'a> {
    #[serde(rename = "v")]
    _version: IgnoredAny,
    #[serde(rename = "seq")]
    _seq: IgnoredAny,
    #[serde(rename = "at_ms")]
    _at_ms: IgnoredAny,
    #[serde(borrow)]
    pub(super) event: std::borrow::Cow<'a, str>,
    #[serde(rename = "prev")]
    _prev: IgnoredAny,
    #[serde(rename = "hash")]
    _hash: IgnoredAny,
}

/// A number as we write it, and what follows.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (digits, rest) = text.split_at_checked(end)?;
    let is_plain = digits == "0" || !digits.starts_with('0');
    let number = digits.parse().ok().filter(|_| is_plain)?;
    (number <= MAX_NUMBER).then_some((number, rest))
}
