//! Which sockets a run reaches: the keeper decides, and carries it out itself.
//!
//! A socket file answers even where the file system is read-only, and the run that calls could
//! change the path, the link or the descriptor after it was looked at. So no `connect` and no
//! `listen` of a run ever goes on. The keeper duplicates the socket, reads the address once,
//! looks where it leads in the run's own tree, and connects the duplicate to the very file that it
//! found. Only sockets are reached that runs with the same rights have made in the same room:
//! what listens was made to listen here, so it is known whose it is. A connection carries open
//! files, and what a yes opened for one run must not be handed to another.
//!
//! Internet sockets are connected in the same way, wherever their network leads: otherwise one of
//! them could be exchanged for a unix socket while its call waits.

pub(crate) mod address;
mod registry;
mod waiting;

use std::collections::VecDeque;
use std::ffi::c_int;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{FileType, fstat, stat};
use rustix::io::Errno;
use rustix::net::sockopt::{socket_domain, socket_type};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, getsockname};

use crate::sys::connects::{
    as_user, bound_file, connect, duplicate, listen, network_of, process_of,
};
use crate::sys::notices::{Notice, have_fail, have_succeed, read_memory, still_waits};
use address::{Address, bytes, parse};
use registry::{At, Wanted, Whose};
pub(crate) use registry::{Inode, Registry};
use waiting::{Attempt, Waiting};

/// No address is longer.
const MOST_ADDRESS: u64 = 128;
/// No unix socket lets more connections wait.
const MOST_BACKLOG: c_int = 512;
/// More connections of a run are not told apart from those of others.
const MOST_PORTS: usize = 4096;

/// A call that is only ever carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Connect,
    Listen,
}

impl Wish {
    pub(crate) fn of(notice: &Notice) -> Option<Self> {
        match i64::from(notice.call.number) {
            libc::SYS_connect => Some(Self::Connect),
            libc::SYS_listen => Some(Self::Listen),
            _ => None,
        }
    }
}

/// What is known of a run when its connects are decided.
#[derive(Debug)]
pub(crate) struct Neighbour {
    /// The sockets of its room.
    pub(crate) registry: Registry,
    /// Tells the runs of this process apart.
    pub(crate) run: u64,
    /// The same for runs with the same rights.
    pub(crate) rights: u64,
    /// Whether its network is its room's own; else it is the host's.
    pub(crate) has_own_network: bool,
    /// Whether a gate leads out of its network, which asks whose connections are.
    pub(crate) has_gate: bool,
    /// The file system of the room's own `/tmp`, where the host has no socket.
    pub(crate) tmp: Option<u64>,
    /// User and group of the run, where they are not ours.
    pub(crate) user: Option<(u32, u32)>,
}

/// The connects of one run.
#[derive(Debug)]
pub(crate) struct Connects {
    run: Neighbour,
    /// Its ends of connections over a network, the newest last, where a gate asks for them.
    ports: VecDeque<u16>,
    waiting: Waiting,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// It leads where the run may not connect to, or nobody listens; true if a run with other
    /// rights has made that socket.
    Refused(Address, bool),
    Failed,
}

/// Opens a path of the run's tree, without ever waiting.
pub(crate) type Find<'a> = &'a dyn Fn(&[u8]) -> Result<OwnedFd, Errno>;

impl Connects {
    pub(crate) fn new(run: Neighbour) -> Self {
        Self {
            run,
            ports: VecDeque::new(),
            waiting: Waiting::default(),
        }
    }

    /// Carries a call out and answers it, now or later.
    pub(crate) fn carry_out(
        &mut self,
        listener: BorrowedFd<'_>,
        notice: &Notice,
        wish: Wish,
        find: Find<'_>,
    ) -> Outcome {
        let done = match wish {
            Wish::Connect => self.connect(listener, notice, find),
            Wish::Listen => self.listen(listener, notice, find).map_err(Failure::from),
        };
        match done {
            Ok(()) => have_succeed(listener, notice),
            Err(Failure::Later(attempt)) => self.waiting.add(listener, *notice, attempt),
            Err(Failure::Now(errno, refused)) => {
                have_fail(listener, notice, errno.raw_os_error());
                let is_others = errno == Errno::ACCESS;
                return refused.map_or(Outcome::Failed, |it| Outcome::Refused(it, is_others));
            }
        }
        Outcome::Done
    }

