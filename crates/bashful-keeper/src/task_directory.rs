//! A task directory: the truth about one command, readable by any version.
//!
//! ```text
//! tasks/ID/spec      what was asked (JSON, written once, before anything runs)
//! tasks/ID/state     how it stands (JSON lines, added; the last whole one that can be read counts)
//! tasks/ID/out.log   the output of both streams in the order it was read
//! tasks/ID/index     which bytes of out.log belong to which stream
//! ```
//!
//! While a keeper owns the task it holds a lock on `spec`, which gets this name only when it
//! is locked. A task that is not finished and not locked belongs to a keeper that died: it is
//! lost. Adding a line is one system call and, unlike a replaced file, leaves the history to
//! read; a line that was cut off by a crash has no end and does not count.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bashful_sandbox::{Enforcement, Hint, Lookout, TerminalSize, Violation};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::protocol::OnLogFull;
use crate::run::ConnectionLine;
use crate::task_id::TaskId;

mod open;
mod state_file;

pub(crate) use open::open_ours;
use open::{read_end_of_ours, read_ours};
pub(crate) use state_file::StateFile;

/// The version of the directory's format.
pub const TASK_FORMAT: u32 = 1;

pub(crate) const SPEC: &str = "spec";
/// A spec that its keeper has not locked yet. No process asks about a file of this name.
const UNLOCKED: &str = ".spec";
pub(crate) const STATE: &str = "state";
pub(crate) const LOG: &str = "out.log";

/// How much of the end of a state file is read at most.
const MOST_RECORDS: u64 = 4 << 20;

/// What was asked. No environment values and no secrets are in here.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Spec {
    /// [`TASK_FORMAT`].
    pub v: u32,
    /// The id of the task, which is also the name of its directory.
    pub id: TaskId,
    /// The command as a person would read it.
    pub command: String,
    /// What the caller said it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name that may be used instead of its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name of the agent that asked.
    pub agent: String,
    /// In which session.
    pub session: String,
    /// The caller's name for this operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// The writable root.
    pub workspace: PathBuf,
    /// Where it starts.
    pub cwd: PathBuf,
    /// The names of the variables it gets; never their values.
    pub variables: Vec<String>,
    /// When it must end; none: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// When a warning is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warn_after_ms: Option<u64>,
    /// How long after SIGTERM the SIGKILL follows.
    pub term_grace_ms: u64,
    /// How many bytes of output go to disk.
    pub log_quota: u64,
    /// What happens then.
    pub on_log_full: OnLogFull,
    /// How many bytes of each stream's end are kept past the quota.
    pub keep_tail: u64,
    /// Processes left behind are adopted as a task instead of killed.
    pub adopt_survivors: bool,
    /// The task that left these processes behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted_from: Option<TaskId>,
    /// When it was asked, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// The size of its terminal at the start; none: it has no terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<TerminalSize>,
    /// Input can be sent to it while it runs. A terminal always takes input.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_input: bool,
}

/// What a task waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeedsInput {
    /// The last line that it printed, without escapes: most likely the question.
    pub line: String,
    /// What is typed is not shown: it asks for a password.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// How a task stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    /// [`TASK_FORMAT`].
    pub v: u32,
    /// The id of the task, as in its spec.
    pub id: TaskId,
    /// Where it is in its life.
    pub phase: Phase,
    /// The keeper that owns it.
    pub keeper: Holder,
    /// The socket that keeper listens on, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
    /// The leader's process id. Only a hint: numbers are reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Milliseconds since 1970.
    pub started_at_ms: u64,
    /// The size of its terminal now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<TerminalSize>,
    /// What it waits for, while it runs and waits for typed input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_input: Option<NeedsInput>,
    /// How long it ran, once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// The leader's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the leader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Processes that outlived the leader.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub survivors: Vec<Survivor>,
    /// What was printed.
    #[serde(default)]
    pub output: OutputTotals,
    /// What was used.
    #[serde(default)]
    pub usage: UsageRecord,
    /// What the kernel enforced; absent without a sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<Enforcement>,
    /// What was stopped or held back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// What it may have run into, guessed from how it ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// What was looked at, once it has ended; absent without a sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<Lookout>,
    /// How many lines are on record of its connections.
    #[serde(default, skip_serializing_if = "is_none")]
    pub connections: usize,
    /// The disk did not take this record. Only the caller that waits is told: no record says it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
}

