//! From the keeper into a room: the first process of a run, and the command below it.
//!
//! ```text
//! keeper ──clone(VM, VFORK)──► usher ──clone3(new PID and mount namespace, PARENT)──► init ──clone(VM, VFORK)──► command
//! ```
//!
//! The usher enters the room's namespaces, which an ordinary user can do only in a
//! process that stays there. Init is the keeper's own child; it owns a copy of the
//! keeper's memory, gives up every right, reaps, and reports. When it ends, the kernel
//! ends every process of the run. Between clone and exec all of them make system calls
//! only, on memory prepared beforehand.

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::fd::RawFd;

use super::notices::{Heard, give_notice};
use super::seccomp::Program;
use super::spawn::{Plan, STACK_BYTES, check, command, join, limit_self};
use super::terminal::{mount_terminals, open_terminal, tell_with_terminal};
use super::understudy::{InRoom, in_room};
use crate::launch::Stage;
use crate::report::{RECORD_BYTES, Record};
use crate::terminal::TerminalSize;

/// What a run needs to get into its room; prepared by the keeper.
pub(crate) struct Room<'a> {
    /// Namespaces to enter, the user namespace first.
    pub(crate) namespaces: Vec<RawFd>,
    /// `tasks` files of control groups to join.
    pub(crate) groups: Vec<RawFd>,
    /// The control group of the unified hierarchy to be born in.
    pub(crate) unified: Option<RawFd>,
    /// User and group of the command, where a user namespace does not settle them.
    pub(crate) identity: Option<(u32, u32)>,
    /// The Landlock ruleset.
    pub(crate) ruleset: Option<RawFd>,
    /// The system call filter; none where the first process has it already.
    pub(crate) filter: Option<Program<'a>>,
    /// What is installed instead where the keeper does not hear of its calls; it refuses more.
    pub(crate) unheard: Option<Program<'a>>,
    /// The version of Landlock that made it.
    pub(crate) landlock: u32,
    /// Refusals that the kernel is to record, all of them also in the filter.
    pub(crate) recorded: Option<Program<'a>>,
    /// Which calls the kernel reports to the keeper; it decides nothing.
    pub(crate) notices: Option<Program<'a>>,
    /// With this number our own last calls pass without a notice.
    pub(crate) number: u32,
    pub(crate) limits: Vec<(libc::__rlimit_resource_t, libc::rlimit64)>,
    /// The working directory, as it is called inside.
    pub(crate) directory: CString,
    /// Where init reports, and hears what to start if it waits.
    pub(crate) report: RawFd,
    /// The command gets a terminal of this size.
    pub(crate) terminal: Option<TerminalSize>,
    /// It is made ahead of time, and what becomes its command hears here what to start.
    pub(crate) line: Option<RawFd>,
    /// There is no namespace for its processes, so that it must end with its parent by itself.
    pub(crate) outside: bool,
    /// The stack of the command before it executes.
    pub(crate) stack: *mut u8,
}

/// The arguments of clone3. The kernel takes shorter versions of this structure.
#[repr(C, align(8))]
#[derive(Default)]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

// Landlock records what it refuses since this version, if asked to.
const RECORDS: u32 = 7;
const RECORD_AFTER_EXEC: u32 = 1 << 1;

// The constant of libc does not fit its own type.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// The usher's part. Returns init's process id; never returns in init.
pub(super) fn enter_room(plan: &mut Plan<'_>, room: &Room<'_>) -> Result<i32, (Stage, c_int)> {
    for &namespace in &room.namespaces {
        // SAFETY: takes no memory.
        check(Stage::Namespaces, unsafe { libc::setns(namespace, 0) })?;
    }
    let mut flags = (libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_PARENT) as u64;
    let mut cgroup = 0;
    if let Some(unified) = room.unified {
        flags |= CLONE_INTO_CGROUP;
        cgroup = u64::from(unified.unsigned_abs());
    }
    let arguments = CloneArguments {
        flags,
        exit_signal: 0,
        cgroup,
        ..CloneArguments::default()
    };
    // SAFETY: the arguments are valid during the call; without CLONE_VM the child goes
    // on with a copy of this stack.
    let pid = unsafe {
        libc::syscall(
            libc::SYS_clone3,
            &raw const arguments,
            size_of::<CloneArguments>(),
        )
    };
    match i32::try_from(pid) {
        Ok(0) => init(plan, room),
        Ok(pid) if pid > 0 => Ok(pid),
        _ => Err((Stage::Clone, errno())),
    }
}

