//! Reaching a session's keeper, or starting one.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bashful_keeper::{
    Expected, Hello, KEEPER_ARGUMENT, LONGEST_IN_LINE, LineBuffer, PROTOCOL, Reply, Request,
    VERSION, Welcome, connect, fork_keeper,
};
use bashful_sandbox::{Launch, Process, Relay, reap_if_ended, signal_process};
use rustix::process::Signal;

use super::wire::{Table, Wire, line, send};
use super::{Client, Order, no_resource};
use crate::launch::find_keeper::ITSELF;
use crate::model::error::EngineError;

/// A keeper that takes longer than this to greet is none.
const GREETING_PATIENCE: Duration = Duration::from_secs(10);
/// How long the engine tries again where one keeper ends and another one starts while it
/// connects.
const CHANGING_PATIENCE: Duration = Duration::from_secs(10);
/// The pauses between these tries, from the first to the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(80)];

/// How long after the order a keeper has started a command or refused it, at the latest.
pub const LONGEST_START: Duration = LONGEST_IN_LINE.saturating_add(Duration::from_secs(30));

/// How to reach or start a keeper.
#[derive(Debug, Clone)]
pub(crate) struct KeeperAddress {
    pub(crate) origin: Origin,
    pub(crate) state: PathBuf,
    /// The socket of the session, where others may find its keeper.
    pub(crate) socket: Option<PathBuf>,
    /// The socket is for this keeper alone; no other engine looks for it by its name.
    pub(crate) alone: bool,
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
    pub fn fork(expected: Expected) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        fork_keeper(theirs.into(), expected)?;
        Ok(Self(Arc::new(ours)))
    }

    pub(crate) fn into_origin(self) -> Origin {
        Origin::Forked(self.0)
    }
}

impl Client {
    /// Connects to the session's keeper, or starts it, and gives it its first order
    /// in the same breath.
    pub(crate) fn open(address: &KeeperAddress, order: Order<'_>) -> Result<Self, EngineError> {
        let until = Instant::now() + CHANGING_PATIENCE;
        let [mut pause, longest] = PAUSES;
        loop {
            if let Some(client) = Self::attempt(address, order)? {
                return Ok(client);
            }
            if Instant::now() > until {
                return Err(EngineError::KeeperGone);
            }
            // It was just ending, or another one was just starting.
            std::thread::sleep(pause);
            pause = (pause * 2).min(longest);
        }
    }

    fn attempt(address: &KeeperAddress, order: Order<'_>) -> Result<Option<Self>, EngineError> {
        if let Some(path) = &address.socket
            && !address.alone
            && let Some(socket) = find(path)?
        {
            return match Self::greet(socket, address, path, order).map(joined) {
                // One that is about to end hangs up without a greeting; one that is
                // there and says nothing may still have heard our order.
                Err(EngineError::HelperMute { source, .. }) if is_hang_up(&source) => Ok(None),
                greeted => greeted,
            };
        }
        let pair = || UnixStream::pair().map_err(no_resource("a socket"));
        match &address.origin {
            Origin::Fork => {
                let (socket, theirs) = pair()?;
                fork_keeper(theirs.into(), Expected::default())
                    .map_err(no_resource("a process"))?;
                Self::greet(socket, address, Path::new(ITSELF), order)
            }
            Origin::Forked(socket) => {
                let socket = socket.try_clone().map_err(no_resource("a socket"))?;
                Self::greet(socket, address, Path::new(ITSELF), order)
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
                leave_behind(pid, greeted.is_ok());
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
        let hello = Hello {
            version: VERSION.to_owned(),
            protocol: PROTOCOL,
            state: address.state.clone(),
            listen: address.socket.clone(),
            alone: address.alone,
            idle_ms: u64::try_from(address.idle.as_millis()).unwrap_or(u64::MAX),
            more_to_come: address.more_to_come,
        };
        let message = Message {
            request: order.request,
            descriptors: order.descriptors,
        };
        let greeted = shake_hands(&socket, peer, hello, message);
        let is_named = matches!(&address.origin, Origin::Executable(path) if path == peer);
        let greeted = match greeted {
            // It starts nothing for an engine that has left before it was greeted.
            Err(EngineError::HelperMute { source, .. })
                if is_time_out(&source) && (!is_named || peer == Path::new(ITSELF)) =>
            {
                return Err(mute_keeper());
            }
            greeted => greeted?,
        };
        let Some(incoming) = greeted else {
            return Ok(None);
        };
        let mut table = Table::default();
        table
            .runs
            .insert(order.id.clone(), Arc::clone(order.progress));
        let wire = Wire {
            relay: Relay::of(&socket).ok(),
            socket,
            sending: Mutex::default(),
            receiving: Mutex::new(incoming),
            table: Mutex::new(table),
        };
        Ok(Some(Self {
            wire: Arc::new(wire),
            has_reader: Mutex::new(false),
            is_joined: false,
        }))
    }
}

fn joined(mut client: Option<Client>) -> Option<Client> {
    if let Some(client) = &mut client {
        client.is_joined = true;
    }
    client
}

/// The keeper at this socket; none if there is none.
fn find(path: &Path) -> Result<Option<UnixStream>, EngineError> {
    match connect(path) {
        Ok(socket) => Ok(is_ours(&socket).then_some(socket)),
        Err(error) if is_time_out(&error) => Err(mute_keeper()),
        Err(_) => Ok(None),
    }
}

/// What surely is a keeper has no time for us.
fn mute_keeper() -> EngineError {
    let seconds = GREETING_PATIENCE.as_secs();
    let what = format!("its keeper sent nothing for {seconds} s");
    EngineError::Busy { what }
}

/// What is said to a keeper, with the descriptors that travel along.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message<'a> {
    pub(super) request: &'a Request,
    pub(super) descriptors: &'a [BorrowedFd<'a>],
}