/// Where a task is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It runs, while the lock is held.
    Running,
    /// It has ended and this is its last record.
    Finished,
    /// Its keeper died; how it ended is not known.
    Lost,
}

/// Why a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By itself: neither a limit nor a caller ended it.
    Exited,
    /// At its hard limit.
    TimedOut,
    /// A caller asked for it.
    Cancelled,
    /// The caller that waited for it went away.
    CallerGone,
    /// Its log was full and it was to stop then.
    LogFull,
    /// Its keeper was told to end.
    KeeperStopped,
    /// It had used up its processor time.
    OutOfCpuTime,
    /// It took more of a resource than its limit allows; a violation names which.
    OverLimit,
    /// A file or directory that its room protects was replaced from outside.
    Unprotected,
    /// A secret came into being where it could have read it.
    Exposed,
    /// Its directory was removed: no caller could have found it any more.
    DirectoryRemoved,
}

/// A keeper, named so that a reused process number is never mistaken for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    pub started: u64,
}

/// A process that outlived the command that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survivor {
    /// Its process id.
    pub pid: i32,
    /// Its command line, shortened.
    pub command: String,
    /// What became of it.
    pub fate: Fate,
    /// The task that has it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
}

/// What became of a survivor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It was ended.
    Killed,
    /// It goes on as a task of its own.
    Adopted,
    /// It belongs to another user or hangs in the kernel: it could not be ended.
    Unreachable,
}

/// What was printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputTotals {
    /// Bytes on standard output.
    pub stdout_bytes: u64,
    /// Bytes on standard error.
    pub stderr_bytes: u64,
    /// Characters on standard output; an invalid sequence counts as one.
    pub stdout_chars: u64,
    /// Characters on standard error.
    pub stderr_chars: u64,
    /// Bytes in `out.log`.
    pub log_bytes: u64,
    /// Bytes that are not in `out.log`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_bytes: u64,
    /// Why they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_end: Option<crate::log::LogEnd>,
    /// Some output is missing from the caller's copy of the log.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub copy_failed: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// What the whole tree used, as far as parents waited for their children.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageRecord {
    /// User and system time.
    pub cpu_us: u64,
    /// The peak of the largest single process.
    pub max_rss_kib: u64,
}

/// The path of one task's directory.
#[derive(Debug, Clone)]
pub struct TaskDirectory(PathBuf);

/// A task directory that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} `{}`", path.display())]
pub struct TaskDirectoryError {
    /// What was being done.
    pub doing: &'static str,
    /// To which file.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

impl TaskDirectory {
    /// The directory of this task under this state directory; it need not exist.
    pub fn of(state: &Path, id: &TaskId) -> Self {
        Self(state.join("tasks").join(id.as_str()))
    }

    /// The one at this path.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The log of both streams.
    pub fn log(&self) -> PathBuf {
        self.0.join(LOG)
    }

    /// Opens the log for reading. What is no regular file of ours is refused.
    pub fn open_log(&self) -> io::Result<File> {
        open_ours(&self.log())
    }

    /// The record of its connections, where it had any.
    pub fn network(&self) -> PathBuf {
        self.0.join("network")
    }

    /// What is on record of its connections, in the order in which it was written; a line that
    /// cannot be read is left out.
    pub fn connections(&self) -> Vec<ConnectionLine> {
        let text = read_ours(&self.network()).unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n');
        lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect()
    }

    /// The index of the log.
    pub fn index(&self) -> PathBuf {
        self.0.join("index")
    }

    /// Makes the directory with an empty spec, locked by us.
    pub(crate) fn create(&self) -> Result<TaskFiles, TaskDirectoryError> {
        make_among_tasks(&self.0).map_err(doing("make", &self.0))?;
        // Only what we made ourselves is cleaned up after a failure.
        self.create_files().inspect_err(|_| self.discard())
    }

    fn create_files(&self) -> Result<TaskFiles, TaskDirectoryError> {
        let path = self.0.join(SPEC);
        let spec = locked_file(&path).map_err(doing("lock", &path))?;
        Ok(TaskFiles { spec, log: None })
    }

