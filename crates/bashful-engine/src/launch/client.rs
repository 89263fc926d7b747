//! The engine's side of a conversation with one keeper.
//!
//! A thread that waits for its run reads the socket and hands out what it reads to all runs. For
//! waiting futures the engine starts a thread that does nothing else. So the engine needs no
//! async runtime of its own and works in any, and a program with one thread pays for no second
//! one.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Instant;

use bashful_keeper::{Request, TaskId};

use crate::launch::progress::{Outcome, Picture, Progress};
use crate::model::error::EngineError;

mod ask;
mod open;
mod reach;
mod wire;

pub(crate) use ask::Ask;
pub use open::{EarlyKeeper, LONGEST_START};
pub(crate) use open::{KeeperAddress, Origin};
pub(crate) use reach::{ask_at, cancel_at};
use wire::{Wire, line, lock, send};

/// A run to be started, and who wants to hear of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) id: &'a TaskId,
    pub(crate) request: &'a Request,
    pub(crate) descriptors: &'a [BorrowedFd<'a>],
    pub(crate) progress: &'a Arc<Progress>,
}

impl Order<'_> {
    /// Whether a caller may want to ask or tell the run anything after the process that started
    /// it is gone.
    pub(crate) fn may_be_asked_later(&self) -> bool {
        match self.request {
            Request::Start(start) => {
                start.detached || start.spec.terminal.is_some() || start.spec.keep_input
            }
            _ => false,
        }
    }
}

/// A connection to a keeper.
#[derive(Debug)]
pub(crate) struct Client {
    wire: Arc<Wire>,
    /// A thread reads, for those who cannot.
    has_reader: Mutex<bool>,
    /// The keeper was there before: its session is used again.
    pub(crate) is_joined: bool,
}

impl Client {
    /// Gives another order; false if the keeper is on its way out and did not get it.
    pub(crate) fn start(&self, order: Order<'_>) -> bool {
        {
            let mut table = lock(&self.wire.table);
            if table.closed {
                return false;
            }
            table
                .runs
                .insert(order.id.clone(), Arc::clone(order.progress));
        }
        // A line that was sent in part is no request: nothing is started twice.
        let sent = self.say(order.request, order.descriptors).is_ok();
        if !sent {
            let mut table = lock(&self.wire.table);
            table.closed = true;
            table.runs.remove(order.id);
        }
        sent
    }

    /// Waits on this thread until `look` finds what it looks for in the picture, or until
    /// the time has come.
    pub(crate) fn wait_until<T>(
        &self,
        progress: &Progress,
        until: Option<Instant>,
        mut look: impl FnMut(&Picture) -> Option<T>,
    ) -> Option<T> {
        let mut picture = progress.lock();
        loop {
            if let Some(found) = look(&picture) {
                return Some(found);
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                return None;
            }
            match self.wire.receiving.try_lock() {
                Err(TryLockError::WouldBlock) => picture = progress.sleep(picture, until),
                reading => {
                    drop(picture);
                    let mut incoming = match reading {
                        Ok(incoming) => incoming,
                        // The buffer is whole after every statement.
                        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                        Err(TryLockError::WouldBlock) => return None,
                    };
                    self.wire.receive(&mut incoming, until);
                    drop(incoming);
                    // Another waiting thread may have to take over the reading now.
                    self.wire.poke_everybody();
                    picture = progress.lock();
                }
            }
        }
    }

    /// Waits in a future until `look` finds what it looks for in the picture.
    pub(crate) async fn wait<T>(
        &self,
        progress: &Progress,
        look: impl FnMut(&Picture) -> Option<T>,
    ) -> Result<T, EngineError> {
        self.ensure_reader()?;
        Ok(progress.wait(look).await)
    }

    /// The same for the end of a run, which nothing that comes before it wakes.
    pub(crate) async fn end(&self, progress: &Progress) -> Result<Outcome, EngineError> {
        self.ensure_reader()?;
        Ok(progress.end().await)
    }

    fn ensure_reader(&self) -> Result<(), EngineError> {
        let mut has_reader = self
            .has_reader
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if *has_reader {
            return Ok(());
        }
        let wire = Arc::clone(&self.wire);
        let read = move || {
            let mut incoming = wire
                .receiving
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            while wire.receive(&mut incoming, None) {}
        };
        std::thread::Builder::new()
            .name("bashful-client".to_owned())
            .stack_size(256 << 10)
            .spawn(read)
            .map_err(no_resource("a thread"))?;
        *has_reader = true;
        Ok(())
    }

    pub(crate) fn cancel(&self, id: &TaskId, now: bool) {
        // If the keeper is gone, so is the run.
        let _ = self.say(
            &Request::Cancel {
                id: id.clone(),
                now,
            },
            &[],
        );
    }

    pub(crate) fn detach(&self, id: &TaskId) {
        let _ = self.say(&Request::Detach { id: id.clone() }, &[]);
    }

    /// Forgets a run of which no caller waits for news any more.
    pub(crate) fn forget(&self, id: &TaskId) {
        lock(&self.wire.table).runs.remove(id);
    }

    fn say(&self, request: &Request, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let line = line(request)?;
        let _turn = self
            .wire
            .sending
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        send(&self.wire.socket, &line, descriptors)
    }

    /// Whether it can still be asked.
    pub(crate) fn is_open(&self) -> bool {
        // A goodbye may lie in the socket unread when no thread reads it.
        if let Ok(mut incoming) = self.wire.receiving.try_lock() {
            self.wire.receive(&mut incoming, Some(Instant::now()));
        }
        !lock(&self.wire.table).closed
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Wakes the reading thread, which then ends.
        let _ = self.wire.socket.shutdown(std::net::Shutdown::Both);
    }
}

fn no_resource(what: &str) -> impl Fn(io::Error) -> EngineError {
    move |source| EngineError::Resources {
        what: what.to_owned(),
        source,
    }
}
