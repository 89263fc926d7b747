//! When runs were going on in a root: what changed then may be theirs.
//!
//! Every keeper of a user adds to one file for each root: a record when a run begins, and the
//! same record with its end. A record without an end, whose keeper is gone, is of a run that
//! no keeper looked after to its end. The file is written and never replaced while it is small.
//!
//! Files are called by their root, its path and its number on disk: what runs did in a root above,
//! below, or in the same one under an earlier name counts too.

use std::collections::{HashMap, HashSet};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::name::Name;
use crate::tree::{Process, Status};

/// The file of one root.
#[derive(Debug)]
pub struct Activity {
    directory: PathBuf,
    name: Name,
    file: File,
    keeper: Process,
    /// When the latest run began.
    latest: u64,
    known: Known,
}

/// What the files of a root and those below it said when they were read last.
#[derive(Debug, Default)]
struct Known {
    /// How long they were, our own records included.
    own: u64,
    below: Vec<(PathBuf, u64)>,
    /// When a file was added to their directory, or removed.
    changed: Option<SystemTime>,
    /// Keepers of runs that went on.
    others: Vec<Process>,
    /// The file was looked at, and is the one that others use.
    is_looked_at: bool,
}

/// A run that is going on.
#[derive(Debug)]
pub struct Stay {
    record: Record,
}

/// One record: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Record {
    /// Nanoseconds since 1970.
    start: u64,
    /// Zero while it goes on.
    end: u64,
    keeper: Process,
}

/// The moments in which runs were going on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moments {
    /// In order, apart from each other.
    spans: Vec<(u64, u64)>,
    /// What changed before this was looked at after earlier runs, and told.
    told_before: u64,
}

const RECORD: usize = 32;
/// A file with more than this is written anew, with less in it.
const MOST_BYTES: u64 = 1 << 20;
/// The clocks of file systems are coarse: they may be behind by a tick, which has ten milliseconds
/// at most. A person's last act before a run is hardly so close.
const MARGIN: u64 = 12_000_000;
/// Spans that are so close become one where there are too many.
const CLOSE: u64 = 60_000_000_000;

