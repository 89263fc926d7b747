//! The engine's side of a conversation with one keeper.
//!
//! A thread reads what the keeper says and hands it to the runs it is about. The
//! engine therefore needs no async runtime of its own and works in any.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bashful_keeper::{
    Hello, KEEPER_ARGUMENT, LineBuffer, PROTOCOL, Reply, Request, TaskId, VERSION, send_line,
};
use bashful_sandbox::{Launch, reap};

use crate::error::EngineError;
use crate::progress::{News, Progress};

/// A keeper that takes longer than this to greet is none.
const GREETING_PATIENCE: Duration = Duration::from_secs(10);
/// How often a keeper that ends while we connect is tried again.
const TRIES: usize = 5;

/// How to reach or start a keeper.
#[derive(Debug, Clone)]
pub(crate) struct KeeperAddress {
    pub(crate) helper: PathBuf,
    pub(crate) state: PathBuf,
    /// The socket of the session, where others may find its keeper.
    pub(crate) socket: Option<PathBuf>,
    pub(crate) idle: Duration,
}

/// A connection to a keeper.
#[derive(Debug)]
pub(crate) struct Client {
    socket: Arc<UnixStream>,
    /// Serialises senders: a long line must not be torn.
    sending: Mutex<()>,
    table: Arc<Mutex<Table>>,
}

/// The runs that wait for news, while the keeper is there to give any.
#[derive(Debug, Default)]
struct Table {
    runs: HashMap<TaskId, Arc<Progress>>,
    /// The keeper said goodbye or went away: no new run may be added.
    closed: bool,
}

impl Client {
    /// Connects to the session's keeper, or starts it.
    pub(crate) fn open(address: &KeeperAddress) -> Result<Self, EngineError> {
        for _ in 0..TRIES {
            if let Some(client) = Self::attempt(address)? {
                return Ok(client);
            }
            // It was just ending, or another one was just starting.
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(EngineError::KeeperGone)
    }

    fn attempt(address: &KeeperAddress) -> Result<Option<Self>, EngineError> {
        if let Some(path) = &address.socket
            && let Ok(socket) = UnixStream::connect(path)
            && is_ours(&socket)
        {
            return match Self::greet(socket, address, path) {
                // One that is about to end hangs up without a greeting.
                Err(EngineError::HelperMute { .. }) => Ok(None),
                greeted => greeted,
            };
        }
        let (socket, theirs) = UnixStream::pair().map_err(|source| EngineError::Resources {
            what: "a socket".to_owned(),
            source,
        })?;
        let failed = |source| EngineError::HelperStart {
            path: address.helper.clone(),
            source,
        };
        let pid = Launch::new(&address.helper, "bashful-keeper")
            .argument(KEEPER_ARGUMENT)
            .stdin(OwnedFd::from(theirs))
            .start()
            .map_err(failed)?;
        let greeted = Self::greet(socket, address, &address.helper);
        // The process we started has long left the keeper to itself.
        let _ = reap(pid);
        greeted
    }

    fn greet(
        socket: UnixStream,
        address: &KeeperAddress,
        peer: &Path,
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
        });
        send(&socket, &hello, &[]).map_err(mute)?;
        socket
            .set_read_timeout(Some(GREETING_PATIENCE))
            .map_err(mute)?;
        let mut incoming = LineBuffer::default();
        let line = loop {
            if let Some(line) = incoming.line() {
                break line;
            }
            if incoming.fill(&socket).map_err(mute)? == 0 {
                return Err(mute(io::ErrorKind::UnexpectedEof.into()));
            }
        };
        socket.set_read_timeout(None).map_err(mute)?;
        let reply = serde_json::from_slice(&line).map_err(|error| mute(error.into()))?;
        match reply {
            Reply::Hello(_) => {}
            Reply::Mismatch(other) => {
                return Err(EngineError::HelperVersion {
                    path: peer.to_owned(),
                    found: other.version,
                    expected: VERSION.to_owned(),
                });
            }
            Reply::Redirect => return Ok(None),
            _ => return Err(mute(io::ErrorKind::InvalidData.into())),
        }
        let client = Self {
            socket: Arc::new(socket),
            sending: Mutex::new(()),
            table: Arc::default(),
        };
        client.listen(incoming)?;
        Ok(Some(client))
    }

    fn listen(&self, mut incoming: LineBuffer) -> Result<(), EngineError> {
        let socket = Arc::clone(&self.socket);
        let table = Arc::clone(&self.table);
        let reader = move || {
            while let Ok(1..) = incoming.fill(socket.as_ref()) {
                while let Some(line) = incoming.line() {
                    // A line we do not know comes from a newer keeper and is no harm.
                    if let Ok(reply) = serde_json::from_slice(&line) {
                        dispatch(reply, &table, &socket);
                    }
                }
            }
            let mut table = lock(&table);
            table.closed = true;
            for (_, progress) in table.runs.drain() {
                progress.push(News::Lost);
            }
        };
        let spawned = std::thread::Builder::new()
            .name("bashful-client".to_owned())
            .stack_size(256 << 10)
            .spawn(reader);
        spawned.map(drop).map_err(|source| EngineError::Resources {
            what: "a thread".to_owned(),
            source,
        })
    }

    /// Asks for a start; false if the keeper is on its way out and was not asked.
    pub(crate) fn start(
        &self,
        request: &Request,
        id: &TaskId,
        descriptors: &[BorrowedFd<'_>],
        progress: &Arc<Progress>,
    ) -> bool {
        {
            let mut table = lock(&self.table);
            if table.closed {
                return false;
            }
            table.runs.insert(id.clone(), Arc::clone(progress));
        }
        // A line that was sent in part is no request: nothing is started twice.
        let sent = self.say(request, descriptors).is_ok();
        if !sent {
            let mut table = lock(&self.table);
            table.closed = true;
            table.runs.remove(id);
        }
        sent
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
        let _turn = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        send(&self.socket, request, descriptors)
    }

    /// Whether it can still be asked.
    pub(crate) fn is_open(&self) -> bool {
        !lock(&self.table).closed
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Wakes the reading thread, which then ends.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
    }
}

fn dispatch(reply: Reply, table: &Mutex<Table>, socket: &UnixStream) {
    let mut table = lock(table);
    match reply {
        Reply::Started { id, pid } => table.tell(&id, News::Started(pid)),
        Reply::Grew { id, bytes } => table.tell(&id, News::Grew(bytes)),
        Reply::SoftTimeout { id, elapsed_ms } => {
            table.tell(&id, News::SoftTimeout(Duration::from_millis(elapsed_ms)));
        }
        Reply::Refused { id, fault } => table.dismiss(&id, News::Refused(fault)),
        Reply::Finished { id, state } => table.dismiss(&id, News::Finished(state)),
        Reply::Bye => {
            if table.runs.is_empty() {
                table.closed = true;
                let _ = socket.shutdown(std::net::Shutdown::Write);
            }
        }
        // Survivors are in the last record too, which follows; the others are answers
        // to a greeting.
        Reply::Survivors(_) | Reply::Hello(_) | Reply::Mismatch(_) | Reply::Redirect => {}
    }
}

impl Table {
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

fn send(socket: &UnixStream, request: &Request, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    let mut sent = send_line(socket.as_fd(), &line, descriptors)?;
    while let Some(rest) = line.get(sent..).filter(|rest| !rest.is_empty()) {
        sent += send_line(socket.as_fd(), rest, &[])?;
    }
    Ok(())
}
