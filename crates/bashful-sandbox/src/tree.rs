//! The processes behind a run: who descends from whom, and how to signal them
//! without ever hitting a process that only inherited a number.

use std::collections::HashSet;
use std::fs;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::kernel_file::kernel_bytes;

/// A process, named so that a reused number is never mistaken for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its number, which the kernel may give to another process later.
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    pub started: u64,
}

impl Process {
    /// The process that has this number now.
    pub fn find(pid: i32) -> Option<Self> {
        let status = Status::of(pid)?;
        Some(Self {
            pid,
            started: status.started,
        })
    }
}

/// The fields of `/proc/PID/stat` that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// One letter: `R`, `S`, `T`, `Z`, …
    pub state: u8,
    /// The parent's number.
    pub parent: i32,
    /// The process group it is in.
    pub group: i32,
    /// The session it is in.
    pub session: i32,
    /// The number of its controlling terminal; 0: none.
    pub terminal: i32,
    /// How many of its threads are left; a process whose first thread has ended
    /// looks like a zombie while the others go on.
    pub threads: u32,
    /// When it started, in clock ticks since boot.
    pub started: u64,
}

impl Status {
    /// Whether nothing of it runs any more.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, b'Z' | b'X') && self.threads <= 1
    }

    /// Reads the status of the process with this number.
    pub fn of(pid: i32) -> Option<Self> {
        let stat = kernel_bytes(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything, also parentheses and spaces.
        let name_end = stat.iter().rposition(|&byte| byte == b')')?;
        let rest = std::str::from_utf8(stat.get(name_end + 2..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = *fields.next()?.as_bytes().first()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let terminal = fields.next()?.parse().ok()?;
        let threads = fields.nth(12)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        Some(Self {
            state,
            parent,
            group,
            session,
            terminal,
            threads,
            started,
        })
    }
}

/// The children of a process: of all its threads, ended ones included.
pub fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(
                list.split_ascii_whitespace()
                    .filter_map(|pid| pid.parse::<i32>().ok()),
            ),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // The thread ended, or this kernel has no such file.
                if fs::exists("/proc/thread-self/children").unwrap_or(false) {
                    continue;
                }
                return children_by_scan(pid);
            }
            Err(_) => {}
        }
    }
    found
}

/// The slow way, for kernels built without `CONFIG_PROC_CHILDREN`.
fn children_by_scan(parent: i32) -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|&pid| Status::of(pid).is_some_and(|status| status.parent == parent))
        .collect()
}

/// These processes and everything that descends from them, parents first.
/// Processes that have ended already are left out, their children are not.
pub fn descendants(roots: &[i32]) -> Vec<Process> {
    let live = |pid: i32| {
        let status = Status::of(pid).filter(|status| !status.has_ended())?;
        Some(Process {
            pid,
            started: status.started,
        })
    };
    with_ended(roots).into_iter().filter_map(live).collect()
}

/// The same with those that have ended and that no parent has waited for.
pub(crate) fn with_ended(roots: &[i32]) -> Vec<i32> {
    let mut seen: HashSet<i32> = HashSet::new();
    let mut queue: Vec<i32> = roots.to_vec();
    let mut found = Vec::new();
    let mut next = 0;
    while let Some(&pid) = queue.get(next) {
        next += 1;
        if seen.insert(pid) {
            found.push(pid);
            queue.extend(children(pid));
        }
    }
    found
}

/// Whether a signal got there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It was delivered.
    Delivered,
    /// The process is gone, or its number belongs to another by now.
    Gone,
    /// It belongs to another user, and we may not signal it.
    Forbidden,
}

/// Signals exactly this process.
pub fn signal_process(process: Process, signal: Signal) -> Reach {
    // Zero and below would mean a group or all processes.
    let Some(pid) = Some(process.pid)
        .filter(|pid| *pid > 0)
        .and_then(Pid::from_raw)
    else {
        return Reach::Gone;
    };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return Reach::Gone;
    };
    // The handle is bound to the process that has the number now: only if that is still
    // the process we meant may the signal go out.
    if Process::find(process.pid) != Some(process) {
        return Reach::Gone;
    }
    match pidfd_send_signal(&handle, signal) {
        Ok(()) => Reach::Delivered,
        Err(rustix::io::Errno::PERM) => Reach::Forbidden,
        Err(_) => Reach::Gone,
    }
}

/// Signals these processes and all that descends from them, also what they fork
/// while this goes on, and returns those that were reached.
///
/// A killing signal is preceded by a stop, round by round until a round finds no
/// new process: a tree that forks faster than one pass can list it is frozen first.
/// Any other signal is followed by a continue, so that a stopped process gets it.
pub fn signal_tree(roots: &[i32], signal: Signal) -> Vec<(Process, Reach)> {
    let deadly = signal == Signal::KILL;
    let mut members: Vec<Process> = Vec::new();
    let mut seen: HashSet<Process> = HashSet::new();
    for _ in 0..MOST_ROUNDS {
        let fresh: Vec<Process> = descendants(roots)
            .into_iter()
            .filter(|process| seen.insert(*process))
            .collect();
        if fresh.is_empty() {
            break;
        }
        if deadly {
            for &process in &fresh {
                signal_process(process, Signal::STOP);
            }
        }
        members.extend(fresh);
        if !deadly {
            break;
        }
    }
    let reached = members
        .iter()
        .map(|&process| (process, signal_process(process, signal)))
        .collect();
    if !deadly {
        for &process in &members {
            if Status::of(process.pid).is_some_and(|status| status.state == b'T') {
                signal_process(process, Signal::CONT);
            }
        }
    }
    reached
}

const MOST_ROUNDS: usize = 64;
const MOST_COMMAND_LINE: usize = 100_000;

/// What a process is, for people: its command line, else its name, on one line.
pub fn command_line(pid: i32) -> String {
    let raw = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let raw = if raw.is_empty() {
        fs::read(format!("/proc/{pid}/comm")).unwrap_or_default()
    } else {
        raw
    };
    let spaced: Vec<u8> = raw
        .iter()
        .map(|&byte| if byte == 0 { b' ' } else { byte })
        .collect();
    let text = String::from_utf8_lossy(&spaced);
    let safe = text
        .trim()
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    safe.take(MOST_COMMAND_LINE).collect()
}
