//! Reading the trail, record by record.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use rustix::fs::OFlags;
use serde_json::Value;

use super::directory::{Absent, Directory, TRAIL, failed};
use super::event::Event;
use super::line::{Line, MAX_LINE};
use super::trail::Trail;
use crate::model::error::record::AuditError;

/// A record as it stands in the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number, counted from 1 without a gap.
    pub seq: u64,
    /// When it was written, in milliseconds since 1970.
    pub at_ms: u64,
    /// The word for what happened.
    pub kind: String,
    /// What happened; absent if a newer Bashful wrote it and this one does not know it.
    pub event: Option<Event>,
    /// The hash of the record before it.
    pub prev: String,
    /// Its own hash.
    pub hash: String,
    /// The line, without its end.
    pub line: String,
}

impl Record {
    /// All of it as JSON, also what this version does not know.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.line).unwrap_or_default()
    }
}

/// Reads a trail from its beginning, or from a place that was told before. What is appended
/// meanwhile is read too; after the end, asking again reads what has come since.
///
/// A line that is no record is an error, and reading goes on behind it. Whether records were
/// changed, only [`Trail::verify`] tells.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    reader: Option<BufReader<File>>,
    offset: u64,
    last: u64,
    since_ms: u64,
    broken: bool,
}

impl Trail {
    /// All records. A trail that is not there has none.
    pub fn records(&self) -> Result<Records, AuditError> {
        self.records_from(0)
    }

    /// The records that were written at this time or later.
    pub fn records_since(&self, at_ms: u64) -> Result<Records, AuditError> {
        let mut records = self.records()?;
        records.since_ms = at_ms;
        Ok(records)
    }

    /// The records from a place that [`Records::offset`] told.
    pub fn records_from(&self, offset: u64) -> Result<Records, AuditError> {
        let path = self.path();
        let file = match Directory::open_existing(self.state())? {
            Some(directory) => directory.file(TRAIL, OFlags::RDONLY, Absent::Leave)?,
            None => None,
        };
        let reader = match file {
            Some((file, _)) => {
                let mut reader = BufReader::with_capacity(256 << 10, file);
                let sought = reader.seek(SeekFrom::Start(offset));
                sought.map_err(failed("read", &path))?;
                Some(reader)
            }
            None => None,
        };
        Ok(Records {
            path,
            reader,
            offset,
            last: 0,
            since_ms: 0,
            broken: false,
        })
    }
}

impl Records {
    /// The place behind the last record that was read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line without its end; `None` at the end, and where a line has none yet.
    fn next_line(&mut self) -> Result<Option<Vec<u8>>, AuditError> {
        let Some(reader) = &mut self.reader else {
            return Ok(None);
        };
        let fail = failed("read", &self.path);
        let mut line = Vec::new();
        let count = reader
            .take(MAX_LINE as u64 + 1)
            .read_until(b'\n', &mut line)
            .map_err(&fail)?;
        if line.pop() == Some(b'\n') {
            self.offset += count as u64;
            return Ok(Some(line));
        }
        if count > MAX_LINE {
            self.broken = true;
            return Err(self.damaged("the line is too long"));
        }
        // An engine writes it just now, or was stopped while doing so.
        let sought = reader.seek(SeekFrom::Start(self.offset));
        sought.map_err(&fail)?;
        Ok(None)
    }

    fn damaged(&self, detail: &str) -> AuditError {
        AuditError::Damaged {
            path: self.path.clone(),
            at: self.last.saturating_add(1),
            detail: detail.to_owned(),
        }
    }

    fn record(&mut self, line: &[u8]) -> Result<Option<Record>, AuditError> {
        let parsed = Line::parse(line).map_err(|detail| self.damaged(detail))?;
        let (seq, at_ms) = (parsed.seq, parsed.at_ms);
        if at_ms < self.since_ms {
            self.last = seq;
            return Ok(None);
        }
        let envelope = parsed.check().map_err(|detail| self.damaged(detail))?;
        self.last = seq;
        Ok(Some(Record {
            seq,
            at_ms,
            kind: envelope.event.into_owned(),
            event: serde_json::from_str(parsed.text).ok(),
            prev: parsed.prev.as_str().to_owned(),
            hash: parsed.hash.as_str().to_owned(),
            line: parsed.text.to_owned(),
        }))
    }
}

impl Iterator for Records {
    type Item = Result<Record, AuditError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.broken {
            match self.next_line() {
                Ok(Some(line)) => match self.record(&line) {
                    Ok(Some(record)) => return Some(Ok(record)),
                    Ok(None) => {}
                    Err(error) => return Some(Err(error)),
                },
                Ok(None) => return None,
                Err(error) => {
                    self.broken = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
