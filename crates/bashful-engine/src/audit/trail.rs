//! The trail: appending to it, under its lock, without reading it.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::AuditError;
use super::directory::{Absent, Directory, HEAD, Locked, TRAIL, failed};
use super::event::{Event, Mended};
use super::head::{Head, Known};
use super::line::{self, MAX_LINE};
use super::recover;
use crate::clock::now_ms;

/// The audit trail of a state directory.
#[derive(Debug, Clone)]
pub struct Trail {
    state: PathBuf,
}

impl Trail {
    /// The trail in this state directory. Nothing is opened or made yet.
    pub fn at(state: &Path) -> Self {
        Self {
            state: state.to_owned(),
        }
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.state.join(TRAIL)
    }

    /// The state directory.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Puts these events on record, in this order and next to each other: all of them or, with an
    /// error, none. They are not on disk before [`Unsynced::sync`].
    pub fn append(&self, events: &[Event]) -> Result<Unsynced, AuditError> {
        self.append_at(events, now_ms)
    }

    /// The same, on disk when it returns.
    pub fn append_synced(&self, events: &[Event]) -> Result<(), AuditError> {
        self.append(events)?.sync()
    }

    /// The time is asked for under the lock, so that it goes forward with the numbers.
    /// Whether the trail is known to end not before this record: its head says so. A head that is
    /// gone, or that knows later records, says that the end may be missing.
    pub(crate) fn reaches(&self, last: u64) -> Result<bool, AuditError> {
        let Some(directory) = Directory::open_existing(&self.state)? else {
            return Ok(last == 0);
        };
        let head = directory.file(HEAD, OFlags::RDONLY, Absent::Leave)?;
        let known = match head {
            Some((file, _)) => Head::read(&file).map_err(failed("read", &self.state.join(HEAD)))?,
            None => Known::Nothing,
        };
        Ok(match known {
            Known::Head(head) => head.seq <= last,
            Known::Nothing => last == 0,
            Known::Garbage => false,
        })
    }

    pub(super) fn append_at(
        &self,
        events: &[Event],
        clock: impl FnOnce() -> u64,
    ) -> Result<Unsynced, AuditError> {
        let directory = Directory::open(&self.state)?;
        let path = self.path();
        let fail = |doing| failed(doing, &path);
        let locked = lock(&directory)?;
        let known = Head::read(&locked.0).map_err(failed("read", &self.state.join(HEAD)))?;
        if known == Known::Nothing {
            // A trail with records has a head with something in it, also if we are killed now.
            let empty = directory.file(TRAIL, OFlags::RDONLY, Absent::Leave)?;
            if empty.is_none_or(|(_, about)| about.st_size == 0) {
                let written = Head::NEW.write(&locked.0);
                written.map_err(failed("write", &self.state.join(HEAD)))?;
            }
        }
        let (file, about) = open_trail(&directory)?;
        let length = u64::try_from(about.st_size).unwrap_or(0);
        let start = match known {
            Known::Head(head) if head.length == length => recover::Start::after(head),
            Known::Nothing if length == 0 => recover::Start::after(Head::NEW),
            _ => recover::find_end(&path, &file, length, known)?,
        };
        if start.head.length < length {
            // What is left of a write that was cut off; its digest goes on record.
            file.set_len(start.head.length).map_err(fail("write"))?;
        }
        let (text, head) = self.compose(&start, events, clock())?;
        write_all_or_nothing(&file, text.as_bytes(), start.head.length).map_err(fail("write"))?;
        let written = match known {
            // It may be longer than ours.
            Known::Garbage => locked.0.set_len(0).and_then(|()| head.write(&locked.0)),
            Known::Nothing | Known::Head(_) => head.write(&locked.0),
        };
        if let Err(error) = written {
            // The record would be good without; but who gets an error shall find nothing.
            let _ = file.set_len(start.head.length);
            return Err(failed("write", &self.state.join(HEAD))(error));
        }
        drop(locked);
        Ok(Unsynced {
            path,
            file,
            directory: (length == 0).then_some(directory.fd),
        })
    }

    /// The text of new records, and the head after them.
    fn compose(
        &self,
        start: &recover::Start,
        events: &[Event],
        at_ms: u64,
    ) -> Result<(String, Head), AuditError> {
        let mut head = start.head;
        let mut text = String::new();
        let mended = start.mended.iter().cloned().map(Event::Mended);
        let mended: Vec<Event> = mended.collect();
        for event in mended.iter().chain(events) {
            let from = text.len();
            let seq = match event {
                // Numbers are never given twice: what was lost keeps its own, and an anchor that
                // knows one of them finds it missing instead of finding another record.
                Event::Mended(Mended::Cut { known, .. }) => known.saturating_add(1),
                _ => head.seq.saturating_add(1),
            };
            let composed = line::compose(&mut text, seq, at_ms, &head.hash, event);
            head.hash = composed.map_err(|error| failed("write", &self.path())(error.into()))?;
            head.seq = seq;
            if text.len() - from > MAX_LINE {
                let large = io::Error::new(io::ErrorKind::FileTooLarge, "a record is too long");
                return Err(failed("write", &self.path())(large));
            }
        }
        head.length += text.len() as u64;
        Ok((text, head))
    }
}

/// Takes the lock of a trail for a writer.
fn lock(directory: &Directory) -> Result<Locked, AuditError> {
    let path = directory.path.join(HEAD);
    let (file, _) = directory
        .file(HEAD, OFlags::RDWR, Absent::Make)?
        .ok_or_else(|| failed("open", &path)(io::ErrorKind::NotFound.into()))?;
    Locked::alone(file).map_err(failed("lock", &path))
}

fn open_trail(directory: &Directory) -> Result<(File, rustix::fs::Stat), AuditError> {
    directory
        .file(TRAIL, OFlags::RDWR | OFlags::APPEND, Absent::Make)?
        .ok_or_else(|| failed("open", &directory.path.join(TRAIL))(io::ErrorKind::NotFound.into()))
}

/// One write. If it falls short, the file gets its old length back.
fn write_all_or_nothing(file: &File, bytes: &[u8], length: u64) -> io::Result<()> {
    let written = rustix::io::retry_on_intr(|| rustix::io::write(file, bytes));
    let short = match written {
        Ok(count) if count == bytes.len() => return Ok(()),
        Ok(_) => io::Error::new(io::ErrorKind::StorageFull, "there is no room for all of it"),
        Err(error) => error.into(),
    };
    // If even this fails, the next writer finds a torn line and takes it away.
    let _ = file.set_len(length);
    Err(short)
}

/// Records that are written but perhaps not on disk.
#[derive(Debug)]
#[must_use = "the records are on disk only after `sync`"]
pub struct Unsynced {
    path: PathBuf,
    file: File,
    /// The directory, if the file is new in it.
    directory: Option<OwnedFd>,
}

impl Unsynced {
    /// Waits until the records are on disk. No lock is held meanwhile.
    pub fn sync(&self) -> Result<(), AuditError> {
        let fail = failed("sync", &self.path);
        self.file.sync_data().map_err(&fail)?;
        if let Some(directory) = &self.directory {
            rustix::fs::fsync(directory).map_err(|error| fail(error.into()))?;
        }
        Ok(())
    }
}
