//! What is wrong with a host that somebody wrote.

use super::presets::preset_names;

/// A text that names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` {fault}", shown(.text))]
pub struct HostError {
    /// The text, as it was given.
    pub text: String,
    /// What is wrong with it.
    pub fault: HostFault,
}

impl HostError {
    pub(super) fn new(text: &str, fault: HostFault) -> Self {
        Self {
            text: text.to_owned(),
            fault,
        }
    }
}

/// What is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostFault {
    /// A blank or control character, also a NUL.
    #[error("has a blank or control character, which no host has")]
    Blank,
    /// A letter outside ASCII.
    #[error("has letters outside ASCII: write the name as it is in DNS, with `xn--`")]
    NotAscii,
    /// An empty name or part of one, or one that is too long.
    #[error("is no name: parts have 1 to 63 characters, and all of them 253 at most")]
    Length,
    /// A character that no name has.
    #[error("has `{0}`, which no name of a host has")]
    Character(char),
    /// A number that some programs read as an address, and others as another one.
    #[error("looks like an address and is none: write four plain decimal numbers")]
    Number,
    /// A port out of range, or no number.
    #[error("has no port: that is a number from 1 to 65535 after the last `:`")]
    Port,
    /// A star in another place than the beginning.
    #[error("has a `*` where it means nothing: only `*.example.org` is understood")]
    Star,
    /// A star that would open everything, or all of a top-level domain.
    #[error("would open too much: after `*.` there are at least two parts; `on` is everything")]
    TooWide,
    /// A network that does not begin where it says.
    #[error("is no network: the bits after `/` must be zero, as in `10.1.2.0/24`")]
    Network,
    /// An address that is another one in disguise.
    #[error("stands for `{0}`: write that")]
    Mapped(String),
    /// A name without a dot or port.
    #[error(
        "is neither a host nor a preset ({}); a name without a dot needs a port",
        preset_names().join(", ")
    )]
    NoPreset,
    /// The machine itself.
    #[error("is the room's own machine inside, where nothing has to be opened for it")]
    Localhost,
    /// More rules than are compared with each connection.
    #[error("is one of more than {0} hosts, which are too many")]
    TooMany(usize),
}

/// The text without what would disturb a terminal, and not too long.
fn shown(text: &str) -> String {
    const MOST_SHOWN: usize = 80;
    let escaped = text.chars().take(MOST_SHOWN).flat_map(char::escape_debug);
    escaped.collect()
}
