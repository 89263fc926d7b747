//! The resident's side of a call: what comes from a front, and becoming what it would have been.

use std::ffi::{CStr, OsStr, OsString};
use std::io::{self, IoSliceMut};
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::Mode;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::front_wire::{DESCRIPTORS, ENDED, HIDDEN, Header, MAGIC, READY, SOCKET, TAKEN};
use super::limits::OwnLimits;
use super::memory::settle_in;
use super::scrub::replace_environment;

/// The name of the socket at which a resident waits for fronts.
pub const RESIDENT_SOCKET: &[u8] = SOCKET;

/// The longest call that is served: arguments, environment and header.
pub const LONGEST_CALL: usize = 256 << 10;

/// How long a front may take to send its call once it was told to.
const PATIENCE: Timespec = Timespec {
    tv_sec: 2,
    tv_nsec: 0,
};

/// What a stand-in does before there is a call, so that no call waits for it.
#[derive(Debug)]
pub struct Readiness {
    limits: OwnLimits,
}

impl Readiness {
    /// Makes this process ready for a call: its memory is its own and at hand, and no signal does
    /// anything but what it does by itself.
    pub fn new() -> io::Result<Self> {
        for signal in 1..=31 {
            set_action(signal, signal == libc::SIGPIPE);
        }
        let limits = OwnLimits::look()?;
        settle_in();
        Ok(Self { limits })
    }
}

/// A front at the door, which was told to send its call.
#[derive(Debug)]
pub struct FrontVisit {
    connection: OwnedFd,
    front: i32,
    /// The process itself: its number may become another's.
    alive: OwnedFd,
}

impl FrontVisit {
    /// Greets the front at the other end, if it is of our own user.
    pub fn greet(connection: OwnedFd) -> io::Result<Self> {
        let (front, alive) = peer(connection.as_fd())?;
        rustix::net::send(&connection, &[READY, 0], SendFlags::NOSIGNAL)?;
        Ok(Self {
            connection,
            front,
            alive,
        })
    }

    /// The front's number. It is the front's as long as that lives, see [`FrontCall::take`].
    pub fn front(&self) -> i32 {
        self.front
    }
}

/// A call as its front sent it. Nothing of it was done yet.
#[derive(Debug)]
pub struct FrontCall {
    visit: FrontVisit,
    blocked: u64,
    arguments: Vec<OsString>,
    variables: Vec<Box<CStr>>,
    streams: [OwnedFd; 3],
    directory: OwnedFd,
    ticket: OwnedFd,
}

impl FrontCall {
    /// Waits for the call of this front; `room` is for its bytes.
    pub fn receive(visit: FrontVisit, room: &mut [u8]) -> io::Result<Self> {
        let mut said = [PollFd::new(&visit.connection, PollFlags::IN)];
        if poll(&mut said, Some(&PATIENCE))? == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut parts = [IoSliceMut::new(room)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let got = recvmsg(&visit.connection, &mut parts, &mut control, flags)?;
        let mut descriptors = control.drain().flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(fds) => fds.collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        let mut next = || descriptors.next().ok_or_else(unintelligible);
        let (streams, directory, ticket) = ([next()?, next()?, next()?], next()?, next()?);
        let message = room.get(..got.bytes).ok_or_else(unintelligible)?;
        let (header, texts) = split(message).ok_or_else(unintelligible)?;
        if header.magic != MAGIC {
            return Err(unintelligible());
        }
        let mut texts = texts.split_inclusive(|byte| *byte == 0);
        let mut take = |count: u32| {
            let texts = texts.by_ref().take(count as usize);
            let texts = texts.map(|text| CStr::from_bytes_with_nul(text).map(Box::from));
            let texts: Vec<Box<CStr>> = texts.collect::<Result<_, _>>().ok()?;
            (texts.len() == count as usize).then_some(texts)
        };
        let arguments = take(header.arguments).ok_or_else(unintelligible)?;
        let variables = take(header.variables).ok_or_else(unintelligible)?;
        let word = |text: Box<CStr>| OsStr::from_bytes(text.to_bytes()).to_owned();
        Ok(Self {
            visit,
            blocked: header.blocked,
            arguments: arguments.into_iter().map(word).collect(),
            variables,
            streams,
            directory,
            ticket,
        })
    }

    /// The front's number.
    pub fn front(&self) -> i32 {
        self.visit.front
    }

    /// Takes the front's limits and then the ticket: from here on this process runs the command.
    /// False if the front has taken it, or is gone: then what was looked up by its number may have
    /// been about another. An error if this process may not have these limits. Whoever does not get
    /// the ticket is no good for another call.
    pub fn take(&self, ready: &Readiness) -> io::Result<bool> {
        ready.limits.take_those_of(self.visit.front)?;
        let mut ended = [PollFd::new(&self.visit.alive, PollFlags::IN)];
        let has_ended = poll(&mut ended, Some(&Timespec::default()))? > 0;
        let mut byte = [0_u8];
        Ok(!has_ended && rustix::io::read(&self.ticket, &mut byte[..]) == Ok(1))
    }

    /// Makes this process what the front would have been: streams, directory, environment, umask
    /// and signals. Only where there is a single thread that was ready for this.
    pub fn become_it(self, umask: u32, ignored: u64) -> io::Result<(Line, Vec<OsString>)> {
        let [input, output, errors] = &self.streams;
        rustix::stdio::dup2_stdin(input)?;
        rustix::stdio::dup2_stdout(output)?;
        rustix::stdio::dup2_stderr(errors)?;
        rustix::process::fchdir(&self.directory)?;
        rustix::process::umask(Mode::from_raw_mode(umask));
        set_signals(self.blocked, ignored);
        replace_environment(self.variables);
        let own = pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?;
        let line = Line {
            connection: self.visit.connection,
            hidden: self.ticket,
            is_hidden: AtomicBool::new(false),
        };
        line.say_with(TAKEN, own.as_fd())?;
        Ok((line, self.arguments))
    }
}

/// The way back to a front that is being served.
#[derive(Debug)]
pub struct Line {
    connection: OwnedFd,
    /// The pipe of the ticket, on which the front says that it has hidden itself. Were that said on
    /// the line, the kernel's signal for it could come when any signal for news on the line ends us:
    /// a writer may lose its processor between the word and the signal.
    hidden: OwnedFd,
    /// It has said so.
    is_hidden: AtomicBool,
}

impl Line {
    fn say_with(&self, what: u8, descriptor: BorrowedFd<'_>) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = rustix::net::SendAncillaryBuffer::new(&mut space);
        let descriptors = [descriptor];
        control.push(rustix::net::SendAncillaryMessage::ScmRights(&descriptors));
        let said = [what, 0];
        let parts = [io::IoSlice::new(&said)];
        let flags = SendFlags::NOSIGNAL;
        rustix::net::sendmsg(&self.connection, &parts, &mut control, flags)?;
        Ok(())
    }

