//! The table of mounts of a file tree: which may only be read, and which a server answers for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// No more of a table is read than this. Of what lies beyond, nothing is reported.
const MOST_BYTES: u64 = 4 << 20;

/// File systems that the kernel answers for by itself. All others ask a server or a program,
/// which may never answer.
const LOCAL: &[&str] = &[
    "bcachefs",
    "binfmt_misc",
    "bpf",
    "btrfs",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "erofs",
    "exfat",
    "ext2",
    "ext3",
    "ext4",
    "f2fs",
    "fusectl",
    "hugetlbfs",
    "iso9660",
    "jfs",
    "mqueue",
    "nilfs2",
    "nsfs",
    "ntfs3",
    "overlay",
    "proc",
    "pstore",
    "ramfs",
    "rootfs",
    "securityfs",
    "squashfs",
    "sysfs",
    "tmpfs",
    "tracefs",
    "udf",
    "vfat",
    "xfs",
    "zfs",
];

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) read_only: bool,
    /// The kernel answers for it by itself.
    pub(super) local: bool,
}

/// The table, as it was at the last look.
#[derive(Debug)]
pub(super) struct Mounts {
    file: File,
    known: BTreeMap<u64, Mount>,
    /// Where the mounts are that a server or a program answers for.
    served: Vec<PathBuf>,
}

impl Mounts {
    /// The table that a process sees; `self` is ours.
    pub(super) fn of(process: &str) -> Option<Self> {
        let file = File::open(format!("/proc/{process}/mountinfo")).ok()?;
        let mut mounts = Self {
            file,
            known: BTreeMap::new(),
            served: Vec::new(),
        };
        mounts.read()?;
        Some(mounts)
    }

    /// Reads it again if it has changed.
    pub(super) fn refresh(&mut self) {
        let changed = PollFlags::PRI;
        let mut wait = [PollFd::new(&self.file, changed)];
        let has_changed = poll(&mut wait, Some(&Timespec::default())).is_ok()
            && wait[0].revents().contains(changed);
        if has_changed && self.read().is_none() {
            // Nothing is known any more, so nothing is looked at.
            self.known.clear();
            self.served = vec![PathBuf::from("/")];
        }
    }

    /// The mount with this number.
    pub(super) fn get(&self, number: u64) -> Option<Mount> {
        self.known.get(&number).copied()
    }

    /// Whether a server or a program answers for any of the tree.
    pub(super) fn are_all_local(&self) -> bool {
        self.served.is_empty()
    }

    /// Whether a path without links lies in what a server or a program answers for.
    pub(super) fn are_served(&self, path: &Path) -> bool {
        self.served.iter().any(|served| path.starts_with(served))
    }

    fn read(&mut self) -> Option<()> {
        let mut text = Vec::new();
        self.file.seek(SeekFrom::Start(0)).ok()?;
        let mut some = (&self.file).take(MOST_BYTES);
        some.read_to_end(&mut text).ok()?;
        (self.known, self.served) = parse(&text);
        Some(())
    }
}

fn parse(text: &[u8]) -> (BTreeMap<u64, Mount>, Vec<PathBuf>) {
    let mut known = BTreeMap::new();
    let mut served = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some((number, point, mount)) = parse_line(line) else {
            continue;
        };
        if !mount.local {
            served.push(point);
        }
        known.insert(number, mount);
    }
    (known, served)
}

/// The number, the place, and what it is.
fn parse_line(line: &[u8]) -> Option<(u64, PathBuf, Mount)> {
    let mut words = line.split(|byte| *byte == b' ');
    let number = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    let point = unescaped(words.nth(3)?);
    let options = words.next()?;
    // Optional fields come next, and a dash ends them.
    words.find(|word| *word == b"-")?;
    let kind = std::str::from_utf8(words.next()?).ok()?;
    let of_all = words.nth(1)?;
    let is_read_only = |options: &[u8]| options.split(|byte| *byte == b',').any(|it| it == b"ro");
    let mount = Mount {
        read_only: is_read_only(options) || is_read_only(of_all),
        local: LOCAL.contains(&kind),
    };
    Some((number, point, mount))
}

/// Blanks and the like are written as a backslash and three octal digits.
fn unescaped(word: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = byte.and_then(|_| after.get(3..)).unwrap_or(after);
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_tells_what_may_be_written_and_what_is_served() {
        let text = b"21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n\
            22 21 8:1 /usr /usr ro,nosuid master:1 shared:2 - ext4 /dev/sda1 rw\n\
            23 21 0:30 / /media/a\\040b rw - iso9660 /dev/sr0 ro\n\
            24 21 0:31 / /net\\134home rw - nfs4 server:/home rw,vers=4.2\n\
            25 21 0:32 / /run/user/gvfs rw - fuse.gvfsd-fuse gvfsd rw\n\
            26 21 0:33 / /auto rw - autofs systemd-1 rw\n\
            nonsense\n27 - - -\n\n";
        let (known, served) = parse(text);
        let numbers: Vec<u64> = known.keys().copied().collect();
        assert_eq!(numbers, [21, 22, 23, 24, 25, 26]);
        let read_only: Vec<u64> = known
            .iter()
            .filter(|(_, mount)| mount.read_only)
            .map(|(number, _)| *number)
            .collect();
        assert_eq!(read_only, [22, 23]);
        let places = ["/net\\home", "/run/user/gvfs", "/auto"];
        assert_eq!(served, places.map(PathBuf::from));
    }

    #[test]
    fn our_own_table_is_read() {
        let mut mounts = Mounts::of("self").unwrap();
        let before = mounts.known.len();
        assert!(before > 0);
        mounts.refresh();
        assert!(Mounts::of("no-such-process").is_none());
    }
}
