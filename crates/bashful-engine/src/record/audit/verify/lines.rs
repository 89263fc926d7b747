//! The lines of a file up to a length, one after the other in the same memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::super::line::MAX_LINE;

/// A file being read line by line.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    reader: BufReader<&'a File>,
    /// Where the next line begins.
    pub(super) offset: u64,
    length: u64,
    /// The number of the line that was read last.
    pub(super) number: u64,
    line: Vec<u8>,
}

/// What comes next.
#[derive(Debug)]
pub(super) enum Next<'a> {
    /// A line, without its end.
    Line(&'a [u8]),
    /// These bytes without a line end.
    Torn(u64),
    /// The trail ends here, after a whole line.
    End,
}

impl<'a> Lines<'a> {
    pub(super) fn new(file: &'a File, length: u64) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(1 << 20, file);
        reader.seek(SeekFrom::Start(0))?;
        Ok(Self {
            reader,
            offset: 0,
            length,
            number: 0,
            line: Vec::new(),
        })
    }

    pub(super) fn next(&mut self) -> io::Result<Next<'_>> {
        let left = self.length.saturating_sub(self.offset);
        if left == 0 {
            return Ok(Next::End);
        }
        self.line.clear();
        // A line that is too long is handed over cut, and is no record.
        let most = left.min(MAX_LINE as u64 + 2);
        let mut limited = (&mut self.reader).take(most);
        let count = limited.read_until(b'\n', &mut self.line)? as u64;
        if count == 0 {
            // The file became shorter meanwhile.
            return Ok(Next::Torn(left));
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if count == left {
            return Ok(Next::Torn(left));
        }
        self.offset += count;
        self.number += 1;
        Ok(Next::Line(&self.line))
    }
}
