//! Starting a process without copying the caller's memory.
//!
//! `clone(CLONE_VM | CLONE_VFORK)` is what `posix_spawn` does: the child borrows
//! the caller's memory until it executes, and the calling thread sleeps
//! meanwhile, so the cost does not depend on how big the caller is. Between clone
//! and exec the child only makes system calls on memory prepared beforehand.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::init::{
    Room, confine_command, enter_directory, enter_room, errno, filter_calls, limit_command, tell,
};
use super::limits::OpenFiles;
use super::notices::Heard;
use crate::launch::{FIRST_INHERITED, PLACES, Stage};
use crate::report::Record;

/// Everything the child needs, in the form the system calls want.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a thing of its own that a process is given or not"
)]
pub(crate) struct Prepared<'a> {
    pub(crate) program: CString,
    pub(crate) arguments: Vec<CString>,
    pub(crate) environment: Vec<CString>,
    /// Where it starts; a room has a directory of its own.
    pub(crate) directory: Option<OwnedFd>,
    /// What becomes descriptor 0, 1 and 2; each must itself be above 2. What is missing is
    /// `/dev/null` as seen where the command runs.
    pub(crate) standard: [Option<OwnedFd>; 3],
    /// What becomes the descriptors from `FIRST_INHERITED` on.
    pub(crate) inherited: [Option<OwnedFd>; PLACES],
    pub(crate) mark: Option<u64>,
    pub(crate) open_files: Option<OpenFiles>,
    pub(crate) new_session: bool,
    /// Its standard input becomes its controlling terminal.
    pub(crate) takes_terminal: bool,
    pub(crate) dies_with_caller: bool,
    /// It ignores the signals that ask a process to end.
    pub(crate) is_wrapper: bool,
    /// Files of control groups to join.
    pub(crate) groups: Vec<OwnedFd>,
    /// It executes when the engine writes a byte to the other end of this.
    pub(crate) release: Option<OwnedFd>,
    pub(crate) room: Option<Room<'a>>,
}

/// The raw view of [`Prepared`] that the child works on.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a thing of its own that a process is given or not"
)]
pub(super) struct Plan<'a> {
    program: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    directory: Option<RawFd>,
    standard: [Option<RawFd>; 3],
    inherited: [Option<RawFd>; PLACES],
    mark: Option<libc::rlimit64>,
    open_files: Option<libc::rlimit64>,
    new_session: bool,
    takes_terminal: bool,
    dies_with_caller: bool,
    is_wrapper: bool,
    groups: *const [OwnedFd],
    release: Option<RawFd>,
    /// What was done ahead of time, if it was.
    ahead: Option<Ahead>,
    caller: libc::pid_t,
    /// The room, where there is one; it outlives the child like everything here.
    room: *const Room<'a>,
    /// Written by the child when a step failed: it shares our memory.
    failed: Option<(Stage, c_int)>,
    /// Written by the child too: it may execute. One that is killed before has said nothing.
    is_released: Cell<bool>,
    /// Written by the usher: the first process of the run.
    init: Option<i32>,
}

/// What a process has that was made ahead of time. Its signals are reset and, in a room, its
/// limits, Landlock and filters are on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead {
    /// Where it hears what to do, and reports how that goes. No descriptor that is inherited has a
    /// higher number than this.
    pub(super) line: RawFd,
    /// `/dev/null`: opening it now would be an act of the run.
    pub(super) null: RawFd,
}

pub(super) const STACK_BYTES: usize = 64 * 1024;

/// The arrays of pointers that exec wants; they must outlive the plan.
pub(super) struct Pointers {
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
}

impl Pointers {
    pub(super) fn to(prepared: &Prepared<'_>) -> Self {
        let pointers = |strings: &[CString]| -> Vec<*const c_char> {
            let ends_with_null = std::iter::once(std::ptr::null());
            strings
                .iter()
                .map(|string| string.as_ptr())
                .chain(ends_with_null)
                .collect()
        };
        Self {
            arguments: pointers(&prepared.arguments),
            environment: pointers(&prepared.environment),
        }
    }
}

