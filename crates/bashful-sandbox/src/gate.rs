//! The gate of a room: the process outside through which the room's runs reach hosts by name.
//!
//! The keeper starts it and hands it its sockets and its hosts; both sides of that are here, and
//! what it is shut in with. What it does is no matter of the sandbox.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv, recvmsg, sendmsg, socketpair,
};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::{Gid, Uid};

use serde::{Deserialize, Serialize};

use crate::launch::Launch;
use crate::room::{BuildError, Room, gate_error, known_rights};
use crate::seccomp::gate_filter;
use crate::sys::landlock;
use crate::sys::seccomp::Program;

/// What a gate says to its keeper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GateNews {
    /// Before an address is dialled, or when a connection is refused.
    Opens(Passage),
    /// A connection has ended.
    Ended(Passed),
}

/// A connection that a run wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passage {
    /// Tells the connections of a room apart.
    pub connection: u64,
    /// The port of the run's own end.
    pub from: u16,
    /// The name, or the address where there is none.
    pub host: String,
    /// The port.
    pub port: u16,
    /// What is dialled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The rule that opens it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The hosts of the room and behind them what would open it, with commas between, if a rule can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<String>,
}

/// A connection that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passed {
    /// Which one.
    pub connection: u64,
    /// Bytes that the run said.
    pub sent: u64,
    /// Bytes that it heard.
    pub received: u64,
    /// How long it lasted.
    pub ms: u64,
}

/// No news are longer.
const MOST_NEWS: usize = 8192;

/// The argument that turns an executable into a gate.
pub const GATE_ARGUMENT: &str = "__bashful-gate";

/// More bytes than the names of all hosts have.
const MOST_HOSTS: usize = 128 << 10;
const MOST_SOCKETS: usize = 16;
/// A gate that is not ready by then will never be.
const PATIENCE: Duration = Duration::from_secs(10);

/// A gate, seen from its keeper. It ends when this goes.
#[derive(Debug)]
pub struct Gate {
    line: OwnedFd,
    pid: i32,
}

impl Gate {
    /// Starts the gate of a room and waits until it serves. The process that calls is the gate's own
    /// executable.
    pub fn start(room: &Room, hosts: &[String]) -> Result<Self, BuildError> {
        let sockets = room.gate_sockets()?;
        start(&sockets, hosts).map_err(gate_error)
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// What it says, as JSON of [`GateNews`]; none if nothing for now, an error when it has gone.
    pub fn hear(&self) -> io::Result<Option<Vec<u8>>> {
        let mut news = vec![0; MOST_NEWS];
        match recv(&self.line, &mut news, RecvFlags::DONTWAIT) {
            Err(rustix::io::Errno::AGAIN) => Ok(None),
            Ok((0, _)) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok((length, _)) => {
                news.truncate(length);
                Ok(Some(news))
            }
            Err(errno) => Err(errno.into()),
        }
    }

    /// Says that this connection is on record. If that does not arrive, it is not made.
    pub fn recorded(&self, connection: u64) {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let _ = rustix::net::send(&self.line, &connection.to_ne_bytes(), flags);
    }

    /// Whether it is still there.
    pub fn serves(&self) -> bool {
        let mut wait = [PollFd::new(&self.line, PollFlags::RDHUP)];
        poll(&mut wait, Some(&Timespec::default())).is_ok_and(|ready| ready == 0)
    }
}

impl AsFd for Gate {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}

fn start(sockets: &[OwnedFd], hosts: &[String]) -> io::Result<Gate> {
    let (line, theirs) = socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let sockets: Vec<_> = sockets.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_SOCKETS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(&sockets)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let order = hosts.join("\n");
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    sendmsg(
        &line,
        &[IoSlice::new(order.as_bytes())],
        &mut ancillary,
        flags,
    )?;
    let pid = Launch::new("/proc/self/exe", "bashful-gate")
        .argument(GATE_ARGUMENT)
        .stdin(theirs)
        .new_session()
        .dies_with_caller()
        .start()
        .map_err(io::Error::other)?;
    let gate = Gate { line, pid };
    let until = Instant::now() + PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).unwrap_or_default();
        let mut wait = [PollFd::new(&gate.line, PollFlags::IN)];
        match poll(&mut wait, Some(&left)) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(1..) => break,
            _ => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
    let mut ready = [0];
    match recv(&gate.line, &mut ready, RecvFlags::DONTWAIT)? {
        (_, 1) => Ok(gate),
        _ => Err(io::Error::new(
            io::ErrorKind::BrokenPipe,
            "it ended at once",
        )),
    }
}

/// What this process, as a gate, has been given: hosts, one on each line, and sockets.
pub fn gate_order() -> io::Result<(String, Vec<OwnedFd>)> {
    let mut order = vec![0; MOST_HOSTS];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_SOCKETS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        rustix::stdio::stdin(),
        &mut [IoSliceMut::new(&mut order)],
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    order.truncate(received.bytes);
    let sockets = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
        _ => None,
    });
    let sockets: Vec<OwnedFd> = sockets.flatten().collect();
    let hosts = String::from_utf8(order).map_err(|_| io::ErrorKind::InvalidData)?;
    if hosts.is_empty() || sockets.is_empty() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok((hosts, sockets))
}

/// Shuts this process in, which must have a single thread: from here on it opens no file, starts no
/// process, has no right of root's, and makes internet sockets only.
pub fn confine_gate() -> io::Result<()> {
    /// Nobody's.
    const NOBODY: u32 = 65534;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    if rustix::process::geteuid().is_root() {
        let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
        rustix::thread::set_thread_groups(&[])?;
        rustix::thread::set_thread_res_gid(group, group, group)?;
        rustix::thread::set_thread_res_uid(user, user, user)?;
    }
    rustix::thread::set_no_new_privs(true)?;
    let version = landlock::version();
    if version > 0 {
        landlock::restrict(&landlock::create(known_rights(version), 0)?)?;
    }
    let filter = gate_filter();
    let program = Program::new(&filter)?;
    program.install().map_err(io::Error::from_raw_os_error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::fork::fork_leaving_threads;

    /// What a gate must not be able to do; how many of these can be done.
    fn attempts() -> usize {
        let own = |address: &str| std::net::UdpSocket::bind(address).is_ok();
        assert!(own("127.0.0.1:0"), "what it is for does not work");
        let child = fork_leaving_threads();
        if matches!(child, Ok(crate::sys::fork::Fork::Child)) {
            crate::sys::namespaces::leave(0);
        }
        let done = [
            std::fs::read("/etc/passwd").is_ok(),
            std::fs::File::create("/tmp/bashful-gate-test").is_ok(),
            std::os::unix::net::UnixStream::pair().is_ok(),
            std::net::TcpListener::bind("127.0.0.1:0").is_ok(),
            child.is_ok(),
        ];
        let _ = std::fs::remove_file("/tmp/bashful-gate-test");
        done.into_iter().filter(|done| *done).count()
    }

    #[test]
    fn a_gate_is_shut_in() {
        // The filter holds for one thread here, so this is the control.
        let free = std::thread::spawn(attempts).join();
        assert_eq!(free.ok(), Some(5));
        let shut_in = std::thread::spawn(|| {
            confine_gate().unwrap();
            // It serves in threads.
            std::thread::spawn(attempts).join()
        });
        assert_eq!(shut_in.join().unwrap().ok(), Some(0));
    }
}
