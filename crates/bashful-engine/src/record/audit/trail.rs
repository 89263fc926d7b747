//! The trail: appending to it, under its lock, without reading it.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::OFlags;

use super::directory::{Absent, Directory, HEAD, Locked, TRAIL, failed};
use super::event::{Event, Mended};
use super::files::Files;
use super::head::{Head, Known};
use super::line::{self, MAX_LINE};
use super::recover;
use crate::base::clock::now_ms;
use crate::model::error::record::AuditError;

/// The audit trail of a state directory.
#[derive(Debug, Clone)]
pub struct Trail {
    state: PathBuf,
    /// Its files, for a trail that stays open between two records.
    kept: Option<Arc<Mutex<Option<Files>>>>,
}

impl Trail {
    /// The trail in this state directory. Nothing is opened or made yet.
    pub fn at(state: &Path) -> Self {
        Self {
            state: state.to_owned(),
            kept: None,
        }
    }

    /// The same for an engine that writes again and again: clones share what stays open.
    pub(crate) fn kept_open(state: &Path) -> Self {
        Self {
            kept: Some(Arc::default()),
            ..Self::at(state)
        }
    }

    /// The path of the file that holds the records.
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

    /// The time is asked for under the lock, so that it goes forward with the numbers.
    pub(super) fn append_at(
        &self,
        events: &[Event],
        clock: impl FnOnce() -> u64,
    ) -> Result<Unsynced, AuditError> {
        // An engine's thread that finds them in use opens others: the lock tells the two apart.
        let mut kept = self.kept.as_deref().and_then(|kept| kept.try_lock().ok());
        let known = kept.as_mut().and_then(|kept| kept.take());
        let mut files = match known.filter(Files::are_current) {
            Some(files) => files,
            None => Files::open(&self.state)?,
        };
        let written = self.append_to(&mut files, events, clock)?;
        if let Some(kept) = &mut kept {
            **kept = Some(files);
        }
        Ok(written)
    }

    fn append_to(
        &self,
        files: &mut Files,
        events: &[Event],
        clock: impl FnOnce() -> u64,
    ) -> Result<Unsynced, AuditError> {
        let path = self.path();
        let fail = |doing| failed(doing, &path);
        let head_path = self.state.join(HEAD);
        let in_head = |doing| failed(doing, &head_path);
        let locked = Locked::alone(Arc::clone(&files.head)).map_err(in_head("lock"))?;
        let known = Head::read(&locked.0).map_err(in_head("read"))?;
        if known == Known::Nothing {
            // A trail with records has a head that is not empty, also if we are killed now.
            let empty = files.directory.file(TRAIL, OFlags::RDONLY, Absent::Leave)?;
            if empty.is_none_or(|(_, about)| about.st_size == 0) {
                Head::NEW.write(&locked.0).map_err(in_head("write"))?;
            }
        }
        let (file, length) = files.trail()?;
        let directory = (length == 0).then(|| files.directory.fd.try_clone());
        let directory = directory.transpose().map_err(fail("open"))?;
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
            return Err(in_head("write")(error));
        }
        drop(locked);
        Ok(Unsynced {
            path,
            file,
            directory,
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
    file: Arc<File>,
    /// The directory, if the file is new in it.
    directory: Option<OwnedFd>,
}

impl Unsynced {
    /// Whether both were written through one descriptor.
    #[cfg(test)]
    pub(super) fn is_of_same_file(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
    }

    /// Begins to put the records on disk, without waiting.
    pub fn begin(&self) {
        bashful_sandbox::begin_writeback(&self.file);
    }

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
