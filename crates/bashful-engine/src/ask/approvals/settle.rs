//! From an answer to what it leaves behind: the new state of the ask, and the grant.

use bashful_keeper::TaskId;

use crate::base::clock::millis;
use crate::model::answer::Answer;
use crate::model::answered_by::AnsweredBy;
use crate::model::ask::{Ask, AskState};
use crate::model::grant::{Grant, Scope, Subject};
use crate::model::script::ScriptApproval;

/// How an ask stands after this answer, and the grant that a yes leaves behind.
///
/// A yes for one call is about this exact text in this directory, from whichever session it is
/// tried again. A lasting yes is about the shapes, if there are any, else about the exact text;
/// that again in this directory, because words such as `./deploy` have another meaning elsewhere.
/// So is one that opens a capability: what a command obeys depends on where it runs. One about
/// directories alone is for all that the agent does, wherever.
pub(super) fn outcome(
    ask: &Ask,
    answer: &Answer,
    by: &AnsweredBy,
    now_ms: u64,
) -> (AskState, Option<Grant>) {
    let by = by.clone();
    match answer {
        Answer::Deny { message } => {
            let message = message.clone().filter(|text| !text.trim().is_empty());
            let at_ms = now_ms;
            (AskState::Denied { message, at_ms, by }, None)
        }
        Answer::Edit { .. } => (AskState::Edited { at_ms: now_ms, by }, None),
        Answer::Allow { scope, .. } if ask.script.is_some() => {
            let script = ask.script.as_ref().map(|script| script.id.to_string());
            let state = AskState::Allowed {
                grant: format!("script:{}", script.unwrap_or_default()),
                scope: *scope,
                at_ms: now_ms,
                by,
            };
            (state, None)
        }
        Answer::Allow { scope, expires } => {
            let scope = *scope;
            let lasting = scope != Scope::Call;
            let by_shape = lasting && !ask.shapes.is_empty();
            let anywhere = ask.directories.as_ref().filter(|_| lasting);
            let subject = if anywhere.is_some() {
                Subject::Any
            } else if by_shape {
                Subject::Shapes(ask.shapes.clone())
            } else {
                Subject::Command {
                    digest: ask.digest.clone(),
                    text: ask.command.clone(),
                }
            };
            let grant = Grant {
                id: TaskId::fresh("grant").to_string(),
                scope,
                subject,
                opens: ask.opens.clone(),
                agent: ask.agent.clone(),
                session: (scope == Scope::Session).then(|| ask.session.clone()),
                project: (scope != Scope::User).then(|| ask.project.clone()),
                directory: (!lasting || ask.is_for_directory()).then(|| ask.cwd.clone()),
                policy: Some(ask.policy.clone()),
                rights: Some(anywhere.unwrap_or(&ask.rights).clone()),
                created_at_ms: now_ms,
                expires_at_ms: expires
                    .map(millis)
                    .or((!lasting).then(|| unused_for(ask)))
                    .map(|time| now_ms.saturating_add(time)),
                by: by.clone(),
                ask: Some(ask.id.clone()),
                claimed_by: None,
                revoked_at_ms: None,
            };
            let state = AskState::Allowed {
                grant: grant.id.clone(),
                scope,
                at_ms: now_ms,
                by,
            };
            (state, Some(grant))
        }
    }
}

/// What a yes to an ask about a script approves: the script as it was shown, in whatever session
/// and for whomever, for the time that was said.
pub(super) fn approval(
    ask: &Ask,
    answer: &Answer,
    by: &AnsweredBy,
    now_ms: u64,
) -> Option<ScriptApproval> {
    let (Some(script), Answer::Allow { expires, .. }) = (&ask.script, answer) else {
        return None;
    };
    Some(ScriptApproval {
        approved_hash: script.content_hash.clone(),
        digest: ask.digest.clone(),
        capabilities: script.capabilities.clone(),
        reach: script.reach.clone(),
        variables: script.variables.clone(),
        approved_at_ms: now_ms,
        expires_at_ms: expires.map(|time| now_ms.saturating_add(millis(time))),
        by: by.clone(),
    })
}

/// How long a yes for one call waits for that call: as long as the question waited for the yes.
fn unused_for(ask: &Ask) -> u64 {
    ask.expires_at_ms.saturating_sub(ask.created_at_ms)
}
