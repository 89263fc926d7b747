//! Settings that are one of a few words.

use std::str::FromStr;

use super::place::shown;

/// A setting with a fixed list of words, used by files and flags alike.
pub trait Choice: Copy + Eq + Sized + 'static {
    /// All words with what they mean.
    const ALL: &'static [(&'static str, Self)];

    /// The word for this value.
    fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find_map(|(word, value)| (*value == self).then_some(*word))
            .unwrap_or_default()
    }

    /// The value for a word.
    fn from_word(word: &str) -> Result<Self, UnknownChoice> {
        Self::ALL
            .iter()
            .find_map(|(known, value)| (*known == word).then_some(*value))
            .ok_or_else(|| UnknownChoice {
                word: shown(word),
                choices: Self::ALL.iter().map(|(known, _)| *known).collect(),
            })
    }
}

/// A word that is none of the choices.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not one of `{}`", .choices.join("`, `"))]
#[non_exhaustive]
pub struct UnknownChoice {
    /// What was given, with unprintable characters escaped.
    pub word: String,
    /// What may be given.
    pub choices: Vec<&'static str>,
}

/// Which part of too long an output stays in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Keep {
    /// The beginning.
    Head,
    /// The end.
    Tail,
    /// The beginning and the end.
    HeadTail,
}

impl Choice for Keep {
    const ALL: &'static [(&'static str, Self)] = &[
        ("head", Self::Head),
        ("tail", Self::Tail),
        ("head-tail", Self::HeadTail),
    ];
}

/// What happens to a run whose log has reached its quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnLogFull {
    /// The run goes on; what it prints beyond the quota is counted but not stored.
    Continue,
    /// The run is stopped.
    Stop,
}

impl Choice for OnLogFull {
    const ALL: &'static [(&'static str, Self)] =
        &[("continue", Self::Continue), ("stop", Self::Stop)];
}

/// What happens to processes that outlive the leader of their run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Survivors {
    /// They are killed.
    Kill,
    /// They become a background task with an id.
    Adopt,
}

impl Choice for Survivors {
    const ALL: &'static [(&'static str, Self)] = &[("kill", Self::Kill), ("adopt", Self::Adopt)];
}

/// Lets clap and others parse the word without knowing the trait.
macro_rules! from_str {
    ($($choice:ty),+) => {$(
        impl FromStr for $choice {
            type Err = UnknownChoice;

            fn from_str(word: &str) -> Result<Self, UnknownChoice> {
                Self::from_word(word)
            }
        }
    )+};
}

from_str!(Keep, OnLogFull, Survivors);
