//! What the keeper does with the sockets of a run: duplicating, connecting, making them listen.

use std::ffi::{c_int, c_long, c_ulong};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::Once;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

/// A descriptor of a thread that is no process: Linux 6.9.
const OF_THREAD: PidfdFlags = PidfdFlags::from_bits_retain(libc::O_EXCL.cast_unsigned());

/// A connect is given up for now after this many nanoseconds.
const PATIENCE: i64 = 300_000;

/// A descriptor of the process, or thread, with this number.
pub(crate) fn process_of(thread: u32) -> rustix::io::Result<OwnedFd> {
    let number = i32::try_from(thread).ok().and_then(Pid::from_raw);
    let number = number.ok_or(Errno::SRCH)?;
    match pidfd_open(number, OF_THREAD) {
        Err(Errno::INVAL) => pidfd_open(leader_of(thread).ok_or(Errno::SRCH)?, PidfdFlags::empty()),
        opened => opened,
    }
}

/// The process that this thread belongs to.
fn leader_of(thread: u32) -> Option<Pid> {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
    Pid::from_raw(line?.trim().parse().ok()?)
}

/// What that process has open by this number.
pub(crate) fn duplicate(process: &OwnedFd, number: c_int) -> rustix::io::Result<OwnedFd> {
    pidfd_getfd(process, number, PidfdGetfdFlags::empty())
}

/// Connects a socket to these bytes of an address. It never waits for long, whatever the socket's
/// other owners do to it meanwhile: then the error is `EINTR`, and a connection that takes its
/// time goes on being made.
pub(crate) fn connect(socket: impl AsFd, address: &[u8]) -> Result<(), Errno> {
    let length = libc::socklen_t::try_from(address.len()).map_err(|_| Errno::INVAL)?;
    let alarm = Alarm::set()?;
    // SAFETY: the address has this length and outlives the call.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_connect,
            socket.as_fd().as_raw_fd(),
            address.as_ptr(),
            length,
        )
    };
    let outcome = done(outcome);
    drop(alarm);
    outcome
}

/// Makes a socket listen.
pub(crate) fn listen(socket: impl AsFd, backlog: c_int) -> Result<(), Errno> {
    // SAFETY: takes numbers and no memory.
    let outcome = unsafe { libc::listen(socket.as_fd().as_raw_fd(), backlog) };
    done(c_long::from(outcome))
}

/// The file that a unix socket is bound to; only whoever administers its network may ask.
pub(crate) fn bound_file(socket: impl AsFd) -> Result<OwnedFd, Errno> {
    const SIOCUNIXFILE: c_ulong = 0x89e0;
    ask(socket, SIOCUNIXFILE)
}

/// The network that a socket belongs to; only whoever administers it may ask.
pub(crate) fn network_of(socket: impl AsFd) -> Result<OwnedFd, Errno> {
    const SIOCGSKNS: c_ulong = 0x894c;
    ask(socket, SIOCGSKNS)
}

/// A descriptor that the kernel makes for this request.
fn ask(socket: impl AsFd, request: c_ulong) -> Result<OwnedFd, Errno> {
    // SAFETY: both requests take no memory.
    let opened = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), request as _) };
    done(c_long::from(opened))?;
    // SAFETY: the call has made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(opened) })
}

/// Does something with this user and group in effect, where they are not our own: files are opened
/// with their rights, and the other end of a connection sees them.
pub(crate) fn as_user<T>(
    who: Option<(u32, u32)>,
    work: impl FnOnce() -> Result<T, Errno>,
) -> Result<T, Errno> {
    let Some((user, group)) = who else {
        return work();
    };
    let (own_user, own_group) = (rustix::process::geteuid(), rustix::process::getegid());
    effective(libc::SYS_setresgid, group)?;
    let outcome = effective(libc::SYS_setresuid, user).and_then(|()| work());
    let back = effective(libc::SYS_setresuid, own_user.as_raw())
        .and_then(|()| effective(libc::SYS_setresgid, own_group.as_raw()));
    if back.is_err() {
        // The kernel allows it. A keeper that is another user than it believes must not go on.
        std::process::abort();
    }
    outcome
}

/// The raw calls concern this thread only.
fn effective(call: c_long, id: u32) -> Result<(), Errno> {
    const SAME: u32 = u32::MAX;
    // SAFETY: takes numbers and no memory.
    done(unsafe { libc::syscall(call, SAME, id, SAME) })
}

fn done(outcome: c_long) -> Result<(), Errno> {
    if outcome >= 0 {
        return Ok(());
    }
    let errno = io::Error::last_os_error().raw_os_error();
    Err(Errno::from_raw_os_error(errno.unwrap_or(libc::EIO)))
}

/// The kernel's `struct sigevent`, as far as it is used.
#[repr(C)]
struct Event {
    value: u64,
    signal: c_int,
    manner: c_int,
    thread: c_int,
    rest: [c_int; 11],
}

const _: () = assert!(size_of::<Event>() == 64);

/// Interrupts what this thread waits for, again and again until it is dropped: a signal that came
/// before the call would be lost.
struct Alarm {
    timer: c_int,
}

impl Alarm {
    fn set() -> Result<Self, Errno> {
        prepare();
        let event = Event {
            value: 0,
            signal: libc::SIGALRM,
            manner: libc::SIGEV_THREAD_ID,
            thread: rustix::thread::gettid().as_raw_pid(),
            rest: [0; 11],
        };
        let mut timer: c_int = 0;
        // SAFETY: both structures are the kernel's and outlive the call.
        done(unsafe {
            libc::syscall(
                libc::SYS_timer_create,
                libc::CLOCK_MONOTONIC,
                &raw const event,
                &raw mut timer,
            )
        })?;
        let alarm = Self { timer };
        // An interval and a first time, both in seconds and nanoseconds.
        let times: [i64; 4] = [0, PATIENCE, 0, PATIENCE];
        // SAFETY: the times are laid out as the kernel wants them and outlive the call.
        done(unsafe {
            libc::syscall(
                libc::SYS_timer_settime,
                alarm.timer,
                0,
                times.as_ptr(),
                std::ptr::null_mut::<i64>(),
            )
        })?;
        Ok(alarm)
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        // SAFETY: the timer is ours.
        unsafe { libc::syscall(libc::SYS_timer_delete, self.timer) };
    }
}

extern "C" fn do_nothing(_: c_int) {}

/// The alarm's signal only interrupts.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        let handler = do_nothing as extern "C" fn(c_int);
        // SAFETY: all zeroes is a valid action: no flags, no other signal blocked.
        unsafe { (*action.as_mut_ptr()).sa_sigaction = handler as usize };
        // SAFETY: the action is initialised, and its handler does nothing.
        unsafe { libc::sigaction(libc::SIGALRM, action.as_ptr(), std::ptr::null_mut()) };
    });
}
