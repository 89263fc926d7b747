//! The engine's side of a conversation with one keeper.
//!
//! Whoever waits reads: a thread that waits for its run takes the socket and hands
//! out what it reads to all runs. For waiting futures a thread is started that does
//! nothing else. So the engine needs no async runtime of its own and works in any,
//! and a program with one thread pays for no second one.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use bashful_keeper::{
    Hello, KEEPER_ARGUMENT, LineBuffer, PROTOCOL, Reply, Request, TaskId, VERSION, Welcome,
    fork_keeper, send_line,
};
use bashful_sandbox::{Launch, reap};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::error::EngineError;
use crate::progress::{News, Picture, Progress};

/// A keeper that takes longer than this to greet is none.
const GREETING_PATIENCE: Duration = Duration::from_secs(10);
/// How often a keeper that ends while we connect is tried again.
const TRIES: usize = 20;

/// How to reach or start a keeper.
#[derive(Debug, Clone)]
pub(crate) struct KeeperAddress {
    pub(crate) origin: Origin,
    pub(crate) state: PathBuf,
    /// The socket of the session, where others may find its keeper.
    pub(crate) socket: Option<PathBuf>,
    pub(crate) idle: Duration,
    /// More runs will follow: the keeper may prepare for them.
    pub(crate) more_to_come: bool,
}

/// Where a new keeper comes from.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// This executable is started.
    Executable(PathBuf),
    /// This process forks; it must be small and have one thread.
    Fork,
    /// It was forked before, and this is the way to it.
    Forked(Arc<UnixStream>),
}

/// A keeper that was forked ahead of time, so that it gets ready while its engine
/// is still being made. It ends if it is never used.
#[derive(Debug)]
pub struct EarlyKeeper(Arc<UnixStream>);

impl EarlyKeeper {
    /// Forks this process, which must be small and have a single thread.
    pub fn fork() -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        fork_keeper(theirs.into())?;
        Ok(Self(Arc::new(ours)))
    }

    pub(crate) fn into_origin(self) -> Origin {
        Origin::Forked(self.0)
    }
}

/// A run to be started, and who wants to hear of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) id: &'a TaskId,
    pub(crate) request: &'a Request,
    pub(crate) descriptors: &'a [BorrowedFd<'a>],
    pub(crate) progress: &'a Arc<Progress>,
}

/// A connection to a keeper.
#[derive(Debug)]
pub(crate) struct Client {
    wire: Arc<Wire>,
    /// A thread reads, for those who cannot.
    has_reader: Mutex<bool>,
}

#[derive(Debug)]
struct Wire {
    socket: UnixStream,
    /// Serialises senders: a long line must not be torn.
    sending: Mutex<()>,
    /// Whoever holds this reads for everybody.
    receiving: Mutex<LineBuffer>,
    table: Mutex<Table>,
}

/// The runs that wait for news, while the keeper is there to give any.
#[derive(Debug, Default)]
struct Table {
    runs: HashMap<TaskId, Arc<Progress>>,
    /// The keeper said goodbye or went away: no new run may be added.
    closed: bool,
}