impl<'a> Plan<'a> {
    pub(super) fn new(prepared: &Prepared<'a>, pointers: &Pointers) -> Self {
        let both = |value| libc::rlimit64 {
            rlim_cur: value,
            rlim_max: value,
        };
        Self {
            program: prepared.program.as_ptr(),
            arguments: pointers.arguments.as_ptr(),
            environment: pointers.environment.as_ptr(),
            directory: prepared.directory.as_ref().map(AsRawFd::as_raw_fd),
            standard: [0, 1, 2]
                .map(|index: usize| prepared.standard[index].as_ref().map(AsRawFd::as_raw_fd)),
            inherited: prepared
                .inherited
                .each_ref()
                .map(|fd| fd.as_ref().map(AsRawFd::as_raw_fd)),
            mark: prepared.mark.map(both),
            open_files: prepared.open_files.map(|limit| libc::rlimit64 {
                rlim_cur: limit.soft,
                rlim_max: limit.hard,
            }),
            new_session: prepared.new_session,
            takes_terminal: prepared.takes_terminal,
            dies_with_caller: prepared.dies_with_caller,
            is_wrapper: prepared.is_wrapper,
            groups: std::ptr::from_ref(prepared.groups.as_slice()),
            release: prepared.release.as_ref().map(AsRawFd::as_raw_fd),
            ahead: None,
            caller: rustix::process::getpid().as_raw_pid(),
            room: prepared
                .room
                .as_ref()
                .map_or(std::ptr::null(), std::ptr::from_ref),
            failed: None,
            is_released: Cell::new(prepared.release.is_none()),
            init: None,
        }
    }

    /// The same for a process that was made ahead of time.
    pub(super) fn carried_out_by(self, ahead: Ahead) -> Self {
        Self {
            ahead: Some(ahead),
            ..self
        }
    }

    /// Which step of the child failed; none if it has executed, or was killed on its way after it
    /// was allowed to.
    pub(super) fn failure(&self) -> Option<(Stage, c_int)> {
        let held = (!self.is_released.get()).then_some((Stage::Release, libc::ECANCELED));
        self.failed.or(held)
    }

    /// Sits the command at this terminal.
    pub(super) fn sit_at(&mut self, terminal: RawFd) {
        self.standard = [Some(terminal); 3];
    }
}

/// Starts the process and returns its id, or the step that failed and its errno.
pub(crate) fn spawn(prepared: &mut Prepared<'_>) -> Result<i32, (Stage, io::Error)> {
    // The lower half is for the command of a room, the upper for our own child.
    let mut stack = Vec::<u8>::with_capacity(2 * STACK_BYTES);
    let middle = stack.as_mut_ptr().wrapping_add(STACK_BYTES);
    if let Some(room) = &mut prepared.room {
        room.stack = stack.as_mut_ptr();
    }
    let pointers = Pointers::to(prepared);
    let mut plan = Plan::new(prepared, &pointers);
    let top = middle.wrapping_add(STACK_BYTES);
    // The ABI wants the stack aligned to 16 bytes.
    let top = top.wrapping_sub(top.addr() % 16);

    // A handler of the caller must not run in the child while it shares our memory.
    let mask = block_all_signals();
    // SAFETY: CLONE_VFORK suspends this thread until the child has executed or
    // exited, so `plan`, the strings behind it and the stack outlive the child's
    // use of them; the child has a stack of its own.
    let pid = unsafe {
        libc::clone(
            if plan.room.is_null() { command } else { usher },
            top.cast::<c_void>(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD,
            (&raw mut plan).cast::<c_void>(),
        )
    };
    let clone_error = io::Error::last_os_error();
    restore_signals(&mask);

    if pid == -1 {
        return Err((Stage::Clone, clone_error));
    }
    if plan.init.is_none()
        && let Some((stage, errno)) = plan.failure()
    {
        // The child is a zombie of ours; it must not be left behind.
        let _ = super::wait::reap(pid);
        return Err((stage, io::Error::from_raw_os_error(errno)));
    }
    if let Some(init) = plan.init {
        // The usher has done its work.
        let _ = super::wait::reap(pid);
        return Ok(init);
    }
    Ok(pid)
}

fn block_all_signals() -> libc::sigset_t {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    let mut previous = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: `sigfillset` initialises the whole set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: both sets outlive the call.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), previous.as_mut_ptr()) };
    // SAFETY: all zeroes is a valid set, and the call filled it.
    unsafe { previous.assume_init() }
}

