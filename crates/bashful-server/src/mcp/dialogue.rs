//! A dialogue at the client: one for each ask, closed when it is not needed any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    RequestId, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use tokio::sync::watch;

/// The asks that a dialogue is open for.
#[derive(Debug, Default)]
pub(super) struct Dialogues {
    open: Mutex<HashMap<String, watch::Receiver<()>>>,
}

/// A place to put an ask.
pub(super) enum Place {
    /// No call puts it yet; the ask is this call's as long as it is held.
    Free(Held),
    /// A person is asked already; this ends when they are not any more.
    Taken(watch::Receiver<()>),
}

/// An ask that is put to a person by this call and no other.
pub(super) struct Held {
    ask: String,
    all: Arc<Dialogues>,
    /// Calls that wait for this one hear when it goes.
    _end: watch::Sender<()>,
}

impl Dialogues {
    /// Takes an ask, if no other call has it.
    pub(super) fn take(self: &Arc<Self>, ask: &str) -> Place {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(end) = open.get(ask) {
            return Place::Taken(end.clone());
        }
        let (end, ended) = watch::channel(());
        open.insert(ask.to_owned(), ended);
        Place::Free(Held {
            ask: ask.to_owned(),
            all: Arc::clone(self),
            _end: end,
        })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut open = self.all.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(&self.ask);
    }
}

/// Puts a dialogue to the client's user. If the future goes before there is an answer, the client
/// is told that there is nothing to answer any more.
pub(super) async fn put(
    peer: &Peer<RoleServer>,
    dialogue: ElicitRequestParams,
) -> Result<Option<ElicitResult>, ServiceError> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(dialogue));
    let options = PeerRequestOptions::no_options();
    let handle = peer.send_cancellable_request(request, options).await?;
    let mut unanswered = Unanswered {
        peer: peer.clone(),
        id: Some(handle.id.clone()),
    };
    let result = handle.await_response().await;
    unanswered.id = None;
    match result? {
        ClientResult::ElicitResult(result) => Ok(Some(result)),
        _ => Ok(None),
    }
}

/// A dialogue that the client still shows.
struct Unanswered {
    peer: Peer<RoleServer>,
    id: Option<RequestId>,
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let reason = Some("it was answered elsewhere, or is not needed any more".to_owned());
            let param = CancelledNotificationParam::new(Some(id), reason);
            // A client that is gone shows nothing either.
            let _ = peer.notify_cancelled(param).await;
        });
    }
}
