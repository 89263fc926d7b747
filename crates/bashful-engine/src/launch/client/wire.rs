//! The socket to a keeper, and who waits for what comes out of it.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bashful_keeper::{LineBuffer, Reply, Request, TaskId, send_line};
use bashful_sandbox::Relay;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::launch::progress::{News, Progress};

#[derive(Debug)]
pub(super) struct Wire {
    pub(super) socket: UnixStream,
    /// What is waited for instead of the socket.
    pub(super) relay: Option<Relay>,
    /// Serialises senders: a long line must not be torn.
    pub(super) sending: Mutex<()>,
    /// The thread that holds this reads for all that wait.
    pub(super) receiving: Mutex<LineBuffer>,
    pub(super) table: Mutex<Table>,
}

/// The runs that wait for news, while the keeper is there to give any.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) runs: HashMap<TaskId, Arc<Progress>>,
    /// Questions that wait for their answer, by their number.
    pub(super) asks: HashMap<u64, Arc<Progress>>,
    pub(super) next_ask: u64,
    /// The keeper said goodbye or went away: no new run may be added.
    pub(super) closed: bool,
}

impl Wire {
    /// Reads once, when there are bytes to read before `until`, and hands it out;
    /// false when the keeper is gone.
    pub(super) fn receive(&self, incoming: &mut LineBuffer, until: Option<Instant>) -> bool {
        // What arrived together with the greeting is here already, and may be all
        // that the caller waits for.
        if self.hand_out(incoming) {
            return true;
        }
        let timeout = until.map(|until| {
            let left = until.saturating_duration_since(Instant::now());
            Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(left.subsec_nanos()),
            }
        });
        // Waiting in the read itself, a thread would also wake whenever the keeper has read.
        let readable = PollFlags::IN;
        let relayed = self.relay.as_ref().map(AsFd::as_fd);
        let waits = relayed.unwrap_or_else(|| self.socket.as_fd());
        let mut waits = [PollFd::from_borrowed_fd(waits, readable)];
        match poll(&mut waits, timeout.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return true,
            _ => {}
        }
        let alive = matches!(incoming.fill(&self.socket), Ok(1..));
        self.hand_out(incoming);
        if !alive {
            let mut table = lock(&self.table);
            table.closed = true;
            for (_, progress) in table.runs.drain() {
                progress.push(News::Lost);
            }
            for (_, progress) in table.asks.drain() {
                progress.push(News::Lost);
            }
        }
        alive
    }

    /// Gives every whole line to whom it concerns; whether there was one.
    fn hand_out(&self, incoming: &mut LineBuffer) -> bool {
        let mut any = false;
        while let Some(line) = incoming.line() {
            any = true;
            // A line we do not know comes from a newer keeper and is no harm.
            if let Ok(reply) = serde_json::from_slice(&line) {
                lock(&self.table).dispatch(reply, &self.socket);
            }
        }
        any
    }

    pub(super) fn poke_everybody(&self) {
        let table = lock(&self.table);
        for progress in table.runs.values().chain(table.asks.values()) {
            progress.poke();
        }
    }
}

impl Table {
    fn dispatch(&mut self, reply: Reply, socket: &UnixStream) {
        match reply {
            Reply::Started { id, pid } => self.tell(&id, News::Started(pid)),
            Reply::Grew { id, bytes } => self.tell(&id, News::Grew(bytes)),
            Reply::SoftTimeout { id, elapsed_ms } => {
                self.tell(&id, News::SoftTimeout(Duration::from_millis(elapsed_ms)));
            }
            Reply::Refused { id, fault } => self.dismiss(&id, News::Refused(fault)),
            Reply::Finished { id, state } => self.dismiss(&id, News::Finished(state)),
            Reply::Wants { id, needs_input } => self.tell(&id, News::Wants(needs_input)),
            Reply::Answer { number, answer } => {
                if let Some(progress) = self.asks.remove(&number) {
                    progress.push(News::Answered(answer));
                }
            }
            Reply::Bye => {
                if self.runs.is_empty() && self.asks.is_empty() {
                    self.closed = true;
                    let _ = socket.shutdown(std::net::Shutdown::Write);
                }
            }
            // Answers to a greeting.
            Reply::Hello(_) | Reply::Mismatch(_) | Reply::Redirect => {}
        }
    }

    fn tell(&self, id: &TaskId, news: News) {
        if let Some(progress) = self.runs.get(id) {
            progress.push(news);
        }
    }

    fn dismiss(&mut self, id: &TaskId, news: News) {
        if let Some(progress) = self.runs.remove(id) {
            progress.push(news);
        }
    }
}

pub(super) fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    // The table is whole after every statement, so a panic elsewhere did not tear it.
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn line(request: &Request) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    Ok(line)
}

pub(super) fn send(
    socket: &UnixStream,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut sent = send_line(socket.as_fd(), bytes, descriptors)?;
    while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
        sent += send_line(socket.as_fd(), rest, &[])?;
    }
    Ok(())
}
