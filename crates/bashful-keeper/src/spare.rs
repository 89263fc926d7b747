//! A task directory made ahead of time.
//!
//! Making files is the slowest part of starting a command. So while there is nothing
//! else to do, the keeper makes the directory for the next one, a file at a time, and
//! only renames it when it is needed.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::task_directory::{
    LOG, SPEC, TaskDirectory, TaskFiles, locked_file, make_among_tasks, open_ours, private_file,
};

/// What a spare's name begins with. No task's name begins with a dot.
const PREFIX: &str = ".spare-";

/// A directory that will be a task's.
#[derive(Debug)]
pub(crate) struct Spare {
    path: PathBuf,
    spec: Option<File>,
    log: Option<File>,
}

impl Spare {
    /// Begins one among the tasks, with a name that is its own.
    pub(crate) fn begin(tasks: &Path, number: u64) -> io::Result<Self> {
        let path = tasks.join(format!("{PREFIX}{}-{number}", std::process::id()));
        make_among_tasks(&path)?;
        Ok(Self {
            path,
            log: None,
            spec: None,
        })
    }

    /// Makes the next file, if one is missing.
    pub(crate) fn advance(&mut self) -> io::Result<()> {
        if self.spec.is_none() {
            // The lock also tells other processes that a keeper owns this spare.
            self.spec = Some(locked_file(&self.path.join(SPEC))?);
        } else if self.log.is_none() {
            self.log = Some(private_file().open(self.path.join(LOG))?);
        }
        Ok(())
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.log.is_some()
    }

    /// Becomes the directory of a task; none if it was not ready or is no longer there.
    pub(crate) fn become_task(mut self, directory: &TaskDirectory) -> Option<TaskFiles> {
        let files = TaskFiles {
            spec: self.spec.take()?,
            log: self.log.take(),
        };
        fs::rename(&self.path, directory.path()).ok()?;
        Some(files)
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        // After it became a task there is nothing of this name.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes spares of keepers that died.
pub(crate) fn remove_abandoned(tasks: &Path) {
    let Ok(entries) = fs::read_dir(tasks) else {
        return;
    };
    for entry in entries.flatten() {
        let is_spare = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX));
        let is_free =
            |spec: File| flock(spec.as_fd(), FlockOperation::NonBlockingLockShared).is_ok();
        if is_spare && open_ours(&entry.path().join(SPEC)).is_ok_and(is_free) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
