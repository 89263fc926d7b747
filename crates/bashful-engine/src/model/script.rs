//! A script as the database knows it: all but its text.

pub(crate) mod finding;
pub(crate) mod id;
pub(crate) mod variable;

use crate::base::digest::hexadecimal;
use bashful_policy::Capabilities;
use serde::{Deserialize, Serialize};
use sha2::Digest;
use sha2::Sha256;
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::base::digest::digest;
use crate::model::answered_by::AnsweredBy;
use crate::model::script::id::{ScriptId, ScriptName};
use crate::model::script::variable::Variable;

/// What reads a script.
pub const INTERPRETER: &str = "bash";

/// A managed script: everything that is known about it but its text. This is the row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Script {
    /// Its id, which names its file.
    pub id: ScriptId,
    /// Its name, which a person or an agent can change.
    pub name: ScriptName,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// When it was made, in milliseconds since 1970.
    #[serde(rename = "created_at")]
    pub created_at_ms: u64,
    /// Who wrote it first.
    pub created_by: CreatedBy,
    /// SHA-256 of its text.
    pub content_hash: String,
    /// What it may do.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// The variables that it declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// The automations that use it.
    #[serde(default)]
    pub automation_ids: Vec<String>,
    /// What a person said yes to last; see [`Script::is_approved_at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ScriptApproval>,
    /// How often it was started.
    #[serde(default)]
    pub runs: u64,
    /// The last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRun>,
    /// When it was deleted. What is deleted can be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at_ms: Option<u64>,
    /// How often the row was changed: a caller that changes an older one than this comes too late.
    #[serde(default)]
    pub revision: u64,
}

/// Who wrote a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreatedBy {
    /// A model made it, through a call of its agent.
    Llm,
    /// A person made it, at a terminal.
    User,
}

/// A yes to a script as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScriptApproval {
    /// SHA-256 of the text.
    pub approved_hash: String,
    /// A digest of the text, the capabilities, the variables and the interpreter.
    pub digest: String,
    /// The capabilities that were approved.
    pub capabilities: Capabilities,
    /// Where the paths among them led.
    #[serde(default, skip_serializing_if = "Destinations::is_empty")]
    pub reach: Destinations,
    /// The variables that were approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// When, in milliseconds since 1970.
    #[serde(rename = "approved_at")]
    pub approved_at_ms: u64,
    /// Until when; absent: until the script changes or a person takes the approval back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
    /// Who approved it.
    pub by: AnsweredBy,
}

/// The last run of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LastRun {
    /// The id of its task.
    pub task_id: String,
    /// When it was started.
    pub at_ms: u64,
    /// How it ended; absent while it runs, or when no engine saw its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Its exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// SHA-256 of the text that ran.
    pub content_hash: String,
}

/// One version of the text of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScriptVersion {
    /// Its number: the first is 1.
    pub number: u64,
    /// SHA-256 of the text.
    pub content_hash: String,
    /// How long the text is.
    pub bytes: u64,
    /// When it came to be.
    pub at_ms: u64,
    /// How it came to be.
    pub origin: VersionOrigin,
}

/// How a version came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VersionOrigin {
    /// The script was made with it.
    Created,
    /// It was edited through Bashful.
    Edited,
    /// Its file was changed by other means, which was noticed.
    ByHand,
    /// An older version was taken back.
    Restored,
    /// It came from a document or from a file that lay in the folder.
    Imported,
}

impl VersionOrigin {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited => "edited",
            Self::ByHand => "by_hand",
            Self::Restored => "restored",
            Self::Imported => "imported",
        }
    }
}

impl Script {
    /// What an approval of it as it is now is bound to.
    pub fn digest(&self) -> String {
        approval_digest(&self.content_hash, &self.capabilities, &self.variables)
    }

