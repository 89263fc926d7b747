//! Who accepts connections at a port, in the network of a task.
//!
//! The loopback of a room is not the host's, so connecting from here would show nothing, or
//! another process's server. The kernel's table of sockets is that of the network a process is
//! in, and says by number which socket listens; the open files of the task's processes say whose
//! it is.

use std::collections::BTreeSet;
use std::fs;
use std::io;

use bashful_keeper::{Holder, State};
use bashful_sandbox::{Mark, Process, Status, children, descendants};

/// Which process listens at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listening {
    /// A process of the task.
    Task,
    /// Another process in the same network.
    Other,
    /// No process, or the task has none left.
    Nobody,
}

/// The state of a socket that listens, in the kernel's table.
const LISTEN: &str = "0A";
/// How many processes of a task are looked at, at most.
const MOST_PROCESSES: usize = 2000;

/// Who listens at this port in the network of the task with this record.
pub(super) fn listening(record: &State, port: u16) -> Listening {
    let Some(leader) = record.pid.filter(|pid| is_below(*pid, record.keeper)) else {
        return Listening::Nobody;
    };
    let sockets = sockets(leader, port);
    if sockets.is_empty() {
        return Listening::Nobody;
    }
    let mut hidden = false;
    for process in processes(leader, record.keeper) {
        match has_socket(process.pid, &sockets) {
            Ok(true) => return Listening::Task,
            Ok(false) => {}
            Err(error) => hidden |= error.kind() == io::ErrorKind::PermissionDenied,
        }
    }
    // A process that hides its files is taken for the owner only where no stranger can be.
    if hidden && !shares_our_network(leader) {
        return Listening::Task;
    }
    Listening::Other
}

/// Whether this is a descendant of the keeper: its number may have been given to another.
fn is_below(pid: i32, keeper: Holder) -> bool {
    let holder = Process {
        pid: keeper.pid,
        started: keeper.started,
    };
    if Process::find(keeper.pid) != Some(holder) {
        return false;
    }
    let mut at = pid;
    // A command is a child of the keeper, or of its first process.
    for _ in 0..3 {
        match Status::of(at) {
            Some(status) if status.parent == keeper.pid => return true,
            Some(status) => at = status.parent,
            None => return false,
        }
    }
    false
}

/// The processes of the task: below the first process of its room, or those with its mark.
fn processes(leader: i32, keeper: Holder) -> Vec<Process> {
    let parent = Status::of(leader).map(|status| status.parent);
    let roots = match parent {
        Some(parent) if parent != keeper.pid => vec![parent],
        _ => {
            let mark = Mark::of(leader).filter(|mark| mark.is_set());
            let mut roots = vec![leader];
            if mark.is_some() {
                let others = children(keeper.pid).into_iter();
                roots.extend(others.filter(|pid| Mark::of(*pid) == mark));
            }
            roots
        }
    };
    let mut found = descendants(&roots);
    found.truncate(MOST_PROCESSES);
    found
}

/// The numbers of the sockets that listen at this port, in the network of this process.
fn sockets(pid: i32, port: u16) -> BTreeSet<u64> {
    let read = |table: &str| fs::read_to_string(format!("/proc/{pid}/net/{table}"));
    let tables = ["tcp", "tcp6"].map(|table| read(table).unwrap_or_default());
    let lines = tables.iter().flat_map(|table| table.lines().skip(1));
    lines.filter_map(|line| socket(line, port)).collect()
}

/// The number of the socket in this line, if it listens at this port.
fn socket(line: &str, port: u16) -> Option<u64> {
    let mut fields = line.split_ascii_whitespace();
    let (_, at) = fields.nth(1)?.rsplit_once(':')?;
    let is_meant = u16::from_str_radix(at, 16) == Ok(port);
    let listens = fields.nth(1)? == LISTEN;
    let number = fields.nth(5)?.parse().ok()?;
    (is_meant && listens).then_some(number)
}

fn has_socket(pid: i32, sockets: &BTreeSet<u64>) -> io::Result<bool> {
    for entry in fs::read_dir(format!("/proc/{pid}/fd"))? {
        let Ok(target) = fs::read_link(entry?.path()) else {
            continue;
        };
        let number = target
            .to_str()
            .and_then(|text| text.strip_prefix("socket:[")?.strip_suffix(']'))
            .and_then(|number| number.parse().ok());
        if number.is_some_and(|number: u64| sockets.contains(&number)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn shares_our_network(pid: i32) -> bool {
    let network = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).ok();
    let (theirs, ours) = (network(&pid.to_string()), network("self"));
    // What cannot be read is taken for the worse case.
    theirs.is_none() || theirs == ours
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn lines_of_the_table_are_read() {
        let listens = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0";
        assert_eq!(socket(listens, 8080), Some(4711));
        assert_eq!(socket(listens, 8081), None);
        assert_eq!(socket(&listens.replace(" 0A ", " 01 "), 8080), None);
        assert_eq!(socket("  sl  local_address", 8080), None);
        assert_eq!(socket("", 8080), None);
    }

    #[test]
    fn a_listener_of_ours_is_found_and_is_ours() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let own = i32::try_from(std::process::id()).unwrap();
        let found = sockets(own, port);
        assert_eq!(found.len(), 1);
        assert!(has_socket(own, &found).unwrap());
        drop(listener);
        assert!(sockets(own, port).is_empty());
    }
}
