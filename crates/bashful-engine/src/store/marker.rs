//! The file that says that there may be grants, so that runs without any never open a database.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// Whether there may be a grant; one look at one name. What cannot be told is a yes: the
/// database then says.
pub(crate) fn may_have_grants(state: &Path) -> bool {
    match fs::symlink_metadata(place(state)) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Puts the marker there. A caller that keeps a grant calls this while no other process can write,
/// and before the grant is committed; so there is never a grant without the marker.
pub(crate) fn put(state: &Path) -> io::Result<()> {
    let path = place(state);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
        // Its name has to be on disk before a grant is.
        Ok(_) => File::open(state)?.sync_all(),
        // Any name will do, also one that is no file: all that counts is that it is there.
        Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Takes it away. Only while no other process can write, and no grant is left that could hold.
pub(crate) fn take_away(state: &Path) -> io::Result<()> {
    match fs::remove_file(place(state)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn place(state: &Path) -> PathBuf {
    state.join("grants.some")
}
