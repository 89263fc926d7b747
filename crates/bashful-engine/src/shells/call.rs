//! One call in a shell: its state is loaded before it and saved after it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

use super::Kept;
use super::carry::carry;
use super::dump::{self, Left};
use super::name::Key;
use super::script::{Given, functions, loader, wrapper};
use super::store::{Held, ShellRecord, Use, now_ms, remove_expired};
use crate::model::error::EngineError;
use crate::model::error::shell::ShellError;
use crate::model::result::ExecutionResult;
use crate::model::shell_state::ShellOutcome;
use crate::model::shell_state::ShellState;

/// A call that has its shell to itself.
#[derive(Debug)]
pub(crate) struct ShellCall {
    held: Held,
    record: ShellRecord,
    /// How long others had the shell before.
    waited: Duration,
    /// What the caller should know about how it began.
    notes: Vec<String>,
    /// What the run was given; none before it was.
    armed: Option<Armed>,
}

/// What is needed to understand what a run leaves.
#[derive(Debug)]
pub(crate) struct Armed {
    pub(super) saves: OwnedFd,
    environment: BTreeMap<String, String>,
    injected: BTreeSet<String>,
}

/// What a run in a shell is started with.
#[derive(Debug)]
pub(crate) struct Arms {
    /// The text for bash; the text of the call follows as its arguments.
    pub(crate) wrapper: String,
    /// Its functions, for the environment.
    pub(crate) functions: Vec<(String, String)>,
    /// What the run inherits.
    pub(crate) descriptors: Vec<OwnedFd>,
    pub(crate) armed: Armed,
}

impl ShellCall {
    /// Waits for the shell and reads its state.
    pub(crate) fn open(
        state: &Path,
        key: &Key,
        idle: Duration,
        until: Option<Instant>,
        gives_up: impl Fn() -> bool,
    ) -> Result<Self, ShellError> {
        let begun = Instant::now();
        let held = Held::wait(state, key, until, gives_up)?;
        let waited = begun.elapsed();
        let mut notes = Vec::new();
        let record = match held.read()? {
            Some(record) if record.is_expired(idle) => {
                notes.push("it had not been used for so long that it started afresh".to_owned());
                ShellRecord::new(key)
            }
            Some(record) => record,
            None => {
                // A new one is rare enough to look after the old ones.
                remove_expired(state, idle);
                ShellRecord::new(key)
            }
        };
        Ok(Self {
            held,
            record,
            waited,
            notes,
            armed: None,
        })
    }

    pub(crate) fn state(&self) -> Arc<ShellState> {
        Arc::new(self.record.state.clone())
    }

    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub(crate) fn arm(&mut self, armed: Armed) {
        if self.record.used.calls == 0 {
            // So that it can be seen and ended during its first call, too; not worth a failure.
            let _ = self.held.write(&self.record);
        }
        self.armed = Some(armed);
    }

    /// Saves what the run left, and says in its result what became of it.
    pub(crate) fn settle(mut self, result: &mut ExecutionResult) {
        let outcome = self.save();
        let mut notes = std::mem::take(&mut self.notes);
        if let Err(kept) = &outcome {
            notes.push(kept.to_string());
        }
        result.shell = Some(self.record.name.clone());
        result.shell_state = Some(match outcome {
            Ok(()) => ShellOutcome::Saved,
            Err(_) => ShellOutcome::Kept,
        });
        result.shell_note = (!notes.is_empty()).then(|| notes.join("; "));
        let waited = u64::try_from(self.waited.as_millis()).unwrap_or(u64::MAX);
        result.shell_waited_ms = (waited > 0).then_some(waited);
    }

    fn save(&mut self) -> Result<(), Kept> {
        let armed = self.armed.take().ok_or(Kept::NotStarted)?;
        let bytes = written(armed.saves).map_err(Kept::Unreadable)?;
        let saved = match dump::read(&bytes) {
            Left::NotLoaded => return Err(Kept::NotLoaded),
            Left::NotSaved => return Err(Kept::NotSaved),
            Left::Garbled(what) if bytes.len() as u64 >= dump::MOST_BYTES => {
                tracing::debug!(what, "a shell's state is too large");
                return Err(Kept::TooLarge);
            }
            Left::Garbled(what) => return Err(Kept::Garbled(what.to_owned())),
            Left::Saved(saved) => saved,
        };
        let given = Given {
            environment: &armed.environment,
            injected: &armed.injected,
        };
        let state = carry(*saved, &given, &self.record.state).map_err(Kept::Garbled)?;
        self.record.used = Use {
            at_ms: now_ms(),
            calls: self.record.used.calls.saturating_add(1),
        };
        if state == self.record.state {
            let noted = self.held.note_use(self.record.used);
            return noted.map_err(Kept::NotWritten);
        }
        self.record.state = state;
        self.held.write(&self.record).map_err(Kept::NotWritten)
    }
}

/// Makes what a run in a shell with this state is started with.
pub(crate) fn arm(
    state: &ShellState,
    environment: &BTreeMap<String, String>,
    injected: BTreeSet<String>,
) -> Result<Arms, EngineError> {
    let given = Given {
        environment,
        injected: &injected,
    };
    let failed = |source: io::Error| EngineError::Resources {
        what: "memory for the state of a shell".to_owned(),
        source,
    };
    let loads = loads(&loader(state, &given)).map_err(failed)?;
    let saves = saves().map_err(failed)?;
    let theirs = saves.try_clone().map_err(failed)?;
    let nowhere = File::options().write(true).open("/dev/null");
    Ok(Arms {
        wrapper: wrapper(state),
        functions: functions(state),
        descriptors: vec![loads, theirs, nowhere.map_err(failed)?.into()],
        armed: Armed {
            saves,
            environment: environment.clone(),
            injected,
        },
    })
}

/// What a run loads, sealed so that no process can change it.
fn loads(script: &[u8]) -> io::Result<OwnedFd> {
    let memory = memfd_create("shell", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = File::from(memory);
    file.write_all(script)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}

/// Where a run saves: so much and no more.
fn saves() -> io::Result<OwnedFd> {
    let memory = memfd_create("shell", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let file = File::from(memory);
    file.set_len(dump::MOST_BYTES)?;
    fcntl_add_seals(&file, SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(file.into())
}

/// What was written. Position and content are a run's, so both are only looked at once.
pub(super) fn written(saves: OwnedFd) -> io::Result<Vec<u8>> {
    let mut file = File::from(saves);
    let end = file.stream_position()?.min(dump::MOST_BYTES);
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(end).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Where a shell with this state starts, if that is still there.
pub(crate) fn directory_of(state: &ShellState) -> Option<Result<PathBuf, String>> {
    let directory = state.directory.as_ref()?;
    Some(match directory.text() {
        Some(text) => Ok(PathBuf::from(text)),
        None => Err("its directory has a name that is not UTF-8".to_owned()),
    })
}
