//! Where shells are kept: a private directory each, with a lock and the state.
//!
//! Who has the lock also notes its use there: most calls change nothing else, and a state is
//! written only when it is another.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::name::Key;
use super::own::may_be_carried;
use crate::model::error::shell::ShellError;
use crate::model::shell_state::ShellState;

/// The version of the file.
const FORMAT: u32 = 1;

const STATE: &str = "state";
const STATE_NEW: &str = "state.new";
const LOCK: &str = "lock";

/// No state file is larger: what a call saves, written down, grows at most sixfold.
const LARGEST_FILE: u64 = 32 << 20;

/// A shell as it is on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShellRecord {
    v: u32,
    pub(crate) agent: String,
    pub(crate) session: String,
    pub(crate) workspace: String,
    pub(crate) name: String,
    pub(crate) created_at_ms: u64,
    pub(crate) state: ShellState,
    #[serde(skip)]
    pub(crate) used: Use,
}

/// How a shell was used.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Use {
    pub(crate) at_ms: u64,
    pub(crate) calls: u64,
}

impl Use {
    /// Always as long, so that it is written in one piece over the last one.
    fn text(self) -> String {
        format!("{:020} {:020}\n", self.at_ms, self.calls)
    }

    fn read(text: &str) -> Option<Self> {
        let (at, calls) = text.trim_end().split_once(' ')?;
        Some(Self {
            at_ms: at.parse().ok()?,
            calls: calls.parse().ok()?,
        })
    }
}

impl ShellRecord {
    pub(crate) fn new(key: &Key) -> Self {
        let now = now_ms();
        Self {
            v: FORMAT,
            agent: key.agent.clone(),
            session: key.session.clone(),
            workspace: key.workspace.clone(),
            name: key.name.clone(),
            created_at_ms: now,
            state: ShellState::default(),
            used: Use {
                at_ms: now,
                calls: 0,
            },
        }
    }

    /// Whether no call has used it for this long.
    pub(crate) fn is_expired(&self, idle: Duration) -> bool {
        let unused = now_ms().saturating_sub(self.used.at_ms);
        u128::from(unused) > idle.as_millis()
    }
}

/// A shell that this process has to itself.
#[derive(Debug)]
pub(crate) struct Held {
    directory: OwnedFd,
    path: PathBuf,
    name: String,
    lock: File,
}

/// The directory of all shells.
fn all(state: &Path) -> PathBuf {
    state.join("shells")
}

/// Opens a private directory of ours, or makes it.
fn private_directory(path: &Path) -> Result<OwnedFd, ShellError> {
    let failed = |errno: Errno| files(path, errno.into());
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(failed(errno)),
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let directory = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
    let about = rustix::fs::fstat(&directory).map_err(failed)?;
    let own = about.st_uid == rustix::process::geteuid().as_raw();
    if !own || about.st_mode & 0o077 != 0 {
        let source = io::Error::other("others can write to it or read it");
        return Err(files(path, source));
    }
    Ok(directory)
}

fn files(path: &Path, source: io::Error) -> ShellError {
    ShellError::Files {
        path: path.to_owned(),
        source,
    }
}

