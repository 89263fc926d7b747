//! A place among the background tasks of an agent, and the name that goes with it.
//!
//! Every task in the background has a marker: an empty file with its id, or one that holds its
//! name. The lock of the agent's markers is held while they are counted and one is added, so that
//! two starts never get one name or one place. Markers of tasks that have ended are removed when
//! a start needs a name or finds all places taken, so an ordinary start looks at one directory and
//! no task. What such a task left behind then gets a marker in its place.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use bashful_keeper::{Fate, State, TaskDirectory, TaskId};
use rustix::fs::{FlockOperation, OFlags, flock};
use sha2::{Digest, Sha256};

use crate::base::digest::hexadecimal;
use crate::model::error::{EngineError, InvalidInvocation};
use crate::record::standing::Standing;

/// Where the markers of all agents are.
const DIRECTORY: &str = "background";
/// How long a start waits for another start of the same agent.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long after its marker a task has a directory, or never will.
const STARTING: Duration = Duration::from_secs(60);
/// More of a marker is not read.
const LONGEST: u64 = 64;

/// What a new background task wants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimRequest<'a> {
    pub(crate) agent: &'a str,
    pub(crate) task: &'a TaskId,
    pub(crate) name: Option<&'a str>,
    /// How many of the agent may run.
    pub(crate) most: usize,
}

/// A place that was taken. It is given back when this goes, unless it is kept.
#[derive(Debug)]
pub(crate) struct Claim {
    marker: Option<PathBuf>,
}

/// The file that holds the place of one background task.
struct Marker {
    path: PathBuf,
    id: TaskId,
}

impl Claim {
    /// Takes a place, or says why there is none.
    pub(crate) fn take(state: &Path, wanted: ClaimRequest<'_>) -> Result<Self, EngineError> {
        let directory = directory(state, wanted.agent);
        let broken = |source| EngineError::StateDirectory {
            path: directory.clone(),
            source,
        };
        let _lock = lock(&directory).map_err(broken)?;
        let mut markers = markers(&directory).map_err(broken)?;
        if wanted.name.is_some() || markers.len() >= wanted.most {
            markers = living(state, markers);
        }
        if let Some(name) = wanted.name
            && let Some(other) = markers
                .iter()
                .find(|marker| marker.name().as_deref() == Some(name))
        {
            return Err(InvalidInvocation::NameTaken {
                name: name.to_owned(),
                task: other.id.to_string(),
            }
            .into());
        }
        if markers.len() >= wanted.most {
            return Err(too_many(wanted.agent, wanted.most));
        }
        let path = directory.join(wanted.task.as_str());
        let mut file = private().create_new(true).open(&path).map_err(broken)?;
        let claim = Self { marker: Some(path) };
        if let Some(name) = wanted.name {
            file.write_all(name.as_bytes()).map_err(broken)?;
        }
        Ok(claim)
    }

    /// Nothing to give back: the task runs.
    pub(crate) fn keep(mut self) {
        self.marker = None;
    }
}

/// Refuses where a place would not be free; takes none.
pub(crate) fn check_room(state: &Path, agent: &str, most: usize) -> Result<(), EngineError> {
    let directory = directory(state, agent);
    // Without a directory there is no task either.
    let Ok(found) = markers(&directory) else {
        return Ok(());
    };
    if found.len() < most {
        return Ok(());
    }
    let broken = |source| EngineError::StateDirectory {
        path: directory.clone(),
        source,
    };
    let _lock = lock(&directory).map_err(broken)?;
    let found = markers(&directory).map_err(broken)?;
    if living(state, found).len() < most {
        Ok(())
    } else {
        Err(too_many(agent, most))
    }
}

/// Marks a task that runs already and that its caller does not wait for any more, also where no
/// place is free: nothing that runs is ended for it, and the next start is refused.
pub(crate) fn mark(state: &Path, agent: &str, task: &TaskId) -> io::Result<()> {
    let directory = directory(state, agent);
    let _lock = lock(&directory)?;
    touch(&directory.join(task.as_str()))
}

/// The tasks that have what a task left behind.
pub(crate) fn heirs(record: &State) -> Vec<&TaskId> {
    let adopted = record
        .survivors
        .iter()
        .filter(|survivor| survivor.fate == Fate::Adopted);
    let mut heirs: Vec<&TaskId> = adopted.filter_map(|one| one.task_id.as_ref()).collect();
    heirs.dedup();
    heirs
}

