//! Asking about a command: what is put to a person, and what their answer comes to.

use bashful_policy::Decision;

use super::verdicts::{beyond_admin, denied, expired, too_many};
use super::{Engine, Started};
use crate::ask::approvals::{ApprovalQueue, Binding, Offer, notify, offer};
use crate::ask::asking::{Abandoned, compose, limits, wait_for_answer};
use crate::judge::apply_grants::Considered;
use crate::launch::journal::Journal;
use crate::model::approval::Approval;
use crate::model::ask::{Ask, AskState, Cause};
use crate::model::error::EngineError;
use crate::model::result::{ExecutionResult, RequestInfo};
use crate::request::invocation::Invocation;
use crate::store::OpenedAsk;

/// What asking about a command came to.
pub(super) enum Asked {
    /// A person or an approver said yes: judge it again, and the grant will be found.
    Again,
    /// A person or an approver wrote another command.
    Edited(String),
    /// No yes came.
    Refused(Box<ExecutionResult>),
}

/// One judgement that ended in a question.
pub(super) struct Round<'a, 'g> {
    pub(super) heading: &'a mut RequestInfo,
    pub(super) considered: &'a Considered<'g>,
    pub(super) binding: &'a Binding,
    pub(super) decision: &'a Decision,
}

impl Engine {
    /// Puts an ask about a command and waits for an answer, if there is an approver or a person
    /// to give one.
    pub(super) fn ask(
        &self,
        journal: &mut Journal,
        invocation: &Invocation,
        round: Round<'_, '_>,
        abandoned: &Abandoned,
    ) -> Result<Asked, EngineError> {
        let settings = &self.inner.settings;
        let Round {
            heading,
            considered,
            binding,
            decision,
        } = round;
        let refuse = |journal: &mut Journal, heading: &RequestInfo| {
            let result = refused(journal, heading.clone())?;
            Ok(Asked::Refused(Box::new(result)))
        };
        let offered = match &invocation.script {
            // A yes is to the script as a whole, and opens nothing besides.
            Some(_) => Some(Offer {
                asking: vec![decision.rule.clone()],
                ..Offer::default()
            }),
            None => offer(self.case(invocation), considered)?,
        };
        let Some(offered) = offered else {
            heading.decision = Some(beyond_admin(decision));
            return refuse(journal, heading);
        };
        let desk = ApprovalQueue::of(settings)?;
        let subject = (decision, offered, Cause::Policy);
        let mut ask = compose(settings, heading, &considered.ground, binding, subject);
        if let Some(script) = &invocation.script {
            script.describe(settings, &mut ask)?;
        }
        let mut record = |opened: &OpenedAsk| match opened {
            OpenedAsk::New(ask) => journal.ask(ask, false),
            OpenedAsk::Joined(ask) => journal.ask(ask, true),
            OpenedAsk::TooMany { .. } => Ok(()),
        };
        if let Some(denied_before) = desk.unheard_no(&ask)? {
            heading.approval = Some(Approval::of(&denied_before));
            if let AskState::Denied { message, .. } = &denied_before.state {
                heading.decision = Some(denied(decision, message.as_deref()));
            }
            return refuse(journal, heading);
        }
        let ask = match desk.put(&ask, limits(settings), &mut record)? {
            OpenedAsk::New(ask) => {
                // A person who cannot be told does not keep others from answering.
                let told = notify(&settings.config.approvals, &ask, &settings.environment);
                if let Err(error) = told {
                    tracing::warn!(%error, "no person was told about an ask");
                }
                ask
            }
            // The row is that of the session that asked first; the one that waits here is this
            // session.
            OpenedAsk::Joined(joined) => Ask {
                session: ask.session,
                ..joined
            },
            OpenedAsk::TooMany { pending } => {
                heading.decision = Some(too_many(decision, pending));
                return refuse(journal, heading);
            }
        };
        let (state, edited) = wait_for_answer(settings, &desk, &ask, abandoned)?;
        let edited_from = heading.approval.take().and_then(|one| one.edited_from);
        let settled = Ask { state, ..ask };
        let mut approval = Approval::of(&settled);
        approval.edited_from = edited_from;
        if let Some(command) = edited {
            approval
                .edited_from
                .get_or_insert_with(|| heading.command.clone());
            heading.approval = Some(approval);
            return Ok(Asked::Edited(command));
        }
        heading.approval = Some(approval);
        match settled.state {
            AskState::Allowed { .. } => Ok(Asked::Again),
            AskState::Denied { message, .. } => {
                desk.hear(&settled.id)?;
                heading.decision = Some(denied(decision, message.as_deref()));
                refuse(journal, heading)
            }
            AskState::Expired { .. } => {
                heading.decision = Some(expired(decision));
                refuse(journal, heading)
            }
            AskState::Overtaken { .. } => {
                refused(journal, heading.clone())?;
                Err(EngineError::ScriptChanged {
                    name: invocation
                        .script
                        .as_ref()
                        .map_or_else(String::new, |call| call.script.name.to_string()),
                })
            }
            AskState::Pending | AskState::Edited { .. } => refuse(journal, heading),
        }
    }
}

/// The end of a request that came to nothing.
pub(super) fn refuse(journal: &mut Journal, heading: RequestInfo) -> Result<Started, EngineError> {
    let result = refused(journal, heading)?;
    Ok(Started::NotAllowed(Box::new(result)))
}

/// The result of a request that came to nothing. One that cannot be recorded is an error, and
/// nothing runs either way.
fn refused(journal: &mut Journal, heading: RequestInfo) -> Result<ExecutionResult, EngineError> {
    let result = ExecutionResult::not_allowed(heading);
    journal.refusal(&result)?;
    Ok(result)
}
