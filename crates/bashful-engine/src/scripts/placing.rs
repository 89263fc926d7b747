//! Putting a text in its place, or taking one away, so that it can be undone until it counts.
//!
//! What was there is kept beside it under a hidden name until the change is over, so a process
//! that is ended in between leaves a file that tells what was being done; see `recover`.

use std::fs::File;
use std::io::{self, Write};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::folder::{Folder, failed};
use crate::model::error::folder::FolderError;
use crate::model::script::id::ScriptId;

/// What is kept beside the place of a script while it is being changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// The text that is to be there.
    New,
    /// The text that was there before another.
    Old,
    /// The text that was there before it was taken away.
    Gone,
}

impl Kept {
    const ALL: [Self; 3] = [Self::New, Self::Old, Self::Gone];

    const fn ending(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Old => "old",
            Self::Gone => "gone",
        }
    }
}

/// A hidden file of a change that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leftover {
    /// The hidden name of the file in the folder of scripts.
    pub(crate) name: String,
    /// The script that was being changed.
    pub(crate) id: ScriptId,
    /// What it is.
    pub(crate) kept: Kept,
}

impl Leftover {
    /// What a file of this name is: `.{id}.{16 digits}.{ending}`.
    pub(crate) fn of_file(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix('.')?.split('.');
        let (id, random, ending) = (parts.next()?, parts.next()?, parts.next()?);
        let kept = Kept::ALL.into_iter().find(|kept| kept.ending() == ending)?;
        let is_ours = random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_ours && parts.next().is_none()).then_some(())?;
        Some(Self {
            name: name.to_owned(),
            id: id.parse().ok()?,
            kept,
        })
    }
}

/// A change of the file of a script. What is neither placed nor over goes away.
#[derive(Debug)]
pub(crate) struct Placing<'f> {
    folder: &'f Folder,
    id: ScriptId,
    random: u64,
    stage: Stage,
}

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The new text is written beside its place.
    Written,
    /// The text is to be taken away.
    Leaving,
    /// The text is in its place, where nothing was.
    Made,
    /// The text is in its place, and the one before beside it.
    Replaced,
    /// The text is gone from its place, and beside it.
    Removed,
    /// There is nothing to be done or undone.
    Over,
}

impl<'f> Placing<'f> {
    /// Writes a text to disk beside the place of a script.
    pub(crate) fn written(
        folder: &'f Folder,
        id: ScriptId,
        text: &str,
    ) -> Result<Self, FolderError> {
        let mut placing = Self::leaving(folder, id)?;
        let fail = |source: io::Error| failed("write", &folder.path_of(id), source);
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = placing.beside(Kept::New);
        let fd = rustix::fs::openat(folder.fd(), &name, flags, Mode::RUSR | Mode::WUSR)
            .map_err(|error| fail(error.into()))?;
        placing.stage = Stage::Written;
        let mut file = File::from(fd);
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(fail)?;
        Ok(placing)
    }

    /// The file of a script is to be taken away.
    pub(crate) fn leaving(folder: &'f Folder, id: ScriptId) -> Result<Self, FolderError> {
        let mut random = [0; 8];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
            .map_err(|error| failed("write", &folder.path_of(id), error.into()))?;
        Ok(Self {
            folder,
            id,
            random: u64::from_ne_bytes(random),
            stage: Stage::Leaving,
        })
    }

    /// Does it, so that it can be undone.
    pub(crate) fn place(&mut self) -> Result<(), FolderError> {
        let placed = match self.stage {
            Stage::Written => self.put(),
            Stage::Leaving => self.remove(),
            _ => Ok(()),
        };
        let doing = match self.stage {
            Stage::Written | Stage::Made | Stage::Replaced => "write",
            _ => "remove",
        };
        placed.map_err(|error| failed(doing, &self.folder.path_of(self.id), error.into()))?;
        self.folder.sync()
    }

    fn put(&mut self) -> Result<(), Errno> {
        let (new, old) = (self.beside(Kept::New), self.beside(Kept::Old));
        let target = self.id.file_name();
        match self.link(&target, &old) {
            Ok(()) => {
                if let Err(error) = self.rename(&new, &target) {
                    let _ = self.folder.unlink(&old);
                    return Err(error);
                }
                self.stage = Stage::Replaced;
            }
            Err(Errno::NOENT) => match self.link(&new, &target) {
                Ok(()) => self.stage = Stage::Made,
                Err(Errno::EXIST) => return Err(Errno::EXIST),
                // A file system without links: what is not finished is foreign then.
                Err(_) => {
                    self.rename(&new, &target)?;
                    self.stage = Stage::Made;
                }
            },
            // What is there cannot be kept. If this is not finished, it is a change by hand.
            Err(_) => {
                self.rename(&new, &target)?;
                self.stage = Stage::Over;
            }
        }
        Ok(())
    }

    fn remove(&mut self) -> Result<(), Errno> {
        let target = self.id.file_name();
        let about = match rustix::fs::statat(self.folder.fd(), &target, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(about) => about,
            Err(Errno::NOENT) => {
                self.stage = Stage::Over;
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if FileType::from_raw_mode(about.st_mode) == FileType::Directory {
            return Err(Errno::ISDIR);
        }
        self.rename(&target, &self.beside(Kept::Gone))?;
        self.stage = Stage::Removed;
        Ok(())
    }

    /// It counts: nothing of what was there before is kept.
    pub(crate) fn finish(mut self) {
        let kept = match self.stage {
            Stage::Made => Kept::New,
            Stage::Replaced => Kept::Old,
            Stage::Removed => Kept::Gone,
            Stage::Written | Stage::Leaving | Stage::Over => return,
        };
        self.stage = Stage::Over;
        // The next engine tidies away what stays.
        let _ = self.folder.unlink(&self.beside(kept));
    }

    /// It does not count: everything is as it was.
    pub(crate) fn undo(mut self) {
        let target = self.id.file_name();
        let undone = match self.stage {
            Stage::Made => self
                .folder
                .unlink(&target)
                .and_then(|()| self.folder.unlink(&self.beside(Kept::New))),
            Stage::Replaced => self.rename(&self.beside(Kept::Old), &target),
            Stage::Removed => self.rename(&self.beside(Kept::Gone), &target),
            // Dropping it does the rest.
            Stage::Written | Stage::Leaving | Stage::Over => return,
        };
        self.stage = Stage::Over;
        if let Err(error) = undone {
            tracing::warn!(%error, "the file of a script is ahead of what is kept about it");
        }
        let _ = self.folder.sync();
    }

    fn beside(&self, kept: Kept) -> String {
        format!(".{}.{:016x}.{}", self.id, self.random, kept.ending())
    }

    fn link(&self, from: &str, to: &str) -> Result<(), Errno> {
        let fd = self.folder.fd();
        rustix::fs::linkat(fd, from, fd, to, AtFlags::empty())
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), Errno> {
        rustix::fs::renameat(self.folder.fd(), from, self.folder.fd(), to)
    }
}

impl Drop for Placing<'_> {
    fn drop(&mut self) {
        if self.stage == Stage::Written {
            let _ = self.folder.unlink(&self.beside(Kept::New));
        }
    }
}