fn too_many(agent: &str, most: usize) -> EngineError {
    let agent = agent.to_owned();
    InvalidInvocation::TooManyTasks { agent, most }.into()
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(marker) = &self.marker {
            let _ = fs::remove_file(marker);
        }
    }
}

impl Marker {
    fn name(&self) -> Option<String> {
        let mut text = String::new();
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(&self.path)
            .ok()?;
        file.take(LONGEST).read_to_string(&mut text).ok()?;
        (!text.is_empty()).then_some(text)
    }
}

/// The background tasks with this name that have a marker, of all agents.
pub(crate) fn marked(state: &Path, name: &str) -> Vec<TaskId> {
    let Ok(agents) = fs::read_dir(state.join(DIRECTORY)) else {
        return Vec::new();
    };
    let all = agents
        .flatten()
        .filter_map(|agent| markers(&agent.path()).ok());
    let named = all
        .flatten()
        .filter(|marker| marker.name().as_deref() == Some(name));
    named.map(|marker| marker.id).collect()
}

/// Removes the markers of tasks that have ended or are gone.
pub(crate) fn remove_stale(state: &Path) {
    let Ok(agents) = fs::read_dir(state.join(DIRECTORY)) else {
        return;
    };
    for agent in agents.flatten() {
        let Ok(_lock) = lock(&agent.path()) else {
            continue;
        };
        living(state, markers(&agent.path()).unwrap_or_default());
    }
}

/// Makes a file of ours, or says that it was touched now.
pub(crate) fn touch(path: &Path) -> io::Result<()> {
    let file = private().create(true).open(path)?;
    file.set_modified(SystemTime::now())
}

fn directory(state: &Path, agent: &str) -> PathBuf {
    let digest = Sha256::digest(agent.as_bytes());
    state.join(DIRECTORY).join(hexadecimal(&digest, 12))
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    options.write(true).mode(0o600).custom_flags(flags);
    options
}

fn lock(directory: &Path) -> io::Result<File> {
    let open = || private().create(true).open(directory.join("lock"));
    let file = open().or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .and_then(|()| open()),
        _ => Err(error),
    })?;
    let until = Instant::now() + PATIENCE;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(errno) => return Err(errno.into()),
        }
    }
}

fn markers(directory: &Path) -> io::Result<Vec<Marker>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if let Some(id) = entry.file_name().to_str().and_then(TaskId::parse) {
            let path = entry.path();
            found.push(Marker { path, id });
        }
    }
    Ok(found)
}

/// Those whose tasks run. The others are removed, and what their tasks left behind is marked.
fn living(state: &Path, found: Vec<Marker>) -> Vec<Marker> {
    let known: Vec<TaskId> = found.iter().map(|marker| marker.id.clone()).collect();
    let mut living = Vec::new();
    for marker in found {
        let record = match life(state, &marker) {
            Life::Goes => {
                living.push(marker);
                continue;
            }
            Life::Over(record) => record,
        };
        for id in record.iter().flat_map(|record| heirs(record)) {
            let heir = Marker {
                path: marker.path.with_file_name(id.as_str()),
                id: id.clone(),
            };
            let is_new = !known.contains(id) && matches!(life(state, &heir), Life::Goes);
            if is_new && touch(&heir.path).is_ok() {
                living.push(heir);
            }
        }
        // One that stays is looked at again the next time.
        let _ = fs::remove_file(&marker.path);
    }
    living
}

/// What the task of a marker does.
enum Life {
    /// It runs, or is about to.
    Goes,
    /// It has ended, with this last record.
    Over(Option<Box<State>>),
}

fn life(state: &Path, marker: &Marker) -> Life {
    let directory = TaskDirectory::of(state, &marker.id);
    let goes = match Standing::of(&directory) {
        Ok(Some(standing)) if standing.state.is_over() => {
            return Life::Over(standing.record.map(Box::new));
        }
        Ok(Some(_)) => true,
        Ok(None) => is_young(&marker.path),
        Err(_) => directory.is_owned(),
    };
    if goes { Life::Goes } else { Life::Over(None) }
}

/// Whether a marker was made a moment ago, whichever way the clock was set since.
fn is_young(path: &Path) -> bool {
    let Ok(made) = fs::symlink_metadata(path).and_then(|about| about.modified()) else {
        return false;
    };
    let now = SystemTime::now();
    let apart = now
        .duration_since(made)
        .unwrap_or_else(|error| error.duration());
    apart < STARTING
}
