//! Output that the index of a log does not speak of: because the index was lost or damaged, or
//! because the keeper died between the two writes. It is read as it is.

use std::io;

use super::LogReader;
use crate::log::{Kind, Record, Stream};
use crate::task_directory::Phase;

/// How many records of an index are checked at most.
const MOST_CHECKED: u64 = 1 << 15;

impl LogReader {
    /// Whether the index lacks a record of output that is in the log, so that the stream it came
    /// from is unknown.
    pub fn is_unlisted(&mut self) -> io::Result<bool> {
        Ok(self.unlisted()?.is_some())
    }

    /// The record that is missing at the end of the index, and its number. One in place of all
    /// others has the number 0.
    pub(super) fn unlisted(&mut self) -> io::Result<Option<(u64, Record)>> {
        if self.unlisted.is_none() && !self.is_sound {
            self.unlisted = self.look_for_unlisted()?;
        }
        // One that stands for the whole log grows with it.
        if let Some((0, record)) = &mut self.unlisted {
            record.length = self.log.metadata()?.len();
        }
        Ok(self.unlisted)
    }

    fn look_for_unlisted(&mut self) -> io::Result<Option<(u64, Record)>> {
        // The index is made before the first byte is written. So the log is asked first.
        if self.log.metadata()?.len() == 0 {
            return Ok(None);
        }
        let has_index = self.index()?.is_some();
        // While the task runs, the index follows the log a moment later.
        if has_index && self.directory.is_owned() {
            return Ok(None);
        }
        let length = self.log.metadata()?.len();
        let instead = Record {
            kind: Kind::Data(Stream::Stdout),
            offset: 0,
            length,
        };
        let Some(last) = self.last_listed()? else {
            return Ok(Some((0, instead)));
        };
        let (stream, end) = match last.kind {
            Kind::Data(stream) => (stream, last.offset.saturating_add(last.length)),
            Kind::Gap(stream) => (stream, last.offset),
        };
        let missing = Record {
            kind: Kind::Data(stream),
            offset: end,
            length: length.saturating_sub(end),
        };
        // A keeper that dies may leave what it has not listed; one that ends does not.
        let state = self.directory.read_state();
        let is_lost = state.is_ok_and(|state| state.is_some_and(|it| it.phase == Phase::Lost));
        self.is_sound = missing.length == 0 || is_lost;
        let number = self.listed()?;
        Ok((!self.is_sound).then_some((number, missing)))
    }

    /// The last record of the index; none if it has none or one cannot be read.
    fn last_listed(&mut self) -> io::Result<Option<Record>> {
        let count = self.listed()?;
        // A very long index is looked at where it ends; elsewhere damage is an error.
        let first = count.saturating_sub(MOST_CHECKED);
        let (mut at, mut last) = (first, None);
        while at < count {
            match self.listed_block(at, count) {
                Ok(block) if block.is_empty() => return Ok(None),
                Ok(block) => {
                    at += block.len() as u64;
                    last = block.last().copied();
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(last)
    }
}
