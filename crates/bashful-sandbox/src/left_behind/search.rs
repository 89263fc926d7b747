//! The search for repositories below a root, one directory at a time.
//!
//! No link is followed, and every directory is opened from the root by its whole path: whatever
//! a run puts in the way during the search is not entered.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, chmodat, fchmod, fstat, openat2, statat,
};
use rustix::io::Errno;

use super::Effort;
use crate::room::is_held;

/// Where a search stands.
pub(super) struct Search {
    root: Rc<OwnedFd>,
    open: VecDeque<(PathBuf, Place)>,
    /// The one that was read last, and how many were open besides those in it.
    last: (PathBuf, Place, usize),
    /// What a run closed against its owner. It is open as long as the search goes on.
    opened: Vec<Opened>,
    buffer: Vec<MaybeUninit<u8>>,
}

/// Where a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the one in which a repository keeps its objects.
    Objects,
    Anywhere,
}

/// What one directory is.
pub(super) enum Found {
    /// Nothing that git would care about.
    Nothing,
    /// It could not be read.
    Unreadable(PathBuf),
    /// A repository, or the top of a work tree.
    Directory {
        directory: OwnedFd,
        /// Below the root.
        path: PathBuf,
        is: Kind,
    },
}

/// What git would take a directory for.
#[derive(Debug, Default)]
pub(super) struct Kind {
    /// The top of a work tree: there is a `.git` of any kind.
    pub(super) top: bool,
    /// A repository's own directory.
    pub(super) repository: bool,
    /// Parts of a split index, by name.
    pub(super) shared_indexes: Vec<PathBuf>,
    /// Links among objects, through which git would write.
    pub(super) links: Vec<PathBuf>,
}

impl Search {
    pub(super) fn of(root: OwnedFd) -> Self {
        Self {
            root: Rc::new(root),
            open: VecDeque::from([(PathBuf::new(), Place::Anywhere)]),
            last: (PathBuf::new(), Place::Anywhere, 0),
            opened: Vec::new(),
            buffer: vec![MaybeUninit::uninit(); 32 * 1024],
        }
    }

