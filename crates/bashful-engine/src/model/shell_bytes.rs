//! Text of a shell: any bytes but NUL, how bash is given them and how they are kept.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Any bytes but NUL.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "bashful_keeper::Bytes", try_from = "bashful_keeper::Bytes")]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    /// As text, where it is text.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// As one word of bash that stands for exactly these bytes, in every locale and with every
    /// option: nothing in it is expanded.
    pub(crate) fn quoted(&self, script: &mut Vec<u8>) {
        let plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'\'';
        if self.0.iter().all(plain) {
            script.push(b'\'');
            script.extend(&self.0);
            script.push(b'\'');
            return;
        }
        script.extend(b"$'");
        for &byte in &self.0 {
            match byte {
                b'\'' | b'\\' => script.extend([b'\\', byte]),
                b' '..=b'~' => script.push(byte),
                // Three digits always, so that a digit that follows is not taken for a fourth.
                _ => script.extend(format!("\\{byte:03o}").bytes()),
            }
        }
        script.push(b'\'');
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for Bytes {
    // A value may be a secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Bytes({})", self.0.len())
    }
}

impl From<Bytes> for bashful_keeper::Bytes {
    fn from(bytes: Bytes) -> Self {
        Self(bytes.0)
    }
}

impl TryFrom<bashful_keeper::Bytes> for Bytes {
    type Error = &'static str;

    fn try_from(bytes: bashful_keeper::Bytes) -> Result<Self, Self::Error> {
        if bytes.0.contains(&0) {
            return Err("bash has no text with NUL in it");
        }
        Ok(Self(bytes.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_kept() {
        let all = Bytes((1..=255).collect());
        let json = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Bytes>(&json).unwrap(), all);
        assert!(serde_json::from_str::<Bytes>("\"\\u0100\"").is_err());
        assert!(serde_json::from_str::<Bytes>("\"\\u0000\"").is_err());
    }

    #[test]
    fn a_word_is_quoted_whole() {
        let quoted = |bytes: &[u8]| {
            let mut script = Vec::new();
            Bytes(bytes.to_vec()).quoted(&mut script);
            String::from_utf8(script).unwrap()
        };
        assert_eq!(quoted(b""), "''");
        assert_eq!(quoted(b"$(id) `id` \"!\\"), "'$(id) `id` \"!\\'");
        assert_eq!(quoted(b"a'b"), "$'a\\'b'");
        assert_eq!(quoted(b"\n7\xff\\"), "$'\\0127\\377\\\\'");
    }
}
