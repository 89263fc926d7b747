//! Writing down how a task stands, so that a full disk never spoils the record.
//!
//! A record is written behind the last whole one, never behind half of one, and what is written
//! while the task runs leaves room on the disk for its last record.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;

use rustix::fs::{FallocateFlags, OFlags, fallocate};
use rustix::io::Errno;

use super::{Phase, STATE, State, TaskDirectory, TaskDirectoryError, doing};

/// The disk gives room in pieces of this size.
const BLOCK: u64 = 4096;
/// How much is kept for the last record. Without lists it is less than half as long.
const LAST: u64 = 2048;

/// The state of a task that is ours.
#[derive(Debug)]
pub(crate) struct StateFile {
    path: PathBuf,
    /// Made with the first record.
    file: Option<File>,
    /// Where the whole records end.
    end: u64,
    /// Up to here the disk has room for us.
    reserved: u64,
}

impl StateFile {
    pub(crate) fn new(directory: &TaskDirectory) -> Self {
        Self {
            path: directory.path().join(STATE),
            file: None,
            end: 0,
            reserved: 0,
        }
    }

    /// Adds how it stands now. Where that fails nothing was added.
    pub(crate) fn append(&mut self, state: &State) -> Result<(), TaskDirectoryError> {
        let is_last = state.phase != Phase::Running;
        let added = self.add(state, is_last);
        if added.is_ok() || !is_last {
            return added;
        }
        // Lists may be long; how it ended is said in a few words.
        let short = State {
            survivors: Vec::new(),
            violations: Vec::new(),
            hints: Vec::new(),
            ..state.clone()
        };
        self.add(&short, is_last)
    }

    fn add(&mut self, state: &State, is_last: bool) -> Result<(), TaskDirectoryError> {
        let mut line =
            serde_json::to_vec(state).map_err(|error| doing("write", &self.path)(error.into()))?;
        line.push(b'\n');
        let file = if let Some(file) = &self.file {
            file
        } else {
            let opened = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
                .open(&self.path);
            self.file.insert(opened.map_err(doing("open", &self.path))?)
        };
        // Only the keeper writes here. If another process did, its text must not spoil ours.
        let length = file.metadata().map_or(self.end, |about| about.len());
        if length != self.end {
            self.end = length;
            line.insert(0, b'\n');
        }
        let after = self.end + line.len() as u64;
        let room = after.next_multiple_of(BLOCK).max(self.reserved);
        // The first is written in any case: without one no reader knows which keeper has the task.
        if !is_last && self.end > 0 && room - after < LAST {
            match fallocate(
                file,
                FallocateFlags::KEEP_SIZE,
                self.end,
                after + LAST - self.end,
            ) {
                Err(errno @ (Errno::NOSPC | Errno::DQUOT)) => {
                    return Err(doing("write", &self.path)(errno.into()));
                }
                // Where room cannot be kept it is not kept.
                Err(_) => {}
                Ok(()) => self.reserved = after + LAST,
            }
        }
        if let Err(error) = file.write_all_at(&line, self.end) {
            // Half a line would spoil the next.
            let _ = file.set_len(self.end);
            return Err(doing("write", &self.path)(error));
        }
        self.end = after;
        Ok(())
    }
}