/// The first process of a run.
fn init(plan: &mut Plan<'_>, room: &Room<'_>) -> ! {
    let settled = settle(room);
    if let (Ok(()), Some(line)) = (&settled, room.line) {
        let what = InRoom { room, line };
        match in_room(&what) {
            Ok(command) => watch_over(command, room.report),
            Err(failed) => attend(room.report, Err(failed)),
        }
    }
    let started = settled.and_then(|()| {
        let Some(size) = room.terminal else {
            return start(plan, room).map(|pid| (pid, None));
        };
        let ends = open_terminal(size)?;
        plan.sit_at(ends.program);
        // Before the command executes it closes its copy of the keeper's end.
        start(plan, room).map(|pid| (pid, Some(ends.master)))
    });
    attend(room.report, started)
}

/// What a first process does after its command has executed, or has not.
pub(super) fn attend(report: RawFd, started: Result<Started, (Stage, c_int)>) -> ! {
    let (leader, master) = match started {
        Ok(started) => started,
        Err((stage, errno)) => {
            tell(report, &Record::Failed(stage, errno));
            leave();
        }
    };
    if let Some(master) = master
        && let Err((stage, errno)) = tell_with_terminal(report, master)
    {
        tell(report, &Record::Failed(stage, errno));
        leave();
    }
    close_all_but(report);
    if master.is_none() {
        tell(report, &Record::Started);
    }
    reap_until_alone(leader, report);
    stand_by(report);
    leave()
}

/// What a first process does whose command was made ahead of time, and reports by itself that it
/// has executed or failed.
fn watch_over(command: i32, report: RawFd) -> ! {
    close_all_but(report);
    reap_until_alone(command, report);
    stand_by(report);
    leave()
}

/// Waits until the keeper has closed its end of the report, which it does when it has nothing better
/// to do: to end is to take down a tree of mounts, and keeps a processor from whoever waits for the
/// result. No process of the run is left by now, and the time is bounded.
fn stand_by(report: RawFd) {
    const MILLISECONDS: c_int = 20;
    let mut hung_up = libc::pollfd {
        fd: report,
        events: 0,
        revents: 0,
    };
    // SAFETY: the one entry is valid during the call. A signal only makes the wait shorter.
    unsafe { libc::poll(&raw mut hung_up, 1, MILLISECONDS) };
}

/// The command's ends of the pipes must not stay open here, nor anything of the keeper's.
fn close_all_but(report: RawFd) {
    let number = report.unsigned_abs();
    // SAFETY: takes no memory; only the report is used from here on.
    unsafe { libc::syscall(libc::SYS_close_range, 0_u32, number - 1, 0_u32) };
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_close_range, number + 1, u32::MAX, 0_u32) };
}

/// The command, and the keeper's end of its terminal if it has one.
pub(super) type Started = (i32, Option<RawFd>);

/// Joins the groups, mounts `/proc`, and gives up every right.
fn settle(room: &Room<'_>) -> Result<(), (Stage, c_int)> {
    for &group in &room.groups {
        join(group)?;
    }
    let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    // SAFETY: the strings are constants, and there is no data.
    check(Stage::Proc, unsafe {
        libc::mount(
            c"proc".as_ptr(),
            c"/proc".as_ptr(),
            c"proc".as_ptr(),
            flags,
            std::ptr::null(),
        )
    })?;
    // Keys of the same user are listed there, also those of other sessions.
    for path in [c"/proc/keys", c"/proc/key-users"] {
        // SAFETY: the strings are constants, and there is no data.
        let covered = unsafe {
            libc::mount(
                c"/dev/null".as_ptr(),
                path.as_ptr(),
                std::ptr::null(),
                libc::MS_BIND,
                std::ptr::null(),
            )
        };
        // A kernel without keys has no such files.
        if covered == -1 && errno() != libc::ENOENT {
            return Err((Stage::Proc, errno()));
        }
    }
    mount_terminals()?;
    shut_in(room.identity)
}

