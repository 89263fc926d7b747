//! Reading a log: as it grows, or the beginning and the end of one stream.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::characters::CharacterCount;
use crate::log::{Kind, RECORD_BYTES, Record, Stream};
use crate::task_directory::{TaskDirectory, open_ours};

mod unlisted;

/// Reads the log of a task that runs or has ended. It never reads more into
/// memory than it is asked for.
#[derive(Debug)]
pub struct LogReader {
    log: File,
    directory: TaskDirectory,
    index: Option<File>,
    /// The record being read, and how much of it was read.
    record: u64,
    within: u64,
    /// Records that were read together, and the number of the first.
    cached: (u64, Vec<Record>),
    /// What the index should say and does not, and which record that would be.
    unlisted: Option<(u64, Record)>,
    /// The task is over, and its index says all that it should.
    is_sound: bool,
}

/// The next piece of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// Output that is in the log.
    Data {
        /// From which stream.
        stream: Stream,
        /// Where it stands in the log.
        offset: u64,
        /// The bytes, no more than the caller asked for at once.
        bytes: Vec<u8>,
    },
    /// Output that is not in the log.
    Gap {
        /// From which stream.
        stream: Stream,
        /// Where it would stand in the log.
        offset: u64,
        /// How many bytes are missing.
        missing: u64,
    },
}

/// How many bytes are read at once to count them.
const PIECE: usize = 64 << 10;
/// How many records are read at once.
const BLOCK: usize = 512;

impl LogReader {
    /// Opens the log of this task.
    pub fn open(directory: &TaskDirectory) -> io::Result<Self> {
        let log = directory.open_log()?;
        Ok(Self {
            log,
            directory: directory.clone(),
            index: None,
            record: 0,
            within: 0,
            cached: (0, Vec::new()),
            unlisted: None,
            is_sound: false,
        })
    }

    /// The next piece of at most `most` bytes; none when all that is there was read.
    pub fn next(&mut self, most: usize) -> io::Result<Option<Chunk>> {
        self.next_of(None, most)
    }

    /// The same of one stream; what belongs to the other is passed over.
    pub fn next_of(&mut self, wanted: Option<Stream>, most: usize) -> io::Result<Option<Chunk>> {
        let passes = |stream: Stream| wanted.is_some_and(|wanted| wanted != stream);
        loop {
            let Some(record) = self.record(self.record)? else {
                return Ok(None);
            };
            match record.kind {
                Kind::Data(stream) if passes(stream) && self.within < record.length => {
                    self.within = record.length;
                }
                Kind::Gap(stream) if passes(stream) => {
                    self.record += 1;
                    self.within = 0;
                }
                Kind::Gap(stream) => {
                    self.record += 1;
                    self.within = 0;
                    return Ok(Some(Chunk::Gap {
                        stream,
                        offset: record.offset,
                        missing: record.length,
                    }));
                }
                Kind::Data(stream) if self.within < record.length => {
                    let left = usize::try_from(record.length - self.within).unwrap_or(usize::MAX);
                    let offset = record.offset + self.within;
                    let bytes = self.read(offset, left.min(most))?;
                    if bytes.is_empty() {
                        return Ok(None);
                    }
                    self.within += bytes.len() as u64;
                    return Ok(Some(Chunk::Data {
                        stream,
                        offset,
                        bytes,
                    }));
                }
                // This record is read; it may still grow unless another follows.
                Kind::Data(_) => {
                    if self.record(self.record + 1)?.is_none() {
                        return Ok(None);
                    }
                    // It may have grown just before the other was added.
                    if self
                        .record(self.record)?
                        .is_some_and(|now| now.length > self.within)
                    {
                        continue;
                    }
                    self.record += 1;
                    self.within = 0;
                }
            }
        }
    }

    /// Where the log ends now.
    pub fn end(&mut self) -> io::Result<u64> {
        let Some(last) = self.records()?.checked_sub(1) else {
            return Ok(0);
        };
        Ok(self.record(last)?.map_or(0, |record| match record.kind {
            Kind::Data(_) => record.offset + record.length,
            Kind::Gap(_) => record.offset,
        }))
    }

