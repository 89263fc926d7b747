//! The log of a run: both streams in the order they were read, with an index.
//!
//! `out.log` holds the bytes; `index` holds fixed records that say which stretch
//! came from which stream, and where bytes are missing. Data is written before the
//! record that speaks of it, so a reader never follows a record into nothing.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::task_directory::private_file;

/// One of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// What the command wrote to its standard output.
    Stdout,
    /// What the command wrote to its standard error.
    Stderr,
}

impl Stream {
    pub(crate) fn index(self) -> usize {
        match self {
            Self::Stdout => 0,
            Self::Stderr => 1,
        }
    }
}

/// Why a log has an end before the output has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogEnd {
    /// The quota was reached.
    Quota,
    /// The disk was full, or writing failed in another way.
    WriteFailed,
}

/// What one record of the index says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes of a stream.
    Data(Stream),
    /// Bytes of a stream that are not in the log.
    Gap(Stream),
}

/// One record of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    /// Where the stretch begins in `out.log`.
    pub(crate) offset: u64,
    /// How long it is; for a gap, how much is missing.
    pub(crate) length: u64,
}

impl Record {
    /// Whether all that it says lies before this place.
    pub(crate) fn is_before(self, offset: u64) -> bool {
        match self.kind {
            Kind::Data(_) if self.length > 0 => self.offset.saturating_add(self.length) <= offset,
            Kind::Data(_) | Kind::Gap(_) => self.offset < offset,
        }
    }
}

pub(crate) const RECORD_BYTES: usize = 24;
/// How much of the index is not counted against the quota.
const FREE_INDEX_BYTES: u64 = 16 << 10;

impl Record {
    pub(crate) fn encode(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.length.to_le_bytes());
        bytes[16] = match self.kind {
            Kind::Data(Stream::Stdout) => 1,
            Kind::Data(Stream::Stderr) => 2,
            Kind::Gap(Stream::Stdout) => 3,
            Kind::Gap(Stream::Stderr) => 4,
        };
        bytes
    }

    pub(crate) fn decode(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        let number = |from: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[from..from + 8]);
            u64::from_le_bytes(eight)
        };
        let kind = match bytes[16] {
            1 => Kind::Data(Stream::Stdout),
            2 => Kind::Data(Stream::Stderr),
            3 => Kind::Gap(Stream::Stdout),
            4 => Kind::Gap(Stream::Stderr),
            _ => return None,
        };
        Some(Self {
            kind,
            offset: number(0),
            length: number(8),
        })
    }
}

/// Writes a log, never more than its quota and never more memory than the tails.
#[derive(Debug)]
pub(crate) struct LogWriter {
    /// None if it could not be made; then it has ended before it began.
    log: Option<File>,
    copy: Option<File>,
    index_path: PathBuf,
    /// Made with the first record: most commands print nothing.
    index: Option<File>,
    /// Where the last record stands in the index, and what it says in full.
    last: Option<(u64, Record)>,
    /// The last record says more than the index does.
    stale: bool,
    bytes: u64,
    quota: u64,
    ended: Option<LogEnd>,
    copy_failed: bool,
    /// What did not fit, of each stream; the ends of it are in `tails`.
    omitted: [u64; 2],
    tails: [VecDeque<u8>; 2],
    keep_tail: usize,
}

impl LogWriter {
    pub(crate) fn new(
        log: io::Result<File>,
        index_path: PathBuf,
        copy: Option<File>,
        quota: u64,
        keep_tail: u64,
    ) -> Self {
        Self {
            ended: log.is_err().then_some(LogEnd::WriteFailed),
            log: log.ok(),
            copy,
            index_path,
            index: None,
            last: None,
            stale: false,
            bytes: 0,
            quota,
            copy_failed: false,
            omitted: [0, 0],
            tails: [VecDeque::new(), VecDeque::new()],
            keep_tail: usize::try_from(keep_tail).unwrap_or(usize::MAX),
        }
    }

