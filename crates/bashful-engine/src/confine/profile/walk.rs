//! Walking a directory tree with a bound, without following links.

use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::model::error::confine::ConfineError;

/// What to do with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Go on, into the entry if it is a directory.
    Into,
    /// Go on, not into the entry.
    Over,
    /// End the walk.
    Stop,
}

/// How far walks may go.
#[derive(Debug)]
pub(super) struct Bound {
    /// What is searched for, for the message.
    pub(super) what: &'static str,
    /// How many entries there may be in all.
    pub(super) limit: usize,
    /// How many were seen.
    pub(super) seen: usize,
}

impl Bound {
    pub(super) fn new(what: &'static str, limit: usize) -> Self {
        let seen = 0;
        Self { what, limit, seen }
    }

    /// Shows every entry below `root` to `visit`, parents before children. Directories of others
    /// that cannot be entered are left out: the run has no more rights than we do. A tree that is
    /// larger than the bound is an error, since what was not looked at is not known.
    pub(super) fn walk(
        &mut self,
        root: &Path,
        mut visit: impl FnMut(&DirEntry, fs::FileType) -> Result<Step, ConfineError>,
    ) -> Result<(), ConfineError> {
        let mut left: Vec<PathBuf> = vec![root.to_owned()];
        while let Some(directory) = left.pop() {
            let entries = match fs::read_dir(&directory) {
                Ok(entries) => entries,
                Err(error) if is_harmless(&directory, &error) => continue,
                Err(source) => {
                    return Err(ConfineError::Search {
                        path: directory,
                        source,
                    });
                }
            };
            for entry in entries {
                let failed = |source| ConfineError::Search {
                    path: directory.clone(),
                    source,
                };
                let entry = entry.map_err(failed)?;
                self.seen += 1;
                if self.seen > self.limit {
                    return Err(ConfineError::TooBigToSearch {
                        root: root.to_owned(),
                        what: self.what,
                        limit: self.limit,
                    });
                }
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                match visit(&entry, kind)? {
                    Step::Into if kind.is_dir() => left.push(entry.path()),
                    Step::Into | Step::Over => {}
                    Step::Stop => return Ok(()),
                }
            }
        }
        Ok(())
    }
}

/// Gone, no directory at all, or closed to us by others. What is our own a run could open again.
fn is_harmless(directory: &Path, error: &io::Error) -> bool {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => true,
        io::ErrorKind::PermissionDenied => {
            let us = rustix::process::geteuid().as_raw();
            fs::symlink_metadata(directory).is_ok_and(|metadata| metadata.uid() != us)
        }
        _ => false,
    }
}
