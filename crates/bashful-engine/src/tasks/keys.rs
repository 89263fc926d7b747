//! Keys by their names, and what a terminal sends for them.

use std::str::FromStr;

/// A key, or one together with Ctrl or Alt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(Vec<u8>);

/// A name that is no key's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a key; keys are {KEY_NAMES}", name.escape_debug())]
pub struct UnknownKey {
    /// What was given, shortened.
    pub name: String,
}

/// The names of keys, for people and models.
pub const KEY_NAMES: &str = "enter, tab, escape, space, backspace, up, down, left, right, home, end, \
    page-up, page-down, insert, delete, f1 to f12, ctrl-a to ctrl-z, alt-x, or one character";

/// Names and what they send, as xterm does in its usual mode.
const KEYS: &[(&str, &str)] = &[
    ("enter", "\r"),
    ("return", "\r"),
    ("tab", "\t"),
    ("shift-tab", "\x1b[Z"),
    ("escape", "\x1b"),
    ("esc", "\x1b"),
    ("space", " "),
    ("backspace", "\x7f"),
    ("delete", "\x1b[3~"),
    ("insert", "\x1b[2~"),
    ("up", "\x1b[A"),
    ("down", "\x1b[B"),
    ("right", "\x1b[C"),
    ("left", "\x1b[D"),
    ("home", "\x1b[H"),
    ("end", "\x1b[F"),
    ("page-up", "\x1b[5~"),
    ("pageup", "\x1b[5~"),
    ("page-down", "\x1b[6~"),
    ("pagedown", "\x1b[6~"),
    ("f1", "\x1bOP"),
    ("f2", "\x1bOQ"),
    ("f3", "\x1bOR"),
    ("f4", "\x1bOS"),
    ("f5", "\x1b[15~"),
    ("f6", "\x1b[17~"),
    ("f7", "\x1b[18~"),
    ("f8", "\x1b[19~"),
    ("f9", "\x1b[20~"),
    ("f10", "\x1b[21~"),
    ("f11", "\x1b[23~"),
    ("f12", "\x1b[24~"),
];

impl Key {
    /// What a terminal sends for it.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(name: &str) -> Result<Self, UnknownKey> {
        let unknown = || UnknownKey {
            name: name.chars().take(40).collect(),
        };
        let mut characters = name.chars();
        if let (Some(single), None) = (characters.next(), characters.next()) {
            if single.is_control() {
                return Err(unknown());
            }
            return Ok(Self(name.as_bytes().to_vec()));
        }
        let lower = name.to_ascii_lowercase().replace(['_', '+'], "-");
        if let Some((_, sent)) = KEYS.iter().find(|(known, _)| *known == lower) {
            return Ok(Self(sent.as_bytes().to_vec()));
        }
        let after = |modifiers: &[&str]| {
            modifiers
                .iter()
                .find_map(|modifier| lower.strip_prefix(modifier))
        };
        if let Some(rest) = after(&["ctrl-", "control-", "c-", "^"]) {
            return control(rest)
                .map(|byte| Self(vec![byte]))
                .ok_or_else(unknown);
        }
        if let Some(rest) = after(&["alt-", "meta-", "m-"]) {
            // The letter as it was given: Alt and a capital are another key.
            let start = name.len() - rest.len();
            let inner: Self = name
                .get(start..)
                .unwrap_or(rest)
                .parse()
                .map_err(|_| unknown())?;
            return Ok(Self([b"\x1b", inner.bytes()].concat()));
        }
        Err(unknown())
    }
}

/// What Ctrl makes of a key.
fn control(key: &str) -> Option<u8> {
    match key.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(letter & 0x1f),
        [symbol @ (b'[' | b'\\' | b']' | b'^' | b'_')] => Some(symbol & 0x1f),
        [b'@'] => Some(0),
        [b'?'] => Some(0x7f),
        _ if key == "space" => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(name: &str) -> Option<Vec<u8>> {
        name.parse::<Key>().ok().map(|key| key.0)
    }

    #[test]
    fn keys_send_what_a_terminal_sends() {
        let cases: &[(&str, &[u8])] = &[
            ("ctrl-c", b"\x03"),
            ("Ctrl-D", b"\x04"),
            ("^z", b"\x1a"),
            ("ctrl-\\", b"\x1c"),
            ("ctrl-space", b"\0"),
            ("enter", b"\r"),
            ("PAGE_UP", b"\x1b[5~"),
            ("f12", b"\x1b[24~"),
            ("alt-X", b"\x1bX"),
            ("alt-up", b"\x1b\x1b[A"),
            ("q", b"q"),
            ("é", "é".as_bytes()),
            ("-", b"-"),
            ("^", b"^"),
        ];
        for (name, bytes) in cases {
            assert_eq!(sent(name).as_deref(), Some(*bytes), "{name}");
        }
    }

    #[test]
    fn every_key_that_is_named_is_one() {
        for name in KEY_NAMES.split([' ', ',']).filter(|name| !name.is_empty()) {
            let is_word = ["to", "or", "one", "character"].contains(&name);
            assert!(is_word || sent(name).is_some(), "{name}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for name in [
            "",
            "ctrl-",
            "ctrl-é",
            "f13",
            "entre",
            "\n",
            "alt-",
            "ctrl-c,enter",
        ] {
            assert_eq!(sent(name), None, "{name:?}");
        }
    }
}