    /// Whether a person said yes to it as it is now, and the yes still holds at this moment. A
    /// clock behind the yes says nothing about its end.
    pub fn is_approved_at(&self, now_ms: u64) -> bool {
        self.deleted_at_ms.is_none()
            && self.approval.as_ref().is_some_and(|approval| {
                let in_time = approval
                    .expires_at_ms
                    .is_none_or(|end| (approval.approved_at_ms..end).contains(&now_ms));
                in_time
                    && approval.approved_hash == self.content_hash
                    && approval.digest == self.digest()
            })
    }
}

/// A digest of everything that a yes to a script covers.
pub(crate) fn approval_digest(
    content_hash: &str,
    capabilities: &Capabilities,
    variables: &[Variable],
) -> String {
    let declared = serde_json::json!([capabilities, variables]).to_string();
    digest(&[
        b"bashful script 1",
        INTERPRETER.as_bytes(),
        content_hash.as_bytes(),
        declared.as_bytes(),
    ])
}

#[cfg(test)]
pub(crate) mod examples {
    use super::*;

    /// A script with this name and text.
    pub(crate) fn script(name: &str, text: &str) -> Script {
        Script {
            id: ScriptId::fresh().unwrap(),
            name: name.parse().unwrap(),
            description: "for a test".to_owned(),
            created_at_ms: 1_000,
            created_by: CreatedBy::User,
            content_hash: content_hash(text.as_bytes()),
            capabilities: Capabilities::default(),
            variables: Vec::new(),
            automation_ids: Vec::new(),
            approval: None,
            runs: 0,
            last_run: None,
            deleted_at_ms: None,
            revision: 0,
        }
    }

    /// A yes to this script as it is.
    pub(crate) fn approval(script: &Script) -> ScriptApproval {
        let by = serde_json::json!({"channel": "terminal", "uid": 1000, "pid": 7});
        ScriptApproval {
            approved_hash: script.content_hash.clone(),
            digest: script.digest(),
            capabilities: script.capabilities.clone(),
            reach: Destinations::new(),
            variables: script.variables.clone(),
            approved_at_ms: 2_000,
            expires_at_ms: None,
            by: serde_json::from_value(by).unwrap(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::examples::{approval, script};
    use bashful_policy::NetworkCapability;

    #[test]
    fn a_yes_covers_text_capabilities_and_variables() {
        let mut one = script("a", "echo hi");
        assert!(!one.is_approved_at(3_000));
        one.approval = Some(approval(&one));
        assert!(one.is_approved_at(3_000));
        let mut changed = one.clone();
        changed.content_hash = "0".repeat(64);
        assert!(!changed.is_approved_at(3_000));
        let mut wider = one.clone();
        wider.capabilities.network = NetworkCapability::On;
        assert!(!wider.is_approved_at(3_000));
        let mut more = one.clone();
        let variable = serde_json::from_str(r#"{"name": "x"}"#).unwrap();
        more.variables = vec![variable];
        assert!(!more.is_approved_at(3_000));
        let mut gone = one.clone();
        gone.deleted_at_ms = Some(1);
        assert!(!gone.is_approved_at(3_000));
        // What is no part of what runs changes nothing.
        one.description = "another".to_owned();
        one.name = "b".parse().unwrap();
        assert!(one.is_approved_at(3_000));
    }

    #[test]
    fn a_yes_with_an_end_ends() {
        let mut one = script("a", "echo hi");
        let mut yes = approval(&one);
        yes.expires_at_ms = Some(5_000);
        one.approval = Some(yes);
        let found = [1_999, 2_000, 4_999, 5_000].map(|now| one.is_approved_at(now));
        assert_eq!(found, [false, true, true, false]);
    }
}

/// What each declared path leads to, as far as it exists. Patterns and `.` are not among them:
/// what a pattern finds is used only where it stands, and `.` is where the script is run.
pub type Destinations = BTreeMap<String, PathBuf>;

/// SHA-256 of a content, in hexadecimal.
pub fn content_hash(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content), 32)
}
