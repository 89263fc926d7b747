//! What is put on record. These are file types: a field may be added, never renamed.

use std::path::PathBuf;

use bashful_sandbox::Violation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::script::ScriptChanged;
use crate::model::ask::{Ask, AskState};
use crate::model::connections::Connected;
use crate::model::grant::Grant;

/// An event that is put on record. Every text that came from an agent is masked before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[non_exhaustive]
pub enum Event {
    /// A policy is in force that was not on record.
    Policy(PolicyLoaded),
    /// A caller wants to run a command or a script.
    Request(Box<Requested>),
    /// What the policy said about it.
    Decision(Decided),
    /// A person is asked.
    Ask(Box<Asked>),
    /// An ask was answered, or can be answered no more.
    Answer(Answered),
    /// A grant was given, used up, taken back or forgotten.
    Grant(Box<GrantChanged>),
    /// A run starts. This one is on disk before anything runs.
    Start(Starting),
    /// A person or an agent types into a run. This one is written before it is typed.
    Input(InputSent),
    /// A run has ended.
    End(Box<Ended>),
    /// A request came to nothing: it was not allowed.
    Refusal(Refused),
    /// A managed script was changed, approved, run or the like.
    Script(Box<ScriptChanged>),
    /// The trail itself was mended.
    Mended(Mended),
}

/// A policy that came into force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyLoaded {
    /// Its version: a digest of all that it says.
    pub policy: String,
    /// The name of the profile that it was loaded for.
    pub profile: String,
    /// For whom it was loaded first.
    pub agent: String,
    /// The ids of its configured rules.
    pub rules: Vec<String>,
}

/// A request to run a command or a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// The task that it would be.
    pub task: String,
    /// The agent that asks.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The caller's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// The writable root.
    pub workspace: PathBuf,
    /// Where it would start.
    pub cwd: PathBuf,
    /// The project that the workspace belongs to.
    pub project: PathBuf,
    /// The command, known secrets masked.
    pub command: String,
    /// Variables that it is given, as `NAME=value`, secrets masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// SHA-256 of the command as it would run.
    pub digest: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The profile that it is judged by.
    pub profile: String,
    /// The version of the policy.
    pub policy: String,
    /// What it may do, as the profile and its own wish say: preset, home and capabilities.
    pub rights: Value,
    /// What confines it.
    pub sandbox: String,
}

/// What the policy said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The id of the task that it would be.
    pub task: String,
    /// `allow`, `ask` or `deny`.
    pub effect: String,
    /// The id of the rule that decided.
    pub rule: String,
    /// Where the rule came from.
    pub layer: String,
    /// Why, in words for a person.
    pub reason: String,
    /// The capability that would open it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The grants that the run leans on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
}

/// An ask that was put.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The task that waits for it.
    pub task: String,
    /// Whether an equal ask waited already.
    pub joined: bool,
    /// The ask that can be answered.
    pub ask: Ask,
}

/// An ask that was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The id of the ask.
    pub ask: String,
    /// For whom it was.
    pub agent: String,
    /// How it stands now.
    pub state: AskState,
}

/// What happened to a grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantChanged {
    /// How the grant came to stand as it does.
    pub change: GrantChange,
    /// The grant, as it stands now.
    pub grant: Grant,
}

/// What happened to a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantChange {
    /// A person gave it.
    Given,
    /// A start used it up.
    Claimed,
    /// A person took it back.
    Revoked,
}

/// A run that is about to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starting {
    /// The id of the task that starts.
    pub task: String,
    /// The agent that asked for the run.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The grant of scope `call` that it has claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
}

/// Input that is typed into a run, without saying it: it may be a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSent {
    /// The id of the task that reads it.
    pub task: String,
    /// Whose task it is.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// How it is typed.
    pub how: InputHow,
    /// How many bytes; absent when a person only sits down at the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Their SHA-256; absent where a person sat at the terminal, and where a password was asked
    /// for, because a short text can be found by its digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whether the end of input was said after them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end: bool,
}

/// How input is typed into a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InputHow {
    /// By a program that uses the library.
    Library,
    /// By `bashful send`.
    Send,
    /// By an agent, with a tool.
    Tool,
    /// A person sat down at its terminal.
    AttachBegan,
    /// A person who sat at its terminal left it.
    AttachEnded,
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The id of the task that ended.
    pub task: String,
    /// The agent that asked for the run.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The status of the result.
    pub status: String,
    /// The exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// How long it ran.
    pub duration_ms: u64,
    /// Whether it took longer than was thought.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slow: bool,
    /// What it printed: bytes of both streams, and SHA-256 of the log.
    pub output: OutputDigest,
    /// What was stopped or held back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// The connections that it had, or wanted: the first of them, if they were many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<Connected>,
    /// What went wrong on our side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether it was put on record later, from the task directory, because the engine that
    /// started the run was not there any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
}

impl Ended {
    /// The end of a run of which nothing is known but what went wrong.
    pub(crate) fn broken(start: &Starting, error: &str) -> Self {
        Self {
            task: start.task.clone(),
            agent: start.agent.clone(),
            session: start.session.clone(),
            status: "broken".to_owned(),
            exit_code: None,
            signal: None,
            duration_ms: 0,
            slow: false,
            output: OutputDigest::default(),
            violations: Vec::new(),
            network: Vec::new(),
            error: Some(error.to_owned()),
            late: false,
        }
    }
}

/// What a run printed, without saying it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputDigest {
    /// Bytes on standard output.
    pub stdout_bytes: u64,
    /// Bytes on standard error.
    pub stderr_bytes: u64,
    /// SHA-256 of the log of both streams; absent if it has none or cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A request that was not allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The task that it would have been.
    pub task: String,
    /// The agent that asked for the run.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The action, known secrets masked: `tool:bash:…`.
    pub action: String,
    /// `denied` or `needs_approval`.
    pub status: String,
    /// `deny` or `ask`.
    pub effect: String,
    /// The id of the rule that decided.
    pub rule: String,
    /// Why, in words for a person.
    pub reason: String,
    /// The ask that can still be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
}

/// What was found wrong with the trail when it was to be written, and set right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
#[non_exhaustive]
pub enum Mended {
    /// The last line had no end: a write was cut off. It was taken away.
    Torn {
        /// How many bytes were taken away.
        bytes: u64,
        /// Their SHA-256.
        sha256: String,
    },
    /// Records are missing at the end that were written once.
    Cut {
        /// The last record that is there.
        last: u64,
        /// The last that was.
        known: u64,
    },
    /// The head of the trail could not be read or was not there. It was made anew, and so whether
    /// records were cut off before cannot be told without an anchor.
    NoHead {
        /// The last record that is there.
        last: u64,
    },
}

impl Event {
    /// The words for all events.
    pub const NAMES: [&str; 12] = [
        "policy", "request", "decision", "ask", "answer", "grant", "start", "input", "end",
        "refusal", "script", "mended",
    ];

    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Policy(_) => "policy",
            Self::Request(_) => "request",
            Self::Decision(_) => "decision",
            Self::Ask(_) => "ask",
            Self::Answer(_) => "answer",
            Self::Grant(_) => "grant",
            Self::Start(_) => "start",
            Self::Input(_) => "input",
            Self::End(_) => "end",
            Self::Refusal(_) => "refusal",
            Self::Script(_) => "script",
            Self::Mended(_) => "mended",
        }
    }
}