    /// Tries again what takes its time.
    pub(crate) fn go_on(&mut self, listener: BorrowedFd<'_>) {
        let run = &self.run;
        self.waiting.go_on(listener, |attempt| run.attempt(attempt));
    }

    /// Tells when it is time for that, once there is something that takes its time.
    pub(crate) fn clock(&self) -> Option<BorrowedFd<'_>> {
        self.waiting.clock()
    }

    /// Whether this port is its end of a connection.
    pub(crate) fn has_port(&self, port: u16) -> bool {
        self.ports.contains(&port)
    }

    fn note_port(&mut self, socket: &OwnedFd) {
        let own = getsockname(socket).and_then(SocketAddr::try_from);
        if let Ok(own) = own {
            if self.ports.len() >= MOST_PORTS {
                self.ports.pop_front();
            }
            self.ports.push_back(own.port());
        }
    }

    fn connect(
        &mut self,
        listener: BorrowedFd<'_>,
        notice: &Notice,
        find: Find<'_>,
    ) -> Result<(), Failure> {
        let [_, from, length, ..] = notice.call.arguments;
        let length = length & u64::from(u32::MAX);
        if length > MOST_ADDRESS {
            return Err(Errno::INVAL.into());
        }
        let mut told = vec![0; usize::try_from(length).unwrap_or_default()];
        let read = read_memory(notice.thread, from, &mut told).unwrap_or_default();
        if read < told.len() {
            return Err(Errno::FAULT.into());
        }
        let socket = socket_of(listener, notice)?;
        let target = match socket_domain(&socket)? {
            AddressFamily::UNIX => {
                require_stream(&socket)?;
                let address = parse(&told)?;
                if matches!(address, Address::Name(_)) {
                    require_own_network(listener, notice, &socket)?;
                }
                self.run
                    .target(&address, find)
                    .map_err(|failed| match failed {
                        Failure::Now(errno, _) => Failure::Now(errno, Some(address)),
                        later @ Failure::Later(_) => later,
                    })?
            }
            AddressFamily::INET | AddressFamily::INET6 => Target::Internet(told),
            _ => return Err(Errno::PERM.into()),
        };
        let attempt = Attempt { socket, target };
        let outcome = self.run.attempt(&attempt);
        if self.run.has_gate && matches!(attempt.target, Target::Internet(_)) {
            self.note_port(&attempt.socket);
        }
        match outcome {
            Err(Errno::INTR) => Err(Failure::Later(attempt)),
            outcome => Ok(outcome?),
        }
    }

    fn listen(
        &self,
        listener: BorrowedFd<'_>,
        notice: &Notice,
        find: Find<'_>,
    ) -> Result<(), Errno> {
        let backlog = register(notice.call.arguments[1]);
        let socket = socket_of(listener, notice)?;
        if socket_domain(&socket)? != AddressFamily::UNIX {
            return listen(&socket, backlog);
        }
        require_stream(&socket)?;
        let own = getsockname(&socket).and_then(SocketAddrUnix::try_from)?;
        let name = own.abstract_name();
        if name.is_some() && !self.run.has_own_network {
            // It is a name of the host's: whoever calls there would reach the run.
            return Err(Errno::ACCESS);
        }
        // The kernel takes a negative number for a large one.
        let backlog = if backlog < 0 {
            MOST_BACKLOG
        } else {
            backlog.min(MOST_BACKLOG)
        };
        let at = match name {
            Some(name) => Some(At::Name(name.to_vec())),
            None => self.run.file_of(&socket, own.path_bytes(), find),
        };
        as_user(self.run.user, || listen(&socket, backlog))?;
        if let Some(at) = at {
            self.run.registry.add(self.run.run, self.run.rights, at);
        }
        Ok(())
    }
}

impl Drop for Connects {
    fn drop(&mut self) {
        self.run.registry.forget(self.run.run);
    }
}

/// Where a connect leads.
#[derive(Debug)]
enum Target {
    /// To the socket of this file.
    File(OwnedFd),
    /// To the one with this name.
    Name(Vec<u8>),
    /// Where these bytes say.
    Internet(Vec<u8>),
}

/// Why a call does not succeed at once.
enum Failure {
    /// With the address, if that is to be told.
    Now(Errno, Option<Address>),
    Later(Attempt),
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self::Now(errno, None)
    }
}

