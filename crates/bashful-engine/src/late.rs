//! Ends that nobody put on record.
//!
//! Whoever starts a run puts its end on record when it sees it. One that was killed before, or
//! left the run to itself, did not: then the task directory knows how it ended, and the next one
//! who reads the record writes it down.

use std::collections::BTreeMap;
use std::path::Path;

use bashful_keeper::{Phase, TaskDirectory, TaskId};

use crate::audit::{AuditError, Ended, Event, OutputDigest, Starting, Trail};
use crate::clock::now_ms;
use crate::index::reconcile;
use crate::journal::log_digest;
use crate::result::{ExecutionResult, Heading};
use crate::store::{DATABASE, SqliteStore};

/// So long after the end of a run whoever started it has written it down, or never will.
const PATIENCE_MS: u64 = 5_000;

/// So long after the record of a start its keeper has made the task directory, or never will.
const STARTING_MS: u64 = 30_000;

/// Puts on record how runs ended whose end is not, and says how many that were.
fn record_late_ends(state: &Path) -> Result<usize, AuditError> {
    let trail = Trail::at(state);
    let open = open_starts(&trail)?;
    let ended = open
        .iter()
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

/// Starts without an end, with the time of their record.
fn open_starts(trail: &Trail) -> Result<Vec<(u64, Starting)>, AuditError> {
    let mut open: BTreeMap<String, (u64, Starting)> = BTreeMap::new();
    for record in trail.records()? {
        let record = record?;
        match record.event {
            Some(Event::Start(start)) => {
                open.insert(start.task.clone(), (record.at_ms, start));
            }
            Some(Event::End(end)) => {
                open.remove(&end.task);
            }
            _ => {}
        }
    }
    Ok(open.into_values().collect())
}

/// How a run ended, as its directory tells; none while it goes on or may still be written down by
/// whoever started it.
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
        return over.then(|| nothing("there is no trace of it: it was not started"));
    };
    if record.phase != Phase::Finished {
        return Some(nothing("its keeper died, and the run with it"));
    }
    let duration_ms = record.duration_us.unwrap_or(0) / 1000;
    let ended_at_ms = record.started_at_ms.saturating_add(duration_ms);
    if now.saturating_sub(ended_at_ms) < PATIENCE_MS {
        return None;
    }
    let heading = Heading::bare(start.agent.clone(), start.session.clone());
    let result = ExecutionResult::finished(heading, &record, directory.log());
    let output = &record.output;
    Some(Ended {
        status: result.status.as_str().to_owned(),
        exit_code: result.exit_code,
        signal: result.signal,
        duration_ms,
        output: OutputDigest {
            stdout_bytes: output.stdout_bytes,
            stderr_bytes: output.stderr_bytes,
            sha256: log_digest(&directory.log(), output.stdout_bytes + output.stderr_bytes),
        },
        violations: result.sandbox_violations,
        error: result.error,
        ..nothing("")
    })
}