impl Activity {
    /// Opens the file of a root, in this directory of the keepers'.
    pub fn open(directory: &Path, root: &Path) -> io::Result<Self> {
        let name = Name::of(root)?;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)?;
        let pid = i32::try_from(std::process::id()).unwrap_or_default();
        let keeper = Process::find(pid).ok_or(io::ErrorKind::NotFound)?;
        let mut this = Self {
            file: open_file(&directory.join(name.to_string()))?,
            directory: directory.to_owned(),
            name,
            keeper,
            latest: now(),
            known: Known::default(),
        };
        if this.file.metadata()?.size() > MOST_BYTES {
            this.shrink()?;
        }
        Ok(this)
    }

    /// A run begins.
    pub fn begin(&mut self) -> io::Result<Stay> {
        if !std::mem::take(&mut self.known.is_looked_at) && self.file.metadata()?.nlink() == 0 {
            self.file = open_file(&self.path())?;
        }
        let record = Record {
            start: now(),
            end: 0,
            keeper: self.keeper,
        };
        self.add(record)?;
        self.latest = record.start;
        Ok(Stay { record })
    }

    /// It has ended, and what it left was looked at.
    pub fn end(&mut self, stay: &Stay) {
        // Without this record more is taken for a run's than need be.
        let _ = self.add(stay.record.ended());
    }

    /// The moments so far, those of runs that go on included.
    pub fn moments(&self) -> Moments {
        let files = self.files(|name| self.name.concerns(name));
        let mut records: Vec<Record> = files
            .iter()
            .flat_map(|file| records_in(file).unwrap_or_default())
            .collect();
        // Whatever the disk says, the last run counts.
        records.push(Record {
            start: self.latest,
            end: 0,
            keeper: self.keeper,
        });
        Moments::of(&records)
    }

    /// Whether there may be a run, in this root or one below it, whose keeper is gone and did not
    /// look after it to its end. Asked before every run: it takes two looks where there is nothing new.
    pub fn may_be_abandoned(&mut self) -> io::Result<bool> {
        let mut about = self.file.metadata()?;
        if about.nlink() == 0 {
            self.file = open_file(&self.path())?;
            about = self.file.metadata()?;
        }
        self.known.is_looked_at = true;
        let changed = fs::metadata(&self.directory)?.modified().ok();
        let length = |path: &Path| fs::metadata(path).map_or(0, |about| about.size());
        let below = &self.known.below;
        let is_known = about.size() == self.known.own
            && changed == self.known.changed
            && below.iter().all(|(path, known)| length(path) == *known);
        if is_known {
            let others = &self.known.others;
            return Ok(others.iter().any(|keeper| !is_alive(*keeper)));
        }
        self.known.own = about.size();
        self.known.changed = changed;
        let own = self.path();
        let files = self.files(|name| self.name.contains(name));
        let below = files.iter().filter(|path| **path != own);
        self.known.below = below.map(|path| (path.clone(), length(path))).collect();
        let records = files.iter().flat_map(|file| {
            let records = records_in(file).unwrap_or_default();
            going_on(&records).collect::<Vec<_>>()
        });
        let keepers = records.map(|record| record.keeper);
        self.known.others = keepers.filter(|keeper| *keeper != self.keeper).collect();
        self.known.others.sort_by_key(|keeper| keeper.pid);
        self.known.others.dedup();
        let others = &self.known.others;
        Ok(others.iter().any(|keeper| !is_alive(*keeper)))
    }

    /// When the oldest run began, in this root or one below it, whose keeper is gone and did not
    /// look after it to its end.
    pub fn abandoned_since(&self) -> Option<SystemTime> {
        let abandoned = self.abandoned();
        let oldest = abandoned.iter().map(|(_, record)| record.start).min()?;
        UNIX_EPOCH.checked_add(Duration::from_nanos(oldest))
    }

    /// Ends the records of those runs.
    pub fn end_abandoned(&mut self) {
        for (file, record) in self.abandoned() {
            if let Ok(mut file) = open_file(&file) {
                let _ = file.write_all(&record.ended().bytes());
            }
        }
        self.known.others.retain(|keeper| is_alive(*keeper));
    }

    fn abandoned(&self) -> Vec<(PathBuf, Record)> {
        let mut abandoned = Vec::new();
        for file in self.files(|name| self.name.contains(name)) {
            let records = records_in(&file).unwrap_or_default();
            let gone = going_on(&records).filter(|record| !is_alive(record.keeper));
            abandoned.extend(gone.map(|record| (file.clone(), record)));
        }
        abandoned
    }

    fn files(&self, chosen: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.directory)
            .into_iter()
            .flatten()
            .flatten();
        entries
            .filter(|entry| entry.file_name().to_str().is_some_and(&chosen))
            .map(|entry| entry.path())
            .collect()
    }

    fn add(&mut self, record: Record) -> io::Result<()> {
        self.known.own += RECORD as u64;
        self.file.write_all(&record.bytes())
    }

    fn path(&self) -> PathBuf {
        self.directory.join(self.name.to_string())
    }

    fn records(&self) -> io::Result<Vec<Record>> {
        records_in(&self.path())
    }

    /// Writes the file anew: runs that ended as few spans, and those that go on as they are.
    fn shrink(&mut self) -> io::Result<()> {
        let records = self.records()?;
        let open: Vec<Record> = going_on(&records).collect();
        let ended = records.iter().filter(|record| !open.contains(record));
        let ended: Vec<Record> = ended.copied().collect();
        let mut bytes = Vec::new();
        for (start, end) in Moments::of(&ended).apart_by(CLOSE).spans {
            let record = Record {
                start,
                end,
                keeper: self.keeper,
            };
            bytes.extend(record.bytes());
        }
        bytes.extend(open.iter().flat_map(Record::bytes));
        let new = self.directory.join(format!("new-{}", std::process::id()));
        // One that a killed keeper left is no use.
        let _ = fs::remove_file(&new);
        open_file(&new)?.write_all(&bytes)?;
        fs::rename(&new, self.path())?;
        self.file = open_file(&self.path())?;
        Ok(())
    }
}

/// Those whose end is not among them.
fn going_on(records: &[Record]) -> impl Iterator<Item = Record> {
    let has_ended = |record: &&Record| record.end != 0;
    let ended: HashSet<_> = records.iter().filter(has_ended).map(Record::key).collect();
    let open = move |record: &&Record| record.end == 0 && !ended.contains(&record.key());
    records.iter().filter(open).copied()
}

/// Whether a keeper lives. One that was killed may still wait for its parent to reap it.
fn is_alive(keeper: Process) -> bool {
    Process::find(keeper.pid) == Some(keeper)
        && Status::of(keeper.pid).is_some_and(|status| !status.has_ended())
}

fn records_in(path: &Path) -> io::Result<Vec<Record>> {
    let mut bytes = Vec::new();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(PLAIN)
        .open(path)?;
    file.take(4 * MOST_BYTES).read_to_end(&mut bytes)?;
    let records = bytes.chunks_exact(RECORD).filter_map(Record::read);
    Ok(records.collect())
}

/// No link is followed, and opening waits for no other process.
const PLAIN: i32 = libc::O_NOFOLLOW | libc::O_NONBLOCK;

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(PLAIN)
        .open(path)
}

fn now() -> u64 {
    since_1970(SystemTime::now())
}

