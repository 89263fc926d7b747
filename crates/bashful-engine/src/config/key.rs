//! Every key, its name, and what each layer may do to it.

use std::fmt;

/// How the layers of a key combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// The values have an order from wide to narrow. The admin's value is a ceiling: the user
    /// may go narrower, not wider. The project may go narrower than both.
    Narrower,
    /// The values have no order. The admin's value is fixed; else whoever speaks last wins.
    Free,
    /// A list that forbids or hides: what any layer names stays in it.
    Unite,
    /// A list that permits. The admin's list bounds the user's; names outside it are dropped.
    Within,
}

/// Whether a project file has a say about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProjectMay {
    /// It may set the key, within the key's rule.
    Set,
    /// What it sets is ignored with a warning.
    NotSet,
}

/// A configuration key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Key {
    /// Whether a call without a description is refused.
    RequireDescription,
    /// Commands that never run.
    BlockedCommands,
    /// The name of an agent that gives none.
    Agent,
    /// How long a run may take that asks for nothing else.
    Timeout,
    /// How long a run may ask for.
    MaxTimeout,
    /// How many characters of each stream a result holds.
    MaxOutput,
    /// Which part of too long an output a result holds.
    Keep,
    /// How much of a task's output is stored.
    LogQuota,
    /// What happens to a run whose log is full.
    OnLogFull,
    /// What happens to processes that outlive their run.
    Survivors,
    /// How long a run has between SIGTERM and SIGKILL.
    TermGrace,
    /// Values to mask.
    SecretValues,
    /// Variables whose values are masked.
    SecretNames,
    /// Variables of the caller that a run gets in addition.
    EnvironmentPass,
    /// How long a keeper stays without work.
    KeeperIdle,
}

/// One row of the table: full name, rule, and whether a project has a say.
struct Row(&'static str, Rule, ProjectMay);

impl Key {
    /// Every key, in the order in which they are shown: as in the default file.
    pub const ALL: [Self; 15] = [
        Self::RequireDescription,
        Self::BlockedCommands,
        Self::Agent,
        Self::Timeout,
        Self::MaxTimeout,
        Self::MaxOutput,
        Self::Keep,
        Self::LogQuota,
        Self::OnLogFull,
        Self::Survivors,
        Self::TermGrace,
        Self::SecretValues,
        Self::SecretNames,
        Self::EnvironmentPass,
        Self::KeeperIdle,
    ];

    /// The table of layers. This is the one place that says who may change what; the code in
    /// `resolve.rs` only carries it out.
    ///
    /// What counts as narrower: `true` for `require_description`; less for a duration, size or
    /// count; `stop` for `on_log_full`; `kill` for `survivors`.
    const fn row(self) -> Row {
        use ProjectMay::{NotSet, Set};
        use Rule::{Free, Narrower, Unite, Within};
        match self {
            Self::RequireDescription => Row("require_description", Narrower, Set),
            Self::BlockedCommands => Row("blocked_commands", Unite, Set),
            // Rules hang on the agent's name, so a repository does not choose it.
            Self::Agent => Row("default_agent", Free, NotSet),
            Self::Timeout => Row("limits.timeout", Narrower, Set),
            Self::MaxTimeout => Row("limits.max_timeout", Narrower, Set),
            Self::MaxOutput => Row("limits.max_output", Narrower, Set),
            // Which end of the output is shown gives nobody a right.
            Self::Keep => Row("limits.keep", Free, Set),
            Self::LogQuota => Row("limits.log_quota", Narrower, Set),
            Self::OnLogFull => Row("limits.on_log_full", Narrower, Set),
            Self::Survivors => Row("limits.survivors", Narrower, Set),
            Self::TermGrace => Row("limits.term_grace", Narrower, Set),
            // What is masked shapes what a person sees; a repository does not blank it out.
            Self::SecretValues => Row("secrets.values", Unite, NotSet),
            Self::SecretNames => Row("secrets.names", Unite, NotSet),
            Self::EnvironmentPass => Row("environment.pass", Within, NotSet),
            // A keeper serves a session, not a project.
            Self::KeeperIdle => Row("keeper.idle", Narrower, NotSet),
        }
    }

    /// The full name, such as `limits.timeout`.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// How the layers combine.
    pub const fn rule(self) -> Rule {
        self.row().1
    }

    /// Whether a project file has a say.
    pub const fn project_may(self) -> ProjectMay {
        self.row().2
    }

    /// The key with this full name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The section and the name inside it; the section is empty for a top-level key.
    pub(super) fn split(self) -> (&'static str, &'static str) {
        self.name().split_once('.').unwrap_or(("", self.name()))
    }

    /// The key with this name in this section. A name with a dot in it, which TOML allows in
    /// quotes, is no key: it must not become a second way to say `limits.timeout`.
    pub(super) fn find(section: &str, name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|key| key.split() == (section, name))
    }

    /// Whether `name` is a section, such as `limits`.
    pub(super) fn is_section(name: &str) -> bool {
        !name.is_empty() && Self::ALL.into_iter().any(|key| key.split().0 == name)
    }

    /// The known name nearest to `name`, which was found in `section`.
    pub(super) fn nearest(section: &str, name: &str) -> Option<String> {
        /// Longer names are no typing errors, and comparing them costs time.
        const LONGEST: usize = 64;
        const ALIKE: f64 = 0.8;
        if name.len() > LONGEST {
            return None;
        }
        let name = name.to_lowercase().replace('-', "_");
        // Exactly this name in another section, or a full name in quotes, is the better guess.
        if let Some(key) = Self::ALL
            .into_iter()
            .find(|key| key.split().1 == name || key.name() == name)
        {
            return Some(key.name().to_owned());
        }
        let (score, best) = Self::names_in(section)
            .map(|known| (strsim::jaro_winkler(&name, known), known))
            .max_by(|left, right| left.0.total_cmp(&right.0))?;
        (score >= ALIKE).then(|| join(section, best))
    }

    /// What may stand directly in a section: its keys, and for the top level the sections.
    fn names_in(section: &str) -> impl Iterator<Item = &'static str> {
        Self::ALL
            .into_iter()
            .filter_map(move |key| match key.split() {
                (of, name) if of == section => Some(name),
                (of, _) if section.is_empty() => Some(of),
                _ => None,
            })
    }
}

/// The full name of something in a section, with quotes where TOML needs them.
pub(super) fn join(section: &str, name: &str) -> String {
    let bare = |next: char| next.is_ascii_alphanumeric() || "_-".contains(next);
    let dot = if section.is_empty() { "" } else { "." };
    if !name.is_empty() && name.chars().all(bare) {
        format!("{section}{dot}{name}")
    } else {
        format!("{section}{dot}\"{name}\"")
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
