//! Requests to a running command: input, another size, a signal.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bashful_keeper::{Answer, Bytes, Request, TaskId, TerminalSize};

use super::Client;
use super::wire::lock;
use crate::launch::progress::{Picture, Progress};

/// A request to a running command.
#[derive(Debug, Clone)]
pub(crate) enum Ask {
    /// Input, and whether it is the last.
    Send {
        bytes: Vec<u8>,
        end: bool,
    },
    Resize(TerminalSize),
    Signal(i32),
}

impl Ask {
    pub(super) fn request(&self, id: &TaskId, number: u64) -> Request {
        let id = id.clone();
        match self {
            Self::Send { bytes, end } => Request::Send {
                id,
                number,
                bytes: Bytes(bytes.clone()),
                end: *end,
            },
            Self::Resize(size) => Request::Resize {
                id,
                number,
                size: *size,
            },
            Self::Signal(signal) => Request::Signal {
                id,
                number,
                signal: *signal,
            },
        }
    }
}

/// A keeper that takes longer to answer is taken for gone.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

impl Client {
    /// Asks, and waits on this thread for the answer; none if the keeper is gone.
    pub(crate) fn ask(&self, id: &TaskId, ask: &Ask) -> Option<Answer> {
        let progress = Arc::new(Progress::default());
        let number = {
            let mut table = lock(&self.wire.table);
            if table.closed {
                return None;
            }
            table.next_ask += 1;
            let number = table.next_ask;
            table.asks.insert(number, Arc::clone(&progress));
            number
        };
        let look = |picture: &Picture| {
            let lost = picture.outcome.is_some().then_some(None);
            picture.answer.map(Some).or(lost)
        };
        let said = self.say(&ask.request(id, number), &[]).is_ok();
        let until = Some(Instant::now() + PATIENCE);
        let answer = said.then(|| self.wait_until(&progress, until, look));
        lock(&self.wire.table).asks.remove(&number);
        answer.flatten().flatten()
    }
}
