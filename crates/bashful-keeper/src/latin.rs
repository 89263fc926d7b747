//! Any bytes as a JSON string: one character for each byte.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that travel as text: byte 0xe9 is the character U+00E9. Every sequence of bytes
/// has exactly one such text, ASCII is readable in it, and no table is needed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = self.0.iter().map(|&byte| char::from(byte)).collect();
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
        bytes
            .map(Self)
            .map_err(|_| D::Error::custom("a character that stands for no byte"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_and_nothing_else_is_taken() {
        let all = Bytes((0..=255).collect());
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Bytes>(&text).unwrap(), all);
        assert!(serde_json::from_str::<Bytes>("\"\u{100}\"").is_err());
    }
}