/// Greets a keeper and sends it a request in the same breath; what it said after its own greeting.
/// None if another keeper is to be asked: this one has not looked at the request.
pub(super) fn shake_hands(
    socket: &UnixStream,
    peer: &Path,
    hello: Hello,
    message: Message<'_>,
) -> Result<Option<LineBuffer>, EngineError> {
    let Message {
        request,
        descriptors,
    } = message;
    let mute = |source| EngineError::HelperMute {
        path: peer.to_owned(),
        source,
    };
    let hello = Request::Hello(hello);
    let lines = [line(&hello).map_err(mute)?, line(request).map_err(mute)?].concat();
    send(socket, &lines, descriptors).map_err(mute)?;
    socket
        .set_read_timeout(Some(GREETING_PATIENCE))
        .map_err(mute)?;
    let mut incoming = LineBuffer::default();
    let answer = loop {
        if let Some(line) = incoming.line() {
            break serde_json::from_slice(&line).map_err(|error| mute(error.into()))?;
        }
        if incoming.fill(socket).map_err(mute)? == 0 {
            return Err(mute(io::ErrorKind::UnexpectedEof.into()));
        }
    };
    socket.set_read_timeout(None).map_err(mute)?;
    let expected = |other: &Welcome| other.version == VERSION && other.protocol == PROTOCOL;
    match answer {
        Reply::Hello(other) if expected(&other) => Ok(Some(incoming)),
        Reply::Redirect => Ok(None),
        Reply::Hello(other) | Reply::Mismatch(other) => Err(EngineError::HelperVersion {
            path: peer.to_owned(),
            found: other.version,
            expected: VERSION.to_owned(),
        }),
        _ => Err(mute(io::ErrorKind::InvalidData.into())),
    }
}

/// Reaps the process that was started. A keeper leaves it at once; one that did not
/// become a keeper is ended, because it may do anything else for ever.
fn leave_behind(pid: i32, is_keeper: bool) {
    // It is our child, so the number is its own until it is reaped.
    if let (false, Some(started)) = (is_keeper, Process::find(pid)) {
        signal_process(started, Signal::KILL);
    }
    let patience = Instant::now() + Duration::from_millis(100);
    while matches!(reap_if_ended(pid), Ok(None)) && Instant::now() < patience {
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn is_hang_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

fn is_time_out(error: &io::Error) -> bool {
    use io::ErrorKind::{TimedOut, WouldBlock};
    matches!(error.kind(), TimedOut | WouldBlock)
}

pub(super) fn is_ours(socket: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(socket)
        .is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}
