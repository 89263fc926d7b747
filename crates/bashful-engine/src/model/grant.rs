//! A grant: a remembered yes.

use bashful_policy::Suggestion;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use bashful_policy::{CapabilityChanges, Directory, NetworkCapability, ResourceLimits};
use serde::{Deserialize, Serialize};

use crate::model::answered_by::AnsweredBy;
use crate::model::transfer::{ServerKey, Transfer};

/// How far a yes reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One run, once.
    Call,
    /// The session that asked.
    Session,
    /// The project that asked.
    Project,
    /// Everything that this agent does for this user.
    User,
}

impl Scope {
    /// All scopes, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Call, Self::Session, Self::Project, Self::User];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Session => "session",
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A word that is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no such scope; the scopes are `call`, `session`, `project` and `user`")]
pub struct UnknownScope;

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(word: &str) -> Result<Self, UnknownScope> {
        let mut all = Self::ALL.into_iter();
        all.find(|scope| scope.as_str() == word).ok_or(UnknownScope)
    }
}

/// What a grant is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Subject {
    /// Exactly one text.
    Command {
        /// Its SHA-256, in hexadecimal.
        digest: String,
        /// The text for people, known secrets masked.
        text: String,
    },
    /// Commands whose parts are allowed without it or have one of these shapes.
    Shapes(Vec<Vec<String>>),
    /// Every command: what it opens is open.
    Any,
}

/// What a yes opens beyond what a run has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// What the network becomes: `on`, or a list of hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Classes that are refused otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Further paths to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths_read: Vec<String>,
    /// Further paths to write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths_write: Vec<String>,
    /// Those of them that were not there when a person was asked: they are made after the yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub makes: Vec<String>,
    /// Names that are links, with where each leads: the way to a program that is opened.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, String>,
    /// Limits to set, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, u64>,
    /// Repositories elsewhere that git is let to with what the person has outside, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub git: Vec<Transfer>,
    /// Keys of servers that become known; such a yes is about nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_keys: Vec<ServerKey>,
}

impl Opening {
    /// Whether it opens nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it opens directories for writing, and nothing else.
    pub fn is_only_directories(&self) -> bool {
        let directories = Self {
            paths_write: self.paths_write.clone(),
            makes: self.makes.clone(),
            ..Self::default()
        };
        !self.paths_write.is_empty() && *self == directories
    }

    /// Adds a directory to write in.
    pub(crate) fn add(&mut self, directory: &Directory) {
        if !self.paths_write.contains(&directory.path) {
            self.paths_write.push(directory.path.clone());
            if directory.missing {
                self.makes.push(directory.path.clone());
            }
        }
    }

    /// The same in the words of a profile.
    pub fn changes(&self) -> CapabilityChanges {
        let limit = |name: &str| self.resources.get(name).copied();
        CapabilityChanges {
            paths_read: self.paths_read.clone(),
            paths_write: self.paths_write.clone(),
            network: self.network.as_deref().map(|word| {
                // What cannot be read opens nothing: no run is given such hosts.
                let unread = |_| NetworkCapability::Hosts(vec![word.to_owned()]);
                NetworkCapability::parse(word).unwrap_or_else(unread)
            }),
            resources: ResourceLimits {
                memory: limit("memory"),
                processes: limit("processes"),
                cpu_time: limit("cpu_time"),
                cpu_share: limit("cpu_share"),
                open_files: limit("open_files"),
                file_size: limit("file_size"),
                tmp_size: limit("tmp_size"),
                disk_size: limit("disk_size"),
            },
            classes: self.classes.clone(),
            ..CapabilityChanges::default()
        }
    }
}

/// A remembered yes. This is the row and the record of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Its id, `grant-…`.
    pub id: String,
    /// How far it reaches.
    pub scope: Scope,
    /// What it is about.
    pub subject: Subject,
    /// What it opens.
    #[serde(default, skip_serializing_if = "Opening::is_empty")]
    pub opens: Opening,
    /// The agent that may use it.
    pub agent: String,
    /// In which session; absent where every session of the scope may use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// In which project; absent in scope `user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// In which working directory; absent where every one will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// The version of the policy under which it was given; absent: under any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// A digest of what the run could do without it; absent: whatever that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<String>,
    /// When it was given.
    pub created_at_ms: u64,
    /// Until when it holds; absent: until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
    /// Who gave it.
    pub by: AnsweredBy,
    /// The ask that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// The start that used it up; only for scope `call`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// When it was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at_ms: Option<u64>,
}

impl Grant {
    /// Whether it holds at this time. A clock that went back behind the moment in which a grant
    /// with an end was given says nothing about that end, so such a grant does not hold.
    pub fn holds_at(&self, now_ms: u64) -> bool {
        let in_time = self
            .expires_at_ms
            .is_none_or(|end| (self.created_at_ms..end).contains(&now_ms));
        in_time && self.revoked_at_ms.is_none() && self.claimed_by.is_none()
    }
}

/// The shape of commands that a yes would be remembered for, as one line.
pub fn remembered(suggestion: &Suggestion) -> String {
    let plain = |word: &String| {
        let usual = |next: char| next.is_alphanumeric() || "-_./=:,@%+…".contains(next);
        !word.is_empty() && word.chars().all(usual)
    };
    let words = suggestion.shape.iter().map(|word| {
        if plain(word) {
            word.clone()
        } else {
            bashful_policy::escape_arg(word)
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