/// Gives up every right and shuts others out.
pub(super) fn shut_in(identity: Option<(u32, u32)>) -> Result<(), (Stage, c_int)> {
    give_up_rights(identity)?;
    // After the change of identity, which resets both.
    set(libc::PR_SET_PDEATHSIG, libc::SIGKILL.unsigned_abs().into())?;
    set(libc::PR_SET_DUMPABLE, 0)?;
    set(libc::PR_SET_NO_NEW_PRIVS, 1)
}

fn give_up_rights(identity: Option<(u32, u32)>) -> Result<(), (Stage, c_int)> {
    for capability in 0..64 {
        // SAFETY: takes no memory. The first number that is no capability ends the list.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } == -1 {
            break;
        }
    }
    set(
        libc::PR_CAP_AMBIENT,
        libc::PR_CAP_AMBIENT_CLEAR_ALL.unsigned_abs().into(),
    )?;
    if let Some((user, group)) = identity {
        // The raw calls: libc's would look for other threads, of which there are none.
        // SAFETY: an empty list needs no memory.
        raw(unsafe { libc::syscall(libc::SYS_setgroups, 0_usize, 0_usize) })?;
        // SAFETY: takes no memory.
        raw(unsafe { libc::syscall(libc::SYS_setresgid, group, group, group) })?;
        // SAFETY: takes no memory.
        raw(unsafe { libc::syscall(libc::SYS_setresuid, user, user, user) })?;
    }
    // Header: version 3, ourselves. Data: no capability in any of the sets.
    let header: [u32; 2] = [0x2008_0522, 0];
    let none = [0_u32; 6];
    // SAFETY: both arrays have the size that version 3 asks for.
    raw(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) })
}

/// Starts the command and waits until it has executed.
pub(super) fn start(plan: &mut Plan<'_>, room: &Room<'_>) -> Result<i32, (Stage, c_int)> {
    let top = room.stack.wrapping_add(STACK_BYTES);
    let top = top.wrapping_sub(top.addr() % 16);
    // SAFETY: CLONE_VFORK suspends init until the child has executed or exited, so plan
    // and stack outlive its use of them; no other process uses this half of the stack.
    let pid = unsafe {
        libc::clone(
            command,
            top.cast::<c_void>(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            std::ptr::from_mut(plan).cast::<c_void>(),
        )
    };
    check(Stage::Clone, pid)?;
    match plan.failure() {
        Some(failed) => Err(failed),
        None => Ok(pid),
    }
}

/// Enters the command's working directory.
pub(super) fn enter_directory(room: &Room<'_>) -> Result<(), (Stage, c_int)> {
    // SAFETY: the path is a live C string. It is looked up in the room's own tree. The number is
    // in a register that the call does not use.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_chdir,
            room.directory.as_ptr().cast::<c_char>(),
            libc::c_ulong::from(room.number),
        )
    };
    check(Stage::Directory, c_int::try_from(outcome).unwrap_or(-1))
}

/// The command's limits. They may leave no room for allocations.
pub(super) fn limit_command(room: &Room<'_>) -> Result<(), (Stage, c_int)> {
    for (resource, limit) in &room.limits {
        limit_self(*resource, limit)?;
    }
    Ok(())
}

/// The command's own part, after what every launch does and before it executes. The listener for
/// its calls goes to the keeper through this socket.
pub(super) fn confine_command(room: &Room<'_>, socket: RawFd) -> Result<Heard, (Stage, c_int)> {
    if let Some(ruleset) = room.ruleset {
        let record = if room.recorded.is_some() && room.landlock >= RECORDS {
            RECORD_AFTER_EXEC
        } else {
            0
        };
        // SAFETY: takes no memory.
        let outcome = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, record) };
        check(Stage::Landlock, c_int::try_from(outcome).unwrap_or(-1))?;
    }
    give_notice(room, socket)
}