    /// Takes the next bytes of a stream. It never fails: where the disk does, the
    /// log ends and says so.
    pub(crate) fn append(&mut self, stream: Stream, bytes: &[u8]) {
        if let Some(copy) = &mut self.copy
            && copy.write_all(bytes).is_err()
        {
            self.copy = None;
            self.copy_failed = true;
        }
        let mut rest = bytes;
        if self.ended.is_none() {
            let room = usize::try_from(self.room()).unwrap_or(usize::MAX);
            let fits = &bytes[..room.min(bytes.len())];
            let taken = self.write(Kind::Data(stream), fits);
            rest = &bytes[taken..];
            if taken < fits.len() {
                self.ended = Some(LogEnd::WriteFailed);
            } else if !rest.is_empty() {
                self.ended = Some(LogEnd::Quota);
            }
        }
        if !rest.is_empty() {
            self.omit(stream, rest);
        }
    }

    /// What the quota leaves; the index counts too, so that many tiny writes
    /// cannot fill the disk with records.
    fn room(&self) -> u64 {
        let records = self
            .last
            .map_or(0, |(position, _)| position + RECORD_BYTES as u64);
        self.quota
            .saturating_sub(self.bytes.max(records.saturating_sub(FREE_INDEX_BYTES)))
    }

    fn omit(&mut self, stream: Stream, bytes: &[u8]) {
        self.omitted[stream.index()] += bytes.len() as u64;
        let tail = &mut self.tails[stream.index()];
        let newest = &bytes[bytes.len().saturating_sub(self.keep_tail)..];
        let surplus = (tail.len() + newest.len()).saturating_sub(self.keep_tail);
        tail.drain(..surplus.min(tail.len()));
        tail.extend(newest);
    }

    /// Writes what the disk takes; how many bytes that were.
    fn write(&mut self, kind: Kind, bytes: &[u8]) -> usize {
        let continues = self.last.is_some_and(|(_, record)| record.kind == kind);
        let begun = Record {
            kind,
            offset: self.bytes,
            length: 0,
        };
        if bytes.is_empty() || (!continues && self.add_record(begun).is_err()) {
            return 0;
        }
        let mut taken = 0;
        while let (Some(log), Some(rest)) = (
            &self.log,
            bytes.get(taken..).filter(|rest| !rest.is_empty()),
        ) {
            match log.write_at(rest, self.bytes + taken as u64) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
                Ok(count) => taken += count,
            }
        }
        if let Some((_, record)) = &mut self.last {
            record.length += taken as u64;
        }
        self.stale = true;
        self.bytes += taken as u64;
        taken
    }

    fn add_record(&mut self, record: Record) -> io::Result<()> {
        self.flush_index()?;
        let position = self
            .last
            .map_or(0, |(position, _)| position + RECORD_BYTES as u64);
        self.last = Some((position, record));
        self.stale = true;
        if position == 0 {
            // Room for records is taken before the output can fill the disk: without an index no
            // reader could make sense of the log.
            self.flush_index()?;
        }
        Ok(())
    }

    /// Brings the index up to date; readers see what was appended from here on.
    pub(crate) fn flush_index(&mut self) -> io::Result<()> {
        if let (true, Some((position, record))) = (self.stale, self.last) {
            let index = match &self.index {
                Some(index) => index,
                None => self.index.insert(private_file().open(&self.index_path)?),
            };
            index.write_all_at(&record.encode(), position)?;
            self.stale = false;
        }
        Ok(())
    }

    /// The output has ended: the kept tails follow their gaps, and the index is complete.
    pub(crate) fn finish(&mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let tail: Vec<u8> = std::mem::take(&mut self.tails[stream.index()]).into();
            let missing = self.omitted[stream.index()] - tail.len() as u64;
            let gap = Record {
                kind: Kind::Gap(stream),
                offset: self.bytes,
                length: missing,
            };
            let marked = missing == 0 || self.add_record(gap).is_ok();
            if marked && self.write(Kind::Data(stream), &tail) == tail.len() {
                self.omitted[stream.index()] = missing;
            }
        }
        if self.flush_index().is_err() {
            self.ended.get_or_insert(LogEnd::WriteFailed);
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn omitted(&self) -> u64 {
        self.omitted.iter().sum()
    }

    /// Whether some output is missing from the caller's copy.
    pub(crate) fn copy_failed(&self) -> bool {
        self.copy_failed
    }

    pub(crate) fn ended(&self) -> Option<LogEnd> {
        self.ended
    }
}
