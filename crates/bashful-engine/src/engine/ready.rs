//! Made ahead: what the first command of a new session needs.

use std::sync::Arc;

use bashful_keeper::{Request, TaskId};

use super::Engine;
use crate::launch::client::Order;
use crate::launch::prepare::prepare;
use crate::launch::progress::Progress;
use crate::model::error::EngineError;
use crate::request::invocation::Invocation;
use crate::request::resolved::ResolvedRequest;
use crate::request::settings::Reach;

impl Engine {
    /// Has a keeper made for this session, and a room in it, if it has none yet: for a program that
    /// knows that commands will come. Nothing is run or put on record, and each command is judged
    /// and bounded as always. A room that does not fit it then is not used.
    pub fn get_ready(&self) -> Result<(), EngineError> {
        let settings = self.settings();
        // A process that forks its keepers makes one when it has something to run.
        if settings.forks_keepers || settings.session.reach == Reach::OneCall {
            return Ok(());
        }
        let request = ResolvedRequest::of(settings, Invocation::bash("true"), None)?;
        let task = TaskId::fresh(request.invocation.kind());
        let agent = request.info.agent.clone();
        let prepared = prepare(settings, request, task.clone())?;
        let Some(room) = prepared.start.room else {
            return Ok(());
        };
        let request = Request::GetReady(Box::new(room));
        let order = Order {
            id: &task,
            request: &request,
            descriptors: &[],
            progress: &Arc::new(Progress::default()),
        };
        if let Some(client) = self.give_order(order, &agent, &prepared.keeper)? {
            client.forget(&task);
        }
        Ok(())
    }
}
