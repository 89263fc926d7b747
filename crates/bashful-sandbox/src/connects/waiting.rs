//! Connects that take their time: the other end is far away, or has no room for more callers.
//!
//! They are tried again from time to time, each for a moment only: the keeper waits for nobody.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, socket_timeout};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use super::Target;
use crate::sys::notices::{Notice, have_fail, have_succeed, still_waits};

/// Calls of a run that wait. One more is told that there is no room.
const MOST: usize = 256;
/// Tried again at most, each time that the clock strikes.
const MOST_AT_ONCE: usize = 4;
const SHORTEST: Duration = Duration::from_millis(2);
const LONGEST: Duration = Duration::from_millis(100);

/// A socket, and where it is to be connected to.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) socket: OwnedFd,
    pub(super) target: Target,
}

#[derive(Debug)]
struct Call {
    notice: Notice,
    attempt: Attempt,
    since: Instant,
    /// When its socket gives up.
    until: Option<Instant>,
}

/// The calls of a run that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    calls: Vec<Call>,
    /// The one that is tried next.
    next: usize,
    clock: Option<OwnedFd>,
}

impl Waiting {
    pub(super) fn clock(&self) -> Option<BorrowedFd<'_>> {
        self.clock.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn add(&mut self, listener: BorrowedFd<'_>, notice: Notice, attempt: Attempt) {
        if self.clock.is_none() {
            let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
            self.clock = timerfd_create(TimerfdClockId::Monotonic, flags).ok();
        }
        if self.calls.len() >= MOST || self.clock.is_none() {
            return have_fail(listener, &notice, Errno::AGAIN.raw_os_error());
        }
        let patience = socket_timeout(&attempt.socket, Timeout::Send);
        let since = Instant::now();
        self.calls.push(Call {
            notice,
            attempt,
            since,
            until: patience.ok().flatten().map(|patience| since + patience),
        });
        self.wind();
    }

    pub(super) fn go_on(
        &mut self,
        listener: BorrowedFd<'_>,
        connect: impl Fn(&Attempt) -> Result<(), Errno>,
    ) {
        if !self.has_struck() {
            return;
        }
        let now = Instant::now();
        let mut tries = 0;
        for _ in 0..self.calls.len() {
            if tries == MOST_AT_ONCE {
                break;
            }
            self.next %= self.calls.len().max(1);
            let Some(call) = self.calls.get(self.next) else {
                break;
            };
            let is_alive = still_waits(listener, &call.notice);
            if is_alive && call.is_worth_a_try(now) {
                tries += 1;
                match call.answer(now, connect(&call.attempt)) {
                    None => {}
                    Some(Ok(())) => {
                        have_succeed(listener, &call.notice);
                        self.calls.swap_remove(self.next);
                        continue;
                    }
                    Some(Err(errno)) => {
                        have_fail(listener, &call.notice, errno.raw_os_error());
                        self.calls.swap_remove(self.next);
                        continue;
                    }
                }
            } else if !is_alive {
                self.calls.swap_remove(self.next);
                continue;
            }
            self.next += 1;
        }
        self.wind();
    }

    /// The longer the youngest waits, the less often it is looked at.
    fn wind(&self) {
        let (Some(clock), Some(youngest)) = (&self.clock, self.calls.last()) else {
            return;
        };
        let wait = (youngest.since.elapsed() / 8).clamp(SHORTEST, LONGEST);
        let times = Itimerspec {
            it_interval: Timespec::default(),
            it_value: Timespec {
                tv_sec: 0,
                tv_nsec: wait.subsec_nanos().into(),
            },
        };
        // A clock of ours takes every time that is not negative.
        let _ = timerfd_settime(clock, TimerfdTimerFlags::empty(), &times);
    }

    fn has_struck(&self) -> bool {
        let mut times = [0; 8];
        let clock = self.clock.as_ref();
        clock.is_some_and(|clock| rustix::io::read(clock, &mut times).is_ok())
    }
}

impl Call {
    /// A connection over a network tells when it is made.
    fn is_worth_a_try(&self, now: Instant) -> bool {
        if !matches!(self.attempt.target, Target::Internet(_)) || self.is_late(now) {
            return true;
        }
        let mut wait = [PollFd::new(&self.attempt.socket, PollFlags::OUT)];
        poll(&mut wait, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    fn is_late(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now >= until)
    }

    /// What the call is answered, if it does not go on waiting.
    fn answer(&self, now: Instant, outcome: Result<(), Errno>) -> Option<Result<(), Errno>> {
        let is_internet = matches!(self.attempt.target, Target::Internet(_));
        match outcome {
            // It was connected while we looked.
            Err(Errno::ISCONN) if is_internet => Some(Ok(())),
            Err(Errno::INTR | Errno::ALREADY) if self.is_late(now) => Some(Err(if is_internet {
                Errno::INPROGRESS
            } else {
                Errno::AGAIN
            })),
            Err(Errno::INTR | Errno::ALREADY) => None,
            answered => Some(answered),
        }
    }
}
