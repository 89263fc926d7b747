//! Lines to standard output.
//!
//! A short line that the kernel takes at once is written where it was made. Others, and all where the
//! client does not read as fast, are left to a thread, which may have to wait.

use std::io::{self, IoSlice};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ReadWriteFlags};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::mcp::under_way::UnderWay;

/// How many lines wait to be written before who makes more has to wait.
const MOST_WAITING: usize = 64;
/// A line of this many bytes is taken whole or not at all: `PIPE_BUF`.
const WHOLE: usize = 4096;

/// A line to be written, and where to say whether it was.
pub(super) struct Outgoing {
    line: Vec<u8>,
    /// The request that it answers, as the handler knows it.
    answers: Option<RequestId>,
    done: Option<oneshot::Sender<Result<(), io::ErrorKind>>>,
}

impl Outgoing {
    pub(super) fn new(line: Vec<u8>, answers: Option<RequestId>) -> Self {
        Self {
            line,
            answers,
            done: None,
        }
    }

    /// Ends the line, or empties it where the client has called its request off meanwhile. A client
    /// that reads the answer may use its id again at once, so this comes right before the writing.
    fn finish(&mut self, under_way: &UnderWay) {
        if let Some(id) = self.answers.take()
            && !under_way.answered(&id)
        {
            self.line.clear();
        }
        if !self.line.is_empty() && !self.line.ends_with(b"\n") {
            self.line.push(b'\n');
        }
    }
}

/// Where lines are given to be written, in their order.
#[derive(Clone)]
pub(super) struct Output {
    line: mpsc::Sender<Outgoing>,
    /// How many lines are given and not yet written.
    waiting: Arc<AtomicUsize>,
    /// Held by who writes.
    turn: Arc<Mutex<()>>,
    under_way: Arc<UnderWay>,
}

impl Output {
    pub(super) fn open(under_way: Arc<UnderWay>, gone: CancellationToken) -> Self {
        let (line, to_write) = mpsc::channel(MOST_WAITING);
        let output = Self {
            line,
            waiting: Arc::default(),
            turn: Arc::default(),
            under_way,
        };
        let (waiting, turn) = (Arc::clone(&output.waiting), Arc::clone(&output.turn));
        let under_way = Arc::clone(&output.under_way);
        std::thread::spawn(move || {
            write_lines(to_write, &under_way, &waiting, &turn);
            // The client hears nothing any more.
            gone.cancel();
        });
        output
    }

    pub(super) fn is_busy(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }

    /// Writes a line, and ends when it is written.
    pub(super) async fn write(&self, mut outgoing: Outgoing) -> io::Result<()> {
        let is_first = self.waiting.fetch_add(1, Ordering::AcqRel) == 0;
        if is_first && self.write_at_once(&mut outgoing) {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return Ok(());
        }
        let (done, written) = oneshot::channel();
        outgoing.done = Some(done);
        self.line.send(outgoing).await.map_err(|_| broken())?;
        written
            .await
            .map_err(|_| broken())?
            .map_err(io::Error::from)
    }

    /// Writes a short line if the kernel takes it without making us wait.
    fn write_at_once(&self, outgoing: &mut Outgoing) -> bool {
        if outgoing.line.len() >= WHOLE {
            return false;
        }
        let Ok(_turn) = self.turn.try_lock() else {
            return false;
        };
        outgoing.finish(&self.under_way);
        let pieces = [IoSlice::new(&outgoing.line)];
        // A pipe or socket has no offset, and a file's own is meant.
        let wrote = rustix::io::pwritev2(
            rustix::stdio::stdout(),
            &pieces,
            u64::MAX,
            ReadWriteFlags::NOWAIT,
        );
        match wrote {
            Ok(count) if count == outgoing.line.len() => true,
            // A kind of file that takes less: nobody may write between the pieces.
            Ok(count) => write_out(outgoing.line.get(count..).unwrap_or_default()).is_ok(),
            // What is wrong is found, and told, by the thread that writes.
            Err(_) => false,
        }
    }

    /// Leaves a line to the thread that writes, as soon as there is room. A call may be given up.
    pub(super) async fn put_in_line(&self, outgoing: &mut Option<Outgoing>) {
        let place = self.line.reserve().await;
        if let (Ok(place), Some(outgoing)) = (place, outgoing.take()) {
            self.waiting.fetch_add(1, Ordering::AcqRel);
            place.send(outgoing);
        }
    }
}

/// Writes lines until there are no senders left, or the client no longer reads. It does not hold the
/// lock of standard output: the program takes that at its end, and a client that does not read would
/// keep it from ending.
fn write_lines(
    mut lines: mpsc::Receiver<Outgoing>,
    under_way: &UnderWay,
    waiting: &AtomicUsize,
    turn: &Mutex<()>,
) {
    while let Some(mut outgoing) = lines.blocking_recv() {
        let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        outgoing.finish(under_way);
        let outcome = write_out(&outgoing.line).map_err(|error| error.kind());
        drop(turn);
        waiting.fetch_sub(1, Ordering::AcqRel);
        let is_broken = outcome.is_err();
        if let Some(done) = outgoing.done {
            let _ = done.send(outcome);
        }
        if is_broken {
            return;
        }
    }
}

fn write_out(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Whether a process can still read what is written here.
pub(super) fn has_reader(output: BorrowedFd<'_>) -> bool {
    let mut watched = [PollFd::from_borrowed_fd(output, PollFlags::empty())];
    let none = rustix::event::Timespec::default();
    let seen = poll(&mut watched, Some(&none));
    let [watched] = watched;
    seen.is_ok()
        && !watched
            .revents()
            .intersects(PollFlags::ERR | PollFlags::HUP)
}

fn broken() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}