impl Held {
    /// Waits until no other call has this shell, until `until` at most. `gives_up` is asked now
    /// and then.
    pub(crate) fn wait(
        state: &Path,
        key: &Key,
        until: Option<Instant>,
        gives_up: impl Fn() -> bool,
    ) -> Result<Self, ShellError> {
        let begun = Instant::now();
        private_directory(&all(state))?;
        let path = all(state).join(key.directory());
        let mut pause = Duration::from_micros(500);
        loop {
            if let Some(held) = Self::attempt(&path, &key.name)? {
                return Ok(held);
            }
            let over = until.is_some_and(|until| Instant::now() + pause > until);
            if over || gives_up() {
                return Err(ShellError::Busy {
                    name: key.name.clone(),
                    waited: begun.elapsed(),
                });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Takes it if no other call has it.
    fn attempt(path: &Path, name: &str) -> Result<Option<Self>, ShellError> {
        let failed = |errno: Errno| files(path, errno.into());
        let directory = private_directory(path)?;
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let lock = match rustix::fs::openat(&directory, LOCK, flags, Mode::RUSR | Mode::WUSR) {
            Ok(lock) => File::from(lock),
            // Another process removes the shell in this moment.
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(failed(errno)),
        };
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(None),
            Err(errno) => return Err(failed(errno)),
        }
        // A process that ended the shell meanwhile took this very lock away.
        let named = rustix::fs::statat(CWD, path.join(LOCK), AtFlags::SYMLINK_NOFOLLOW);
        let own = lock.metadata().map_err(|source| files(path, source))?.ino();
        if !named.is_ok_and(|named| named.st_ino == own) {
            return Ok(None);
        }
        Ok(Some(Self {
            directory,
            path: path.to_owned(),
            name: name.to_owned(),
            lock,
        }))
    }

    /// What is on disk; none if nothing is.
    pub(crate) fn read(&self) -> Result<Option<ShellRecord>, ShellError> {
        read(&self.directory, &self.path, &self.name)
    }

    /// Notes a use.
    pub(crate) fn note_use(&self, used: Use) -> io::Result<()> {
        self.lock.write_all_at(used.text().as_bytes(), 0)
    }

    /// Puts a state on disk. If that fails, the one before stays.
    pub(crate) fn write(&self, record: &ShellRecord) -> io::Result<()> {
        self.note_use(record.used)?;
        let flags =
            OFlags::CREATE | OFlags::TRUNC | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let json = serde_json::to_vec(record)?;
        let mode = Mode::RUSR | Mode::WUSR;
        let written = rustix::fs::openat(&self.directory, STATE_NEW, flags, mode)
            .map_err(io::Error::from)
            .and_then(|file| File::from(file).write_all(&json));
        let renamed = written.and_then(|()| {
            let renamed = rustix::fs::renameat(&self.directory, STATE_NEW, &self.directory, STATE);
            Ok(renamed?)
        });
        if renamed.is_err() {
            // Half a file is of no use, and may be what fills the disk.
            let _ = rustix::fs::unlinkat(&self.directory, STATE_NEW, AtFlags::empty());
        }
        renamed
    }

    /// Forgets the state, and goes on as a new shell.
    pub(crate) fn forget(&self, key: &Key) -> Result<(), ShellError> {
        let written = self.write(&ShellRecord::new(key));
        written.map_err(|source| files(&self.path, source))
    }

    /// Removes the shell.
    pub(crate) fn remove(self) -> Result<(), ShellError> {
        for name in [STATE_NEW, STATE] {
            match rustix::fs::unlinkat(&self.directory, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(errno) => return Err(files(&self.path, errno.into())),
            }
        }
        let removed = std::fs::remove_file(self.path.join(LOCK));
        let removed = removed.and_then(|()| std::fs::remove_dir(&self.path));
        removed.map_err(|source| files(&self.path, source))
    }
}

fn read(directory: &OwnedFd, path: &Path, name: &str) -> Result<Option<ShellRecord>, ShellError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::openat(directory, STATE, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(files(path, errno.into())),
    };
    let mut bytes = Vec::new();
    let size = file.take(LARGEST_FILE).read_to_end(&mut bytes);
    size.map_err(|source| files(path, source))?;
    let record: Option<ShellRecord> = serde_json::from_slice(&bytes).ok();
    let record = record.filter(|record| record.v == FORMAT);
    let Some(mut record) = record else {
        return Err(ShellError::Damaged {
            name: name.to_owned(),
        });
    };
    // A version before this one kept more.
    record.state.variables.retain(may_be_carried);
    let used = match rustix::fs::openat(directory, LOCK, flags, Mode::empty()) {
        Ok(used) => used,
        // It is being removed.
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(files(path, errno.into())),
    };
    let mut text = String::new();
    let read = File::from(used).take(64).read_to_string(&mut text);
    read.map_err(|source| files(path, source))?;
    record.used = Use::read(&text).unwrap_or(Use {
        at_ms: record.created_at_ms,
        calls: 0,
    });
    Ok(Some(record))
}

/// What is on disk of a shell, without waiting for the call that has it.
pub(crate) fn peek(state: &Path, key: &Key) -> Result<Option<ShellRecord>, ShellError> {
    let path = all(state).join(key.directory());
    peek_at(&path, &key.name)
}

fn peek_at(path: &Path, name: &str) -> Result<Option<ShellRecord>, ShellError> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(directory) => read(&directory, path, name),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(files(path, errno.into())),
    }
}

/// All shells that can be read, and whether a call has them now.
pub(crate) fn list(state: &Path) -> Result<Vec<(ShellRecord, bool)>, ShellError> {
    let path = all(state);
    let entries = match std::fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(files(&path, source)),
    };
    let mut list = Vec::new();
    for entry in entries.flatten() {
        if let Ok(Some(record)) = peek_at(&entry.path(), "") {
            let busy = matches!(Held::attempt(&entry.path(), &record.name), Ok(None));
            list.push((record, busy));
        }
    }
    list.sort_by(|(one, _), (other, _)| {
        let key = |record: &ShellRecord| (record.agent.clone(), record.created_at_ms);
        key(one).cmp(&key(other))
    });
    Ok(list)
}

/// Removes shells that no call has used for this long. What cannot be removed stays.
pub(crate) fn remove_expired(state: &Path, idle: Duration) {
    let Ok(entries) = std::fs::read_dir(all(state)) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(Some(record)) = peek_at(&entry.path(), "") else {
            continue;
        };
        if record.is_expired(idle)
            && let Ok(Some(held)) = Held::attempt(&entry.path(), &record.name)
            // A call may have used it since.
            && let Ok(Some(record)) = held.read()
            && record.is_expired(idle)
        {
            let _ = held.remove();
        }
    }
}

pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
