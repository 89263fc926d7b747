//! Telling a client how a call goes: what was printed since the last time, and that it goes on.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bashful_engine::OnOutput;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::Notify;

/// How often output is told.
const PACE: Duration = Duration::from_millis(250);
/// How often a client hears that a silent command goes on.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);
/// How much of what is new goes into one message; the rest is in the log.
const MOST_BYTES: usize = 4_000;

/// Tells a client how one call goes.
pub(super) struct Reporter {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    began: Instant,
    fresh: Arc<Fresh>,
}

/// When a call began. Progress only grows, also from one reporter of a call to the next.
#[derive(Clone, Copy)]
pub(super) struct Began(pub(super) Instant);

/// What was printed since the last message.
#[derive(Default)]
struct Fresh {
    output: Mutex<Output>,
    some: Notify,
}

#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    left_out: usize,
}

impl Reporter {
    /// A reporter, if the client wants to hear.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let began = context.extensions.get::<Began>();
        Some(Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token()?,
            began: began.map_or_else(Instant::now, |began| began.0),
            fresh: Arc::default(),
        })
    }

    /// What gets the output.
    pub(super) fn listener(&self) -> OnOutput {
        let fresh = Arc::clone(&self.fresh);
        Arc::new(move |bytes| {
            fresh.lock().push(bytes);
            fresh.some.notify_one();
        })
    }

    /// Reports for ever; the caller drops it when its call has ended. A client that does not read
    /// holds up its own messages and nothing else.
    pub(super) async fn report(&self, what: &str) -> Infallible {
        let began = Instant::now();
        loop {
            let silent = tokio::time::timeout(SIGN_OF_LIFE, self.fresh.some.notified());
            let message = match silent.await {
                Ok(()) => self.fresh.lock().take(),
                Err(_) => format!("{what} for {} s", began.elapsed().as_secs()),
            };
            let progress = self.began.elapsed().as_secs_f64();
            let param = ProgressNotificationParam::new(self.token.clone(), progress);
            if self
                .peer
                .notify_progress(param.with_message(message))
                .await
                .is_err()
            {
                // The client listens no more; the end of the connection is told elsewhere.
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(PACE).await;
        }
    }
}

impl Fresh {
    fn lock(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output {
    /// Keeps the end of what comes.
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let surplus = self.bytes.len().saturating_sub(MOST_BYTES);
        self.left_out += surplus;
        self.bytes.drain(..surplus);
    }

    fn take(&mut self) -> String {
        let bytes = std::mem::take(&mut self.bytes);
        let text = String::from_utf8_lossy(&bytes);
        match std::mem::take(&mut self.left_out) {
            0 => text.into_owned(),
            left_out => format!("[{left_out} bytes before this]\n{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_much_output_is_told_and_how_much_is_missing() {
        let mut output = Output::default();
        output.push(b"abc");
        assert_eq!(output.take(), "abc");
        output.push(&[b'x'; MOST_BYTES]);
        output.push(b"end");
        let told = output.take();
        assert!(told.starts_with("[3 bytes before this]\nxxx"), "{told}");
        assert!(told.ends_with("xend"), "{told}");
        assert_eq!(output.take(), "");
    }
}
