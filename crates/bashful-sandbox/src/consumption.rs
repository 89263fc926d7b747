//! What the processes of a run take of the machine, where only `/proc` shows it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::tree::{Process, descendants, with_ended};

/// Memory of the whole machine that is no copy of a file on disk, in bytes. It is quick to ask
/// for, and as long as it does not grow, no run takes more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryInUse {
    /// Memory of processes, in bytes.
    pub private: u64,
    /// Memory of files that lie in it, with or without a name, in bytes.
    pub shared: u64,
}

impl MemoryInUse {
    /// What the machine has in use now; none if `/proc` does not say.
    pub fn now() -> Option<Self> {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        Some(Self {
            private: sum_of(&text, &["AnonPages:"]),
            shared: sum_of(&text, &["Shmem:"]),
        })
    }

    /// Both kinds together, in bytes.
    pub fn total(self) -> u64 {
        self.private.saturating_add(self.shared)
    }
}

/// Whether files without a name are looked for, which takes longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nameless {
    /// They may hold memory: the machine has more in such files than before.
    Count {
        /// How much more, in bytes.
        grown: u64,
    },
    /// The machine has not enough of them to matter.
    Skip,
}

/// The bytes of memory that these processes and their descendants hold. Where that seems to be
/// more than `limit`, it is counted again so that what several share is counted once.
pub fn memory_of(roots: &[i32], limit: u64, nameless: Nameless) -> u64 {
    let processes = descendants(roots);
    let files = match nameless {
        Nameless::Count { grown } => nameless_files(&processes, roots, grown),
        Nameless::Skip => 0,
    };
    let roughly = |process: &Process| {
        let text = memory_table(process.pid);
        sum_of(&text, &["RssAnon:", "RssShmem:", "VmSwap:"])
    };
    let rough = processes
        .iter()
        .map(roughly)
        .fold(files, u64::saturating_add);
    if rough <= limit {
        return rough;
    }
    let (mut private, mut shared) = (0_u64, 0_u64);
    for process in &processes {
        match fs::read_to_string(format!("/proc/{}/smaps_rollup", process.pid)) {
            Ok(text) => {
                private = private.saturating_add(sum_of(&text, &["Pss_Anon:", "SwapPss:"]));
                shared = shared.saturating_add(sum_of(&text, &["Pss_Shmem:"]));
            }
            // It has ended since, or this kernel has no such table.
            Err(_) => private = private.saturating_add(roughly(process)),
        }
    }
    // What is both open and mapped is in each of the two.
    private.saturating_add(shared.max(files))
}

/// The bytes of files without a name that these processes have open or mapped, each file once.
/// What cannot be seen may be all that `grown`: files on their way through a socket, and those of a
/// process that hides itself. The roots may hide: a room's first process is ours, and has none.
fn nameless_files(processes: &[Process], roots: &[i32], grown: u64) -> u64 {
    let mut known = BTreeMap::new();
    let mut mapped = BTreeMap::new();
    for process in processes {
        let all = FilesOf(process.pid).look(&mut known, &mut mapped);
        if all.is_none() && !roots.contains(&process.pid) {
            return grown;
        }
    }
    // A mapping need not be in memory as a whole, so it counts for no more than there is.
    let mapped = mapped
        .into_iter()
        .filter(|(inode, _)| !known.contains_key(inode));
    let mapped = mapped.map(|(_, bytes)| bytes).fold(0, u64::saturating_add);
    let open = known.values().copied().fold(0, u64::saturating_add);
    open.saturating_add(mapped).min(grown.max(open))
}

/// The table of a process's memory. If its first thread has ended, another one has it.
fn memory_table(pid: i32) -> String {
    let has_memory = |text: &String| text.contains("\nRssAnon:");
    let first = fs::read_to_string(format!("/proc/{pid}/status")).ok();
    let others = || {
        let threads = fs::read_dir(format!("/proc/{pid}/task"));
        let mut threads = threads.into_iter().flatten().flatten();
        threads.find_map(|thread| {
            let text = fs::read_to_string(thread.path().join("status")).ok();
            text.filter(has_memory)
        })
    };
    first.filter(has_memory).or_else(others).unwrap_or_default()
}

/// A process whose files without a name are looked at.
struct FilesOf(i32);