    /// Writes what was asked. From here on the task exists.
    pub(crate) fn write_spec(
        &self,
        files: &mut TaskFiles,
        spec: &Spec,
    ) -> Result<(), TaskDirectoryError> {
        let path = self.0.join(SPEC);
        let text = serde_json::to_vec(spec).map_err(|error| doing("write", &path)(error.into()))?;
        files.spec.write_all(&text).map_err(doing("write", &path))
    }

    /// Removes the directory of a task that never began.
    pub(crate) fn discard(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }

    /// Reads what was asked.
    pub fn read_spec(&self) -> Result<Spec, TaskDirectoryError> {
        self.read(SPEC)
    }

    /// Reads how it stands; none if it has not begun. A task whose keeper has died
    /// reads as lost.
    pub fn read_state(&self) -> Result<Option<State>, TaskDirectoryError> {
        // The lock is asked first: a task that ends between the two questions has
        // then already written its last record.
        let owned = self.is_owned();
        let seen = self.last_record()?;
        let is_running = |state: &State| state.phase == Phase::Running;
        if owned || !seen.as_ref().is_some_and(is_running) {
            return Ok(seen);
        }
        // When it was asked, the lock may not have been taken yet. Now that there is a record, a
        // free lock was let go for good.
        if self.is_owned() {
            return Ok(seen);
        }
        let last = self.last_record()?.map(|mut state| {
            if is_running(&state) {
                state.phase = Phase::Lost;
            }
            state
        });
        Ok(last)
    }

    /// The last line of the record that can be read, as it was written. One that was spoilt
    /// does not hide those before it.
    fn last_record(&self) -> Result<Option<State>, TaskDirectoryError> {
        let path = self.0.join(STATE);
        let text = match read_end_of_ours(&path, MOST_RECORDS) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(doing("read", &path))?,
        };
        let whole = text.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
        let mut first_error = None;
        let lines = text[..whole].rsplit(|&byte| byte == b'\n');
        for line in lines.filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(state) => return Ok(Some(state)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        first_error.map_or(Ok(None), |error| Err(doing("read", &path)(error.into())))
    }

    /// Whether a living keeper holds the task.
    pub fn is_owned(&self) -> bool {
        let Ok(spec) = open_ours(&self.0.join(SPEC)) else {
            return false;
        };
        // A shared lock is refused exactly while the keeper holds its own; asking
        // for a shared one means that two askers never take each other for a keeper.
        // What can be opened here was locked before it had its name (see `locked_file`), and no
        // keeper locks it a second time: an asker never has what a keeper wants.
        matches!(
            flock(spec.as_fd(), FlockOperation::NonBlockingLockShared),
            Err(rustix::io::Errno::WOULDBLOCK)
        )
    }

    fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, TaskDirectoryError> {
        let path = self.0.join(name);
        let text = read_ours(&path).map_err(doing("read", &path))?;
        serde_json::from_slice(&text).map_err(|error| doing("read", &path)(error.into()))
    }
}

/// The open files of a task that its keeper owns.
#[derive(Debug)]
pub(crate) struct TaskFiles {
    /// Locked for as long as the task is ours.
    pub(crate) spec: File,
    /// Made while the command starts, unless it was prepared.
    pub(crate) log: Option<File>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn is_none(number: &usize) -> bool {
    *number == 0
}

/// Makes a directory for one task; the first makes the one for all.
pub(crate) fn make_among_tasks(path: &Path) -> io::Result<()> {
    let make = || fs::DirBuilder::new().mode(0o700).create(path);
    make().or_else(|error| match (error.kind(), path.parent()) {
        (io::ErrorKind::NotFound, Some(tasks)) => fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(tasks)
            .and_then(|()| make()),
        _ => Err(error),
    })
}

/// A new file of ours, in a directory that we just made, that is locked until it is closed. It
/// gets its name when it is locked: other processes that ask whether it is owned take a lock of
/// their own for a moment, and between a name and a lock one of them would be in our way.
pub(crate) fn locked_file(path: &Path) -> io::Result<File> {
    let unnamed = path.with_file_name(UNLOCKED);
    let file = private_file().open(&unnamed)?;
    flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive)?;
    fs::rename(&unnamed, path)?;
    Ok(file)
}

fn doing(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TaskDirectoryError + use<> {
    let path = path.to_owned();
    move |source| TaskDirectoryError {
        doing,
        path,
        source,
    }
}

/// How files of ours are made: new, and readable by our user only.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options
}

#[cfg(test)]
mod tests;
