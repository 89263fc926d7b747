//! Where the trail ends, when its length is not what the head says.
//!
//! That happens after a crash, and when another program changed one of the two files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::directory::failed;
use super::event::Mended;
use super::head::{Head, Known};
use super::line::{Line, MAX_LINE, Seal};
use crate::model::error::record::AuditError;

/// How much of the end is read first, to find the last record.
const USUAL_END: u64 = 16 << 10;

/// Where new records go, and what has to be said first.
#[derive(Debug)]
pub(super) struct Start {
    /// The last record that counts. What is behind it in the file is taken away.
    pub(super) head: Head,
    pub(super) mended: Vec<Mended>,
}

impl Start {
    pub(super) fn after(head: Head) -> Self {
        let mended = Vec::new();
        Self { head, mended }
    }
}

/// Finds the last record of a trail of this length.
pub(super) fn find_end(
    path: &Path,
    file: &File,
    length: u64,
    known: Known,
) -> Result<Start, AuditError> {
    let read = failed("read", path);
    let (last, torn, mut mended) = match known {
        Known::Head(head) if head.length < length => {
            let (last, torn) = follow(path, file, head, length)?;
            (last, torn, Vec::new())
        }
        Known::Head(head) => {
            let (last, torn) = last_record(path, file, length)?;
            let (last_seq, known) = (last.seq, head.seq);
            let lost = if known > last_seq {
                Mended::Cut {
                    last: last_seq,
                    known,
                }
            } else {
                // A longer trail with fewer records: no such head was ever written.
                Mended::NoHead { last: last_seq }
            };
            (last, torn, vec![lost])
        }
        Known::Nothing | Known::Garbage => {
            let (last, torn) = last_record(path, file, length)?;
            (last, torn, vec![Mended::NoHead { last: last.seq }])
        }
    };
    if torn > 0 {
        let sha256 = digest(file, last.length, torn).map_err(&read)?;
        let bytes = torn;
        mended.push(Mended::Torn { bytes, sha256 });
    }
    Ok(Start { head: last, mended })
}

/// The last whole record, for a reader who does not write. A trail that is shorter than its head
/// knows is damaged for them.
pub(super) fn last_whole(
    path: &Path,
    file: &File,
    length: u64,
    known: Known,
) -> Result<Head, AuditError> {
    let (last, _) = match known {
        Known::Head(head) if head.length < length => follow(path, file, head, length)?,
        _ => last_record(path, file, length)?,
    };
    match known {
        Known::Head(head) if head.length >= length && head != last => Err(AuditError::Damaged {
            path: path.to_owned(),
            at: last.seq.saturating_add(1),
            detail: format!("the head knows records up to {}", head.seq),
        }),
        _ => Ok(last),
    }
}

/// Follows whole records that were written after the head was: the engine that wrote them was
/// killed before it could write the head. Tells the last one, and how many bytes without a line
/// end follow.
fn follow(path: &Path, file: &File, head: Head, length: u64) -> Result<(Head, u64), AuditError> {
    let read = failed("read", path);
    let damaged = |at, detail: &str| AuditError::Damaged {
        path: path.to_owned(),
        at,
        detail: detail.to_owned(),
    };
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(head.length)).map_err(&read)?;
    let mut last = head;
    let mut line = Vec::new();
    while last.length < length {
        line.clear();
        let most = (length - last.length).min(MAX_LINE as u64 + 1);
        let count = (&mut reader)
            .take(most)
            .read_until(b'\n', &mut line)
            .map_err(&read)?;
        let at = last.seq.saturating_add(1);
        let Some(text) = line.strip_suffix(b"\n") else {
            if line.len() > MAX_LINE {
                return Err(damaged(at, "the line is too long"));
            }
            return Ok((last, length - last.length));
        };
        let record = Line::parse(text).map_err(|detail| damaged(at, detail))?;
        record.check().map_err(|detail| damaged(at, detail))?;
        if record.seq <= last.seq || record.prev != last.hash {
            return Err(damaged(at, "it does not follow the record before it"));
        }
        last = Head {
            seq: record.seq,
            hash: record.hash,
            length: last.length + count as u64,
        };
    }
    Ok((last, 0))
}

/// The last whole record, found from the end; and how many bytes without a line end follow.
fn last_record(path: &Path, file: &File, length: u64) -> Result<(Head, u64), AuditError> {
    let read = failed("read", path);
    let mut wanted = USUAL_END;
    loop {
        let from = length.saturating_sub(wanted);
        let end = read_range(file, from, length - from).map_err(&read)?;
        let whole = end.iter().rposition(|byte| *byte == b'\n');
        let torn = end.len() - whole.map_or(0, |position| position + 1);
        let Some(whole) = whole else {
            if from == 0 {
                return Ok((Head::NEW, length));
            }
            if torn > MAX_LINE {
                return Err(AuditError::Damaged {
                    path: path.to_owned(),
                    at: 0,
                    detail: "its last line is too long".to_owned(),
                });
            }
            wanted = wanted.saturating_mul(4);
            continue;
        };
        let lines = end.get(..whole).unwrap_or_default();
        let before = lines.iter().rposition(|byte| *byte == b'\n');
        if before.is_none() && from > 0 && lines.len() <= MAX_LINE {
            wanted = wanted.saturating_mul(4);
            continue;
        }
        let line = lines.get(before.map_or(0, |at| at + 1)..);
        let line = line.unwrap_or_default();
        let damaged = |detail: &str| AuditError::Damaged {
            path: path.to_owned(),
            at: 0,
            detail: format!("its last line is not a record: {detail}"),
        };
        let record = Line::parse(line).map_err(damaged)?;
        record.check().map_err(damaged)?;
        let head = Head {
            seq: record.seq,
            hash: record.hash,
            length: length - torn as u64,
        };
        return Ok((head, torn as u64));
    }
}

/// The SHA-256 of a part of the file, for the record of what was taken away.
fn digest(file: &File, from: u64, length: u64) -> io::Result<String> {
    let bytes = read_range(file, from, length.min(MAX_LINE as u64))?;
    Ok(Seal::over(&[&bytes]).as_str().to_owned())
}

fn read_range(file: &File, from: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut reader = file;
    reader.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