impl Client {
    /// Connects to the session's keeper, or starts it, and gives it its first order
    /// in the same breath.
    pub(crate) fn open(address: &KeeperAddress, order: Order<'_>) -> Result<Self, EngineError> {
        for _ in 0..TRIES {
            if let Some(client) = Self::attempt(address, order)? {
                return Ok(client);
            }
            // It was just ending, or another one was just starting.
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(EngineError::KeeperGone)
    }

    fn attempt(address: &KeeperAddress, order: Order<'_>) -> Result<Option<Self>, EngineError> {
        if let Some(path) = &address.socket
            && let Ok(socket) = UnixStream::connect(path)
            && is_ours(&socket)
        {
            return match Self::greet(socket, address, path, order) {
                // One that is about to end hangs up without a greeting.
                Err(EngineError::HelperMute { .. }) => Ok(None),
                greeted => greeted,
            };
        }
        let pair = || UnixStream::pair().map_err(no_resource("a socket"));
        match &address.origin {
            Origin::Fork => {
                let (socket, theirs) = pair()?;
                fork_keeper(theirs.into()).map_err(no_resource("a process"))?;
                Self::greet(socket, address, Path::new("/proc/self/exe"), order)
            }
            Origin::Forked(socket) => {
                let socket = socket.try_clone().map_err(no_resource("a socket"))?;
                Self::greet(socket, address, Path::new("/proc/self/exe"), order)
            }
            Origin::Executable(path) => {
                let (socket, theirs) = pair()?;
                let pid = Launch::new(path, "bashful-keeper")
                    .argument(KEEPER_ARGUMENT)
                    .stdin(OwnedFd::from(theirs))
                    .start()
                    .map_err(|source| EngineError::HelperStart {
                        path: path.clone(),
                        source,
                    })?;
                let greeted = Self::greet(socket, address, path, order);
                // The process we started has long left the keeper to itself.
                let _ = reap(pid);
                greeted
            }
        }
    }

    fn greet(
        socket: UnixStream,
        address: &KeeperAddress,
        peer: &Path,
        order: Order<'_>,
    ) -> Result<Option<Self>, EngineError> {
        let mute = |source| EngineError::HelperMute {
            path: peer.to_owned(),
            source,
        };
        let hello = Request::Hello(Hello {
            version: VERSION.to_owned(),
            protocol: PROTOCOL,
            state: address.state.clone(),
            listen: address.socket.clone(),
            idle_ms: u64::try_from(address.idle.as_millis()).unwrap_or(u64::MAX),
            more_to_come: address.more_to_come,
        });
        let lines = [
            line(&hello).map_err(mute)?,
            line(order.request).map_err(mute)?,
        ]
        .concat();
        send(&socket, &lines, order.descriptors).map_err(mute)?;
        socket
            .set_read_timeout(Some(GREETING_PATIENCE))
            .map_err(mute)?;
        let mut incoming = LineBuffer::default();
        let answer = loop {
            if let Some(line) = incoming.line() {
                break serde_json::from_slice(&line).map_err(|error| mute(error.into()))?;
            }
            if incoming.fill(&socket).map_err(mute)? == 0 {
                return Err(mute(io::ErrorKind::UnexpectedEof.into()));
            }
        };
        socket.set_read_timeout(None).map_err(mute)?;
        let expected = |other: &Welcome| other.version == VERSION && other.protocol == PROTOCOL;
        match answer {
            Reply::Hello(other) if expected(&other) => {}
            // Whoever answers so has not looked at the order.
            Reply::Redirect => return Ok(None),
            Reply::Hello(other) | Reply::Mismatch(other) => {
                return Err(EngineError::HelperVersion {
                    path: peer.to_owned(),
                    found: other.version,
                    expected: VERSION.to_owned(),
                });
            }
            _ => return Err(mute(io::ErrorKind::InvalidData.into())),
        }
        let mut table = Table::default();
        table
            .runs
            .insert(order.id.clone(), Arc::clone(order.progress));
        let wire = Wire {
            socket,
            sending: Mutex::default(),
            receiving: Mutex::new(incoming),
            table: Mutex::new(table),
        };
        Ok(Some(Self {
            wire: Arc::new(wire),
            has_reader: Mutex::new(false),
        }))
    }

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

    /// Waits on this thread until `look` finds something in the picture, or until
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
                    // Somebody else may have to take over the reading now.
                    self.wire.poke_everybody();
                    picture = progress.lock();
                }
            }
        }
    }

    /// Waits in a future until `look` finds something in the picture.
    pub(crate) async fn wait<T>(
        &self,
        progress: &Progress,
        look: impl FnMut(&Picture) -> Option<T>,
    ) -> Result<T, EngineError> {
        self.ensure_reader()?;
        Ok(progress.wait(look).await)
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
        let open = |wire: &Wire| !lock(&wire.table).closed;
        // A goodbye may lie in the socket unread, when nobody waits for anything.
        if let Ok(mut incoming) = self.wire.receiving.try_lock() {
            self.wire.receive(&mut incoming, Some(Instant::now()));
        }
        open(&self.wire)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Wakes the reading thread, which then ends.
        let _ = self.wire.socket.shutdown(std::net::Shutdown::Both);
    }
}

impl Wire {
    /// Reads once, when there is something to read before `until`, and hands it out;
    /// false when the keeper is gone.
    fn receive(&self, incoming: &mut LineBuffer, until: Option<Instant>) -> bool {
        // What arrived together with the greeting is here already.
        self.hand_out(incoming);
        let timeout = until.map(|until| {
            let left = until.saturating_duration_since(Instant::now());
            Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(left.subsec_nanos()),
            }
        });
        let readable = PollFlags::IN;
        match poll(&mut [PollFd::new(&self.socket, readable)], timeout.as_ref()) {
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
        }
        alive
    }

    fn hand_out(&self, incoming: &mut LineBuffer) {
        while let Some(line) = incoming.line() {
            // A line we do not know comes from a newer keeper and is no harm.
            if let Ok(reply) = serde_json::from_slice(&line) {
                lock(&self.table).dispatch(reply, &self.socket);
            }
        }
    }

    fn poke_everybody(&self) {
        for progress in lock(&self.table).runs.values() {
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
            Reply::Bye => {
                if self.runs.is_empty() {
                    self.closed = true;
                    let _ = socket.shutdown(std::net::Shutdown::Write);
                }
            }
            // Survivors are in the last record too, which follows; the others are
            // answers to a greeting.
            Reply::Survivors(_) | Reply::Hello(_) | Reply::Mismatch(_) | Reply::Redirect => {}
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

fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    // The table is whole after every statement, so a panic elsewhere did not tear it.
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_ours(socket: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(socket)
        .is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

fn no_resource(what: &str) -> impl Fn(io::Error) -> EngineError {
    move |source| EngineError::Resources {
        what: what.to_owned(),
        source,
    }
}

fn line(request: &Request) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    Ok(line)
}

fn send(socket: &UnixStream, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut sent = send_line(socket.as_fd(), bytes, descriptors)?;
    while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
        sent += send_line(socket.as_fd(), rest, &[])?;
    }
    Ok(())
}
