//! No listed secret passes, however the output is cut into pieces.
//!
//! `cargo xtask soak` runs these for as long as `BASHFUL_SOAK_SECONDS` says.

use std::time::{Duration, Instant};

use bashful_keeper::{CharacterCount, Masker};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Tries a law on fresh cases until the time is up.
fn hold<S: Strategy>(strategy: &S, law: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let seconds = std::env::var("BASHFUL_SOAK_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(1));
    loop {
        let config = Config {
            cases: 200,
            failure_persistence: None,
            ..Config::default()
        };
        if let Err(error) = TestRunner::new(config).run(strategy, &law) {
            panic!("{error}");
        }
        if Instant::now() > until {
            return;
        }
    }
}

fn cut(bytes: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for length in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, later) = rest.split_at((*length).min(rest.len()));
        pieces.push(piece.to_vec());
        rest = later;
    }
    pieces
}

fn mask(secrets: &[Vec<u8>], pieces: &[Vec<u8>]) -> Vec<u8> {
    let Some(mut masker) = Masker::new(secrets) else {
        return pieces.concat();
    };
    let mut out = Vec::new();
    for piece in pieces {
        masker.push(piece, &mut out);
    }
    masker.finish(&mut out);
    out
}

/// What masking means: every byte of every occurrence goes, and each stretch of
/// occurrences that overlap is replaced once.
fn reference(secrets: &[Vec<u8>], bytes: &[u8]) -> Vec<u8> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for start in 0..bytes.len() {
        for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
            if bytes[start..].starts_with(secret) {
                found.push((start, start + secret.len()));
            }
        }
    }
    found.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (start, end) in found {
        match joined.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    let mut out = Vec::new();
    let mut at = 0;
    for (start, end) in joined {
        out.extend(&bytes[at..start]);
        out.extend(b"[masked]");
        at = end;
    }
    out.extend(&bytes[at..]);
    out
}

#[test]
fn masking_is_what_the_reference_says_whatever_the_pieces() {
    let letters = |range| proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b')], range);
    let strategy = (
        proptest::collection::vec(letters(0..7), 0..5),
        letters(0..80),
        proptest::collection::vec(1_usize..12, 1..30),
    );
    hold(&strategy, |(secrets, bytes, cuts)| {
        let masked = mask(&secrets, &cut(&bytes, &cuts));
        let expected = reference(&secrets, &bytes);
        prop_assert_eq!(
            String::from_utf8_lossy(&masked),
            String::from_utf8_lossy(&expected)
        );
        Ok(())
    });
}

#[test]
fn masking_finds_planted_secrets_in_binary_output() {
    let secret = proptest::collection::vec(any::<u8>(), 8..40);
    let noise = || proptest::collection::vec(any::<u8>(), 0..50);
    let strategy = (
        secret,
        proptest::collection::vec(noise(), 1..6),
        proptest::collection::vec(1_usize..60, 1..30),
    );
    hold(&strategy, |(secret, noise, cuts)| {
        let bytes = noise.join(&secret[..]);
        let masked = mask(std::slice::from_ref(&secret), &cut(&bytes, &cuts));
        let found = masked.windows(secret.len()).any(|window| window == secret);
        prop_assert!(!found);
        prop_assert_eq!(masked, reference(std::slice::from_ref(&secret), &bytes));
        Ok(())
    });
}

#[test]
fn masking_holds_back_no_more_than_could_still_become_a_secret() {
    let secret = b"secret-value".to_vec();
    let mut masker = Masker::new(std::slice::from_ref(&secret)).unwrap();
    let mut out = Vec::new();
    masker.push(b"prompt> secret-val", &mut out);
    assert_eq!(out, b"prompt> ");
    masker.push(b"id\nnext? ", &mut out);
    assert_eq!(out, b"prompt> secret-valid\nnext? ");
    masker.push(b"secret-value", &mut out);
    assert!(
        out.ends_with(b"[masked]"),
        "a whole secret is given out at once"
    );
}

#[test]
fn nothing_to_mask_is_no_masker() {
    let none: [&str; 0] = [];
    assert!(Masker::new(&none).is_none());
    assert!(Masker::new(&["", ""]).is_none());
    assert!(Masker::new(&["", "x"]).is_some());
}

#[test]
fn characters_are_counted_whatever_the_pieces() {
    let byte = prop_oneof![
        any::<u8>(),
        Just(0xf0),
        Just(0x9f),
        Just(0xa6),
        Just(0x80),
        Just(0xe2),
        Just(0xed),
        Just(0xa0),
        Just(b'x'),
    ];
    let strategy = (
        proptest::collection::vec(byte, 0..300),
        proptest::collection::vec(1_usize..9, 1..40),
    );
    hold(&strategy, |(bytes, cuts)| {
        let mut count = CharacterCount::default();
        for piece in cut(&bytes, &cuts) {
            count.push(&piece);
        }
        let expected = String::from_utf8_lossy(&bytes).chars().count() as u64;
        prop_assert_eq!(count.total(), expected);
        Ok(())
    });
}
