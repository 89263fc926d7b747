//! A directory of the host that is a session's own: its `/tmp`, and files to cover others with.

use std::ffi::CString;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags, ResolveFlags, flock, mkdirat, openat2};

use super::error::{WrapperError, own};
use super::is_own;
use crate::plan::{Entry, Plan, ROOM_DIRECTORY};
use crate::survey::Identity;

/// That directory. It goes with everything in it when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    root: PathBuf,
    /// Held as long as we live: it shows other keepers that the directory is in use.
    _lock: OwnedFd,
}

/// A younger one may be without its lock yet, for instance while its keeper gets no processor.
const SETTLED: Duration = Duration::from_secs(600);

/// Removes what keepers that were killed left in this directory.
pub fn remove_abandoned(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|about| about.modified());
        let age = age.ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age >= SETTLED) && lock(&entry.path()).is_ok() {
            // Links are not followed.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Locks a directory of ours, unless another keeper holds it.
fn lock(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty())?;
    flock(&opened, FlockOperation::NonBlockingLockExclusive)?;
    Ok(opened)
}

impl Place {
    /// Makes it new at this path, which no other user can reach.
    pub(super) fn make(root: &Path, identity: Identity) -> Result<Self, WrapperError> {
        let directory = |path: &Path, mode| {
            DirBuilder::new()
                .mode(mode)
                .create(path)
                .map_err(own("make", path))
        };
        if let Some(above) = root.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(above)
                .map_err(own("make", above))?;
        }
        directory(root, 0o700)?;
        let place = Self {
            _lock: lock(root).map_err(own("lock", root))?,
            root: root.to_owned(),
        };
        for name in ["texts", "tmp", "shm", "room", "room/home", "room/git"] {
            directory(&root.join(name), 0o700)?;
        }
        // The usual mask would take bits away.
        for name in ["tmp", "shm"] {
            let path = root.join(name);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o1777))
                .map_err(own("make", &path))?;
        }
        let nothing = place.nothing();
        write(&nothing, "", 0o000).map_err(own("make", &nothing))?;
        if let Identity::Owner { user, group } = identity {
            for name in ["tmp", "shm", "room", "room/home", "room/git"] {
                let path = root.join(name);
                lchown(&path, Some(user), Some(group)).map_err(own("give away", &path))?;
            }
        }
        Ok(place)
    }

    /// Makes what this plan needs besides: its texts, and directories in `/tmp`.
    pub(super) fn fill(&self, plan: &Plan) -> Result<(), WrapperError> {
        let texts = plan.view.iter().filter_map(|entry| match entry {
            Entry::Text { text, .. } => Some(text),
            _ => None,
        });
        for (index, text) in texts.enumerate() {
            let path = self.text(index);
            replace(&path, text, 0o444).map_err(own("write", &path))?;
        }
        for (index, entry) in plan.view.iter().enumerate() {
            let before = plan.view.get(..index).unwrap_or_default();
            if let Entry::Pin { path } = entry
                && is_own(path, before)
            {
                self.make_in_own(path).map_err(own("make", path))?;
            }
        }
        Ok(())
    }

    /// Makes a directory in what runs can write to: not through a link of theirs.
    fn make_in_own(&self, path: &Path) -> io::Result<()> {
        let host = self.on_host(path);
        let (Some(above), Some(name)) = (host.parent(), host.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let above = openat2(
            rustix::fs::CWD,
            above,
            flags,
            Mode::empty(),
            ResolveFlags::NO_SYMLINKS,
        )?;
        match mkdirat(&above, name, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Where a path that a run sees here is on the host.
    pub(super) fn on_host(&self, path: &Path) -> PathBuf {
        for (inside, name) in [
            ("/tmp", "tmp"),
            ("/dev/shm", "shm"),
            (ROOM_DIRECTORY, "room"),
        ] {
            if let Ok(below) = path.strip_prefix(inside) {
                // Without a slash at its end.
                return self
                    .root
                    .join(name)
                    .components()
                    .chain(below.components())
                    .collect();
            }
        }
        path.to_owned()
    }

    /// Where a run's `/tmp` is on the host.
    pub(super) fn tmp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// The variable that names it to a run that cannot have a `/tmp` of its own.
    pub(super) fn variable(&self) -> Option<CString> {
        let value = self.tmp().into_os_string().into_encoded_bytes();
        CString::new([b"TMPDIR=".to_vec(), value].concat()).ok()
    }

    /// The file that a wrapper program reads its orders from, if it takes them so.
    pub(super) fn profile(&self) -> PathBuf {
        self.root.join("profile")
    }

    /// Writes that file.
    pub(super) fn write_profile(&self, text: &str) -> Result<(), WrapperError> {
        let path = self.profile();
        replace(&path, text, 0o400).map_err(own("write", path))
    }

    /// An empty file that no run can open.
    pub(super) fn nothing(&self) -> PathBuf {
        self.root.join("nothing")
    }

    /// The file of this text.
    pub(super) fn text(&self, index: usize) -> PathBuf {
        self.root.join("texts").join(index.to_string())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Links are not followed, and what cannot be removed is private.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Writes it anew: a process that reads the old one goes on with that.
fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => write(path, text, mode),
    }
}

fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_uses_any_more_is_removed() {
        let above = tempfile::tempdir().unwrap();
        let directory = |name: &str| above.path().join(name);
        let user = rustix::process::geteuid().as_raw();
        let identity = Identity::Own { user, group: user };
        let used = Place::make(&directory("1-1"), identity).unwrap();
        fs::create_dir_all(directory("2-1/tmp/deep")).unwrap();
        fs::create_dir(directory("3-1")).unwrap();
        let old = std::time::SystemTime::now() - 2 * SETTLED;
        for name in ["1-1", "2-1"] {
            let opened = fs::File::open(directory(name)).unwrap();
            opened.set_modified(old).unwrap();
        }
        remove_abandoned(above.path());
        let left = ["1-1", "2-1", "3-1"].map(|name| directory(name).exists());
        // The last is not old enough to tell.
        assert_eq!(left, [true, false, true]);
        drop(used);
        assert!(!directory("1-1").exists());
    }
}
