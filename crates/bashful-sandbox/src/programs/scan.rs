//! The walk that finds programs among libraries.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir};
use rustix::io::Errno;

use super::elf::{self, Bytes};
use super::fingerprint::Stamp;

/// How far a walk goes before it gives up.
///
/// It gives up with an error: what was not looked at could be a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Files and directories below a root.
    pub(crate) entries: usize,
    /// Directories inside each other. Each costs an open descriptor.
    pub(crate) depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 4_000_000,
            depth: 256,
        }
    }
}

/// Why the programs below a directory could not be listed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ScanError {
    /// The answer would depend on the working directory.
    #[error("cannot look for programs in `{path}`: the path is not absolute", path = path.display())]
    NotAbsolute {
        /// The root as the caller gave it.
        path: PathBuf,
    },
    /// The root is not a directory; a symbolic link to one is none either.
    #[error("cannot look for programs in `{path}`: it is not a directory", path = path.display())]
    NotADirectory {
        /// The root as the caller gave it.
        path: PathBuf,
    },
    /// Directories are nested deeper than is reasonable, or than a path can name.
    #[error("cannot look for programs in `{path}`: it is nested too deep", path = path.display())]
    TooDeep {
        /// The directory that was not entered.
        path: PathBuf,
    },
    /// There is more than is reasonable.
    #[error("cannot look for programs in `{root}`: more than {entries} files", root = root.display())]
    TooMany {
        /// The root that was being searched.
        root: PathBuf,
        /// How many entries are looked at most.
        entries: usize,
    },
    /// A file or directory could not be read for a reason other than its permissions.
    #[error("cannot read `{path}` to see whether it is a program", path = path.display())]
    Read {
        /// What could not be read.
        path: PathBuf,
        /// What the kernel said.
        #[source]
        errno: Errno,
    },
}

/// All files below this directory that the kernel or the dynamic loader could run as a
/// program, sorted.
///
/// Permission bits do not count, for the loader ignores them. Scripts are not listed: a run
/// that may read them and has their interpreter can run them anyway. Symbolic links are
/// not followed, other file systems are entered, and what we may not read is left out:
/// a run has no more rights than we do. A root that does not exist has no programs.
#[cfg(test)]
pub(super) fn scan(root: &Path, limits: Limits) -> Result<Vec<PathBuf>, ScanError> {
    let mut programs = walk(root, limits)?.programs;
    programs.sort_unstable();
    Ok(programs)
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The programs, in no particular order.
    pub(super) programs: Vec<PathBuf>,
    /// Every directory, also an unreadable one, as it was before it was read.
    pub(super) directories: Vec<(PathBuf, Stamp)>,
}

/// [`scan`], with the directories that the answer depends on.
pub(super) fn walk(root: &Path, limits: Limits) -> Result<Found, ScanError> {
    if !root.is_absolute() {
        return Err(ScanError::NotAbsolute {
            path: root.to_owned(),
        });
    }
    let mut walk = Walk {
        root,
        limits,
        entries: 0,
        pending: Vec::new(),
        found: Found::default(),
        buffer: Vec::with_capacity(LISTING),
    };
    match rustix::fs::open(root, DIRECTORY, Mode::empty()) {
        Ok(fd) => walk.directory(&Rc::new(File::from(fd)), root, 0)?,
        Err(Errno::NOTDIR | Errno::LOOP) => {
            return Err(ScanError::NotADirectory {
                path: root.to_owned(),
            });
        }
        Err(errno) if is_tolerable(errno) => walk.note(root),
        Err(errno) => return Err(unreadable(root, errno)),
    }
    while let Some(next) = walk.pending.pop() {
        match rustix::fs::openat(&*next.parent, &*next.name, DIRECTORY, Mode::empty()) {
            Ok(fd) => walk.directory(&Rc::new(File::from(fd)), &next.path, next.depth)?,
            Err(errno) if is_tolerable(errno) => walk.note(&next.path),
            Err(errno) => return Err(unreadable(&next.path, errno)),
        }
    }
    Ok(walk.found)
}

/// The bytes of names that are taken from the kernel at a time.
const LISTING: usize = 64 * 1024;

/// The longest path that the kernel takes.
const LONGEST_PATH: usize = 4095;

const DIRECTORY: OFlags = FILE.union(OFlags::DIRECTORY);

