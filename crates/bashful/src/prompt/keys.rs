//! One key as an answer: not what was typed ahead, not what is held down, not a paste.

use std::time::Duration;

use super::waiting::{Waiting, Wake};

/// No person reads a question and answers it in less; until the keyboard was quiet for that long,
/// what comes was not meant for us.
const SETTLE: Duration = Duration::from_millis(250);
/// The pieces of a paste follow each other faster than this; fingers do not.
const PASTE_GAP: Duration = Duration::from_millis(40);

/// What the person pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A key that sends one byte.
    One(u8),
    /// Several bytes at once: a paste, or a key that is no letter.
    Several,
}

/// Why there is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoKey {
    /// The ask was settled elsewhere.
    Settled,
    /// We are to end.
    Interrupted,
    /// The terminal is gone.
    HungUp,
}

/// Whether anything was typed too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypedAhead {
    Nothing,
    Dropped,
}

/// Drops what is typed until the keyboard is quiet.
pub(super) fn settle(waiting: &Waiting<'_>) -> Result<TypedAhead, NoKey> {
    waiting.terminal.drain();
    waiting.terminal.drop_input();
    let mut dropped = TypedAhead::Nothing;
    while typed_within(waiting, Some(SETTLE))?.is_some() {
        dropped = TypedAhead::Dropped;
    }
    Ok(dropped)
}

/// The next key.
pub(super) fn key(waiting: &Waiting<'_>) -> Result<Key, NoKey> {
    let typed = typed_within(waiting, None)?.unwrap_or_default();
    let more = typed_within(waiting, Some(PASTE_GAP))?;
    if let (&[byte], None) = (typed.as_slice(), more) {
        return Ok(Key::One(byte));
    }
    settle(waiting)?;
    Ok(Key::Several)
}

/// What was typed; none if the keyboard was quiet for that long.
pub(super) fn typed_within(
    waiting: &Waiting<'_>,
    patience: Option<Duration>,
) -> Result<Option<Vec<u8>>, NoKey> {
    match waiting.for_keys(patience) {
        Wake::Typed(bytes) => Ok(Some(bytes)),
        Wake::Quiet => Ok(None),
        Wake::Settled => Err(NoKey::Settled),
        Wake::Interrupted => Err(NoKey::Interrupted),
        Wake::HungUp => Err(NoKey::HungUp),
    }
}
