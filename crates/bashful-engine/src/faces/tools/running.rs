//! A command that runs while a caller waits for it, or lets it go.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use super::{CallContext, OnOutput};
use crate::model::error::EngineError;
use crate::model::result::ExecutionResult;
use crate::run::events::Event;
use crate::run::running::Run;

/// Why a command is no longer waited for.
pub(super) enum Watched {
    /// It has ended.
    Ended(Box<ExecutionResult>),
    /// The caller does not wait any longer.
    LetGo,
    /// It waits for an answer at its terminal, which only the caller can give.
    Asks,
}

/// Waits for the end of a command as the caller wants it: tells of output as it comes, and stops
/// when the caller does not wait any longer. Where no place among the background tasks is free, it
/// waits on.
pub(super) async fn watch(run: &Run, context: CallContext) -> Result<Watched, EngineError> {
    let CallContext {
        on_output,
        mut let_go,
        ..
    } = context;
    let mut end = pin!(end_of(run, on_output));
    let mut question = pin!(run.question());
    poll_fn(|context| {
        if let Poll::Ready(ended) = end.as_mut().poll(context) {
            return Poll::Ready(ended.map(|result| Watched::Ended(Box::new(result))));
        }
        if run.has_terminal
            && let Poll::Ready(asked) = question.as_mut().poll(context)
        {
            return Poll::Ready(asked.map(|()| Watched::Asks));
        }
        let waited = let_go.as_mut().map(|let_go| let_go.as_mut().poll(context));
        if waited == Some(Poll::Ready(())) {
            let_go = None;
            if run.take_place() {
                return Poll::Ready(Ok(Watched::LetGo));
            }
        }
        Poll::Pending
    })
    .await
}

async fn end_of(run: &Run, on_output: Option<OnOutput>) -> Result<ExecutionResult, EngineError> {
    let Some(tell) = on_output else {
        return run.outcome().await;
    };
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

/// Waits for a future unless the caller lets go first.
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
