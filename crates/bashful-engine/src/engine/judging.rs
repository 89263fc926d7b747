//! What a request comes to: the policy first, then what persons said before.

use bashful_policy::Decision;

use super::Engine;
use super::verdicts::without_grants;
use crate::ask::approvals::{ApprovalQueue, Binding};
use crate::judge::apply_grants::{Judged, apply_grants, is_final};
use crate::judge::policy::{Case, Checked};
use crate::model::error::EngineError;
use crate::model::error::ask::ApprovalError;
use crate::model::grant::Grant;
use crate::request::invocation::Invocation;
use crate::request::resolved::ResolvedRequest;
use crate::store::may_have_grants;

/// What a request comes to, before any person is asked about it now.
#[derive(Debug)]
pub(crate) struct Verdict<'a> {
    pub(crate) decision: Decision,
    pub(crate) judged: Judged<'a>,
    /// Where its grants are held; none where there are none.
    pub(crate) queue: Option<ApprovalQueue>,
    /// Why the grants could not be read, if so: a person may have said yes.
    pub(crate) unread: Option<ApprovalError>,
}

/// The grants that a request may lean on, and the queue that holds them.
#[derive(Debug, Default)]
struct Held {
    queue: Option<ApprovalQueue>,
    grants: Vec<Grant>,
}

impl Engine {
    /// Judges a request. Nothing runs and nothing is recorded; no sandbox is built for one that is
    /// denied whatever persons said.
    pub(crate) fn judge<'a>(
        &self,
        request: &ResolvedRequest<'a>,
        binding: &Binding,
    ) -> Result<Verdict<'a>, EngineError> {
        let settings = self.settings();
        let case = self.case(request);
        let plain = case.judge(&request.context)?;
        let command = &request.info.command;
        if let Some(script) = &request.invocation.script {
            // No grant is about a script: the yes to it as a whole stands in their place.
            let decision = plain.clone().decision_about(command);
            return Ok(Verdict {
                decision: script.decide(settings, &decision)?,
                judged: Judged::plain(plain),
                queue: None,
                unread: None,
            });
        }
        let (held, unread) = match self.grants_for(&plain, binding) {
            Ok(held) => (held, None),
            // Grants that cannot be read are none; why is told with the decision.
            Err(error) => (Held::default(), Some(error)),
        };
        let judged = apply_grants(case, &request.context, plain, held.grants)?;
        let mut decision = judged.checked.clone().decision_about(command);
        if let Some(error) = &unread {
            decision.reason = without_grants(&decision.reason, error);
        }
        Ok(Verdict {
            decision,
            judged,
            queue: held.queue,
            unread,
        })
    }

    /// The grants that this judgement may be changed by. Whether they were given for the same
    /// rights is looked at last, as that may build a sandbox.
    fn grants_for(&self, plain: &Checked, binding: &Binding) -> Result<Held, ApprovalError> {
        let settings = self.settings();
        if !may_have_grants(&settings.places.state) {
            return Ok(Held::default());
        }
        let queue = ApprovalQueue::of(settings)?;
        let mut grants = queue.held_by(&binding.agent)?;
        grants.retain(|grant| binding.fits(grant));
        if is_final(plain, &grants) {
            grants.clear();
        }
        grants.retain(|grant| binding.has_rights_of(settings, grant));
        Ok(Held {
            queue: Some(queue),
            grants,
        })
    }

    /// A request as the policy is given it.
    pub(crate) fn case<'c>(&'c self, request: &'c ResolvedRequest<'_>) -> Case<'c> {
        Case {
            shell: request.shell_state().map(AsRef::as_ref),
            ..self.case_of(&request.invocation)
        }
    }

    /// The same of a request that no shell belongs to.
    pub(crate) fn case_of<'c>(&'c self, invocation: &'c Invocation) -> Case<'c> {
        Case {
            settings: self.settings(),
            validator: &self.inner.validator,
            invocation,
            shell: None,
        }
    }
}
