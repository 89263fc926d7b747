//! Removing tasks that have ended: the oldest first, and never one that runs.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use bashful_keeper::{TaskDirectory, TaskId};
use serde::Serialize;

use super::homes::remove_homes;
use crate::base::clock::{millis, now_ms};
use crate::config::Tasks;
use crate::engine::Engine;
use crate::model::task_ids::task_ids;
use crate::record::standing::{Standing, TaskState};
use crate::run::claim::{remove_stale, touch};

/// What to keep of tasks that have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CleanRequest {
    /// How many of them are kept at most: the newest.
    pub keep: usize,
    /// How long after its end a task is kept.
    pub max_age: Duration,
    /// How many bytes the logs of all tasks may hold together before old ones go.
    pub total_log: u64,
    /// Only tell what would be removed.
    pub dry_run: bool,
}

impl CleanRequest {
    /// What the configuration keeps.
    pub fn of(limits: &Tasks) -> Self {
        Self {
            keep: limits.keep,
            max_age: limits.max_age,
            total_log: limits.total_log,
            dry_run: false,
        }
    }

    /// Only tells what would be removed.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cleaned {
    /// The tasks, the oldest first.
    pub removed: Vec<RemovedTask>,
    /// How many bytes their logs had.
    pub freed_bytes: u64,
    /// How many tasks that have ended are still there.
    pub kept: usize,
    /// How many of them would go, and stay until their end is on record: they ended a moment ago,
    /// and the engine that started them may still write it down.
    pub waiting: usize,
    /// How many of them would go, and cannot: their end cannot be put on record, or their directory
    /// cannot be removed.
    pub stuck: usize,
    /// How many tasks run.
    pub running: usize,
}

/// A task that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RemovedTask {
    /// The id that the task had.
    pub task_id: String,
    /// How many bytes its log had.
    pub log_bytes: u64,
}

/// How long after one cleaning the next one follows.
const BETWEEN: Duration = Duration::from_secs(60 * 60);
/// How long the engine that started a task has to put its end on record.
const RECENT: Duration = Duration::from_secs(60);
/// What shows when the last one was.
const STAMP: &str = "tasks.cleaned";
/// The same for caches: to measure them takes a look at every file.
const BETWEEN_CACHES: Duration = Duration::from_secs(24 * 60 * 60);
const STAMP_OF_CACHES: &str = "caches.cleaned";
/// What the name of a directory begins with that is being removed. No task's name begins with a dot.
const GOING: &str = ".gone-";

/// A task that has ended.
struct Old {
    id: TaskId,
    ended_at_ms: u64,
    log_bytes: u64,
}

impl Engine {
    /// Removes tasks that have ended, as far as they are not to be kept. The end of each is on
    /// record before it goes, with the digest of its log.
    pub fn clean_tasks(&self, request: &CleanRequest) -> Cleaned {
        let state = self.state_directory();
        if !request.dry_run {
            // Before the records go that tell what became of what tasks left behind.
            remove_stale(state);
        }
        let mut cleaned = Cleaned::default();
        let mut held = 0_u64;
        let mut ended = Vec::new();
        for id in task_ids(state).unwrap_or_default().into_iter().rev() {
            let directory = TaskDirectory::of(state, &id);
            let log_bytes = fs::symlink_metadata(directory.log()).map_or(0, |about| about.len());
            match look(&directory) {
                Look::Runs => {
                    cleaned.running += 1;
                    held = held.saturating_add(log_bytes);
                }
                Look::Ended { ended_at_ms } => ended.push(Old {
                    id,
                    ended_at_ms,
                    log_bytes,
                }),
                Look::Unknown => {}
            }
        }
        let now = now_ms();
        let mut going = Vec::new();
        for old in ended {
            let total = held.saturating_add(old.log_bytes);
            // A clock that was set back makes nothing older than it is.
            let age = now.saturating_sub(old.ended_at_ms);
            let stays = cleaned.kept < request.keep
                && age <= millis(request.max_age)
                && total <= request.total_log;
            if stays {
                cleaned.kept += 1;
                held = total;
            } else {
                going.push(old);
            }
        }
        for old in going.into_iter().rev() {
            let goes = || self.ends().record(state, &old.id) && remove(state, &old.id);
            if !request.dry_run && !goes() {
                cleaned.kept += 1;
                if now.abs_diff(old.ended_at_ms) < millis(RECENT) {
                    cleaned.waiting += 1;
                } else {
                    cleaned.stuck += 1;
                }
                continue;
            }
            cleaned.freed_bytes = cleaned.freed_bytes.saturating_add(old.log_bytes);
            cleaned.removed.push(RemovedTask {
                task_id: old.id.to_string(),
                log_bytes: old.log_bytes,
            });
        }
        if !request.dry_run {
            remove_remains(state);
            remove_homes(self.settings());
        }
        cleaned
    }

