//! Masking secrets in a stream that arrives in pieces.

use aho_corasick::{AhoCorasick, MatchKind};

/// What stands where a secret was.
const MASK: &[u8] = b"[masked]";

/// Replaces every occurrence of the listed values, also where one is spread over
/// several pieces. Bytes that might be the beginning of a secret are held back
/// until it is known whether they are.
#[derive(Debug)]
pub struct Masker {
    secrets: Vec<Vec<u8>>,
    finder: AhoCorasick,
    longest: usize,
    /// The end of what arrived, which may begin a secret.
    held: Vec<u8>,
    /// How many of the held bytes belong to a secret that was masked already.
    held_masked: usize,
}

impl Masker {
    /// A masker for these values; none if there is nothing to mask.
    pub fn new<S: AsRef<[u8]>>(secrets: &[S]) -> Option<Self> {
        let mut secrets: Vec<Vec<u8>> = secrets
            .iter()
            .map(|secret| secret.as_ref().to_vec())
            .filter(|secret| !secret.is_empty())
            .collect();
        secrets.sort();
        secrets.dedup();
        let longest = secrets.iter().map(Vec::len).max()?;
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(&secrets)
            .ok()?;
        Some(Self {
            secrets,
            finder,
            longest,
            held: Vec::new(),
            held_masked: 0,
        })
    }

    /// Takes the next piece and gives out what is safe to show by now.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.held.extend_from_slice(bytes);
        let keep_from = self.first_possible_start();
        self.release(keep_from, out);
    }

    /// The stream has ended: gives out the rest.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.release(self.held.len(), out);
    }

    /// Where the earliest secret that is not complete yet might begin.
    fn first_possible_start(&self) -> usize {
        let from = self.held.len().saturating_sub(self.longest - 1);
        (from..self.held.len())
            .find(|&start| {
                let end = &self.held[start..];
                self.secrets
                    .iter()
                    .any(|secret| secret.len() > end.len() && secret.starts_with(end))
            })
            .unwrap_or(self.held.len())
    }

    /// Gives out the held bytes before `until`, with every secret masked.
    fn release(&mut self, until: usize, out: &mut Vec<u8>) {
        let mut written = self.held_masked;
        let mut masked_until = self.held_masked;
        for (start, end) in self.covered() {
            if start >= until {
                break;
            }
            if start > written {
                out.extend_from_slice(&self.held[written..start]);
            }
            // An overlap with what was masked before is the same stretch.
            if start >= masked_until {
                out.extend_from_slice(MASK);
            }
            written = written.max(end);
            masked_until = masked_until.max(end);
        }
        if written < until {
            out.extend_from_slice(&self.held[written..until]);
        }
        self.held_masked = masked_until.saturating_sub(until);
        self.held.drain(..until);
    }

    /// The stretches covered by secrets, overlapping ones joined, in order.
    fn covered(&self) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = self
            .finder
            .find_overlapping_iter(&self.held)
            .map(|hit| (hit.start(), hit.end()))
            .collect();
        found.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (start, end) in found {
            match joined.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mask_in_pieces(secrets: &[&str], pieces: &[&[u8]]) -> Vec<u8> {
        let mut masker = Masker::new(secrets).unwrap();
        let mut out = Vec::new();
        for piece in pieces {
            masker.push(piece, &mut out);
        }
        masker.finish(&mut out);
        out
    }

    #[test]
    fn a_secret_in_two_pieces_is_masked() {
        assert_eq!(
            mask_in_pieces(&["s3cretvalue"], &[b"x s3cre", b"tvalue y"]),
            b"x [masked] y"
        );
    }

    #[test]
    fn what_cannot_be_a_secret_is_given_out_at_once() {
        let mut masker = Masker::new(&["s3cretvalue"]).unwrap();
        let mut out = Vec::new();
        masker.push(b"Password: ", &mut out);
        assert_eq!(out, b"Password: ");
    }

    #[test]
    fn the_longer_of_two_secrets_leaves_no_rest() {
        assert_eq!(
            mask_in_pieces(&["abcdefgh", "abcdefghij"], &[b"abcdefgh", b"ij."]),
            b"[masked]."
        );
    }

    #[test]
    fn memory_stays_small_on_a_self_overlapping_secret() {
        let mut masker = Masker::new(&["aaaaaaaa"]).unwrap();
        let mut out = Vec::new();
        for _ in 0..1000 {
            masker.push(&[b'a'; 1000], &mut out);
            assert!(masker.held.len() < 16);
        }
        masker.finish(&mut out);
        assert!(
            !out.contains(&b'a')
                || !String::from_utf8_lossy(&out)
                    .replace("[masked]", "")
                    .contains('a')
        );
    }

    proptest! {
        #[test]
        fn no_secret_byte_survives_and_nothing_else_is_lost(
            text in "[abx]{0,120}",
            cuts in proptest::collection::vec(1_usize..9, 1..60),
        ) {
            let secrets = ["abab", "babx", "abxaab"];
            // The reference: all bytes covered by any secret, in one piece.
            let bytes = text.as_bytes();
            let mut covered = vec![false; bytes.len()];
            for secret in secrets {
                for start in 0..bytes.len() {
                    if bytes[start..].starts_with(secret.as_bytes()) {
                        covered[start..start + secret.len()].fill(true);
                    }
                }
            }
            let expected: Vec<u8> =
                bytes.iter().zip(&covered).filter(|(_, covered)| !**covered).map(|(byte, _)| *byte).collect();
            let mut pieces = Vec::new();
            let mut rest = bytes;
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (piece, later) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = later;
            }
            let out = mask_in_pieces(&secrets, &pieces);
            let bare = String::from_utf8(out).unwrap().replace("[masked]", "");
            prop_assert_eq!(bare.as_bytes(), &expected[..]);
        }
    }
}
