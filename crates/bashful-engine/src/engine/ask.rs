//! Asking about a command: what is put to a person, and what their answer comes to.

use super::judging::Verdict;
use super::verdicts::{beyond_admin, denied, expired, too_many, unknown_server};
use super::{Engine, Started};
use bashful_policy::Decision;

use crate::ask::approvals::{ApprovalQueue, Binding, Offer, Opening, notify, offer};
use crate::ask::asking::{Abandoned, Question, compose, limits, wait_for_answer};
use crate::base::digest::digest;
use crate::launch::carried::Carried;
use crate::launch::journal::Journal;
use crate::model::approval::Approval;
use crate::model::ask::{Ask, AskState, Cause};
use crate::model::error::EngineError;
use crate::model::result::{ExecutionResult, RequestInfo};
use crate::request::resolved::ResolvedRequest;
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

impl Engine {
    /// Puts an ask about a command and waits for an answer, if there is an approver or a person
    /// to give one.
    pub(super) fn ask(
        &self,
        journal: &mut Journal,
        request: &mut ResolvedRequest<'_>,
        binding: &Binding,
        verdict: &Verdict<'_>,
        abandoned: &Abandoned,
    ) -> Result<Asked, EngineError> {
        let decision = &verdict.decision;
        let Some(ask) = self.question(request, binding, verdict)? else {
            request.info.decision = Some(beyond_admin(decision));
            return no_yes(journal, &request.info);
        };
        self.put(journal, request, ask, decision, abandoned)
    }

    /// Puts an ask, and waits for its answer.
    fn put(
        &self,
        journal: &mut Journal,
        request: &mut ResolvedRequest<'_>,
        ask: Ask,
        decision: &Decision,
        abandoned: &Abandoned,
    ) -> Result<Asked, EngineError> {
        let settings = self.settings();
        let queue = ApprovalQueue::of(settings)?;
        let mut record = |opened: &OpenedAsk| match opened {
            OpenedAsk::New(ask) => journal.ask(ask, false),
            OpenedAsk::Joined(ask) => journal.ask(ask, true),
            OpenedAsk::TooMany { .. } => Ok(()),
        };
        if let Some(denied_before) = queue.unheard_no(&ask)? {
            request.info.approval = Some(Approval::of(&denied_before));
            if let AskState::Denied { message, .. } = &denied_before.state {
                request.info.decision = Some(denied(decision, message.as_deref()));
            }
            return no_yes(journal, &request.info);
        }
        let ask = match queue.put(&ask, limits(settings), &mut record)? {
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
                request.info.decision = Some(too_many(decision, pending));
                return no_yes(journal, &request.info);
            }
        };
        let (state, edited) = wait_for_answer(settings, &queue, &ask, abandoned)?;
        let info = &mut request.info;
        let edited_from = info.approval.take().and_then(|one| one.edited_from);
        let settled = Ask { state, ..ask };
        let approval = info.approval.insert(Approval::of(&settled));
        approval.edited_from = edited_from;
        // A script is changed where it is kept.
        if let (Some(command), None) = (edited, &settled.script) {
            approval
                .edited_from
                .get_or_insert_with(|| info.command.clone());
            return Ok(Asked::Edited(command));
        }
        match settled.state {
            AskState::Allowed { .. } => Ok(Asked::Again),
            AskState::Denied { message, .. } => {
                queue.hear(&settled.id)?;
                info.decision = Some(denied(decision, message.as_deref()));
                no_yes(journal, info)
            }
            AskState::Expired { .. } => {
                info.decision = Some(expired(decision));
                no_yes(journal, info)
            }
            AskState::Overtaken { .. } => {
                refused(journal, info.clone())?;
                let name = settled.script.map(|script| script.name.to_string());
                Err(EngineError::ScriptChanged {
                    name: name.unwrap_or_default(),
                })
            }
            AskState::Pending | AskState::Edited { .. } => no_yes(journal, info),
        }
    }

    /// Has the servers that an allowed request goes to be known: a key that ssh has not seen is a
    /// question of its own. None if all are known, or a yes made them so.
    pub(super) fn introduce(
        &self,
        journal: &mut Journal,
        request: &mut ResolvedRequest<'_>,
        binding: &Binding,
        verdict: &Verdict<'_>,
        abandoned: &Abandoned,
    ) -> Result<Option<Asked>, EngineError> {
        let settings = self.settings();
        let context = verdict.judged.context(&request.context);
        let Some(carried) = Carried::of(settings, context)? else {
            return Ok(None);
        };
        let Some(key) = carried.unknown_server(context) else {
            return Ok(None);
        };
        let held = match &verdict.queue {
            Some(queue) => queue.held_by(&binding.agent)?,
            None => Vec::new(),
        };
        let trusted = held
            .iter()
            .any(|grant| grant.opens.server_keys.contains(&key));
        if trusted {
            carried.remember(context, &key)?;
            return Ok(None);
        }
        let decision = unknown_server(&key);
        let opens = Opening {
            server_keys: vec![key.clone()],
            ..Opening::default()
        };
        let question = Question {
            decision: &decision,
            offer: Offer {
                shapes: Vec::new(),
                opens,
                asking: vec![decision.rule.clone()],
            },
            cause: Cause::Policy,
        };
        let mut ask = compose(settings, &request.info, context, binding, question);
        // A yes to the key is none to a command.
        ask.digest = digest(&[b"server key", key.server.as_bytes(), key.lines.as_bytes()]);
        request.info.decision = Some(decision.clone());
        self.put(journal, request, ask, &decision, abandoned)
            .map(Some)
    }

    /// The ask that a request ends in; none if the admin does not give what it needs, so that there
    /// is nothing to ask for.
    fn question(
        &self,
        request: &ResolvedRequest<'_>,
        binding: &Binding,
        verdict: &Verdict<'_>,
    ) -> Result<Option<Ask>, EngineError> {
        let settings = self.settings();
        let Verdict {
            decision, judged, ..
        } = verdict;
        let script = request.invocation.script.as_ref();
        let offered = match script {
            // A yes is to the script as a whole, and opens nothing besides.
            Some(_) => Some(Offer {
                asking: vec![decision.rule.clone()],
                ..Offer::default()
            }),
            None => offer(self.case(request), &request.context, judged)?,
        };
        let Some(offer) = offered else {
            return Ok(None);
        };
        let question = Question {
            decision,
            offer,
            cause: Cause::Policy,
        };
        let context = judged.context(&request.context);
        let mut ask = compose(settings, &request.info, context, binding, question);
        if let Some(script) = script {
            script.describe(settings, &mut ask)?;
        }
        Ok(Some(ask))
    }
}

/// No yes came.
fn no_yes(journal: &mut Journal, info: &RequestInfo) -> Result<Asked, EngineError> {
    let result = refused(journal, info.clone())?;
    Ok(Asked::Refused(Box::new(result)))
}

/// The end of a request that came to nothing.
pub(super) fn refuse(journal: &mut Journal, info: RequestInfo) -> Result<Started, EngineError> {
    let result = refused(journal, info)?;
    Ok(Started::NotAllowed(Box::new(result)))
}

/// The result of a request that came to nothing. One that cannot be recorded is an error, and
/// nothing runs either way.
fn refused(journal: &mut Journal, info: RequestInfo) -> Result<ExecutionResult, EngineError> {
    let result = ExecutionResult::not_allowed(info);
    journal.refusal(&result)?;
    Ok(result)
}
