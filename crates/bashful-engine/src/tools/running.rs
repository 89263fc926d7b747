//! A command that runs while somebody waits for it, or lets it go.

use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::task::Poll;

use serde::Serialize;

use super::CallContext;
use crate::error::EngineError;
use crate::events::Event;
use crate::result::ExecutionResult;
use crate::run::Run;

/// What became of waiting for a command.
pub(super) enum Watched {
    /// It has ended.
    Ended(Box<ExecutionResult>),
    /// It goes on in the background.
    LetGo(Picture),
}

/// A command that goes on, as an answer tells it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Picture {
    v: u32,
    pub(super) state: &'static str,
    success: bool,
    pub(super) command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    pub(super) task_id: String,
    pub(super) output_file: PathBuf,
    agent: String,
    session: String,
}

impl Run {
    /// This run as an answer tells it while it goes on.
    pub(super) fn picture(&self) -> Picture {
        let heading = &self.report.account.heading;
        Picture {
            v: 1,
            state: "running",
            success: true,
            command: heading.command.clone(),
            description: heading.description.clone(),
            task_id: self.report.account.id.to_string(),
            output_file: self.report.account.output_file.clone(),
            agent: heading.agent.clone(),
            session: heading.session.clone(),
        }
    }
}

/// Waits for the end of a command as the caller wants it: tells of output as it comes, and lets
/// the command go when the caller does not wait any longer.
pub(super) async fn watch(run: Run, context: CallContext) -> Result<Watched, EngineError> {
    let CallContext {
        on_output, let_go, ..
    } = context;
    let end = async {
        match on_output {
            None => run.outcome().await,
            Some(tell) => {
                let mut events = run.events();
                loop {
                    match events.next().await {
                        Some(Event::Output { bytes, .. }) => tell(&bytes),
                        Some(Event::Finished(result)) => return *result,
                        Some(_) => {}
                        None => return Err(EngineError::KeeperGone),
                    }
                }
            }
        }
    };
    if let Some(result) = unless(end, let_go).await {
        return Ok(Watched::Ended(Box::new(result?)));
    }
    let picture = run.picture();
    run.detach();
    Ok(Watched::LetGo(picture))
}

/// Waits for something unless the caller lets go first.
pub(super) async fn unless<T>(
    wanted: impl Future<Output = T>,
    mut let_go: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
) -> Option<T> {
    let mut wanted = pin!(wanted);
    poll_fn(|context| {
        if let Poll::Ready(found) = wanted.as_mut().poll(context) {
            return Poll::Ready(Some(found));
        }
        match let_go.as_mut().map(|let_go| let_go.as_mut().poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(None),
            _ => Poll::Pending,
        }
    })
    .await
}
