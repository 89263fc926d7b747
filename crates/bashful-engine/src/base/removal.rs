//! Removing what a run left, also what it closed to itself.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Removes a directory with all that is in it.
pub(crate) fn remove(place: &Path) {
    if fs::remove_dir_all(place).is_err() {
        open_up(place);
        let _ = fs::remove_dir_all(place);
    }
}

fn open_up(directory: &Path) {
    let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
