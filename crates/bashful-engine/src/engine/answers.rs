//! Answers to the asks of this engine's requests, for front ends that do the asking themselves.

use std::time::Duration;

use bashful_keeper::TaskId;

use super::{Engine, on_thread};
use crate::ask::approvals::ApprovalQueue;
use crate::ask::asking::{self, Abandoned};
use crate::base::error_chain::in_full;
use crate::base::secrets::masked;
use crate::model::answer::{Answer, Settled};
use crate::model::answered_by::AnsweredBy;
use crate::model::ask::{Ask, AskState, Reachable};
use crate::model::error::EngineError;
use crate::model::grant::Opening;
use crate::model::result::Status;
use crate::record::audit::{Event, Refused, Trail};
use crate::request::invocation::Invocation;
use crate::request::resolved::ResolvedRequest;

impl Engine {
    /// An ask by its id, as it stands.
    pub fn ask_with_id(&self, id: &str) -> Result<Ask, EngineError> {
        Ok(self.queue()?.ask(id)?)
    }

    /// Answers an ask of this engine's session in a person's name. The first answer counts; the
    /// request is then made again, and finds what was said.
    pub fn answer(
        &self,
        id: &str,
        answer: &Answer,
        by: &AnsweredBy,
    ) -> Result<Settled, EngineError> {
        let session = &self.inner.settings.session.name;
        Ok(self.queue()?.answer_in(session, id, answer, by)?)
    }

    /// What a request would be able to reach if it were allowed.
    pub(crate) fn reach(&self, invocation: Invocation) -> Result<Reachable, EngineError> {
        let settings = &self.inner.settings;
        let request = ResolvedRequest::of(settings, invocation, None)?;
        Ok(asking::reach(
            settings,
            &request.context,
            &Opening::default(),
        ))
    }

    /// Waits for an answer from elsewhere, for this long at most, and says how the ask stands
    /// then.
    pub async fn settled_within(&self, ask: &str, wait: Duration) -> Result<AskState, EngineError> {
        let (engine, ask) = (self.clone(), ask.to_owned());
        on_thread(move |abandoned| {
            let queue = engine.queue()?;
            Ok(asking::settled_within(&queue, &ask, wait, abandoned)?)
        })
        .await
    }

    /// Waits for the answer to an ask, as a request would: puts it to the approver of this
    /// engine, and waits for an answer from elsewhere as long as the engine was told to. Says
    /// whether it was a yes.
    pub fn wait_for_answer(&self, ask: &str) -> Result<bool, EngineError> {
        let settings = &self.inner.settings;
        let queue = self.queue()?;
        let ask = queue.ask(ask)?;
        let (state, _) = asking::wait_for_answer(settings, &queue, &ask, &Abandoned::default())?;
        Ok(matches!(state, AskState::Allowed { .. }))
    }

    /// Puts on record that a request was refused before the policy judged it. Nothing runs either
    /// way, so a record that cannot be written is not waited for.
    pub fn record_refusal(&self, action: &str, problem: &dyn std::error::Error) {
        self.record_refusal_by("invalid-request", action, problem);
    }

    /// The same where a rule refused it.
    pub(crate) fn record_refusal_by(
        &self,
        rule: &str,
        action: &str,
        problem: &dyn std::error::Error,
    ) {
        let settings = &self.inner.settings;
        let refused = Refused {
            task: TaskId::fresh("none").to_string(),
            agent: settings.agent.clone(),
            session: settings.session.name.clone(),
            action: masked(action, &settings.mask),
            status: Status::Denied.as_str().to_owned(),
            effect: "deny".to_owned(),
            rule: masked(rule, &settings.mask),
            reason: masked(&in_full(problem), &settings.mask),
            ask: None,
        };
        let written = Trail::at(&settings.places.state).append(&[Event::Refusal(refused)]);
        if let Err(error) = written {
            tracing::warn!(%error, "a refusal is not on record");
        }
    }

    fn queue(&self) -> Result<ApprovalQueue, EngineError> {
        Ok(ApprovalQueue::of(&self.inner.settings)?)
    }
}