impl FilesOf {
    /// Adds those that each of its threads has open, by their number, and those that it has
    /// mapped; none if it does not let itself be seen.
    fn look(&self, known: &mut BTreeMap<u64, u64>, mapped: &mut BTreeMap<u64, u64>) -> Option<()> {
        let mut own = BTreeMap::new();
        // Threads can have files of their own, and go on when the first of them has ended.
        let threads = fs::read_dir(format!("/proc/{}/task", self.0));
        for thread in threads.into_iter().flatten().flatten() {
            let thread = thread.path();
            let open = fs::read_dir(thread.join("fd"));
            let maps = fs::read_to_string(thread.join("maps"));
            if hides(&open) || hides(&maps) {
                return None;
            }
            for entry in open.into_iter().flatten().flatten() {
                add_open(&entry.path(), &thread, known)?;
            }
            // All of its threads have the same memory, but for the first once it has ended.
            if own.is_empty() {
                let text = maps.unwrap_or_default();
                for (inode, bytes) in text.lines().filter_map(nameless_mapping) {
                    let sum = own.entry(inode).or_insert(0_u64);
                    *sum = sum.saturating_add(bytes);
                }
            }
        }
        for (inode, bytes) in own {
            let most = mapped.entry(inode).or_insert(0);
            *most = bytes.max(*most);
        }
        Some(())
    }
}

/// Whether a thread hides from us. One that has ended does not.
fn hides<T>(read: &io::Result<T>) -> bool {
    let error = read.as_ref().err();
    error.is_some_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// Adds what a descriptor leads to, if that is a file without a name; none if files are on their
/// way through it.
fn add_open(path: &Path, thread: &Path, known: &mut BTreeMap<u64, u64>) -> Option<()> {
    let Ok(target) = fs::read_link(path) else {
        return Some(());
    };
    let target = target.as_os_str().as_encoded_bytes();
    // The kernel calls them so, and no run can make a file of that name at the top.
    if target.starts_with(b"/memfd:")
        && let Ok(about) = fs::metadata(path)
    {
        known.insert(about.ino(), about.blocks().saturating_mul(512));
    } else if target.starts_with(b"socket:") {
        let about = fs::read_to_string(thread.join("fdinfo").join(path.file_name()?));
        let on_their_way = about.is_ok_and(|text| entry_of(&text, "scm_fds:") > 0);
        return (!on_their_way).then_some(());
    }
    Some(())
}

/// The number and the length of a mapping of a file without a name, from its line.
fn nameless_mapping(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let inode = words.nth(3)?.parse().ok()?;
    let name = words.next()?;
    let nameless = name.starts_with("/memfd:") || name == "/dev/zero" || name.starts_with("/SYSV");
    let [from, to] = [from, to].map(|address| u64::from_str_radix(address, 16).ok());
    nameless.then_some((inode, to?.checked_sub(from?)?))
}

/// The space on a disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// The whole disk, in bytes.
    pub total: u64,
    /// The part that is free for ordinary users, in bytes.
    pub free: u64,
    /// It is no disk, but memory.
    pub in_memory: bool,
}

impl DiskSpace {
    /// The space on the disk that holds this path.
    pub fn at(path: &Path) -> Option<Self> {
        const TMPFS: u64 = 0x0102_1994;
        let about = rustix::fs::statfs(path).ok()?;
        let size = u64::try_from(about.f_bsize).ok()?;
        Some(Self {
            total: about.f_blocks.checked_mul(size)?,
            free: about.f_bavail.checked_mul(size)?,
            in_memory: u64::try_from(about.f_type).ok()? == TMPFS,
        })
    }

    /// Whether less than a twentieth would be left without these bytes.
    pub fn is_nearly_full_without(&self, bytes: u64) -> bool {
        self.free.saturating_sub(bytes) < self.total / 20
    }
}

/// The bytes that these processes and their descendants wrote. Those of a process that has ended
/// count once its parent has waited for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes written to disks.
    pub to_disk: u64,
    /// Bytes written to anything: pipes and files in memory too.
    pub to_all: u64,
}

impl Written {
    /// What these processes and their descendants wrote so far.
    pub fn by(roots: &[i32]) -> Self {
        let mut sum = Self::default();
        for pid in with_ended(roots) {
            let text = match fs::read_to_string(format!("/proc/{pid}/io")) {
                Ok(text) => text,
                // It hides what it wrote: that may be anything. Our own first process does, too.
                Err(error)
                    if error.kind() == io::ErrorKind::PermissionDenied && !roots.contains(&pid) =>
                {
                    sum.to_disk = u64::MAX;
                    continue;
                }
                Err(_) => continue,
            };
            sum.to_disk = sum.to_disk.saturating_add(entry_of(&text, "write_bytes:"));
            sum.to_all = sum.to_all.saturating_add(entry_of(&text, "wchar:"));
        }
        sum
    }
}

