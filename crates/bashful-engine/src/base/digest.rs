//! Digests as text.

use sha2::{Digest, Sha256};

/// The first bytes of a digest as text.
pub(crate) fn hexadecimal(digest: &[u8], bytes: usize) -> String {
    let halves = |byte: &u8| [byte >> 4, byte & 15];
    let digits = digest.iter().take(bytes).flat_map(halves);
    digits
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

/// SHA-256 of these parts, in hexadecimal. One part is hashed as it stands.
pub(crate) fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        if parts.len() > 1 {
            // The length goes first, so that no two lists of parts look the same.
            hash.update((part.len() as u64).to_le_bytes());
        }
        hash.update(part);
    }
    hexadecimal(&hash.finalize(), 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_as_everybody_writes_them() {
        assert_eq!(hexadecimal(&[0, 1, 0xab, 0xff], 3), "0001ab");
    }
}