    /// Waits until the front has hidden itself. From then on, a signal that kills the front kills
    /// this process too: the kernel's signal for news on a line ends it, and the front has none but
    /// its end.
    pub fn wait_until_hidden(&self) -> io::Result<()> {
        self.hear_of_hiding()?;
        let own = rustix::process::getpid().as_raw_pid();
        let line = self.connection.as_raw_fd();
        // SAFETY: takes no memory.
        let owned = unsafe { libc::fcntl(line, libc::F_SETOWN, own) };
        // SAFETY: takes no memory; the line stays as it was otherwise, which waits.
        let told = unsafe { libc::fcntl(line, libc::F_SETFL, libc::O_ASYNC) };
        if owned == -1 || told == -1 {
            return Err(io::Error::last_os_error());
        }
        // It may have ended just before.
        let mut said = [0_u8; 2];
        match rustix::net::recv(&self.connection, &mut said[..], RecvFlags::DONTWAIT) {
            Err(rustix::io::Errno::AGAIN) => Ok(()),
            _ => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }

    fn hear_of_hiding(&self) -> io::Result<()> {
        if self.is_hidden.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut said = [0_u8];
        let mut waited = [PollFd::new(&self.hidden, PollFlags::IN)];
        rustix::io::retry_on_intr(|| poll(&mut waited, None))?;
        if rustix::io::read(&self.hidden, &mut said[..])? != 1 || said != [HIDDEN] {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        self.is_hidden.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Tells the front what to end with.
    pub fn end(&self, code: u8) {
        // A front that has ended needs no code.
        if self.hear_of_hiding().is_ok() {
            // Its end does not end us any more: the call is over.
            // SAFETY: takes no memory.
            unsafe { libc::fcntl(self.connection.as_raw_fd(), libc::F_SETFL, 0) };
            let _ = rustix::net::send(&self.connection, &[ENDED, code], SendFlags::NOSIGNAL);
        }
    }
}

fn unintelligible() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

fn split(message: &[u8]) -> Option<(Header, &[u8])> {
    let (header, texts) = message.split_at_checked(size_of::<Header>())?;
    // SAFETY: so many bytes are there, and every pattern of them is a header.
    let header = unsafe { header.as_ptr().cast::<Header>().read_unaligned() };
    Some((header, texts))
}

/// The process at the other end, and a descriptor of it; only if it is of our own user.
fn peer(connection: BorrowedFd<'_>) -> io::Result<(i32, OwnedFd)> {
    let peer = rustix::net::sockopt::socket_peercred(connection)?;
    if peer.uid != rustix::process::geteuid() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut descriptor: libc::c_int = -1;
    let mut length = libc::socklen_t::try_from(size_of::<libc::c_int>()).unwrap_or_default();
    // SAFETY: the kernel writes one number to a place of ours.
    let told = unsafe {
        libc::getsockopt(
            connection.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERPIDFD,
            (&raw mut descriptor).cast(),
            &raw mut length,
        )
    };
    if told == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just made this descriptor for us.
    let alive = unsafe { OwnedFd::from_raw_fd(descriptor) };
    Ok((Pid::as_raw(Some(peer.pid)), alive))
}

/// Has a signal ignored, or do what it does by itself.
fn set_action(signal: i32, is_ignored: bool) {
    let action = if is_ignored {
        libc::SIG_IGN
    } else {
        libc::SIG_DFL
    };
    if !matches!(signal, libc::SIGKILL | libc::SIGSTOP) {
        // SAFETY: ignoring a signal, or not, installs no code.
        unsafe { libc::signal(signal, action) };
    }
}

/// Blocks and ignores these signals, a bit each, and no others; the signal for news on a line ends
/// the process whatever the front made of it. None was ignored before but what always is.
fn set_signals(blocked: u64, ignored: u64) {
    for signal in (1..=31).filter(|signal| ignored >> (signal - 1) & 1 == 1) {
        if signal != libc::SIGIO {
            set_action(signal, true);
        }
    }
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` initialises the whole set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    for signal in (1..=31).filter(|signal| blocked >> (signal - 1) & 1 == 1) {
        if signal != libc::SIGIO {
            // SAFETY: the set was initialised above.
            unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
        }
    }
    // SAFETY: the set is initialised and outlives the call.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut()) };
}
