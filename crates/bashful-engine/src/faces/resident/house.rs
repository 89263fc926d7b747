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
    Fork, FrontCall, FrontVisit, LONGEST_CALL, Readiness, fork_single_threaded, reap_if_ended,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use rustix::net::{AddressFamily, Shutdown, SocketAddrUnix, SocketFlags, SocketType};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, set_parent_process_death_signal};

use super::likeness::{Likeness, Standing};
use super::socket_name;
use crate::base::caller::CALLER;
use crate::base::caller::FRONT;
use crate::confine::bounds::lessons;
use crate::model::answered_by::is_run_by_bashful;

/// How many stand-ins wait.
const SPARES: usize = 2;

/// How often a resident looks whether its socket is still its own.
const LOOK: Duration = Duration::from_secs(5);

/// While another one waits, a new stand-in is made when a call is over, and may have told something, or
/// when it has lasted this long.
const LATER: Duration = Duration::from_millis(20);

/// What a stand-in tells its resident when it has a call. When that is over, what it has found out
/// may follow, and then its end.
const BEGUN: u8 = b'B';

/// The most that a stand-in tells: what is longer is forgotten.
const MOST_TOLD: usize = 64 << 10;

/// What a stand-in tells its resident that met another version of the program, or that cannot serve:
/// this resident is of no use any more.
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

/// A stand-in, and the pipe through which it tells its resident how it goes.
struct Spare {
    pid: i32,
    tells: OwnedFd,
    /// What it has told of its call; none while it waits for one.
    told: Option<Vec<u8>>,
}

/// What a stand-in has told.
enum News {
    Begun,
    /// More will come.
    More,
    Ended,
    Replaced,
}

impl Spare {
    fn news(&mut self) -> News {
        let mut room = [0_u8; 4096];
        // What follows the first byte may be there already.
        let most = if self.told.is_some() { room.len() } else { 1 };
        let read = rustix::io::read(&self.tells, room.get_mut(..most).unwrap_or_default());
        match (read, &mut self.told) {
            (Err(Errno::INTR | Errno::AGAIN), _) => News::More,
            (Ok(0) | Err(_), _) => News::Ended,
            (Ok(1), None) if room[0] == BEGUN => {
                self.told = Some(Vec::new());
                News::Begun
            }
            (Ok(_), None) => News::Replaced,
            (Ok(count), Some(told)) => {
                if told.len() <= MOST_TOLD {
                    told.extend(room.iter().take(count));
                }
                News::More
            }
        }
    }
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
        let mut all: Vec<Spare> = Vec::new();
        let mut ended: Vec<i32> = Vec::new();
        let mut until = Instant::now() + self.idle;
        // When those that are missing are made.
        let mut due = Instant::now();
        loop {
            let mut waiting = all.iter().filter(|one| one.told.is_none()).count();
            while waiting < SPARES && (waiting == 0 || Instant::now() >= due) {
                match make() {
                    Ok(Made::Spare(spare)) => all.push(spare),
                    Ok(Made::StandIn(tells)) => {
                        drop(all);
                        return self.stand_in(&tells, program);
                    }
                    Err(_) => return self.retire(),
                }
                waiting += 1;
            }
            let mut longest = LOOK.min(self.idle);
            if waiting < SPARES {
                longest = longest.min(due.saturating_duration_since(Instant::now()));
            }
            let Ok(heard) = wait(&all, longest) else {
                return self.retire();
            };
            ended.retain(|pid| matches!(reap_if_ended(*pid), Ok(None)));
            if heard.is_empty() && (Instant::now() >= until || !self.is_still_here()) {
                return self.retire();
            }
            for index in heard.into_iter().rev() {
                let Some(one) = all.get_mut(index) else {
                    continue;
                };
                match one.news() {
                    News::Begun => {
                        until = Instant::now() + self.idle;
                        due = Instant::now() + LATER;
                    }
                    News::More => {}
                    News::Ended => {
                        let one = all.swap_remove(index);
                        ended.push(one.pid);
                        match one.told {
                            Some(told) => lessons::hear(&told),
                            // Whatever ends them without a call may go on doing that.
                            None => std::thread::sleep(LATER),
                        }
                        due = Instant::now();
                    }
                    News::Replaced => return self.retire(),
                }
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
    fn stand_in(self, tells: &OwnedFd, program: fn(Vec<OsString>) -> u8) -> u8 {
        let Ok(ready) = Readiness::new() else {
            // Nor would the next one be.
            let _ = rustix::io::write(tells, &[REPLACED]);
            return 1;
        };
        let Some((call, umask, ignored)) = self.next_call(tells) else {
            return 0;
        };
        // From here on it lasts as long as its call.
        if set_parent_process_death_signal(None).is_err() || !call.take(&ready).unwrap_or(false) {
            return 1;
        }
        drop(self);
        // If that fails, the resident is gone, and this is its last call.
        let _ = rustix::io::write(tells, &[BEGUN]);
        CALLER.store(call.front(), Ordering::Relaxed);
        let Ok((line, arguments)) = call.become_it(umask, ignored) else {
            return 1;
        };
        let line = FRONT.get_or_init(|| line);
        let code = catch_unwind(AssertUnwindSafe(|| program(arguments))).unwrap_or(PANICKED);
        // If that fails, the caller has closed its output and cannot be told.
        let _ = io::stdout().flush();
        line.end(code);
        if let Some(told) = lessons::told() {
            // What does not fit into a pipe at once is cut, and not understood.
            let _ = rustix::io::write(tells, &told);
        }
        code
    }

    /// The next call that may be served, with its umask and the signals that it ignores; none if
    /// no more will come.
    fn next_call(&self, tells: &OwnedFd) -> Option<(FrontCall, u32, u64)> {
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
                    let _ = rustix::io::write(tells, &[REPLACED]);
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
    let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    match fork_single_threaded()? {
        Fork::Parent(pid) => Ok(Made::Spare(Spare {
            pid,
            tells: ours,
            told: None,
        })),
        Fork::Child => {
            // One that waits is of no use without the resident that replaces it.
            set_parent_process_death_signal(Some(Signal::KILL))?;
            Ok(Made::StandIn(theirs))
        }
    }
}

/// Which of these have told something, or have ended; none if that takes longer than this.
fn wait(spares: &[Spare], longest: Duration) -> io::Result<Vec<usize>> {
    let mut polled: Vec<PollFd<'_>> = spares
        .iter()
        .map(|spare| PollFd::new(&spare.tells, PollFlags::IN))
        .collect();
    let longest = Timespec::try_from(longest).map_err(io::Error::other)?;
    match poll(&mut polled, Some(&longest)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(errno) => return Err(errno.into()),
    }
    let found = polled.iter().enumerate();
    Ok(found
        .filter(|(_, one)| !one.revents().is_empty())
        .map(|(index, _)| index)
        .collect())
}
