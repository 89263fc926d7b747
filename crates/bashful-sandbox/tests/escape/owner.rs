//! Which user owns the workspace, and on which kind of file system: each makes another sandbox.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown, lchown};
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

/// The owner of the workspace. For an ordinary user there is one answer only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The user who runs the suite.
    Ourselves,
    /// Another user, while we are root.
    SomebodyElse,
    /// Ourselves, while we are root, on a file system that maps no owners.
    OnOverlay,
}

/// A number that no account has.
const SOMEBODY: u32 = 54321;

/// An overlay below this directory: what a container has as its root.
pub(crate) fn overlay(root: &Path) -> PathBuf {
    let [lower, upper, work, merged] =
        ["lower", "upper", "work", "merged"].map(|name| root.join(name));
    for directory in [&lower, &upper, &work, &merged] {
        fs::create_dir(directory).unwrap();
    }
    let [lower, upper, work] = [lower, upper, work].map(|path| path.display().to_string());
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work}");
    let options = std::ffi::CString::new(options).unwrap();
    mount(
        "overlay",
        &merged,
        "overlay",
        MountFlags::empty(),
        options.as_c_str(),
    )
    .unwrap();
    merged
}

/// Gives all of it to the user `SOMEBODY`.
pub(crate) fn give_away(path: &Path) {
    let metadata = fs::symlink_metadata(path).unwrap();
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
    if metadata.is_symlink() {
        return lchown(path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    }
    // A hard link to a file of the host stays the host's.
    if metadata.is_dir() || metadata.nlink() == 1 {
        chown(path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    }
}

/// Takes the overlay below this directory away.
pub(crate) fn remove_overlay(root: &Path) {
    let _ = unmount(root.join("merged"), UnmountFlags::DETACH);
}