/// The last step before exec.
pub(super) fn filter_calls(room: &Room<'_>, heard: Heard) -> Result<(), (Stage, c_int)> {
    let stricter = room.unheard.as_ref().filter(|_| heard == Heard::No);
    if let Some(filter) = stricter.or(room.filter.as_ref()) {
        filter.install().map_err(|errno| (Stage::Filter, errno))?;
    }
    if let Some(recorded) = &room.recorded {
        // What it refuses is refused anyway: without it there is no record, that is all.
        let _ = recorded.install_with_record();
    }
    Ok(())
}

/// Reaps until no process is left, and reports how the command ended.
fn reap_until_alone(leader: i32, report: RawFd) {
    let mut ended = None;
    loop {
        let mut status = 0;
        // As long as the command runs there is nothing to report, so sleeping is fine.
        // After it, the report depends on whether a process is left.
        let options = if ended.is_some() { libc::WNOHANG } else { 0 };
        // SAFETY: the status outlives the call, and no usage is asked for.
        let pid = unsafe {
            libc::wait4(
                -1,
                &raw mut status,
                options | libc::__WALL,
                std::ptr::null_mut(),
            )
        };
        match (pid, ended) {
            (-1, _) if errno() == libc::EINTR => {}
            (-1, Some(status)) => return tell(report, &ending(status, true)),
            (-1, None) => return,
            (0, Some(status)) => {
                tell(report, &ending(status, false));
                return reap_the_rest();
            }
            (pid, _) if pid == leader => ended = Some(status),
            _ => {}
        }
    }
}

fn reap_the_rest() {
    let mut status = 0;
    // SAFETY: the status outlives each call.
    while unsafe { libc::wait4(-1, &raw mut status, libc::__WALL, std::ptr::null_mut()) } != -1
        || errno() == libc::EINTR
    {}
}

fn ending(status: c_int, alone: bool) -> Record {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the structure outlives the call, which fills it.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) };
    // SAFETY: all zeroes is a valid rusage, and the call filled it.
    let usage = unsafe { usage.assume_init() };
    let micros = |time: libc::timeval| {
        u64::try_from(time.tv_sec)
            .unwrap_or(0)
            .saturating_mul(1_000_000)
            .saturating_add(u64::try_from(time.tv_usec).unwrap_or(0))
    };
    Record::Ended {
        status,
        alone,
        cpu_us: micros(usage.ru_utime).saturating_add(micros(usage.ru_stime)),
        max_rss_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
    }
}

pub(super) fn tell(report: RawFd, record: &Record) {
    let bytes: [u8; RECORD_BYTES] = record.encode();
    // SAFETY: the bytes are valid during the call.
    unsafe { libc::write(report, bytes.as_ptr().cast::<c_void>(), RECORD_BYTES) };
}

/// A number that no run can guess, see [`Room::number`]. Without one nothing is started: a run's own
/// calls must not pass for ours. Nor is it what most registers hold.
pub(crate) fn fresh_number() -> rustix::io::Result<u32> {
    let mut bytes = [0; 4];
    let flags = rustix::rand::GetRandomFlags::empty();
    rustix::rand::getrandom(&mut bytes[..], flags)?;
    Ok(u32::from_ne_bytes(bytes).max(1))
}

pub(super) fn leave() -> ! {
    // SAFETY: ends the process without running anything.
    unsafe { libc::_exit(0) }
}

fn set(option: c_int, value: libc::c_ulong) -> Result<(), (Stage, c_int)> {
    // SAFETY: these options take a number and no memory.
    check(Stage::Rights, unsafe {
        libc::prctl(option, value, 0, 0, 0)
    })
}

fn raw(outcome: libc::c_long) -> Result<(), (Stage, c_int)> {
    check(Stage::Rights, c_int::try_from(outcome).unwrap_or(-1))
}

pub(super) fn errno() -> c_int {
    io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}