fn since_1970(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

impl Stay {
    /// When the run began.
    pub fn began(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(self.record.start)
    }
}

impl Record {
    fn key(&self) -> (u64, i32, u64) {
        (self.start, self.keeper.pid, self.keeper.started)
    }

    /// The same, ended now.
    fn ended(self) -> Self {
        Self {
            end: now().max(self.start + 1),
            ..self
        }
    }

    fn bytes(&self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&self.start.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.end.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.keeper.pid.to_le_bytes());
        bytes[24..].copy_from_slice(&self.keeper.started.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let pid = i32::from_le_bytes(bytes.get(16..20)?.try_into().ok()?);
        Some(Self {
            start: number(0)?,
            end: number(8)?,
            keeper: Process {
                pid,
                started: number(24)?,
            },
        })
    }
}

impl Moments {
    fn of(records: &[Record]) -> Self {
        let ends: HashMap<(u64, i32, u64), u64> = records
            .iter()
            .filter(|record| record.end != 0)
            .map(|record| (record.key(), record.end))
            .collect();
        let spans = records
            .iter()
            .map(|record| {
                let end = ends
                    .get(&record.key())
                    .copied()
                    .unwrap_or(u64::MAX - MARGIN);
                (record.start.saturating_sub(MARGIN), end + MARGIN)
            })
            .collect();
        let moments = Self {
            spans,
            told_before: 0,
        };
        moments.apart_by(0)
    }

    /// The same with spans that are closer than this made one.
    fn apart_by(mut self, distance: u64) -> Self {
        self.spans.sort_unstable();
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for (start, end) in std::mem::take(&mut self.spans) {
            match spans.last_mut() {
                Some(last) if start <= last.1.saturating_add(distance) => last.1 = last.1.max(end),
                _ => spans.push((start, end)),
            }
        }
        Self { spans, ..self }
    }

    /// The same, for what is looked at after a run that began at this time: what was left earlier
    /// was told.
    #[must_use]
    pub fn since(self, began: SystemTime) -> Self {
        let told_before = since_1970(began).saturating_sub(MARGIN);
        Self {
            told_before,
            ..self
        }
    }

    /// Whether what changed then is still to be told, if it was a run that changed it.
    pub(crate) fn are_new(&self, seconds: i64, nanoseconds: i64) -> bool {
        nanoseconds_of(seconds, nanoseconds) >= self.told_before
    }

    /// Whether a run was going on when a file changed, by the seconds and nanoseconds of the
    /// kernel's time of change.
    pub(crate) fn include(&self, seconds: i64, nanoseconds: i64) -> bool {
        let at = nanoseconds_of(seconds, nanoseconds);
        let after = self.spans.partition_point(|(start, _)| *start <= at);
        let span = after.checked_sub(1).and_then(|index| self.spans.get(index));
        span.is_some_and(|(_, end)| at <= *end)
    }
}

fn nanoseconds_of(seconds: i64, nanoseconds: i64) -> u64 {
    let at = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    u64::try_from(at).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn record(start: u64, end: u64, pid: i32) -> Record {
        Record {
            start: start * SECOND,
            end: end * SECOND,
            keeper: Process { pid, started: 7 },
        }
    }

    #[test]
    fn moments_are_those_of_runs_that_ended_or_go_on() {
        let records = [
            record(10, 0, 1),
            record(10, 12, 1),
            record(11, 0, 2),
            record(11, 15, 2),
            record(30, 0, 3),
            record(20, 0, 1),
            record(20, 21, 1),
        ];
        let moments = Moments::of(&records);
        let within = |at| moments.include(at, 0);
        let expected = [
            (9, false),
            (10, true),
            (14, true),
            (16, false),
            (20, true),
            (22, false),
            (29, false),
            (30, true),
            (1_000_000, true),
        ];
        for (at, runs) in expected {
            assert_eq!(within(at), runs, "{at}");
        }
        assert!(!Moments::default().include(10, 0));
    }

    #[test]
    fn records_last_and_the_file_stays_small() {
        let directory = tempfile::tempdir().unwrap();
        let root = tempfile::tempdir().unwrap();
        let open = || Activity::open(directory.path(), root.path()).unwrap();
        let mut first = open();
        let stay = first.begin().unwrap();
        assert_eq!(open().records().unwrap().len(), 1);
        first.end(&stay);
        let kept = Moments::of(&first.records().unwrap());
        // Another keeper, which is gone.
        first.add(record(5, 0, i32::MAX)).unwrap();
        assert!(first.moments().include(1_000_000, 0));
        assert!(first.abandoned_since().is_some());
        first.end_abandoned();
        assert!(first.abandoned_since().is_none());
        assert!(first.moments().include(6, 0));
        let many = MOST_BYTES / 32 + 1;
        for at in 0..many {
            first
                .add(record(10_000 + at * 10, 10_001 + at * 10, 1))
                .unwrap();
        }
        let shrunk = open();
        assert!(shrunk.file.metadata().unwrap().size() < 4096);
        assert!(shrunk.moments().include(10_000, 0));
        let (start, _) = kept.spans[0];
        let [seconds, rest] = [start / SECOND, start % SECOND].map(|at| i64::try_from(at).unwrap());
        assert!(shrunk.moments().include(seconds, rest));
        // A keeper that had it open goes on in the new one.
        let before = shrunk.records().unwrap().len();
        first.begin().unwrap();
        assert_eq!(shrunk.records().unwrap().len(), before + 1);
    }
}