/// Nothing that is opened so can block, be a link, or become our terminal.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Whether the entry vanished, became another kind of file, or is not for us to read.
fn is_tolerable(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::ACCESS
            | Errno::PERM
            | Errno::NOENT
            | Errno::NOTDIR
            | Errno::LOOP
            | Errno::NXIO
            | Errno::NODEV
    )
}

/// A directory that is still to be read. The last one listed is read first, so that
/// no more parents are open than directories are nested.
struct Pending {
    parent: Rc<File>,
    name: CString,
    path: PathBuf,
    depth: usize,
}

struct Walk<'a> {
    root: &'a Path,
    limits: Limits,
    entries: usize,
    pending: Vec<Pending>,
    found: Found,
    buffer: Vec<u8>,
}

impl Walk<'_> {
    /// Reads one directory: judges its files, and puts its directories on the list.
    fn directory(&mut self, file: &Rc<File>, path: &Path, depth: usize) -> Result<(), ScanError> {
        // The stamp comes first: a change while we read is then seen as a change.
        let stat = rustix::fs::fstat(&**file).map_err(|errno| unreadable(path, errno))?;
        let stamp = Stamp::of(&stat);
        self.found.directories.push((path.to_owned(), stamp));
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.list(file, path, depth, buffer.spare_capacity_mut());
        self.buffer = buffer;
        result
    }

    fn list(
        &mut self,
        directory: &Rc<File>,
        path: &Path,
        depth: usize,
        buffer: &mut [MaybeUninit<u8>],
    ) -> Result<(), ScanError> {
        let mut listing = RawDir::new(&**directory, buffer);
        while let Some(entry) = listing.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(errno) if is_tolerable(errno) => return Ok(()),
                Err(errno) => return Err(unreadable(path, errno)),
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.entries += 1;
            if self.entries > self.limits.entries {
                return Err(ScanError::TooMany {
                    root: self.root.to_owned(),
                    entries: self.limits.entries,
                });
            }
            match kind(directory, name, entry.file_type()) {
                FileType::Directory => {
                    let path = path.join(OsStr::from_bytes(name.to_bytes()));
                    if depth >= self.limits.depth || path.as_os_str().len() > LONGEST_PATH {
                        return Err(ScanError::TooDeep { path });
                    }
                    self.pending.push(Pending {
                        parent: Rc::clone(directory),
                        name: name.to_owned(),
                        path,
                        depth: depth + 1,
                    });
                }
                FileType::RegularFile => self.file(directory, path, name)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn file(&mut self, directory: &File, path: &Path, name: &CStr) -> Result<(), ScanError> {
        let full = || path.join(OsStr::from_bytes(name.to_bytes()));
        match is_program(directory, name) {
            Ok(false) => Ok(()),
            Ok(true) if full().as_os_str().len() > LONGEST_PATH => {
                Err(ScanError::TooDeep { path: full() })
            }
            Ok(true) => {
                self.found.programs.push(full());
                Ok(())
            }
            Err(errno) if is_tolerable(errno) => Ok(()),
            Err(errno) => Err(unreadable(&full(), errno)),
        }
    }

    /// Notes a directory that cannot be read, so that a change of that is seen.
    fn note(&mut self, path: &Path) {
        let stamp = Stamp::at(path);
        self.found.directories.push((path.to_owned(), stamp));
    }
}

fn unreadable(path: &Path, errno: Errno) -> ScanError {
    ScanError::Read {
        path: path.to_owned(),
        errno,
    }
}

/// What an entry is; asked of the file where the listing does not say.
fn kind(directory: &File, name: &CStr, listed: FileType) -> FileType {
    if listed != FileType::Unknown {
        return listed;
    }
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| {
            FileType::from_raw_mode(stat.st_mode)
        })
}

fn is_program(directory: &File, name: &CStr) -> Result<bool, Errno> {
    let file = File::from(rustix::fs::openat(directory, name, FILE, Mode::empty())?);
    let mut header = [0; elf::HEADER];
    // Most files are no ELF files, and one short read shows that.
    let filled = match file.read_at(0, &mut header) {
        Ok(filled) => filled,
        // A pipe that took the file's place.
        Err(error) if error.kind() == io::ErrorKind::NotSeekable => return Ok(false),
        Err(error) => return Err(errno_of(&error)),
    };
    let header = header.get(..filled).unwrap_or_default();
    if !header.starts_with(&elf::MAGIC) {
        return Ok(false);
    }
    elf::is_program(header, &file).map_err(|error| errno_of(&error))
}

fn errno_of(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

#[cfg(test)]
pub(super) mod tests;
