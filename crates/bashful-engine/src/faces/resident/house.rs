//! The resident itself, and the stand-ins that it keeps ready.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bashful_sandbox::{
    Fork, FrontCall, FrontVisit, LONGEST_CALL, fork_single_threaded, reap_if_ended,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::net::{AddressFamily, Shutdown, SocketAddrUnix, SocketFlags, SocketType};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, set_parent_process_death_signal};

use super::likeness::{Likeness, Standing};
use super::socket_name;
use crate::base::caller::CALLER;
use crate::base::caller::FRONT;
use crate::model::answered_by::is_run_by_bashful;

/// How many stand-ins wait.
const SPARES: usize = 2;

/// How often a resident looks whether its socket is still its own.
const LOOK: Duration = Duration::from_secs(5);

/// While another one waits, a new stand-in is made when a call has had time to get going.
const LATER: Duration = Duration::from_millis(20);

/// What a stand-in tells its resident that met another version of the program.
const REPLACED: u8 = b'R';

/// What a program exits with after a panic.
const PANICKED: u8 = 101;

pub(super) struct Resident {
    listener: OwnedFd,
    path: PathBuf,
    /// The inode of the socket.
    inode: u64,
    idle: Duration,
    likeness: Likeness,
    /// Held as long as the socket is this process's.
    _lock: OwnedFd,
}

/// A stand-in that waits, and the pipe that ends when it has a call.
struct Spare {
    pid: i32,
    waits: OwnedFd,
}

/// Which process a fork left us in.
enum Made {
    Spare(Spare),
    StandIn(OwnedFd),
}

impl Resident {
    pub(super) fn open(directory: &Path, idle: Duration) -> io::Result<Self> {
        rustix::process::setsid()?;
        let path = directory.join(socket_name());
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let lock = open(lock_of(&path), flags, Mode::RUSR | Mode::WUSR)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let kind = SocketType::SEQPACKET;
        let listener =
            rustix::net::socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        rustix::net::bind(&listener, &SocketAddrUnix::new(&path)?)?;
        rustix::net::listen(&listener, 64)?;
        Ok(Self {
            inode: std::fs::symlink_metadata(&path)?.ino(),
            likeness: Likeness::own()?,
            listener,
            path,
            idle,
            _lock: lock,
        })
    }

    /// Keeps stand-ins ready until there was no call for long. Returns in each stand-in as well,
    /// when its call is over.
    pub(super) fn serve(self, program: fn(Vec<OsString>) -> u8) -> u8 {
        let mut spares: Vec<Spare> = Vec::new();
        let mut busy: Vec<i32> = Vec::new();
        let mut until = Instant::now() + self.idle;
        loop {
            while spares.len() < SPARES {
                match make() {
                    Ok(Made::Spare(spare)) => spares.push(spare),
                    Ok(Made::StandIn(waits)) => return self.stand_in(waits, program),
                    Err(_) => return self.retire(),
                }
            }
            let Ok(taken) = wait(&spares, LOOK.min(self.idle)) else {
                return self.retire();
            };
            busy.retain(|pid| matches!(reap_if_ended(*pid), Ok(None)));
            if taken.is_empty() && (Instant::now() >= until || !self.is_still_here()) {
                return self.retire();
            }
            for index in taken.into_iter().rev() {
                until = Instant::now() + self.idle;
                let spare = spares.swap_remove(index);
                busy.push(spare.pid);
                let mut said = [0_u8];
                if rustix::io::read(&spare.waits, &mut said[..]) == Ok(1) && said == [REPLACED] {
                    return self.retire();
                }
                std::thread::sleep(if spares.is_empty() {
                    Duration::ZERO
                } else {
                    LATER
                });
            }
        }
    }

    /// Whether fronts still find this process at its socket.
    fn is_still_here(&self) -> bool {
        std::fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode)
    }

    /// Takes no more calls. What waits in line goes elsewhere; stand-ins with a call go on.
    fn retire(&self) -> u8 {
        if self.is_still_here() {
            // Fronts that still come by find no resident, and do their work themselves.
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = rustix::net::shutdown(&self.listener, Shutdown::Both);
        0
    }

    /// The life of a stand-in: one call. What it exits with.
    fn stand_in(self, waits: OwnedFd, program: fn(Vec<OsString>) -> u8) -> u8 {
        let Some((call, umask, ignored)) = self.next_call(&waits) else {
            return 0;
        };
        // From here on it lasts as long as its call.
        if set_parent_process_death_signal(None).is_err() || !call.take().unwrap_or(false) {
            return 1;
        }
        drop((waits, self));
        CALLER.store(call.front(), Ordering::Relaxed);
        let Ok((line, arguments)) = call.become_it(umask, ignored) else {
            return 1;
        };
        let line = FRONT.get_or_init(|| line);
        let code = catch_unwind(AssertUnwindSafe(|| program(arguments))).unwrap_or(PANICKED);
        // If that fails, the caller has closed its output and cannot be told.
        let _ = io::stdout().flush();
        line.end(code);
        code
    }

    /// The next call that may be served, with its umask and the signals that it ignores; none if
    /// no more will come.
    fn next_call(&self, waits: &OwnedFd) -> Option<(FrontCall, u32, u64)> {
        let mut room = vec![0; LONGEST_CALL];
        loop {
            let connection = rustix::net::accept_with(&self.listener, SocketFlags::CLOEXEC).ok()?;
            let Ok(visit) = FrontVisit::greet(connection) else {
                continue;
            };
            match self.likeness.compare(visit.front()) {
                Standing::Alike { umask, ignored } if !is_run_by_bashful(visit.front()) => {
                    if let Ok(call) = FrontCall::receive(visit, &mut room) {
                        return Some((call, umask, ignored));
                    }
                }
                Standing::OtherProgram => {
                    // The front goes on alone, and leaves a resident of its own version.
                    let _ = rustix::io::write(waits, &[REPLACED]);
                    return None;
                }
                _ => {}
            }
        }
    }
}

/// Beside the socket; a resident holds it for as long as it lives.
fn lock_of(socket: &Path) -> PathBuf {
    socket.with_extension("lock")
}

/// Whether the resident of this socket lives.
pub(super) fn is_alive(socket: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let Ok(lock) = open(lock_of(socket), flags, Mode::empty()) else {
        return false;
    };
    flock(&lock, FlockOperation::NonBlockingLockShared).is_err()
}

fn make() -> io::Result<Made> {
    let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
    match fork_single_threaded()? {
        Fork::Parent(pid) => Ok(Made::Spare(Spare { pid, waits: ours })),
        Fork::Child => {
            // One that waits is of no use without the resident that replaces it.
            set_parent_process_death_signal(Some(Signal::KILL))?;
            Ok(Made::StandIn(theirs))
        }
    }
}

/// Which of these have a call, or have ended; none if that takes longer than this.
fn wait(spares: &[Spare], longest: Duration) -> io::Result<Vec<usize>> {
    let mut polled: Vec<PollFd<'_>> = spares
        .iter()
        .map(|spare| PollFd::new(&spare.waits, PollFlags::IN))
        .collect();
    let longest = Timespec::try_from(longest).map_err(io::Error::other)?;
    match poll(&mut polled, Some(&longest)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(errno) => return Err(errno.into()),
    }
    let found = polled.iter().enumerate();
    Ok(found
        .filter(|(_, one)| !one.revents().is_empty())
        .map(|(index, _)| index)
        .collect())
}
