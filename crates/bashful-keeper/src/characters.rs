//! Counting characters of a stream that arrives in pieces.

/// How many characters a stream has, read the way `String::from_utf8_lossy`
/// reads it: each invalid sequence is one replacement character.
#[derive(Debug, Default, Clone)]
pub struct CharacterCount {
    count: u64,
    /// The start of a character whose end has not arrived: at most three bytes.
    pending: Vec<u8>,
}

impl CharacterCount {
    /// Counts the next piece.
    pub fn push(&mut self, bytes: &[u8]) {
        let joined;
        let bytes = if self.pending.is_empty() {
            bytes
        } else {
            // A character needs at most three more bytes; the copy of the rest
            // happens only for pieces that begin inside a character.
            self.pending.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.pending);
            &joined
        };
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.count += chunk.valid().chars().count() as u64;
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            if chunks.peek().is_none() && is_unfinished(invalid) {
                self.pending = invalid.to_vec();
            } else {
                self.count += 1;
            }
        }
    }

    /// The count so far; an unfinished character at the end counts as one.
    pub fn total(&self) -> u64 {
        self.count + u64::from(!self.pending.is_empty())
    }
}

/// Whether these bytes are the beginning of a character and nothing worse.
fn is_unfinished(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_like_lossy_reading_whatever_the_pieces(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xe2), Just(0x82), Just(0xac), Just(b'a')], 0..200),
            cuts in proptest::collection::vec(1_usize..7, 1..50),
        ) {
            let mut count = CharacterCount::default();
            let mut rest = &bytes[..];
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (piece, later) = rest.split_at((*cut).min(rest.len()));
                count.push(piece);
                rest = later;
            }
            prop_assert_eq!(count.total(), String::from_utf8_lossy(&bytes).chars().count() as u64);
        }
    }
}
