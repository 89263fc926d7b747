//! What a script is called: its id, which is a UUID and names its file, and its name for people.

use std::fmt;
use std::io;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a script: a UUID and nothing else. It is the only thing that names a file, so there
/// is no text that leads out of the folder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScriptId([u8; 16]);

/// A text that is no UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a script id: an id is a UUID such as `9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10`", .0.escape_debug())]
pub struct NotAnId(pub String);

/// Where a UUID has its hyphens.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// How long a UUID is as text.
const LENGTH: usize = 36;

impl ScriptId {
    /// A random id, which no other script has.
    pub(crate) fn fresh() -> io::Result<Self> {
        let mut bytes = [0_u8; 16];
        rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
        // Version 4, and the variant of RFC 9562.
        bytes[6] = (bytes[6] & 0x0f) | 0x40;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        Ok(Self(bytes))
    }

    /// The name of its file.
    pub(crate) fn file_name(self) -> String {
        format!("{self}.sh")
    }

    /// The id whose file is called so.
    pub(crate) fn of_file(name: &str) -> Option<Self> {
        let id: Self = name.strip_suffix(".sh")?.parse().ok()?;
        // Only the one spelling, so that no two files have one id.
        (id.file_name() == name).then_some(id)
    }
}

impl FromStr for ScriptId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let refused = || NotAnId(text.chars().take(80).collect());
        if text.len() != LENGTH || !text.is_ascii() {
            return Err(refused());
        }
        let mut digits = Vec::with_capacity(32);
        for (at, character) in text.chars().enumerate() {
            match (HYPHENS.contains(&at), character) {
                (true, '-') => {}
                (false, digit) => {
                    let value = digit
                        .to_digit(16)
                        .and_then(|value| u8::try_from(value).ok());
                    digits.push(value.ok_or_else(refused)?);
                }
                (true, _) => return Err(refused()),
            }
        }
        let mut bytes = [0_u8; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = pair.iter().fold(0, |byte, digit| (byte << 4) | digit);
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for ScriptId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                formatter.write_str("-")?;
            }
            write!(formatter, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ScriptId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ScriptId({self})")
    }
}

impl Serialize for ScriptId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ScriptId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The name of a script, for people. No two scripts have the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScriptName(String);

/// A text that is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` cannot be the name of a script: {why}", name.escape_debug())]
#[non_exhaustive]
pub struct NotAName {
    /// The beginning of the text.
    pub name: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// The longest name, in bytes.
const LONGEST_NAME: usize = 100;

impl ScriptName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether people would take one for the other: they differ in capitals at most.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        self.0 == other.0 || self.0.to_lowercase() == other.0.to_lowercase()
    }
}

impl FromStr for ScriptName {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        match unfit(text) {
            None => Ok(Self(text.to_owned())),
            Some(why) => Err(NotAName {
                name: text.chars().take(80).collect(),
                why,
            }),
        }
    }
}

/// Letters and symbols that are shown as nothing.
const INVISIBLE: [char; 8] = [
    '\u{115f}',
    '\u{1160}',
    '\u{17b4}',
    '\u{17b5}',
    '\u{2800}',
    '\u{3164}',
    '\u{ffa0}',
    '\u{1d159}',
];

/// What is wrong with a name.
fn unfit(text: &str) -> Option<&'static str> {
    // What a person would see as other than it is: such characters come out escaped.
    let hides = |next: char| {
        let plain = matches!(next, '"' | '\'' | '\\');
        !plain && (next.escape_debug().count() > 1 || INVISIBLE.contains(&next))
    };
    if text.is_empty() {
        Some("it is empty")
    } else if text.len() > LONGEST_NAME {
        Some("it is longer than 100 bytes")
    } else if text.contains('/') {
        Some("it has a slash")
    } else if text.chars().any(|next| next.is_control() || hides(next)) {
        Some("it has characters that cannot be seen")
    } else if text.trim() != text {
        Some("it begins or ends with a blank")
    } else if text.starts_with(['-', '.']) {
        Some("it begins with a hyphen or a full stop")
    } else if text.parse::<ScriptId>().is_ok() {
        Some("it looks like an id")
    } else {
        None
    }
}

impl fmt::Display for ScriptName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for ScriptName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ScriptName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_uuid_is_an_id() {
        let id = ScriptId::fresh().unwrap();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(id.to_string().to_uppercase().parse(), Ok(id));
        assert_eq!(ScriptId::of_file(&id.file_name()), Some(id));
        assert_eq!(ScriptId::of_file(&id.file_name().to_uppercase()), None);
        let other = "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e1";
        for text in [
            "",
            "..",
            "../../etc/passwd",
            other,
            "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e1/",
            "9b2e5c1a+4f0d-4c3e-8a51-0d6f2b7c9e10",
            "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e1\u{0}",
            "9b2e5c1a4f0d4c3e8a510d6f2b7c9e100000",
            "+b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10",
            "{9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e1",
            "９b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e",
        ] {
            assert!(text.parse::<ScriptId>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_name_is_plain() {
        for name in [
            "a",
            "log-cleanup",
            "Ärger im Büro",
            "it's \"mine\" \\o/".trim_end_matches('/'),
        ] {
            assert_eq!(name.parse::<ScriptName>().unwrap().as_str(), name);
        }
        let long = "x".repeat(101);
        for name in [
            "",
            " a",
            "a ",
            "a/b",
            "..",
            ".a",
            "-rf",
            "a\nb",
            "a\u{1b}[2J",
            "a\u{202e}b",
            "a\u{200b}b",
            "a\u{3164}",
            "\u{115f}",
            "a\u{2800}b",
            "a\u{a0}b",
            "9b2e5c1a-4f0d-4c3e-8a51-0d6f2b7c9e10",
            &long,
        ] {
            assert!(name.parse::<ScriptName>().is_err(), "{name:?}");
        }
    }
}
