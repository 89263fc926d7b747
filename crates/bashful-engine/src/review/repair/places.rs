//! Directories that others can enter, and sockets of keepers that are gone.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use bashful_keeper::ALONE;
use rustix::fs::{FlockOperation, Mode, OFlags, fchmod, flock, fstat};

use crate::launch::sockets::is_dead;
use crate::launch::sockets::sockets;
use crate::model::places::Places;

/// Closes the directories of ours that others can enter; says which. What is not ours, or no
/// directory, is left alone, and `doctor` goes on naming it. So is what others could write: what
/// is in it may be theirs, and to close it would be to believe it.
pub(super) fn close(places: &Places) -> Vec<PathBuf> {
    let all = [&places.state, &places.runtime, &places.cache];
    let closed = all.into_iter().filter(|path| close_one(path));
    closed.cloned().collect()
}

fn close_one(path: &Path) -> bool {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(directory) = rustix::fs::open(path, flags, Mode::empty()) else {
        return false;
    };
    let ours = rustix::process::geteuid().as_raw();
    let is_only_seen = fstat(&directory)
        .is_ok_and(|it| it.st_uid == ours && it.st_mode & 0o077 != 0 && it.st_mode & 0o022 == 0);
    is_only_seen && fchmod(&directory, Mode::RWXU).is_ok()
}

/// Removes sockets at which no keeper answers; says which.
pub(super) fn remove_dead(places: &Places) -> Vec<PathBuf> {
    let all = sockets(&places.runtime);
    all.into_iter().filter(|path| remove_one(path)).collect()
}

fn remove_one(path: &Path) -> bool {
    if !is_dead(path) {
        return false;
    }
    let name = path.file_name().unwrap_or_default();
    if name.as_encoded_bytes().starts_with(ALONE.as_bytes()) {
        return fs::remove_file(path).is_ok();
    }
    // A keeper may be about to begin here: who has the lock may change what is there.
    let lock = path.with_extension("lock");
    let Some(_held) = hold(&lock) else {
        return false;
    };
    let removed = is_dead(path) && fs::remove_file(path).is_ok();
    let _ = fs::remove_file(&lock);
    removed
}

/// The lock at this path, if no other process has it.
fn hold(path: &Path) -> Option<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags.cast_signed())
        .open(path)
        .ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn directories_are_closed_to_others() {
        let root = tempfile::tempdir().unwrap();
        let places = Places::under(root.path());
        fs::create_dir(&places.state).unwrap();
        fs::set_permissions(&places.state, fs::Permissions::from_mode(0o755)).unwrap();
        // In this one, others may have written.
        fs::create_dir(&places.runtime).unwrap();
        fs::set_permissions(&places.runtime, fs::Permissions::from_mode(0o720)).unwrap();
        // One behind a link may be another user's.
        let elsewhere = root.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o755)).unwrap();
        symlink(&elsewhere, &places.cache).unwrap();
        assert_eq!(close(&places), std::slice::from_ref(&places.state));
        assert_eq!((mode(&places.state), mode(&elsewhere)), (0o700, 0o755));
        assert_eq!(mode(&places.runtime), 0o720);
        assert_eq!(close(&places), Vec::<PathBuf>::new());
    }

    #[test]
    fn only_the_sockets_of_the_dead_go() {
        let root = tempfile::tempdir().unwrap();
        let places = Places::under(root.path());
        fs::create_dir(&places.runtime).unwrap();
        let socket = |name: &str| places.runtime.join(name);
        let _living = UnixListener::bind(socket("living.sock")).unwrap();
        drop(UnixListener::bind(socket("dead.sock")).unwrap());
        drop(UnixListener::bind(socket("alone-1.sock")).unwrap());
        // A keeper is about to begin here.
        drop(UnixListener::bind(socket("next.sock")).unwrap());
        let held = hold(&socket("next.lock")).unwrap();
        let mut removed = remove_dead(&places);
        removed.sort();
        assert_eq!(removed, [socket("alone-1.sock"), socket("dead.sock")]);
        assert!(socket("living.sock").exists() && socket("next.sock").exists());
        assert!(!socket("dead.lock").exists());
        drop(held);
        assert_eq!(remove_dead(&places), [socket("next.sock")]);
    }
}
