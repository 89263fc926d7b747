//! What a start takes before it begins, and gives back if it does not: a place among the background
//! tasks, and a grant of one call.

use bashful_keeper::TaskId;

use super::Engine;
use crate::ask::approvals::ApprovalQueue;
use crate::config::Survivors;
use crate::model::error::EngineError;
use crate::model::error::ask::ApprovalError;
use crate::model::grant::Grant;
use crate::request::resolved::ResolvedRequest;
use crate::run::claim::{Claim, ClaimRequest, check_room};

impl Engine {
    /// A place among the background tasks of the agent, for a run that is or becomes one. One that
    /// may leave some behind needs a free place, and takes it when it does.
    pub(super) fn take_place(
        &self,
        request: &ResolvedRequest<'_>,
        task: &TaskId,
    ) -> Result<Option<Claim>, EngineError> {
        let settings = self.settings();
        let (state, agent) = (&settings.places.state, &request.info.agent);
        let most = settings.config.tasks.per_agent;
        if !request.invocation.needs_place() {
            if request.survivors(settings) == Survivors::Adopt {
                check_room(state, agent, most)?;
            }
            return Ok(None);
        }
        let wanted = ClaimRequest {
            agent,
            task,
            name: request.invocation.name.as_deref(),
            most,
        };
        Claim::take(state, wanted).map(Some)
    }

    /// Gives back what was claimed, because nothing was started.
    pub(super) fn give_back(
        &self,
        grant: Option<&Grant>,
        task: &TaskId,
    ) -> Result<(), ApprovalError> {
        let Some(grant) = grant else { return Ok(()) };
        ApprovalQueue::of(self.settings())?.release(&grant.id, task.as_str())
    }
}
