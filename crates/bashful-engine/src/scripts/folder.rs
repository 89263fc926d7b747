//! The folder of scripts: one file for each, private, and written whole or not at all.
//!
//! Files are opened relative to the folder that was checked, without following links and without
//! waiting. Nothing but a [`ScriptId`] names one.

use crate::model::error::folder::FolderError;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::body::text;
use super::placing::Leftover;
use crate::model::error::body::MAX_SCRIPT_BYTES;
use crate::model::error::body::UnfitBody;
use crate::model::places::make_private;
use crate::model::script::id::ScriptId;

/// The folder of scripts, open.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    fd: OwnedFd,
}

/// What is at the place of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OnDisk {
    /// A text that can be a script.
    Text(String),
    /// A file of ours whose content is no script.
    Unfit(UnfitBody),
    /// No file of ours: a link, a directory, or a file of another user.
    NotOurs(&'static str),
    /// No file at all.
    Missing,
}

/// No other engine changes files in the folder while this lock is held.
#[derive(Debug)]
pub(crate) struct Lock<'f>(&'f Folder);

/// How long others are waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked whether they are done.
const GLANCE: Duration = Duration::from_millis(2);

impl Folder {
    /// Opens the folder, and makes it if it is not there.
    pub(crate) fn open(path: &Path) -> Result<Self, FolderError> {
        if let Some(folder) = Self::open_existing(path)? {
            return Ok(folder);
        }
        make_private(path).map_err(|source| failed("make", path, source))?;
        let gone = || failed("open", path, io::ErrorKind::NotFound.into());
        Self::open_existing(path)?.ok_or_else(gone)
    }

