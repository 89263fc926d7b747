//! Saying yes to a script ahead of time, and taking that back.

use super::Scripts;
use super::look::{FileState, ScriptView, with};
use crate::base::clock::now_ms;
use crate::model::answered_by::AnsweredBy;
use crate::model::error::script::ScriptError;
use crate::model::script::ScriptApproval;
use crate::record::audit::{ScriptChange, ScriptChanged};
use crate::request::script::destinations::{destinations, seen_digest};
use crate::scripts::library::{Change, FileChange};

/// What a person says yes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen<'a> {
    /// The script as it is, whatever that is.
    AsItIs,
    /// What the person was shown: the digest of [`ScriptView`]. If the script is another by now,
    /// there is no yes.
    Digest(&'a str),
}

impl Scripts<'_> {
    /// Approves a script as it is: exactly this text with exactly these capabilities and
    /// variables. It then runs without a question until one of them changes.
    pub fn approve(
        &self,
        which: &str,
        seen: Seen<'_>,
        by: &AnsweredBy,
    ) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let (mut script, text) = library.look(library.find(which)?)?.usable()?;
        // What is looked at here is what is kept.
        let reach = destinations(self.settings(), &script.capabilities);
        let digest = seen_digest(self.settings(), &script, &reach);
        if let Seen::Digest(seen) = seen
            && seen != digest
        {
            return Err(ScriptError::NotAsSeen {
                name: script.name.to_string(),
                found: digest,
            });
        }
        let lasts = script.approval.as_ref();
        let lasts = lasts.is_some_and(|approval| approval.expires_at_ms.is_none());
        let view = with(script.clone(), FileState::AsKept, text).view(self.settings());
        if lasts && view.approved {
            // Nothing would change, so nothing is told: not even who says it again.
            return Ok(view);
        }
        script.approval = Some(ScriptApproval {
            approved_hash: script.content_hash.clone(),
            digest: script.digest(),
            capabilities: script.capabilities.clone(),
            reach,
            variables: script.variables.clone(),
            approved_at_ms: now_ms(),
            expires_at_ms: None,
            by: by.clone(),
        });
        let change = Change {
            what: ScriptChange::Approved,
            file: FileChange::Stays,
            record: &|event: &mut ScriptChanged| event.by = Some(by.clone()),
        };
        let kept = library.keep(&script, &change)?;
        Ok(library.look(kept)?.view(self.settings()))
    }

    /// Takes the approval of a script back. One that has none stays as it is.
    pub fn revoke(&self, which: &str, by: &AnsweredBy) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let mut script = library.look(library.find(which)?)?.script;
        if script.approval.take().is_none() {
            // It asks already, which is what was wanted.
            return Ok(library.look(script)?.view(self.settings()));
        }
        let change = Change {
            what: ScriptChange::Revoked,
            file: FileChange::Stays,
            record: &|event: &mut ScriptChanged| event.by = Some(by.clone()),
        };
        let kept = library.keep(&script, &change)?;
        Ok(library.look(kept)?.view(self.settings()))
    }
}