    /// Removes what the configuration does not keep, once an hour at most, and of caches once a day. Cheap
    /// otherwise.
    pub fn clean_tasks_if_due(&self) {
        let stamp = self.state_directory().join(STAMP);
        // Written first, so that others do not begin as well; one that cannot be written is a
        // matter of the state directory, which others tell about.
        if due_in(&stamp, BETWEEN).is_zero() && touch(&stamp).is_ok() {
            self.clean_tasks(&CleanRequest::of(&self.config().tasks));
            let stamp = self.state_directory().join(STAMP_OF_CACHES);
            if due_in(&stamp, BETWEEN_CACHES).is_zero() && touch(&stamp).is_ok() {
                self.keep_cache_quota();
            }
        }
    }

    /// The same on a thread of its own.
    pub(crate) fn clean_tasks_aside(&self) {
        if !self
            .next_cleaning()
            .is_due(|| due_in(&self.state_directory().join(STAMP), BETWEEN))
        {
            return;
        }
        let engine = self.clone();
        // Without a thread it is done another time.
        let _ = std::thread::Builder::new()
            .name("bashful-clean".to_owned())
            .spawn(move || engine.clean_tasks_if_due());
    }
}

/// How long it is until the next cleaning; zero if the last was long enough ago.
fn due_in(stamp: &Path, between: Duration) -> Duration {
    let last = fs::symlink_metadata(stamp).and_then(|about| about.modified());
    let now = SystemTime::now();
    last.map_or(Duration::ZERO, |last| match now.duration_since(last) {
        Ok(passed) => between.saturating_sub(passed),
        // A clock that was set back by much must not put it off for as long.
        Err(ahead) if ahead.duration() >= between => Duration::ZERO,
        Err(_) => between,
    })
}

/// What a directory is.
enum Look {
    Runs,
    Ended { ended_at_ms: u64 },
    Unknown,
}

fn look(directory: &TaskDirectory) -> Look {
    if directory.is_owned() {
        return Look::Runs;
    }
    let Ok(Some(Standing { state, record })) = Standing::of(directory) else {
        // `bashful doctor` names what cannot be read.
        return Look::Unknown;
    };
    if !state.is_over() {
        return Look::Runs;
    }
    let made = || {
        let about = fs::symlink_metadata(directory.path()).and_then(|about| about.modified());
        let since = about
            .ok()
            .and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        since.map_or(0, millis)
    };
    let ended_at_ms = match record {
        Some(record) if state == TaskState::Finished => {
            let lasted = record.duration_us.unwrap_or(0) / 1000;
            record.started_at_ms.saturating_add(lasted)
        }
        // When one that was lost ended is not known; its directory did not change after that.
        _ => made(),
    };
    Look::Ended { ended_at_ms }
}

/// Takes a task away, in one step for callers that list tasks.
fn remove(state: &Path, id: &TaskId) -> bool {
    let directory = TaskDirectory::of(state, id);
    let aside = state.join("tasks").join(format!("{GOING}{id}"));
    if fs::rename(directory.path(), &aside).is_err() {
        return false;
    }
    // What is left of it is removed the next time.
    let _ = fs::remove_dir_all(aside);
    true
}

/// What a cleaning that was cut off has left.
fn remove_remains(state: &Path) {
    let entries = fs::read_dir(state.join("tasks"));
    for entry in entries.into_iter().flatten().flatten() {
        let is_going = |name: &str| name.starts_with(GOING);
        if entry.file_name().to_str().is_some_and(is_going) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