    /// Goes to this place in the log; what is missing there comes next. A place behind the end
    /// is the end.
    pub fn seek(&mut self, offset: u64) -> io::Result<()> {
        // Records are sorted by their places, so the first that is not before this one is
        // found by halving.
        let (mut low, mut high) = (0, self.records()?);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.record(middle)? {
                Some(record) if record.is_before(offset) => low = middle + 1,
                // None: nothing readable follows.
                Some(_) | None => high = middle,
            }
        }
        (self.record, self.within) = (low, 0);
        if let Some(found) = self.record(low)? {
            if let Kind::Data(_) = found.kind {
                self.within = offset.saturating_sub(found.offset).min(found.length);
            }
            return Ok(());
        }
        // The last record may still grow.
        if let Some(last) = low.checked_sub(1)
            && let Some(record) = self.record(last)?
            && let Kind::Data(_) = record.kind
        {
            (self.record, self.within) = (last, record.length);
        }
        Ok(())
    }

    /// Where the last `lines` lines of the log, or of one stream, begin; nearer to the end if
    /// that would be more than `most` bytes.
    pub fn tail_start(
        &mut self,
        stream: Option<Stream>,
        lines: usize,
        most: u64,
    ) -> io::Result<u64> {
        let mut end = self.records()?;
        let mut start = self.end()?;
        let (mut bytes, mut breaks) = (0, 0);
        // The very last byte ends the last line, and begins none.
        let mut is_last = true;
        while end > 0 {
            let first = end.saturating_sub(BLOCK as u64);
            for record in self.block(first, end)?.into_iter().rev() {
                let wanted =
                    matches!(record.kind, Kind::Data(found) if stream.is_none_or(|it| it == found));
                let mut at = record.offset + record.length;
                while wanted && at > record.offset {
                    let piece = (at - record.offset).min(PIECE as u64).min(most - bytes);
                    if piece == 0 {
                        return Ok(start);
                    }
                    let length = usize::try_from(piece).unwrap_or(PIECE);
                    let read = self.read(at - piece, length)?;
                    for (index, byte) in read.iter().enumerate().rev() {
                        if *byte == b'\n' && !std::mem::take(&mut is_last) {
                            breaks += 1;
                            if breaks == lines {
                                return Ok(at - piece + index as u64 + 1);
                            }
                        }
                        is_last = false;
                    }
                    at -= piece;
                    bytes += piece;
                    start = at;
                }
            }
            end = first;
        }
        Ok(start)
    }

    /// Goes to the end of what is there now and says how many bytes were passed over.
    pub fn skip_to_end(&mut self) -> io::Result<u64> {
        let before = self.position()?;
        let count = self.records()?;
        if let Some(last) = count.checked_sub(1)
            && let Some(record) = self.record(last)?
        {
            self.record = last;
            self.within = match record.kind {
                Kind::Data(_) => record.length,
                Kind::Gap(_) => 0,
            };
        }
        Ok(self.position()?.saturating_sub(before))
    }

    /// The place of the byte that comes next.
    pub fn position(&mut self) -> io::Result<u64> {
        match self.record(self.record)? {
            Some(record) => Ok(record.offset + self.within),
            None => self.end(),
        }
    }

    /// Up to `most` bytes from the beginning of one stream, up to its first gap.
    pub fn head(&mut self, stream: Stream, most: usize) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut number = 0;
        while head.len() < most {
            let Some(record) = self.record(number)? else {
                break;
            };
            number += 1;
            match record.kind {
                Kind::Gap(found) if found == stream => break,
                Kind::Data(found) if found == stream => {
                    let wanted = usize::try_from(record.length)
                        .unwrap_or(usize::MAX)
                        .min(most - head.len());
                    head.extend(self.read(record.offset, wanted)?);
                }
                Kind::Data(_) | Kind::Gap(_) => {}
            }
        }
        Ok(head)
    }

    /// Up to `most` bytes from the end of one stream, back to its last gap.
    pub fn tail(&mut self, stream: Stream, most: usize) -> io::Result<Vec<u8>> {
        // Pieces from the last to the first.
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        let mut have = 0;
        let mut end = self.records()?;
        'blocks: while end > 0 && have < most {
            let start = end.saturating_sub(BLOCK as u64);
            for record in self.block(start, end)?.into_iter().rev() {
                match record.kind {
                    Kind::Gap(found) if found == stream => break 'blocks,
                    Kind::Data(found) if found == stream => {
                        let wanted = usize::try_from(record.length)
                            .unwrap_or(usize::MAX)
                            .min(most - have);
                        let offset = record.offset + record.length - wanted as u64;
                        pieces.push(self.read(offset, wanted)?);
                        have += wanted;
                        if have >= most {
                            break 'blocks;
                        }
                    }
                    Kind::Data(_) | Kind::Gap(_) => {}
                }
            }
            end = start;
        }
        pieces.reverse();
        Ok(pieces.concat())
    }

    /// How many bytes and characters of one stream the log has.
    pub fn totals(&mut self, stream: Stream) -> io::Result<(u64, u64)> {
        let (mut bytes, mut characters, mut number) = (0, CharacterCount::default(), 0);
        while let Some(record) = self.record(number)? {
            number += 1;
            let mut at = record.offset;
            while record.kind == Kind::Data(stream) && at < record.offset + record.length {
                let left = usize::try_from(record.offset + record.length - at).unwrap_or(PIECE);
                let piece = self.read(at, left.min(PIECE))?;
                if piece.is_empty() {
                    break;
                }
                characters.push(&piece);
                at += piece.len() as u64;
                bytes += piece.len() as u64;
            }
        }
        Ok((bytes, characters.total()))
    }

    /// Whether the log says that a part of this stream is missing.
    pub fn has_gap(&mut self, stream: Stream) -> io::Result<bool> {
        let mut end = self.records()?;
        while end > 0 {
            let start = end.saturating_sub(BLOCK as u64);
            let block = self.block(start, end)?;
            if block.iter().any(|record| record.kind == Kind::Gap(stream)) {
                return Ok(true);
            }
            end = start;
        }
        Ok(false)
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while filled < length {
            let count = self
                .log
                .read_at(&mut bytes[filled..], offset + filled as u64)?;
            if count == 0 {
                break;
            }
            filled += count;
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    fn index(&mut self) -> io::Result<Option<&File>> {
        if self.index.is_none() {
            // It is made with the first output.
            match open_ours(&self.directory.index()) {
                Ok(index) => self.index = Some(index),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(self.index.as_ref())
    }

    fn records(&mut self) -> io::Result<u64> {
        if let Some((number, _)) = self.unlisted()? {
            return Ok(number + 1);
        }
        self.listed()
    }

    /// How many records the index has.
    fn listed(&mut self) -> io::Result<u64> {
        let Some(index) = self.index()? else {
            return Ok(0);
        };
        Ok(index.metadata()?.len() / RECORD_BYTES as u64)
    }

    fn record(&mut self, number: u64) -> io::Result<Option<Record>> {
        let cached = |(first, records): &(u64, Vec<Record>)| {
            let index = usize::try_from(number.checked_sub(*first)?).ok()?;
            // Only the last record grows, so one that another follows is as it will stay.
            records.get(index + 1).and(records.get(index)).copied()
        };
        if let Some(record) = cached(&self.cached) {
            return Ok(Some(record));
        }
        let block = self.block(number, number + BLOCK as u64)?;
        let record = block.first().copied();
        self.cached = (number, block);
        Ok(record)
    }

    fn block(&mut self, start: u64, end: u64) -> io::Result<Vec<Record>> {
        let is_replaced = |reader: &Self| matches!(reader.unlisted, Some((0, _)));
        let mut records = Vec::new();
        if !is_replaced(self) {
            match self.listed_block(start, end) {
                Ok(listed) => records = listed,
                Err(error) => {
                    self.unlisted()?;
                    if !is_replaced(self) {
                        return Err(error);
                    }
                }
            }
        }
        let next = start + records.len() as u64;
        if next < end
            && let Some((_, record)) = self.unlisted()?.filter(|(number, _)| *number == next)
        {
            records.push(record);
        }
        Ok(records)
    }

    fn listed_block(&mut self, start: u64, end: u64) -> io::Result<Vec<Record>> {
        let Some(index) = self.index()? else {
            return Ok(Vec::new());
        };
        let count = usize::try_from(end - start).unwrap_or(BLOCK).min(BLOCK);
        let mut bytes = vec![0; count * RECORD_BYTES];
        let mut filled = 0;
        while filled < bytes.len() {
            let at = start * RECORD_BYTES as u64 + filled as u64;
            let got = index.read_at(&mut bytes[filled..], at)?;
            if got == 0 {
                break;
            }
            filled += got;
        }
        let (records, _) = bytes[..filled].as_chunks::<RECORD_BYTES>();
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "its index is damaged");
        let read = records.iter().map(Record::decode);
        read.collect::<Option<_>>().ok_or_else(damaged)
    }
}