    /// Opens the folder; none if there is none.
    pub(crate) fn open_existing(path: &Path) -> Result<Option<Self>, FolderError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                return Err(refused(path, "it is a link, or not a directory"));
            }
            Err(error) => return Err(failed("open", path, error.into())),
        };
        let about =
            rustix::fs::fstat(&fd).map_err(|error| failed("look at", path, error.into()))?;
        check(path, &about)?;
        if let Some(above) = path.parent() {
            let about =
                rustix::fs::stat(above).map_err(|error| failed("look at", above, error.into()))?;
            // A user who can write there can put another folder in the place of this one.
            let sticky = about.st_mode & 0o1000 != 0;
            if !(sticky && about.st_mode & 0o002 != 0) {
                check(above, &about)?;
            }
        }
        for above in path.ancestors().skip(2) {
            let about =
                rustix::fs::stat(above).map_err(|error| failed("look at", above, error.into()))?;
            if about.st_mode & 0o1002 == 0o002 {
                return Err(refused(above, "every user can write to it"));
            }
        }
        let path = path.to_owned();
        Ok(Some(Self { path, fd }))
    }

    /// Where the file of a script is.
    pub(crate) fn path_of(&self, id: ScriptId) -> PathBuf {
        self.path.join(id.file_name())
    }

    /// What is at the place of a script. It is read once.
    pub(crate) fn read(&self, id: ScriptId) -> Result<OnDisk, FolderError> {
        let path = self.path_of(id);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = match rustix::fs::openat(&self.fd, id.file_name(), flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(OnDisk::Missing),
            Err(Errno::LOOP) => return Ok(OnDisk::NotOurs("it is a link")),
            // A socket, or a device without a driver.
            Err(Errno::NXIO) => return Ok(OnDisk::NotOurs("it is not a regular file")),
            Err(error @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM)) => {
                return Err(failed("open", &path, error.into()));
            }
            // Whatever is wrong with one file says nothing about the others.
            Err(_) => return Ok(OnDisk::NotOurs("it cannot be opened")),
        };
        let about =
            rustix::fs::fstat(&fd).map_err(|error| failed("look at", &path, error.into()))?;
        if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
            return Ok(OnDisk::NotOurs("it is not a regular file"));
        }
        if !is_ours(&about) {
            return Ok(OnDisk::NotOurs("it belongs to another user"));
        }
        if about.st_mode & 0o022 != 0 {
            return Ok(OnDisk::NotOurs("others can write to it"));
        }
        let length = u64::try_from(about.st_size).unwrap_or(u64::MAX);
        let most = MAX_SCRIPT_BYTES as u64;
        if length > most {
            return Ok(OnDisk::Unfit(UnfitBody::TooLong { length }));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        if File::from(fd)
            .take(most + 1)
            .read_to_end(&mut bytes)
            .is_err()
        {
            return Ok(OnDisk::NotOurs("it cannot be read"));
        }
        Ok(match text(bytes) {
            Ok(text) => OnDisk::Text(text),
            Err(unfit) => OnDisk::Unfit(unfit),
        })
    }

    /// The same for reading and changing files in it.
    pub(crate) fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    /// Takes a file of this name away; one that is not there is no error.
    pub(crate) fn take_away(&self, name: &str) -> Result<(), FolderError> {
        let gone = self.unlink(name);
        gone.map_err(|error| failed("remove", &self.path.join(name), error.into()))
    }

    /// Puts a file in the place of another.
    pub(crate) fn put_back(&self, name: &str, place: &str) -> Result<(), FolderError> {
        rustix::fs::renameat(&self.fd, name, &self.fd, place)
            .map_err(|error| failed("write", &self.path.join(place), error.into()))?;
        self.sync()
    }

    /// Whether two names are one file.
    pub(crate) fn are_one_file(&self, one: &str, other: &str) -> bool {
        let about = |name: &str| rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW);
        match (about(one), about(other)) {
            (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
            _ => false,
        }
    }

    pub(super) fn unlink(&self, name: &str) -> Result<(), Errno> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            done => done,
        }
    }

    /// Keeps others from changing files here, and waits for those who are at it.
    pub(crate) fn lock(&self) -> Result<Lock<'_>, FolderError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.try_lock()? {
                Some(lock) => return Ok(lock),
                None if Instant::now() < until => std::thread::sleep(GLANCE),
                None => return Err(failed("lock", &self.path, io::ErrorKind::WouldBlock.into())),
            }
        }
    }

    /// The same without waiting; none if another engine holds the lock.
    pub(crate) fn try_lock(&self) -> Result<Option<Lock<'_>>, FolderError> {
        match rustix::fs::flock(&self.fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock(self))),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(failed("lock", &self.path, error.into())),
        }
    }

    /// Hidden files of changes that are not over.
    pub(crate) fn leftovers(&self) -> Result<Vec<Leftover>, FolderError> {
        let names = self.all_names()?;
        let left = names.iter().filter_map(|name| Leftover::of_file(name));
        Ok(left.collect())
    }

    /// The names in it, but for hidden ones, in order.
    pub(crate) fn names(&self) -> Result<Vec<String>, FolderError> {
        let mut names = self.all_names()?;
        names.retain(|name| !name.starts_with('.'));
        Ok(names)
    }

    fn all_names(&self) -> Result<Vec<String>, FolderError> {
        let fail = |error: Errno| failed("list", &self.path, error.into());
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd).map_err(fail)? {
            names.push(shown(entry.map_err(fail)?.file_name()));
        }
        names.sort();
        Ok(names)
    }

    pub(crate) fn sync(&self) -> Result<(), FolderError> {
        rustix::fs::fsync(&self.fd).map_err(|error| failed("sync", &self.path, error.into()))
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.0.fd, FlockOperation::Unlock);
    }
}

fn check(path: &Path, about: &Stat) -> Result<(), FolderError> {
    if about.st_uid != 0 && !is_ours(about) {
        return Err(refused(path, "it belongs to another user"));
    }
    if about.st_mode & 0o022 != 0 {
        return Err(refused(path, "others can write to it"));
    }
    Ok(())
}

fn is_ours(about: &Stat) -> bool {
    about.st_uid == rustix::process::geteuid().as_raw()
}

fn shown(name: &CStr) -> String {
    name.to_string_lossy().into_owned()
}

fn refused(path: &Path, why: &'static str) -> FolderError {
    FolderError::Unsafe {
        path: path.to_owned(),
        why,
    }
}

pub(super) fn failed(doing: &'static str, path: &Path, source: io::Error) -> FolderError {
    FolderError::Failed {
        doing,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
