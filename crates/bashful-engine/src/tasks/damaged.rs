//! Tasks whose record cannot be read: they are told of, and can be ended, like any other.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bashful_keeper::{Holder, KEEPER_NAME, TaskDirectory, TaskId};
use bashful_sandbox::{Process, command_line};
use serde::Serialize;

use crate::model::task_ids::task_ids;
use crate::record::standing::{Standing, is_being_made};

/// A task whose record cannot be read. The names in JSON are a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DamagedTask {
    /// The task's id, which is the name of its directory.
    pub task_id: String,
    /// A keeper has it: it runs.
    pub running: bool,
    /// What is wrong with its record.
    pub reason: String,
}

impl DamagedTask {
    /// The task with this directory; none if its record can be read.
    pub(super) fn of(id: &TaskId, directory: &TaskDirectory) -> Option<Self> {
        Some(Self {
            reason: damage(directory)?,
            task_id: id.to_string(),
            running: directory.is_owned(),
        })
    }
}

/// All tasks with a record that cannot be read, the oldest first.
pub(crate) fn damaged(state: &Path) -> io::Result<Vec<DamagedTask>> {
    let ids = task_ids(state)?;
    let found = ids
        .iter()
        .filter_map(|id| DamagedTask::of(id, &TaskDirectory::of(state, id)));
    Ok(found.collect())
}

/// What is wrong with the record of a task; none if nothing is.
pub(super) fn damage(directory: &TaskDirectory) -> Option<String> {
    let unread = directory.read_spec().err();
    let unread = unread.or_else(|| Standing::of(directory).err())?;
    // One that was removed meanwhile is not damaged, nor is one that is not yet written.
    let spec = fs::symlink_metadata(directory.path().join("spec"));
    let is_empty = spec
        .as_ref()
        .map_or(true, |spec| spec.is_file() && spec.len() == 0);
    if !directory.path().is_dir() || (is_empty && is_being_made(directory)) {
        return None;
    }
    Some(format!("{unread}: {}", unread.source))
}

/// The keeper that holds a task, as the kernel knows it: by the lock on what was asked.
pub(super) fn holder(directory: &TaskDirectory) -> Option<Holder> {
    let about = fs::symlink_metadata(directory.path().join("spec")).ok()?;
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // Such as `7: FLOCK  ADVISORY  WRITE 4711 00:2f:1234 0 EOF`.
    let holds = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let (kind, _, access) = (words.next()?, words.next()?, words.next()?);
        let pid: i32 = words.next()?.parse().ok()?;
        // Devices are not compared: some file systems give another one here.
        let inode: u64 = words.next()?.rsplit(':').next()?.parse().ok()?;
        let is_it = (kind, access, inode) == ("FLOCK", "WRITE", about.ino());
        (is_it && command_line(pid).contains(KEEPER_NAME)).then_some(pid)
    };
    let process = locks.lines().find_map(holds).and_then(Process::find)?;
    Some(Holder {
        pid: process.pid,
        started: process.started,
    })
}
