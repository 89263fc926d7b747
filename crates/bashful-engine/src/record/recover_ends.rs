//! Ends that no engine put on record.
//!
//! The engine that starts a run puts its end on record when it sees it. One that was killed
//! before, or left the run to itself, did not: then the task directory knows how it ended, and the
//! next engine that reads the record writes it down.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use bashful_keeper::{Phase, TaskDirectory, TaskId};
use rustix::fs::{FlockOperation, OFlags, flock};

use crate::base::clock::now_ms;
use crate::model::error::record::AuditError;
use crate::model::result::{ExecutionResult, RequestInfo};
use crate::record::audit::{Ended, Event, OutputDigest, Starting, Trail};
use crate::record::index::reconcile;
use crate::record::log_digest::log_digest;
use crate::store::{DATABASE, SqliteStore};

/// This long after the end of a run the engine that started it has written it down, or never will.
const PATIENCE_MS: u64 = 5_000;

/// This long after the record of a start its keeper has made the task directory, or never will.
const STARTING_MS: u64 = 30_000;

/// Puts on record how runs ended whose end is not, and says how many that were.
fn record_late_ends(state: &Path) -> Result<usize, AuditError> {
    let trail = Trail::at(state);
    let _turn = Turn::take(state);
    let mut starts = OpenStarts::default();
    starts.catch_up(&trail)?;
    let ended = starts
        .open
        .values()
        .filter_map(|(at_ms, start)| late_end(state, start, *at_ms));
    let ended: Vec<Event> = ended.map(|end| Event::End(Box::new(end))).collect();
    if !ended.is_empty() {
        trail.append(&ended)?.sync()?;
    }
    Ok(ended.len())
}

/// Brings the record and the index up to date with the task directories. A database that cannot
/// be used stays behind; `bashful doctor` says so.
pub fn bring_up_to_date(state: &Path) -> Result<usize, AuditError> {
    let late = record_late_ends(state)?;
    let store = SqliteStore::open_existing(&state.join(DATABASE));
    if let Ok(Some(store)) = store {
        let behind = reconcile(state, &store);
        drop(behind);
    }
    Ok(late)
}

/// Starts without an end, with the time of their record, as far as the trail was read.
#[derive(Debug, Default)]
pub(crate) struct OpenStarts {
    offset: u64,
    open: BTreeMap<String, (u64, Starting)>,
}

impl OpenStarts {
    /// Puts the end of one task on record; whether it is there now, or never will be: false while
    /// the engine that started it may still write it down.
    pub(crate) fn record_end(&mut self, state: &Path, id: &TaskId) -> Result<bool, AuditError> {
        let trail = Trail::at(state);
        self.catch_up(&trail)?;
        let Some((at_ms, start)) = self.open.get(id.as_str()) else {
            return Ok(true);
        };
        let Some(end) = late_end(state, start, *at_ms) else {
            return Ok(false);
        };
        // Two who see that an end is missing must not both write it.
        let _turn = Turn::take(state);
        self.catch_up(&trail)?;
        if self.open.contains_key(id.as_str()) {
            trail.append(&[Event::End(Box::new(end))])?.sync()?;
        }
        Ok(true)
    }

    /// Reads what was written since the last time.
    fn catch_up(&mut self, trail: &Trail) -> Result<(), AuditError> {
        let read = self.read_on(trail);
        if read.is_err() {
            // The next time from the beginning: it may have been mended.
            *self = Self::default();
        }
        read
    }

    fn read_on(&mut self, trail: &Trail) -> Result<(), AuditError> {
        let mut records = trail.records_from(self.offset)?;
        for record in &mut records {
            let record = record?;
            match record.event {
                Some(Event::Start(start)) => {
                    self.open.insert(start.task.clone(), (record.at_ms, start));
                }
                Some(Event::End(end)) => {
                    self.open.remove(&end.task);
                }
                _ => {}
            }
        }
        self.offset = records.offset();
        Ok(())
    }
}

/// The right to write late ends, which one process has at a time.
struct Turn {
    _file: Option<File>,
}

impl Turn {
    /// Waits for it, but not for ever: an end that is on record twice is better than none.
    fn take(state: &Path) -> Self {
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = File::options();
        options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.custom_flags(flags).open(state.join("late.lock"));
        let patience = Instant::now() + Duration::from_secs(2);
        let file = file.ok().inspect(|file| {
            while flock(file, FlockOperation::NonBlockingLockExclusive).is_err()
                && Instant::now() < patience
            {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self { _file: file }
    }
}

/// How a run ended, as its directory tells; none while it goes on or may still be written down by
/// the engine that started it.
fn late_end(state: &Path, start: &Starting, started_at_ms: u64) -> Option<Ended> {
    let id = TaskId::parse(&start.task)?;
    let directory = TaskDirectory::of(state, &id);
    let now = now_ms();
    let nothing = |error: &str| Ended {
        late: true,
        ..Ended::broken(start, error)
    };
    if directory.is_owned() {
        return None;
    }
    let Ok(Some(record)) = directory.read_state() else {
        let over = now.saturating_sub(started_at_ms) > STARTING_MS;
        return over.then(|| {
            nothing(
                "there is no trace of it: it was not started, or its keeper died at its first step",
            )
        });
    };
    if record.phase != Phase::Finished {
        return Some(nothing("its keeper died, and the run with it"));
    }
    let duration_ms = record.duration_us.unwrap_or(0) / 1000;
    let ended_at_ms = record.started_at_ms.saturating_add(duration_ms);
    // A clock that was set back must not make it wait for ever.
    if now.abs_diff(ended_at_ms) < PATIENCE_MS {
        return None;
    }
    let info = RequestInfo::bare(start.agent.clone(), start.session.clone());
    let result = ExecutionResult::finished(info, &record, directory.log(), None);
    let output = &record.output;
    Some(Ended {
        status: result.status.as_str().to_owned(),
        exit_code: result.exit_code,
        signal: result.signal,
        duration_ms,
        output: OutputDigest {
            stdout_bytes: output.stdout_bytes,
            stderr_bytes: output.stderr_bytes,
            sha256: log_digest(&directory, output.stdout_bytes + output.stderr_bytes),
        },
        violations: result.sandbox_violations,
        network: result.connections,
        error: result.error,
        ..nothing("")
    })
}
