//! Looking a path up in a file tree, without ever waiting for a server or a program.
//!
//! A path may lead into a file system that a server or a program answers for, and it may never
//! answer. The keeper looks after many runs and must not wait. So what lies there is looked up
//! only as far as the kernel remembers it; else nothing is known.

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, ResolveFlags, StatxFlags, open, openat2, readlinkat, statx,
};
use rustix::io::Errno;

use super::mounts::{Mount, Mounts};

/// A file tree.
#[derive(Debug)]
pub(super) struct Tree {
    root: OwnedFd,
    mounts: RefCell<Mounts>,
    /// What could not be looked up.
    unknown: Cell<u64>,
}

/// What is at a path.
#[derive(Debug)]
pub(super) enum Found {
    There(Spot),
    Missing,
    /// It may not be looked at.
    Closed,
    /// It cannot be found out.
    Unknown,
}

/// What is at a path of a tree.
#[derive(Debug)]
pub(super) struct Spot {
    /// Its one name.
    pub(super) path: PathBuf,
    pub(super) kind: FileType,
    /// The kind of file and its permissions, as `stat` has them.
    pub(super) mode: u32,
    pub(super) mount: Mount,
}

/// What becomes of a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Last {
    Followed,
    Itself,
}

impl Tree {
    /// The tree of a process; `self` is ours.
    pub(super) fn of(process: &str) -> Option<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Some(Self {
            root: open(format!("/proc/{process}/root"), flags, Mode::empty()).ok()?,
            mounts: RefCell::new(Mounts::of(process)?),
            unknown: Cell::new(0),
        })
    }

    /// How often it could not be found out what is at a path.
    pub(super) fn unknown(&self) -> u64 {
        self.unknown.get()
    }

    /// What is at this path.
    pub(super) fn find(&self, path: &Path, last: Last) -> Found {
        let mut flags = OFlags::PATH | OFlags::CLOEXEC;
        if last == Last::Itself {
            flags |= OFlags::NOFOLLOW;
        }
        let opened = self.open(path, flags);
        let found = match opened {
            Ok(fd) => self.spot(&fd).map_or(Found::Unknown, Found::There),
            Err(Errno::NOENT) => Found::Missing,
            Err(Errno::ACCESS) => Found::Closed,
            // The program gets the same error: no wall of ours.
            Err(Errno::NOTDIR | Errno::NAMETOOLONG | Errno::LOOP) => return Found::Unknown,
            Err(_) => Found::Unknown,
        };
        if matches!(found, Found::Unknown) {
            self.unknown.set(self.unknown.get().saturating_add(1));
        }
        found
    }

    /// Where the link at this path leads, as it says itself; none if it is no link.
    pub(super) fn target(&self, path: &Path) -> Option<PathBuf> {
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let link = self.open(path, flags).ok()?;
        let spot = self.spot(&link)?;
        // For others, a server would have to be asked.
        if spot.kind != FileType::Symlink || !spot.mount.local {
            return None;
        }
        let target = readlinkat(&link, "", Vec::new()).ok()?;
        Some(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// What is at this path, to be connected to.
    pub(super) fn open_end(&self, path: &Path) -> Result<OwnedFd, Errno> {
        match self.open(path, OFlags::PATH | OFlags::CLOEXEC) {
            // A server would have to be asked, which may never answer.
            Err(Errno::AGAIN) => Err(Errno::CONNREFUSED),
            opened => opened,
        }
    }

    fn open(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        // Links into the middle of a process are not followed: they would lead into ours.
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let look = |more| openat2(&self.root, path, flags, Mode::empty(), resolve | more);
        match look(ResolveFlags::CACHED) {
            Err(Errno::AGAIN | Errno::INVAL) => {}
            outcome => return outcome,
        }
        let mut mounts = self.mounts.borrow_mut();
        mounts.refresh();
        if mounts.are_all_local() {
            return look(ResolveFlags::empty());
        }
        // Without links and dots a path lies where its text says.
        let is_plain = !path.components().any(|it| it == Component::ParentDir);
        if is_plain && !mounts.are_served(path) {
            return look(ResolveFlags::NO_SYMLINKS).map_err(|errno| match errno {
                Errno::LOOP => Errno::AGAIN,
                other => other,
            });
        }
        Err(Errno::AGAIN)
    }

    fn spot(&self, fd: &OwnedFd) -> Option<Spot> {
        // No server is asked: what the kernel remembers is enough.
        let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
        let wanted = StatxFlags::TYPE | StatxFlags::MODE | StatxFlags::MNT_ID;
        let about = statx(fd, "", flags, wanted).ok()?;
        let mut mounts = self.mounts.borrow_mut();
        let mount = mounts.get(about.stx_mnt_id).or_else(|| {
            mounts.refresh();
            mounts.get(about.stx_mnt_id)
        })?;
        let mode = u32::from(about.stx_mode);
        Some(Spot {
            path: fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).ok()?,
            kind: FileType::from_raw_mode(mode),
            mode,
            mount,
        })
    }
}

/// A look at the host's own files that never waits for a server or a program.
#[derive(Debug, Default)]
pub struct Glance {
    tree: OnceCell<Option<Tree>>,
}

impl Glance {
    /// The one name of what is at this path; none if nothing is, or if a server or a program
    /// that may never answer would have to be asked.
    pub fn real(&self, path: &Path) -> Option<PathBuf> {
        let tree = self.tree.get_or_init(|| Tree::of("self")).as_ref()?;
        match tree.find(path, Last::Followed) {
            Found::There(spot) => Some(spot.path),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_by_its_one_name() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        std::os::unix::fs::symlink("a/file", root.join("link")).unwrap();
        let tree = Tree::of("self").unwrap();
        let path = |path: &str, last| match tree.find(&root.join(path), last) {
            Found::There(spot) => Some((spot.path.strip_prefix(&root).unwrap().to_owned(), spot)),
            _ => None,
        };
        let (found, spot) = path("link", Last::Followed).unwrap();
        assert_eq!(
            (found.as_path(), spot.kind),
            (Path::new("a/file"), FileType::RegularFile)
        );
        let (found, spot) = path("link", Last::Itself).unwrap();
        assert_eq!(
            (found.as_path(), spot.kind),
            (Path::new("link"), FileType::Symlink)
        );
        let (found, _) = path("a/../a/./file", Last::Followed).unwrap();
        assert_eq!(found, Path::new("a/file"));
        for missing in ["none", "none/at/all"] {
            let found = tree.find(&root.join(missing), Last::Followed);
            assert!(matches!(found, Found::Missing), "{missing}: {found:?}");
        }
        let below = tree.find(&root.join("a/file/below"), Last::Followed);
        assert!(matches!(below, Found::Unknown), "{below:?}");
        assert_eq!(tree.unknown(), 0);
    }

    #[test]
    fn odd_paths_are_unknown_or_missing() {
        let tree = Tree::of("self").unwrap();
        let long = format!("/{}", "x/".repeat(3000));
        let name = format!("/{}", "x".repeat(300));
        for path in ["", &long, &name, "/proc/self/exe", "\u{1}\n"] {
            let found = tree.find(Path::new(path), Last::Followed);
            assert!(!matches!(found, Found::There(_)), "{path:.20}: {found:?}");
        }
    }
}
