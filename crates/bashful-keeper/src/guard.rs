//! Becoming a keeper, and the guard behind it.
//!
//! A keeper is never alone: its parent, the guard, sleeps until the keeper ends. If the keeper was
//! killed, every process it owned falls to the guard, which kills them all and removes their
//! control groups: a run never outlives its keeper. The guard leaves the records alone: the dead
//! keeper's locks are free, and that tells readers that its runs are lost.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use bashful_sandbox::{
    ExitStatus, Fork, Process, children, close_all_but, forget_environment, fork_leaving_threads,
    fork_single_threaded, ignore_write_signals, peek_exited, reap, remove_abandoned_groups,
    replace_arguments, serve_as_first_process_if_asked, signal_process, signal_tree,
    wait_for_stop_or_end,
};
use rustix::fs::{Mode, OFlags};
use rustix::process::{
    DumpableBehavior, Signal, getpid, set_child_subreaper, set_dumpable_behavior, setsid,
};

use crate::keeper::Keeper;
use crate::processor;

/// The first argument that turns an executable into a keeper.
pub const KEEPER_ARGUMENT: &str = "__bashful-keeper";

/// What a keeper that was forked from another process is called.
pub const KEEPER_NAME: &str = "bashful-keeper";

/// What is known of a keeper's first run when it begins; its engine will say for certain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expected {
    /// It may outlive the process that makes the keeper.
    pub beyond_caller: bool,
    /// It wants a room, and its engine takes a while to say which.
    pub room: bool,
}

/// If this process was started as a keeper, serves as one and never returns.
///
/// An executable that calls this first thing in `main` can be its own keeper.
pub fn serve_as_keeper_if_asked() {
    // A wrapper program starts the same executable as the first process of a run.
    serve_as_first_process_if_asked();
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next() != Some(OsString::from(KEEPER_ARGUMENT)) {
        return;
    }
    // The process that was started ends at once, so that the engine has no child to
    // care for later. It may have threads: under `#[tokio::main]` the runtime is there
    // before any line of `main`.
    let served = take_socket().and_then(|socket| match fork_leaving_threads()? {
        Fork::Parent(_) => Ok(()),
        Fork::Child => serve(socket, Expected::default()),
    });
    end(&served)
}

/// Makes a keeper by forking this process, which must be small and have a single
/// thread. Returns in the caller; the new process serves this socket and ends.
pub fn fork_keeper(socket: OwnedFd, expected: Expected) -> io::Result<()> {
    let here = processor::here();
    match fork_single_threaded()? {
        Fork::Parent(_) => Ok(()),
        Fork::Child => {
            processor::leave(here);
            end(&become_nameless(socket).and_then(|socket| serve(socket, expected)))
        }
    }
}

/// Forgets who forked us: environment, arguments, descriptors.
fn become_nameless(socket: OwnedFd) -> io::Result<OwnedFd> {
    forget_environment()?;
    replace_arguments(KEEPER_NAME)?;
    close_all_but(socket)
}

#[expect(
    clippy::exit,
    reason = "this process is a keeper: the host's code must not run in it"
)]
fn end(served: &io::Result<()>) -> ! {
    std::process::exit(i32::from(served.is_err()))
}

/// The engine's end is our standard input.
fn take_socket() -> io::Result<OwnedFd> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    rustix::net::sockopt::socket_type(&socket)?;
    Ok(socket)
}

/// Leaves the caller's world behind and becomes guard and keeper.
fn serve(socket: OwnedFd, expected: Expected) -> io::Result<()> {
    // Secrets to be masked are in our memory: no other process may look.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    ignore_write_signals();
    setsid()?;
    rustix::process::chdir("/")?;
    // A caller that waits for the end of its streams must not wait for the keeper.
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    let this = getpid();
    set_child_subreaper(Some(this))?;
    match fork_single_threaded()? {
        Fork::Parent(keeper) => {
            drop(socket);
            guard(keeper)
        }
        Fork::Child => {
            set_child_subreaper(Some(getpid()))?;
            let mut keeper = Keeper::new(socket, this.as_raw_pid())?;
            if expected.beyond_caller {
                // Its answer comes while the engine is still being made.
                keeper.ask_for_scope();
            }
            if expected.room {
                keeper.look_ahead();
            }
            keeper.serve()
        }
    }
}

/// Waits for the keeper to end and leaves nothing alive behind it.
fn guard(keeper: i32) -> io::Result<()> {
    // A command of ours can stop its keeper; the keeper then goes on at once.
    while !wait_for_stop_or_end(keeper)? {
        if let Some(stopped) = Process::find(keeper) {
            signal_process(stopped, Signal::CONT);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let was_killed = matches!(reap(keeper)?.status, ExitStatus::Signal(_));
    let patience = Instant::now() + PATIENCE;
    while Instant::now() < patience {
        while let Ok(Some(pid)) = peek_exited() {
            reap(pid)?;
        }
        let left = children(getpid().as_raw_pid());
        if left.is_empty() {
            break;
        }
        signal_tree(&left, Signal::KILL);
        std::thread::sleep(Duration::from_millis(2));
    }
    // The kernel takes a moment to see that no process is in a group any more.
    let tries = if was_killed { GROUP_TRIES } else { 0 };
    for _ in 0..tries {
        if remove_abandoned_groups().left == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// How often the guard tries to remove the control groups.
const GROUP_TRIES: usize = 50;
const PATIENCE: Duration = Duration::from_secs(10);
