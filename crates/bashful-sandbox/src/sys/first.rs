//! The first process of a run inside a wrapper program, such as `bwrap`.
//!
//! The wrapper has made the namespaces and the file tree, and executes us as their first
//! process. From here on everything is as in a room of our own: we give up what rights are
//! left, start the command with limits and Landlock, reap, and report. We are a program of
//! our own by now and may allocate.

use std::ffi::c_int;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::fs::OFlags;

use super::init::{Room, Started, attend, fresh_number, leave, shut_in, start, tell};
use super::limits::OpenFiles;
use super::seccomp::Program;
use super::spawn::{Plan, Pointers, Prepared, STACK_BYTES};
use super::terminal::open_terminal;
use super::wait_for_order::{
    Told, above_standard, close_all_but, hand_out, read_order, receive_message,
};
use crate::launch::{FIRST_INHERITED, MOST_TOLD, Stage};
use crate::order::{MOST_WITH_SETUP, SETUP_BYTES, Setup};
use crate::report::Record;
use crate::seccomp::{Instruction, with_number};

/// The argument that turns an executable into the first process of a run.
pub(crate) const FIRST_ARGUMENT: &str = "__bashful-first";

/// If this process was started by a wrapper program to be the first of a run, is that process
/// from here on and never returns.
///
/// An executable that calls this first thing in `main` can be used by the backends that
/// need a wrapper program.
pub fn serve_as_first_process_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|word| word == FIRST_ARGUMENT) {
        serve(FIRST_INHERITED);
    }
}

fn serve(report: RawFd) -> ! {
    // What the wrapper had to say is said, and what it left open is no concern of ours.
    close_all_but([Some(report), None]);
    for _ in 0..3 {
        // SAFETY: the path is a constant. The lowest numbers are free, so these are 0 to 2.
        unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    }
    tell(report, &Record::Ready);
    // SAFETY: the wrapper passed us this descriptor, and it stays open until the end.
    let socket = unsafe { BorrowedFd::borrow_raw(report) };
    // Without an order, the keeper has gone, or found us to be in the wrong place.
    let Some(told) = receive(socket) else { leave() };
    attend(report, carry_out(report, told))
}

/// What the keeper sent us: about ourselves, and what to start.
struct Instructed {
    setup: Setup,
    ruleset: Option<OwnedFd>,
    /// Filters of what is refused, what is reported to the keeper, and what the kernel records.
    filters: [Option<Vec<Instruction>>; 3],
    told: Told,
}

fn carry_out(report: RawFd, instructed: Instructed) -> Result<Started, (Stage, c_int)> {
    let Instructed {
        setup,
        ruleset,
        filters,
        told,
    } = instructed;
    if setup.outside {
        // A process that loses its parent falls to us, as it would in a namespace.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(|errno| (Stage::Session, errno.raw_os_error()))?;
    }
    shut_in(setup.identity)?;
    let [filter, notices, recorded] = &filters;
    let number = fresh_number().map_err(|errno| (Stage::Filter, errno.raw_os_error()))?;
    let notices = notices.as_deref().map(|known| with_number(known, number));
    let filter = program(filter.as_deref())?;
    let notices = program(notices.as_deref())?;
    let recorded = program(recorded.as_deref())?;
    let mut stack = Vec::<u8>::with_capacity(STACK_BYTES);
    let room = |directory| Room {
        namespaces: Vec::new(),
        groups: Vec::new(),
        unified: None,
        identity: None,
        ruleset: ruleset.as_ref().map(AsRawFd::as_raw_fd),
        landlock: setup.landlock,
        filter,
        unheard: None,
        notices,
        number,
        recorded,
        limits: setup.limits.iter().map(as_raw).collect(),
        directory,
        report,
        terminal: None,
        line: None,
        outside: setup.outside,
        stack: stack.as_mut_ptr(),
    };
    let mut room = room;
    let outer = room(told.order.directory.clone());
    let prepared = Prepared {
        program: told.order.program,
        arguments: told.order.arguments,
        environment: told.order.environment,
        directory: None,
        standard: told.standard,
        inherited: told.inherited,
        mark: told.order.mark,
        open_files: told
            .order
            .open_files
            .map(|(soft, hard)| OpenFiles { soft, hard }),
        new_session: told.order.new_session,
        takes_terminal: setup.terminal.is_some(),
        dies_with_caller: setup.outside,
        is_wrapper: false,
        groups: Vec::new(),
        release: told.release,
        room: Some(room(told.order.directory)),
    };
    let pointers = Pointers::to(&prepared);
    let mut plan = Plan::new(&prepared, &pointers);
    let Some(size) = setup.terminal else {
        return start(&mut plan, &outer).map(|pid| (pid, None));
    };
    let ends = open_terminal(size)?;
    plan.sit_at(ends.program);
    start(&mut plan, &outer).map(|pid| (pid, Some(ends.master)))
}

fn as_raw(limit: &(u32, u64, u64)) -> (libc::__rlimit_resource_t, libc::rlimit64) {
    let (which, soft, hard) = *limit;
    let limit = libc::rlimit64 {
        rlim_cur: soft,
        rlim_max: hard,
    };
    (which, limit)
}

fn receive(socket: BorrowedFd<'_>) -> Option<Instructed> {
    let mut message = [0; SETUP_BYTES];
    let mut space =
        [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_WITH_SETUP + MOST_TOLD))];
    let (length, descriptors) = receive_message(socket, &mut message, &mut space)?;
    let setup = Setup::decode(message.get(..length)?)?;
    let mut descriptors = descriptors.into_iter();
    let order = read_order(descriptors.next()?)?;
    let ruleset = if setup.ruleset {
        Some(above_standard(&descriptors.next()?)?)
    } else {
        None
    };
    let mut filters = [const { None }; 3];
    for (filter, given) in filters.iter_mut().zip(setup.filters) {
        if given {
            *filter = Some(instructions(descriptors.next()?)?);
        }
    }
    Some(Instructed {
        setup,
        ruleset,
        filters,
        told: hand_out(order, descriptors)?,
    })
}

fn instructions(file: OwnedFd) -> Option<Vec<Instruction>> {
    let mut bytes = Vec::new();
    let mut file = File::from(file);
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_end(&mut bytes).ok()?;
    Instruction::all_from_bytes(&bytes)
}

fn program(filter: Option<&[Instruction]>) -> Result<Option<Program<'_>>, (Stage, c_int)> {
    let program = filter.map(Program::new).transpose();
    program.map_err(|_| (Stage::Filter, libc::EINVAL))
}

/// This executable, for a wrapper program to execute.
pub(crate) fn own_executable() -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    rustix::fs::open("/proc/self/exe", flags, rustix::fs::Mode::empty())
}