/// The number behind this word at the beginning of a line.
fn entry_of(text: &str, name: &str) -> u64 {
    let value = text.lines().find_map(|line| line.strip_prefix(name));
    value
        .and_then(|value| value.trim().parse().ok())
        .unwrap_or(0)
}

/// The sum of these entries of a table of the kernel's that counts in kibibytes, in bytes.
fn sum_of(text: &str, names: &[&str]) -> u64 {
    let entries = text.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        words.next().filter(|name| names.contains(name))?;
        words.next()?.parse::<u64>().ok()?.checked_mul(1024)
    });
    entries.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    const MEBIBYTE: u64 = 1 << 20;

    #[test]
    fn entries_of_a_table_are_added() {
        let text = "Name:\tRssAnon: 7\nRssAnon:\t  12 kB\nRssFile: 4 kB\nRssShmem: 3 kB\nodd\n";
        assert_eq!(sum_of(text, &["RssAnon:", "RssShmem:"]), 15 << 10);
        assert_eq!(sum_of(text, &["VmSwap:"]), 0);
    }

    #[test]
    fn a_mapping_of_a_file_without_a_name_is_known_by_its_line() {
        let line = "7f0000000000-7f0000100000 rw-s 00000000 00:01 1027   /memfd:x (deleted)";
        assert_eq!(nameless_mapping(line), Some((1027, 1 << 20)));
        let shared = "7f00-8f00 rw-s 00000000 00:01 9 /dev/zero (deleted)";
        assert_eq!(nameless_mapping(shared), Some((9, 0x1000)));
        for other in [
            "7f00-8f00 rw-p 00000000 00:00 0",
            "7f00-8f00 r--p 0 08:01 5 /usr/lib/x",
            "",
        ] {
            assert_eq!(nameless_mapping(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_written_is_counted_and_space_is_seen() {
        let directory = tempfile::tempdir().unwrap();
        let this = [std::process::id().cast_signed()];
        let before = Written::by(&this);
        let mut file = File::create(directory.path().join("x")).unwrap();
        file.write_all(&vec![1; 8 << 20]).unwrap();
        let after = Written::by(&this);
        assert!(after.to_all >= before.to_all + 8 * MEBIBYTE, "{after:?}");
        let space = DiskSpace::at(directory.path()).unwrap();
        if !space.in_memory {
            assert!(after.to_disk >= before.to_disk + 4 * MEBIBYTE, "{after:?}");
        }
        assert!(space.total > space.free && space.free > 0, "{space:?}");
        assert!(space.is_nearly_full_without(space.free));
        assert_eq!(DiskSpace::at(Path::new("/no/such/place")), None);
    }

    #[test]
    fn what_is_on_its_way_through_a_socket_counts() {
        use rustix::net::{
            AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags,
            SocketType, sendmsg, socketpair,
        };
        use std::os::fd::AsFd;
        let (ours, _theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC,
            None,
        )
        .unwrap();
        let this = descendants(&[std::process::id().cast_signed()]);
        assert!(nameless_files(&this, &[], 1 << 40) < 1 << 40);
        let memory = rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let sent = [memory.as_fd()];
        ancillary.push(SendAncillaryMessage::ScmRights(&sent));
        let data = [std::io::IoSlice::new(b"x")];
        sendmsg(&ours, &data, &mut ancillary, SendFlags::empty()).unwrap();
        assert_eq!(nameless_files(&this, &[], 1 << 40), 1 << 40);
    }

    #[test]
    fn a_file_without_a_name_is_counted_once_and_a_block_too() {
        let this = [std::process::id().cast_signed()];
        let before = memory_of(&this, u64::MAX, Nameless::Count { grown: 0 });
        let memory = rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        let mut file = File::from(memory);
        file.write_all(&vec![1; 24 << 20]).unwrap();
        let _again = file.try_clone().unwrap();
        let after = memory_of(&this, u64::MAX, Nameless::Count { grown: 0 });
        let grown = after.saturating_sub(before);
        assert!((20 * MEBIBYTE..40 * MEBIBYTE).contains(&grown), "{grown}");
        // Closely counted it is there too, and without a look at files it is not.
        assert!(memory_of(&this, 0, Nameless::Count { grown: 0 }) >= 24 * MEBIBYTE);
        let skipped = memory_of(&this, u64::MAX, Nameless::Skip);
        assert!(after.saturating_sub(skipped) >= 20 * MEBIBYTE);
        assert!(MemoryInUse::now().unwrap().shared >= 24 * MEBIBYTE);
    }
}
