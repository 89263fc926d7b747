//! Removing what a run left, also what it closed to itself. No link is followed on the way, whatever
//! a run does to the tree meanwhile: each directory is opened from the one above it.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, chmod, fchmod, openat, unlinkat};
use rustix::io::Errno;

/// A tree that is deeper is left: each level takes two open files.
const DEEPEST: usize = 128;

/// Removes a file, a link, or a directory with all that is in it; says whether it is gone.
pub(crate) fn remove(place: &Path) -> bool {
    let Ok(name) = CString::new(place.as_os_str().as_bytes()) else {
        return false;
    };
    let removed = remove_at(CWD, &name, DEEPEST);
    removed.is_ok() || removed == Err(Errno::NOENT)
}

fn remove_at(parent: BorrowedFd<'_>, name: &CStr, deeper: usize) -> Result<(), Errno> {
    match unlinkat(parent, name, AtFlags::empty()) {
        // It is a directory.
        Err(Errno::ISDIR | Errno::PERM) if deeper > 0 => {}
        outcome => return outcome,
    }
    let directory = open_directory(parent, name)?;
    // Files are removed with the rights of the directory that they are in.
    let _ = fchmod(&directory, Mode::RWXU);
    let mut outcome = Ok(());
    for entry in Dir::read_from(&directory)? {
        let entry = entry?;
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        // As much goes as can.
        if let Err(error) = remove_at(directory.as_fd(), entry.file_name(), deeper - 1) {
            outcome = Err(error);
        }
    }
    drop(directory);
    outcome.and_then(|()| unlinkat(parent, name, AtFlags::REMOVEDIR))
}

/// Opens a directory that is no link, also one that its owner may not read as it is.
fn open_directory(parent: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(parent, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            let found = openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
            chmod(format!("/proc/self/fd/{}", found.as_raw_fd()), Mode::RWXU)?;
            openat(&found, c".", flags, Mode::empty())
        }
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn what_is_closed_goes_and_what_links_lead_to_stays() {
        let world = tempfile::tempdir().unwrap();
        let at = |path: &str| world.path().join(path);
        fs::create_dir_all(at("tree/closed/inner")).unwrap();
        fs::create_dir(at("elsewhere")).unwrap();
        fs::write(at("elsewhere/kept"), "kept").unwrap();
        fs::write(at("tree/closed/inner/file"), "x").unwrap();
        symlink("../../elsewhere", at("tree/closed/link")).unwrap();
        symlink("elsewhere", at("link")).unwrap();
        fs::set_permissions(at("elsewhere"), Permissions::from_mode(0o500)).unwrap();
        for closed in ["tree/closed/inner", "tree/closed", "tree"] {
            fs::set_permissions(at(closed), Permissions::from_mode(0o000)).unwrap();
        }
        assert!(remove(&at("tree")) && remove(&at("link")));
        assert!(!at("tree").exists() && fs::symlink_metadata(at("link")).is_err());
        assert_eq!(fs::read_to_string(at("elsewhere/kept")).unwrap(), "kept");
        let mode = fs::metadata(at("elsewhere")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o500);
        assert!(remove(&at("not-there")));
    }

    #[test]
    fn what_cannot_be_removed_is_told() {
        let world = tempfile::tempdir().unwrap();
        let mut deep = world.path().join("tree");
        let top = deep.clone();
        for _ in 0..=DEEPEST {
            deep.push("d");
        }
        fs::create_dir_all(&deep).unwrap();
        assert!(!remove(&top) && top.exists());
    }
}