impl Neighbour {
    /// Where an address leads, if the run may connect to it. A socket of nobody here cannot be told
    /// from one that has gone, so programs hear that nobody listens.
    fn target(&self, address: &Address, find: Find<'_>) -> Result<Target, Failure> {
        let (whose, target) = match address {
            Address::Name(name) => (
                self.registry.whose(Wanted::Name(name), self.rights),
                Target::Name(name.clone()),
            ),
            Address::Path(path) => {
                let file = as_user(self.user, || find(path))?;
                let inode = socket_inode(&file).ok_or(Errno::CONNREFUSED)?;
                let whose = self.registry.whose(Wanted::File(inode), self.rights);
                (whose, Target::File(file))
            }
        };
        match whose {
            Whose::Ours => Ok(target),
            Whose::Others => Err(Errno::ACCESS.into()),
            Whose::Unknown => Err(Errno::CONNREFUSED.into()),
        }
    }

    /// Connects; `EINTR` if that takes its time.
    fn attempt(&self, attempt: &Attempt) -> Result<(), Errno> {
        let socket = attempt.socket.as_fd();
        match &attempt.target {
            Target::Internet(address) => as_user(self.user, || connect(socket, address)),
            Target::File(file) => {
                let path = format!("/proc/self/fd/{}", file.as_raw_fd());
                as_user(self.user, || connect(socket, &bytes(None, path.as_bytes())))
            }
            // It may have changed hands while the call waited.
            Target::Name(name) => match self.registry.whose(Wanted::Name(name), self.rights) {
                Whose::Ours => as_user(self.user, || connect(socket, &bytes(Some(0), name))),
                _ => Err(Errno::CONNREFUSED),
            },
        }
    }

    /// The file that a socket is bound to, which makes it one to connect to.
    fn file_of(&self, socket: &OwnedFd, path: Option<&[u8]>, find: Find<'_>) -> Option<At> {
        if let Ok(file) = bound_file(socket) {
            let inode = socket_inode(&file)?;
            return Some(At::File(inode, file));
        }
        // In the host's network only root may ask that. The path may lead elsewhere by now, but in
        // the room's own `/tmp` never to a socket of the host's, nor to one whose owner is known.
        let path = path?;
        let file = as_user(self.user, || find(path)).ok()?;
        let inode = socket_inode(&file).filter(|inode| Some(inode.device) == self.tmp)?;
        let whose = self.registry.whose(Wanted::File(inode), self.rights);
        (whose != Whose::Others).then_some(At::File(inode, file))
    }
}

/// What the calling thread has open by the number in its first argument.
fn socket_of(listener: BorrowedFd<'_>, notice: &Notice) -> Result<OwnedFd, Errno> {
    let process = process_of(notice.thread)?;
    // A thread that was killed in the meantime has left its number to others, and the memory that
    // was read may be theirs. One that still waits was there all the time.
    if !still_waits(listener, notice) {
        return Err(Errno::SRCH);
    }
    duplicate(&process, register(notice.call.arguments[0]))
}

/// A name counts in the network of its socket. One that the run was given at its start may belong to
/// the host's.
fn require_own_network(
    listener: BorrowedFd<'_>,
    notice: &Notice,
    socket: &OwnedFd,
) -> Result<(), Errno> {
    let own = stat(format!("/proc/{}/ns/net", notice.thread));
    let of_socket = network_of(socket).and_then(fstat);
    match (own, of_socket) {
        (Ok(own), Ok(other))
            if Inode::of(&own) == Inode::of(&other) && still_waits(listener, notice) =>
        {
            Ok(())
        }
        _ => Err(Errno::CONNREFUSED),
    }
}

/// Datagrams name where they go one by one. No run can make such a socket; it may have been given one.
fn require_stream(socket: &OwnedFd) -> Result<(), Errno> {
    match socket_type(socket)? {
        SocketType::STREAM | SocketType::SEQPACKET => Ok(()),
        _ => Err(Errno::PERM),
    }
}

fn socket_inode(file: &OwnedFd) -> Option<Inode> {
    let about = fstat(file).ok()?;
    let is_socket = FileType::from_raw_mode(about.st_mode) == FileType::Socket;
    is_socket.then(|| Inode::of(&about))
}

/// The kernel looks at the low half of the register only.
#[expect(
    clippy::cast_possible_truncation,
    reason = "these numbers are the low half of a register"
)]
fn register(value: u64) -> c_int {
    value as c_int
}
