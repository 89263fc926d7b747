//! Settings that are one of a few words.

use std::str::FromStr;

use bashful_policy::{Otherwise, Preset};
use bashful_sandbox::{Backend, Protection};

use super::place::shown;
use super::scalar::Scalar;

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
            .ok_or_else(|| UnknownChoice::new(word, Self::ALL.iter().map(|(known, _)| *known)))
    }
}

/// A word that is none of the choices.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{word}` is not one of `{}`{}", .choices.join("`, `"),
    .suggestion.map_or_else(String::new, |near| format!(": did you mean `{near}`?"))
)]
#[non_exhaustive]
pub struct UnknownChoice {
    /// What was given, with unprintable characters escaped.
    pub word: String,
    /// What may be given.
    pub choices: Vec<&'static str>,
    /// The nearest of them.
    pub suggestion: Option<&'static str>,
}

impl UnknownChoice {
    fn new(word: &str, choices: impl Iterator<Item = &'static str>) -> Self {
        let choices: Vec<&'static str> = choices.collect();
        Self {
            suggestion: nearest(word, choices.iter().copied()),
            word: shown(word),
            choices,
        }
    }
}

/// The known name nearest to a mistyped one, if one is near.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer names are no typing errors, and comparing them costs time.
    const LONGEST: usize = 64;
    const ALIKE: f64 = 0.8;
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase().replace('_', "-");
    let (score, best) = known
        .map(|known| (strsim::jaro_winkler(&word, known), known))
        .max_by(|left, right| left.0.total_cmp(&right.0))?;
    (score >= ALIKE).then_some(best)
}

/// Which part of too long an output stays in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Keep {
    /// The beginning stays, up to the limit.
    Head,
    /// The end stays, up to the limit.
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
    /// As `Continue` while a caller waits for the run, as `Stop` where it may go on in the
    /// background.
    Auto,
    /// The run goes on; what it prints beyond the quota is counted but not stored.
    Continue,
    /// The run is stopped.
    Stop,
}

impl Choice for OnLogFull {
    const ALL: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("continue", Self::Continue),
        ("stop", Self::Stop),
    ];
}

/// What becomes of a command that a class refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refused {
    /// It does not run.
    Deny,
    /// A person is asked.
    Ask,
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

/// What confines a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sandbox {
    /// The strongest that works here.
    #[default]
    Auto,
    /// This one, whether or not there is a stronger one.
    By(Backend),
    /// Nothing: a run may do all that its user may.
    None,
}

impl Sandbox {
    /// Whether it may hold less than this one.
    pub fn is_weaker_than(self, other: Self) -> bool {
        self.is_wider_than(&other)
    }
}

impl Choice for Sandbox {
    const ALL: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("native", Self::By(Backend::Native)),
        ("bubblewrap", Self::By(Backend::Bubblewrap)),
        ("firejail", Self::By(Backend::Firejail)),
        ("landlock", Self::By(Backend::Landlock)),
        ("none", Self::None),
    ];

    /// A person who mistypes a backend does not mean to have none.
    fn from_word(word: &str) -> Result<Self, UnknownChoice> {
        let known = || Self::ALL.iter().map(|(known, _)| *known);
        let found = Self::ALL.iter().find(|(known, _)| *known == word);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let mut unknown = UnknownChoice::new(word, known());
            unknown.suggestion = unknown.suggestion.filter(|near| *near != "none");
            unknown
        })
    }
}

/// What the home of a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HomeMode {
    /// A directory of the agent's own for the project, kept from run to run outside of the
    /// workspace; an empty one where a person opened more for the run.
    #[default]
    Project,
    /// The run's `HOME` is its workspace.
    Workspace,
    /// An empty directory of the room's own.
    Private,
    /// The real home, readable, without its secrets.
    RealMasked,
}

impl Choice for HomeMode {
    const ALL: &'static [(&'static str, Self)] = &[
        ("project", Self::Project),
        ("workspace", Self::Workspace),
        ("private", Self::Private),
        ("real-masked", Self::RealMasked),
    ];
}

impl Choice for Preset {
    const ALL: &'static [(&'static str, Self)] = &[
        ("read-only", Self::ReadOnly),
        ("workspace", Self::Workspace),
        ("build", Self::Build),
        ("full", Self::Full),
    ];
}

impl Choice for Otherwise {
    const ALL: &'static [(&'static str, Self)] = &[
        ("confined", Self::Confined),
        ("ask", Self::Ask),
        ("deny", Self::Deny),
    ];
}

impl Choice for Refused {
    const ALL: &'static [(&'static str, Self)] = &[("deny", Self::Deny), ("ask", Self::Ask)];
}

impl Choice for Protection {
    const ALL: &'static [(&'static str, Self)] = &[
        ("filesystem", Self::Filesystem),
        ("network", Self::Network),
        ("commands", Self::Commands),
        ("processes", Self::Processes),
        ("resources", Self::Resources),
        ("identity", Self::Identity),
    ];
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

from_str!(Keep, OnLogFull, Survivors, Sandbox, HomeMode);
