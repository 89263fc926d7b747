//! An ask: a question about one command that waits for a person.

use std::path::PathBuf;

use bashful_policy::Capabilities;
use serde::{Deserialize, Serialize};

use super::grant::{Opening, Scope};
use crate::model::answered_by::AnsweredBy;
use crate::model::script::Destinations;
use crate::model::script::finding::ScriptFinding;
use crate::model::script::id::{ScriptId, ScriptName};
use crate::model::script::variable::Variable;

/// A question that waits for a person, or did. This is the row and the record of it: it says all
/// that a person needs to decide, and all that an answer is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Its id, `ask-…`.
    pub id: String,
    /// When it was put, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// Until when it can be answered.
    pub expires_at_ms: u64,
    /// Who wants it.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The project that it belongs to.
    pub project: PathBuf,
    /// The writable root.
    pub workspace: PathBuf,
    /// Where the command would start.
    pub cwd: PathBuf,
    /// The whole command, known secrets masked. It may hold anything: make it visible first.
    pub command: String,
    /// What the agent says that it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Variables that the agent gives the command, as `NAME=value`, known secrets masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// Whether the command reads standard input that is not shown here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_input: bool,
    /// What it reads there, if the agent gave it and it is short enough to be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What its shell remembers and could change what it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// The managed script that this is about; the command is then its whole text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Box<AskScript>>,
    /// SHA-256 of the command as it would run, in hexadecimal: what a yes is bound to. For a
    /// script, a digest of its text and of all that it declares.
    pub digest: String,
    /// Why a person is asked.
    pub ground: AskGround,
    /// Every rule and capability that asks about a part of it, whichever of them decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asking: Vec<String>,
    /// What raised the question.
    pub cause: Cause,
    /// The shapes that a lasting yes would cover, one for each part that is asked about. Empty:
    /// it would cover this exact command and no other.
    pub shapes: Vec<Vec<String>>,
    /// That it is about directories alone, so that a lasting yes is for all that the agent does:
    /// the rights that such a yes is bound to, in the place of `rights`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directories: Option<String>,
    /// What a yes would open beyond what the run has.
    #[serde(default, skip_serializing_if = "Opening::is_empty")]
    pub opens: Opening,
    /// What the command would be able to reach after a yes.
    pub reach: Reachable,
    /// The version of the policy that asks.
    pub policy: String,
    /// A digest of what the run may do without a yes.
    pub rights: String,
    /// How often the same was asked while this waited.
    pub count: u64,
    /// How it stands.
    pub state: AskState,
    /// Whether the agent was told about a no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heard: bool,
}

impl Ask {
    /// Whether a lasting yes is for this directory alone: one to an exact text, whose words mean
    /// something else elsewhere, and one that opens something for shapes.
    pub fn is_for_directory(&self) -> bool {
        let relative = self.shapes.iter().any(|shape| depends_on_place(shape));
        let anywhere = !self.shapes.is_empty() && !relative && self.opens.is_empty();
        self.directories.is_none() && !anywhere
    }
}

/// Whether the words of a shape have another meaning in another directory: it covers exactly one
/// command, or its program is named by a path that does not begin at the root.
fn depends_on_place(shape: &[String]) -> bool {
    let exact = shape.last().is_none_or(|last| last != "…");
    let program = shape.first().map_or("", String::as_str);
    exact || (program.contains('/') && !program.starts_with('/'))
}

/// What a shell that lasts brings to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The name of the shell.
    pub shell: String,
    /// Its functions and aliases, and the variables that the command could use, as text for a
    /// person; known secrets masked.
    pub text: String,
}

/// What a person has to know about a script besides its text. A yes to it, however far it is meant
/// to reach, approves exactly this text with exactly these capabilities and variables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskScript {
    /// Its id, which stays when the script is renamed.
    pub id: ScriptId,
    /// Its name when the ask was put.
    pub name: ScriptName,
    /// SHA-256 of its text.
    pub content_hash: String,
    /// What it declares that it may do.
    pub capabilities: Capabilities,
    /// Where the paths among that lead.
    #[serde(default, skip_serializing_if = "Destinations::is_empty")]
    pub reach: Destinations,
    /// The variables that it declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// What was found in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<ScriptFinding>,
    /// What a person said yes to before the script was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_before: Option<ApprovedBefore>,
}

/// A script as a person approved it before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovedBefore {
    /// SHA-256 of the text.
    pub content_hash: String,
    /// The text; absent if it is the same, or not kept any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// What it could do.
    pub capabilities: Capabilities,
    /// The variables that it declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// When it was approved.
    pub approved_at_ms: u64,
}

/// What the policy said that made it ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskGround {
    /// The id of the rule that decided.
    pub rule: String,
    /// Where the rule came from.
    pub layer: String,
    /// Why, for a person.
    pub reason: String,
    /// The bytes of the command that it is about; absent where the command was masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(usize, usize)>,
    /// What in the command the rule matched; absent where the rule says nothing more exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// The capability that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
}

/// What raised the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The policy asks before the command runs.
    Policy,
    /// The command ran, and the kernel or the keeper stopped a part of what it did.
    Refused {
        /// The task that ran.
        task: String,
    },
}

/// What a command would be able to reach, in words for a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reachable {
    /// What it can read, besides the system.
    pub read: Vec<String>,
    /// What it can write.
    pub write: Vec<String>,
    /// Links to programs that were opened for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// What it can reach: `off`, `on`, or hosts.
    pub network: String,
    /// What confines it: `native` or `none`.
    pub sandbox: String,
}

/// How an ask stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum AskState {
    /// No person has answered yet, and one still can.
    Pending,
    /// A person said yes.
    Allowed {
        /// The grant that the yes left behind; for a script `script:` and its id, because its
        /// approval is kept with it.
        grant: String,
        /// How far the yes reaches.
        scope: Scope,
        /// When the person answered, in milliseconds since 1970.
        at_ms: u64,
        /// Who said so.
        by: AnsweredBy,
    },
    /// A person said no.
    Denied {
        /// A word to the agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// When the person answered, in milliseconds since 1970.
        at_ms: u64,
        /// Who said so.
        by: AnsweredBy,
    },
    /// A person changed the command instead; the changed one was judged anew.
    Edited {
        /// When the person answered, in milliseconds since 1970.
        at_ms: u64,
        /// Who changed the command.
        by: AnsweredBy,
    },
    /// No person answered in time.
    Expired {
        /// When it could no longer be answered, in milliseconds since 1970.
        at_ms: u64,
    },
    /// The script that it was about was changed or deleted before a person answered.
    Overtaken {
        /// When the engine found that out, in milliseconds since 1970.
        at_ms: u64,
    },
}

impl AskState {
    /// The word for it in the store, in JSON and on the terminal.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Allowed { .. } => "allowed",
            Self::Denied { .. } => "denied",
            Self::Edited { .. } => "edited",
            Self::Expired { .. } => "expired",
            Self::Overtaken { .. } => "overtaken",
        }
    }
}
