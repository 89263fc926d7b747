//! The open files of a trail, which an engine keeps from one record to the next.
//!
//! They are used again only while the names still lead to them and no other user got a right to
//! them meanwhile: a trail that was moved away is never written to.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, OFlags, Stat, statat};

use super::directory::{Absent, Directory, HEAD, TRAIL, failed};
use crate::model::error::record::AuditError;

/// The state directory and the files in it.
#[derive(Debug)]
pub(super) struct Files {
    /// A process that was forked shares the lock of its parent, so it opens files of its own.
    process: u32,
    pub(super) directory: Directory,
    pub(super) head: Arc<File>,
    about_head: Stat,
    trail: Option<(Arc<File>, Stat)>,
}

impl Files {
    /// Opens what is needed for the lock; what is not there is made.
    pub(super) fn open(state: &Path) -> Result<Self, AuditError> {
        let directory = Directory::open(state)?;
        let (head, about_head) = directory.made(HEAD, OFlags::RDWR)?;
        Ok(Self {
            process: std::process::id(),
            directory,
            head: Arc::new(head),
            about_head,
            trail: None,
        })
    }

    /// Whether the names still mean these.
    pub(super) fn are_current(&self) -> bool {
        let directory = &self.directory;
        self.process == std::process::id()
            && statat(CWD, &directory.path, AtFlags::empty())
                .is_ok_and(|about| is_same(&about, &directory.about))
            && statat(&directory.fd, HEAD, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|about| is_same(&about, &self.about_head))
    }

    /// The trail and its length, under the lock; one that is not there is made.
    pub(super) fn trail(&mut self) -> Result<(Arc<File>, u64), AuditError> {
        let length = |about: &Stat| u64::try_from(about.st_size).unwrap_or(0);
        if let Some((file, known)) = &self.trail
            && let Ok(about) = statat(&self.directory.fd, TRAIL, AtFlags::SYMLINK_NOFOLLOW)
            && is_same(&about, known)
        {
            return Ok((Arc::clone(file), length(&about)));
        }
        let (file, about) = self.directory.made(TRAIL, OFlags::RDWR | OFlags::APPEND)?;
        let file = Arc::new(file);
        self.trail = Some((Arc::clone(&file), about));
        Ok((file, length(&about)))
    }
}

/// Whether two looks saw the same thing, with the same owner and the same rights to it.
fn is_same(one: &Stat, other: &Stat) -> bool {
    let known = |about: &Stat| (about.st_dev, about.st_ino, about.st_uid, about.st_mode);
    known(one) == known(other)
}

impl Directory {
    /// One of the two files, which is made if it is not there.
    fn made(&self, name: &str, more: OFlags) -> Result<(File, Stat), AuditError> {
        self.file(name, more, Absent::Make)?
            .ok_or_else(|| failed("open", &self.path.join(name))(io::ErrorKind::NotFound.into()))
    }
}