    pub(super) fn root(&self) -> Rc<OwnedFd> {
        Rc::clone(&self.root)
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// The first that was not looked at.
    pub(super) fn rest(&self) -> PathBuf {
        let first = self.open.front().map(|(path, _)| path.clone());
        first.unwrap_or_default()
    }

    /// What was read last is to be read again.
    pub(super) fn again(&mut self) {
        let (path, place, others) = self.last.clone();
        self.open.truncate(others);
        self.open.push_front((path, place));
    }

    /// Looks at one more directory; none if there is none. One that was not read to its end for
    /// lack of effort counts as `Nothing`.
    pub(super) fn next(&mut self, effort: &Effort) -> Option<Found> {
        let (path, place) = self.open.pop_front()?;
        self.last = (path.clone(), place, self.open.len());
        let directory = match self.enter(&path) {
            Ok(directory) => directory,
            // It went away, or became a file that cannot be entered.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Some(Found::Nothing),
            Err(_) => return Some(Found::Unreadable(path)),
        };
        Some(match self.read(&directory, &path, place, effort) {
            _ if effort.is_spent() => Found::Nothing,
            Ok(is) if is.top || is.repository || !is.links.is_empty() => Found::Directory {
                directory,
                path,
                is,
            },
            Ok(_) => Found::Nothing,
            Err(_) => Found::Unreadable(path),
        })
    }

    /// Leaves open what was opened: the process that finishes the search closes it.
    pub(super) fn leave_open(&mut self) {
        self.opened.clear();
    }

    /// Opens a directory, also one that a run closed against its owner.
    fn enter(&mut self, path: &Path) -> rustix::io::Result<OwnedFd> {
        match open_below(&self.root, path) {
            Err(Errno::ACCESS) => {
                self.opened.push(Opened::open(&self.root, path)?);
                open_below(&self.root, path)
            }
            entered => entered,
        }
    }

    fn read(
        &mut self,
        directory: &OwnedFd,
        path: &Path,
        place: Place,
        effort: &Effort,
    ) -> rustix::io::Result<Kind> {
        let stop = |_| Errno::CANCELED;
        // Opening it takes longer than an entry.
        effort.spend(4).map_err(stop)?;
        let mut kind = Kind::default();
        let (mut head, mut objects, mut refs, mut common) = (false, false, false, false);
        let mut below = Vec::new();
        let mut entries = RawDir::new(directory, &mut self.buffer);
        while let Some(entry) = entries.next() {
            effort.spend(1).map_err(stop)?;
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            match name {
                b"." | b".." => continue,
                b".git" => kind.top = true,
                b"HEAD" => head = true,
                b"objects" => objects = true,
                b"refs" => refs = true,
                b"commondir" => common = true,
                _ if name.starts_with(b"sharedindex.") && !is_held(name) => {
                    kind.shared_indexes.push(OsStr::from_bytes(name).into());
                }
                _ => {}
            }
            if place == Place::Objects && entry.file_type() == FileType::Symlink && !is_held(name) {
                kind.links.push(OsStr::from_bytes(name).into());
            }
            let is_directory = match entry.file_type() {
                FileType::Unknown => {
                    let about = statat(directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
                    FileType::from_raw_mode(about.st_mode) == FileType::Directory
                }
                known => known == FileType::Directory,
            };
            if is_directory && !(place == Place::Objects && holds_objects(directory, name)) {
                below.push(OsStr::from_bytes(name).to_owned());
            }
        }
        kind.repository = path.file_name().is_some_and(|name| name == ".git")
            // What worktrees share needs no `HEAD`, and what shares it has neither of the others.
            || (objects && refs)
            || (head && common);
        let place = |name: &OsStr| {
            if kind.repository && name == "objects" {
                Place::Objects
            } else {
                Place::Anywhere
            }
        };
        let below = below.iter().map(|name| (path.join(name), place(name)));
        self.open.extend(below);
        Ok(kind)
    }
}

/// Whether this is one of the 256 directories in which git puts objects, and nothing else is in it
/// that git would care about. There can be many files in them, so they are not listed.
fn holds_objects(directory: &OwnedFd, name: &[u8]) -> bool {
    let is_named_so = name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit);
    let name = Path::new(OsStr::from_bytes(name));
    let lacks = |inside: &str| {
        let found = statat(directory, name.join(inside), AtFlags::SYMLINK_NOFOLLOW);
        found.is_err_and(|errno| errno == Errno::NOENT)
    };
    // A directory without others in it has two names: its own, and the one in it. Some file
    // systems do not count, and then have less.
    let is_last = || {
        let about = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
        about.is_ok_and(|about| about.st_nlink == 2)
    };
    is_named_so && is_last() && ["HEAD", ".git", "objects"].into_iter().all(lacks)
}

/// Opens a directory below the root.
pub(crate) fn open_below(root: &OwnedFd, path: &Path) -> rustix::io::Result<OwnedFd> {
    let below = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    openat2(root, below, flags, Mode::empty(), resolve)
}

/// A directory that is open for the time of a search.
#[derive(Debug)]
struct Opened {
    path: PathBuf,
    inode: u64,
    mode: Mode,
}

impl Opened {
    /// Opens a directory to its owner, who we are.
    fn open(root: &OwnedFd, path: &Path) -> rustix::io::Result<Self> {
        let name = path.file_name().ok_or(Errno::ACCESS)?;
        let above = open_below(root, path.parent().unwrap_or(Path::new("")))?;
        let about = statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(about.st_mode) != FileType::Directory {
            return Err(Errno::NOTDIR);
        }
        let mode = Mode::from_raw_mode(about.st_mode & 0o7777);
        chmodat(&above, name, mode | Mode::RWXU, AtFlags::empty())?;
        Ok(Self {
            path: path.to_owned(),
            inode: about.st_ino,
            mode,
        })
    }

    /// Gives it back the mode that it had, if it is still there.
    fn close(&self, root: &OwnedFd) -> rustix::io::Result<()> {
        let directory = open_below(root, &self.path)?;
        if fstat(&directory)?.st_ino == self.inode {
            fchmod(&directory, self.mode)?;
        }
        Ok(())
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        // The deepest first: those above must be open for it.
        for opened in self.opened.iter().rev() {
            let _ = opened.close(&self.root);
        }
    }
}
