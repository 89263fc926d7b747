//! What happens to managed scripts, as it is put on record.

use serde::{Deserialize, Serialize};

use crate::model::answered_by::AnsweredBy;
use crate::model::ask::{Ask, AskState};
use crate::model::script::Script;
use crate::model::script::id::{ScriptId, ScriptName};

/// What happened to a script. Texts are on record by their hashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScriptChanged {
    /// What was done with the script.
    pub change: ScriptChange,
    /// The id of the script.
    pub script: ScriptId,
    /// Its name at that time.
    pub name: ScriptName,
    /// SHA-256 of its text.
    pub content_hash: String,
    /// A digest of its text and of all that it declares: what a yes is bound to.
    pub digest: String,
    /// Who asked for it.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The task, of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Who said yes or took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<AnsweredBy>,
    /// More about it, for a person: the name before, the reason of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What can happen to a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScriptChange {
    /// It was made.
    Created,
    /// Its text or what it declares was changed.
    Edited,
    /// Its file was changed by other means, and that was noticed.
    ChangedByHand,
    /// It got another name.
    Renamed,
    /// An older text was taken back, or the script itself after it was deleted.
    Restored,
    /// It came from a document or from a file that lay in the folder.
    Imported,
    /// A person said yes to it.
    Approved,
    /// A person took a yes back.
    Revoked,
    /// An automation uses it, or does not any more.
    Used,
    /// A run of it starts.
    Run,
    /// It was not allowed to run.
    Refused,
    /// It was deleted.
    Deleted,
    /// What was told before did not happen: it failed or was interrupted.
    TakenBack,
}

impl ScriptChange {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited => "edited",
            Self::ChangedByHand => "changed_by_hand",
            Self::Renamed => "renamed",
            Self::Restored => "restored",
            Self::Imported => "imported",
            Self::Approved => "approved",
            Self::Revoked => "revoked",
            Self::Used => "used",
            Self::Run => "run",
            Self::Refused => "refused",
            Self::Deleted => "deleted",
            Self::TakenBack => "taken_back",
        }
    }
}

/// Who does something to a script.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) agent: &'a str,
    pub(crate) session: &'a str,
}

impl ScriptChanged {
    /// An event of this script, as it is now.
    pub(crate) fn of(change: ScriptChange, script: &Script, by: Caller<'_>) -> Self {
        Self {
            change,
            script: script.id,
            name: script.name.clone(),
            content_hash: script.content_hash.clone(),
            digest: script.digest(),
            agent: by.agent.to_owned(),
            session: by.session.to_owned(),
            task: None,
            by: None,
            detail: None,
        }
    }

    /// The yes that an answer to an ask about a script is.
    pub(crate) fn by_answer(ask: &Ask) -> Option<Self> {
        let (Some(script), AskState::Allowed { by, .. }) = (&ask.script, &ask.state) else {
            return None;
        };
        Some(Self {
            change: ScriptChange::Approved,
            script: script.id,
            name: script.name.clone(),
            content_hash: script.content_hash.clone(),
            digest: ask.digest.clone(),
            agent: ask.agent.clone(),
            session: ask.session.clone(),
            task: None,
            by: Some(by.clone()),
            detail: Some(format!("answers {}", ask.id)),
        })
    }
}