fn restore_signals(mask: &libc::sigset_t) {
    // SAFETY: the mask came from the kernel and outlives the call.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

/// The child's first function on the way into a room.
extern "C" fn usher(argument: *mut c_void) -> c_int {
    // SAFETY: as in `command`.
    let plan = unsafe { &mut *argument.cast::<Plan<'_>>() };
    // SAFETY: the caller set it to a room that outlives this process.
    let room = unsafe { &*plan.room };
    match enter_room(plan, room) {
        Ok(init) => plan.init = Some(init),
        Err(failed) => plan.failed = Some(failed),
    }
    0
}

/// The first function of what becomes the command. It returns only if a step failed.
pub(super) extern "C" fn command(argument: *mut c_void) -> c_int {
    // SAFETY: the caller passed a `Plan` that it keeps alive and does not touch
    // while we run, because CLONE_VFORK suspended it.
    let plan = unsafe { &mut *argument.cast::<Plan<'_>>() };
    plan.failed = follow(plan).err();
    127
}

/// The steps from clone to exec: system calls only, no allocation, no locks.
pub(super) fn follow(plan: &Plan<'_>) -> Result<(), (Stage, c_int)> {
    // SAFETY: null, or a room that outlives this process.
    let room = unsafe { plan.room.as_ref() };
    if plan.new_session {
        // SAFETY: takes no memory.
        check(Stage::Session, unsafe { libc::setsid() })?;
    }
    // In a room every process dies with init.
    if plan.dies_with_caller && room.is_none_or(|room| room.outside) {
        die_with(plan.caller)?;
    }
    // SAFETY: the list outlives this process, like everything that is prepared.
    for group in unsafe { &*plan.groups } {
        join(group.as_raw_fd())?;
    }
    if let Some(limit) = &plan.mark {
        limit_self(libc::RLIMIT_RTTIME, limit)?;
    }
    if let Some(limit) = &plan.open_files {
        limit_self(libc::RLIMIT_NOFILE, limit)?;
    }
    for (target, source) in (0..).zip(plan.standard) {
        let source = match (source, plan.ahead) {
            (Some(source), _) => source,
            (None, Some(ahead)) => ahead.null,
            // It may get the very number it is for, so it does not close on exec.
            // SAFETY: the path is a constant.
            (None, None) => unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) },
        };
        check(Stage::Descriptors, source)?;
        // SAFETY: takes no memory; the sources are above 2, so none is overwritten.
        check(Stage::Descriptors, unsafe { libc::dup2(source, target) })?;
    }
    if plan.takes_terminal {
        // SAFETY: takes a number and no memory.
        check(Stage::Terminal, unsafe {
            libc::ioctl(0, libc::TIOCSCTTY, 0)
        })?;
    }
    if let Some(directory) = plan.directory {
        // SAFETY: takes no memory.
        check(Stage::Directory, unsafe { libc::fchdir(directory) })?;
    }
    let mut heard = Heard::No;
    if let Some(room) = room {
        enter_directory(room)?;
        if plan.ahead.is_none() {
            heard = confine_command(room, room.report)?;
        }
        // After the listener was sent: where the user has more descriptors under way than the command
        // may open files, the kernel sends no further one.
        limit_command(room)?;
    }
    if plan.ahead.is_none() {
        reset_signals();
        if plan.is_wrapper {
            ignore_requests_to_end();
        }
    }
    await_release(plan)?;
    let after = inherit(plan.inherited)?;
    close_all_but_inherited(after, plan.ahead.map(|ahead| ahead.line));
    if let (Some(room), None) = (room, plan.ahead) {
        filter_calls(room, heard)?;
    }
    let number = room.map_or(0, |room| room.number);
    // SAFETY: the arrays end with a null pointer and point to live C strings. The number is in a
    // register that the call does not use.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_execve,
            plan.program,
            plan.arguments,
            plan.environment,
            libc::c_ulong::from(number),
        )
    };
    check(Stage::Execute, c_int::try_from(outcome).unwrap_or(-1))
}

/// Has the kernel kill us when our parent ends, which is this process or has gone already.
pub(super) fn die_with(caller: libc::pid_t) -> Result<(), (Stage, c_int)> {
    // SAFETY: this prctl takes a signal number and no memory.
    check(Stage::Session, unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL)
    })?;
    // SAFETY: takes no memory.
    if unsafe { libc::getppid() } != caller {
        // The caller died before the line above took effect.
        return Err((Stage::Session, libc::ESRCH));
    }
    Ok(())
}

/// Waits for the engine's word that the command may execute; an error if it goes without one.
fn await_release(plan: &Plan<'_>) -> Result<(), (Stage, c_int)> {
    if let Some(release) = plan.release {
        let mut word = 0_u8;
        loop {
            // SAFETY: the one byte is valid during the call.
            let read = unsafe { libc::read(release, (&raw mut word).cast::<c_void>(), 1) };
            match read {
                1 => break,
                -1 if errno() == libc::EINTR => {}
                _ => return Err((Stage::Release, libc::ECANCELED)),
            }
        }
    }
    if let Some(ahead) = plan.ahead {
        await_keeper(ahead.line)?;
        plan.is_released.set(true);
        tell(ahead.line, &Record::Released);
    }
    plan.is_released.set(true);
    Ok(())
}

