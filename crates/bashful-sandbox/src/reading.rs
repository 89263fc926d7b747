//! Whether a process waits to read from a file or terminal: as the kernel shows it, not guessed.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};

/// A file, pipe or terminal, under any name and in any process that has it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// What this descriptor is.
    pub fn of(descriptor: impl AsFd) -> io::Result<Self> {
        let about = rustix::fs::fstat(descriptor)?;
        Ok(Self {
            device: about.st_dev,
            inode: about.st_ino,
        })
    }

    /// Whether it is what this process calls by that number. `/dev/tty` of a process is the
    /// terminal that controls it, which for a process of a run is the run's.
    fn is_at(self, pid: i32, descriptor: u64) -> bool {
        let Ok(about) = fs::metadata(format!("/proc/{pid}/fd/{descriptor}")) else {
            return false;
        };
        let same = about.dev() == self.device && about.ino() == self.inode;
        same || about.rdev() == rustix::fs::makedev(5, 0)
    }
}

/// No more threads of a process than this are looked at.
const MOST_THREADS: usize = 16;
/// No more descriptors that one call waits for than this are looked at.
const MOST_DESCRIPTORS: u64 = 64;

/// Whether a thread of this process sleeps in a call that returns when there are bytes to read
/// from `file`. What cannot be found out counts as no.
pub fn waits_to_read(pid: i32, file: FileIdentity) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return false;
    };
    threads.flatten().take(MOST_THREADS).any(|thread| {
        let call = fs::read_to_string(thread.path().join("syscall")).unwrap_or_default();
        awaited(pid, &call)
            .iter()
            .any(|descriptor| file.is_at(pid, *descriptor))
    })
}

/// The descriptors that a call waits for, as `/proc/PID/syscall` describes it.
fn awaited(pid: i32, call: &str) -> Vec<u64> {
    let mut words = call.split_ascii_whitespace();
    let Some(number) = words.next().and_then(|word| word.parse::<i64>().ok()) else {
        // It runs.
        return Vec::new();
    };
    let arguments: Vec<u64> = words
        .map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok())
        .collect();
    let &[first, second, ..] = arguments.as_slice() else {
        return Vec::new();
    };
    match number {
        libc::SYS_read | libc::SYS_readv => vec![first],
        libc::SYS_ppoll => polled(pid, first, second),
        libc::SYS_pselect6 => selected(pid, first, second),
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => watched(pid, first),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => polled(pid, first, second),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => selected(pid, first, second),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => watched(pid, first),
        _ => Vec::new(),
    }
}

/// The entries of a `poll`: a descriptor and the events that are of interest.
fn polled(pid: i32, list: u64, count: u64) -> Vec<u64> {
    let count = count.min(MOST_DESCRIPTORS);
    let Some(bytes) = memory(pid, list, count * 8) else {
        return Vec::new();
    };
    let reads = i16::to_ne_bytes(libc::POLLIN);
    bytes
        .chunks_exact(8)
        .filter_map(|entry| {
            let wants = entry.get(4..6)?;
            let reading = wants
                .iter()
                .zip(reads)
                .any(|(wanted, bit)| wanted & bit != 0);
            let descriptor = i32::from_ne_bytes(entry.get(..4)?.try_into().ok()?);
            u64::try_from(descriptor).ok().filter(|_| reading)
        })
        .collect()
}

/// The bits of the first set of a `select`.
fn selected(pid: i32, count: u64, set: u64) -> Vec<u64> {
    let count = count.min(MOST_DESCRIPTORS);
    if set == 0 {
        return Vec::new();
    }
    let bytes = memory(pid, set, 8).unwrap_or_default();
    let Ok(bits) = <[u8; 8]>::try_from(bytes.as_slice()).map(u64::from_ne_bytes) else {
        return Vec::new();
    };
    (0..count).filter(|bit| bits >> bit & 1 == 1).collect()
}

/// What an epoll descriptor watches.
fn watched(pid: i32, epoll: u64) -> Vec<u64> {
    let about = fs::read_to_string(format!("/proc/{pid}/fdinfo/{epoll}")).unwrap_or_default();
    about
        .lines()
        .filter_map(|line| {
            let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
            let descriptor = words.next()?.parse().ok()?;
            let events = u64::from_str_radix(words.nth(1)?, 16).ok()?;
            (events & 1 == 1).then_some(descriptor)
        })
        .take(usize::try_from(MOST_DESCRIPTORS).unwrap_or(0))
        .collect()
}

fn memory(pid: i32, address: u64, length: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    let memory = File::open(format!("/proc/{pid}/mem")).ok()?;
    memory.read_exact_at(&mut bytes, address).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_that_read_are_understood() {
        let read = format!("{} 0x3 0x7ffe 0x10 0x0 0x0 0x0 0x1 0x2", libc::SYS_read);
        assert_eq!(awaited(1, &read), [3]);
        let wait = format!("{} 0x3 0x7ffe 0x10 0x0 0x0 0x0 0x1 0x2", libc::SYS_wait4);
        for call in [wait.as_str(), "running", "-1 0x1 0x2", "", "0", "x 0x1 0x2"] {
            assert_eq!(awaited(1, call), Vec::<u64>::new(), "{call}");
        }
    }
}
