//! How much a tree takes on the disk, and when it was last used. No link is followed on the way,
//! whatever a run does to the tree meanwhile.

use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};

/// What lies deeper does not count: each level takes two open files.
const DEEPEST: usize = 128;
/// The kernel counts what a file takes in these.
const BLOCK: u64 = 512;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// How much it takes on the disk.
    pub(super) bytes: u64,
    /// When a file was last read or written, as far as its file system tells.
    pub(super) last_used: Option<SystemTime>,
}

/// Measures a file, or a directory with all that is in it.
pub(super) fn measure(place: &Path) -> Held {
    let mut walk = Walk::default();
    if let Ok(name) = CString::new(place.as_os_str().as_bytes()) {
        walk.add(CWD, &name, DEEPEST);
    }
    walk.held
}

#[derive(Default)]
struct Walk {
    held: Held,
    /// Files with several names count once.
    known: HashSet<(u64, u64)>,
}

impl Walk {
    fn add(&mut self, parent: BorrowedFd<'_>, name: &CStr, deeper: usize) {
        let Ok(about) = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return;
        };
        let is_directory = FileType::from_raw_mode(about.st_mode) == FileType::Directory;
        if !is_directory && about.st_nlink > 1 && !self.known.insert((about.st_dev, about.st_ino)) {
            return;
        }
        let blocks = u64::try_from(about.st_blocks).unwrap_or_default();
        self.held.bytes = self.held.bytes.saturating_add(blocks.saturating_mul(BLOCK));
        if is_directory {
            // That one was looked into says nothing: we do so ourselves.
            return self.add_entries(parent, name, deeper);
        }
        let seconds = u64::try_from(about.st_mtime.max(about.st_atime)).unwrap_or_default();
        let used = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        self.held.last_used = self.held.last_used.max(used);
    }

    fn add_entries(&mut self, parent: BorrowedFd<'_>, name: &CStr, deeper: usize) {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(parent, name, flags, Mode::empty());
        let (Ok(directory), true) = (opened, deeper > 0) else {
            return;
        };
        let entries = Dir::read_from(&directory).into_iter().flatten();
        for entry in entries.flatten() {
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                self.add(directory.as_fd(), entry.file_name(), deeper - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_lead_nowhere_and_second_names_count_once() {
        let world = tempfile::tempdir().unwrap();
        let at = |path: &str| world.path().join(path);
        fs::create_dir_all(at("tree/sub")).unwrap();
        fs::create_dir(at("elsewhere")).unwrap();
        fs::write(at("elsewhere/large"), vec![1; 1 << 20]).unwrap();
        fs::write(at("tree/sub/file"), vec![1; 100_000]).unwrap();
        let before = measure(&at("tree"));
        fs::hard_link(at("tree/sub/file"), at("tree/again")).unwrap();
        symlink("../elsewhere", at("tree/link")).unwrap();
        symlink("tree", at("way")).unwrap();
        let after = measure(&at("tree"));
        assert!(before.bytes >= 100_000 && after.bytes < before.bytes + 50_000);
        assert!(after.last_used.is_some());
        assert!(measure(&at("way")).bytes < 100_000);
        assert_eq!(measure(&at("not-there")), Held::default());
    }
}