/// Waits until the keeper says on its line that all else is in place; an error if it goes without.
fn await_keeper(line: RawFd) -> Result<(), (Stage, c_int)> {
    let mut word = 0_u8;
    loop {
        // SAFETY: the one byte is valid during the call.
        let received = unsafe { libc::recv(line, (&raw mut word).cast::<c_void>(), 1, 0) };
        match received {
            1 => return Ok(()),
            -1 if errno() == libc::EINTR => {}
            _ => return Err((Stage::Release, libc::ECANCELED)),
        }
    }
}

/// Closes everything above the standard streams, but what is inherited and ends before `after`,
/// and what only we know.
fn close_all_but_inherited(after: u32, line: Option<RawFd>) {
    let first = FIRST_INHERITED.unsigned_abs();
    let line = line.map(RawFd::unsigned_abs);
    let from = if after > first { after } else { 3 };
    let ranges = [
        (after > first).then_some((3, first - 1)),
        line.filter(|line| *line > from)
            .map(|line| (from, line - 1)),
        Some((line.map_or(from, |line| line + 1), u32::MAX)),
    ];
    // Kernels before 5.9 lack this call; our own descriptors close on exec anyway.
    for (from, to) in ranges.into_iter().flatten() {
        // SAFETY: takes no memory; from here on only what is inherited is needed.
        unsafe { libc::syscall(libc::SYS_close_range, from, to, 0_u32) };
    }
}

/// Puts what is inherited where it belongs, and returns the number behind the last.
fn inherit(sources: [Option<RawFd>; PLACES]) -> Result<u32, (Stage, c_int)> {
    let mut aside = sources;
    let many = c_int::try_from(aside.len()).unwrap_or(c_int::MAX);
    let behind = FIRST_INHERITED.saturating_add(many);
    // First out of the way: one may sit where another is to go.
    for source in aside.iter_mut().flatten() {
        // SAFETY: takes no memory.
        *source = unsafe { libc::fcntl(*source, libc::F_DUPFD_CLOEXEC, behind) };
        check(Stage::Descriptors, *source)?;
    }
    let mut target = FIRST_INHERITED;
    for source in aside.into_iter().flatten() {
        // SAFETY: takes no memory; nothing that is still needed has this number.
        check(Stage::Descriptors, unsafe { libc::dup2(source, target) })?;
        target += 1;
    }
    Ok(target.unsigned_abs())
}

pub(super) fn limit_self(
    resource: libc::__rlimit_resource_t,
    limit: &libc::rlimit64,
) -> Result<(), (Stage, c_int)> {
    // SAFETY: the limit is valid for the whole call and nothing is read back.
    let outcome = unsafe { libc::prlimit64(0, resource, limit, std::ptr::null_mut()) };
    check(Stage::Limits, outcome)
}

/// Default action for every signal and an empty mask, as a new process expects.
pub(super) fn reset_signals() {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the zeroed bytes are valid for this field, and zero is SIG_DFL.
    unsafe { (*action.as_mut_ptr()).sa_sigaction = libc::SIG_DFL };
    // Real-time signals are left out: they are not ignored, and exec resets those that are
    // handled. SIGKILL and SIGSTOP answer EINVAL.
    for signal in 1..32 {
        // SAFETY: the action is initialised and installs no code.
        unsafe { libc::sigaction(signal, action.as_ptr(), std::ptr::null_mut()) };
    }
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` initialises the whole set.
    unsafe { libc::sigemptyset(none.as_mut_ptr()) };
    // SAFETY: the set is initialised and outlives the call.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut()) };
}

/// From here on it ignores the signals that ask a process to end.
fn ignore_requests_to_end() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        // SAFETY: installs no code.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Joins the control group behind this file.
pub(super) fn join(group: RawFd) -> Result<(), (Stage, c_int)> {
    // SAFETY: the one byte is valid during the call.
    let written = unsafe { libc::write(group, c"0".as_ptr().cast::<c_void>(), 1) };
    check(Stage::Group, if written == 1 { 0 } else { -1 })
}

pub(super) fn check(stage: Stage, outcome: c_int) -> Result<(), (Stage, c_int)> {
    if outcome == -1 {
        let errno = io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(libc::EIO);
        return Err((stage, errno));
    }
    Ok(())
}
