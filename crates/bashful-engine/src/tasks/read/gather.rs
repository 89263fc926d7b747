//! Output from one place in a log on, cut between characters.

use std::io;

use bashful_keeper::{Chunk, LogReader, Stream};

use super::{Output, Piece, ReadRequest};
use crate::model::output::cut_at_end;
use crate::tasks::TaskState;

/// Where to begin.
pub(super) fn settle(
    reader: &mut LogReader,
    request: &ReadRequest,
    most: usize,
) -> io::Result<u64> {
    let Some(lines) = request.tail else {
        return Ok(request.after);
    };
    let start = reader.tail_start(request.stream, lines, most as u64)?;
    if start <= request.after {
        return Ok(request.after);
    }
    // A limit in bytes may fall into a character; the rest of that one is left out.
    reader.seek(start)?;
    let Some(Chunk::Data { offset, bytes, .. }) = reader.next_of(request.stream, 3)? else {
        return Ok(start);
    };
    let inside = bytes.iter().take_while(|byte| **byte & 0xc0 == 0x80);
    let inside = inside.count();
    Ok(if inside == 0 {
        start
    } else {
        offset + inside as u64
    })
}

/// What to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) from: u64,
    /// How many bytes at most.
    pub(super) most: usize,
    /// Of one stream only.
    pub(super) stream: Option<Stream>,
    /// How the task stood before the log was looked at.
    pub(super) state: TaskState,
}

impl Output {
    pub(super) fn nothing(at: u64, state: TaskState) -> Self {
        Self {
            bytes: Vec::new(),
            pieces: Vec::new(),
            start: at,
            next: at,
            end: at,
            ended: false,
            gap: 0,
            log_end: None,
            state,
        }
    }

    fn add(&mut self, stream: Stream, offset: u64, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let length = bytes.len();
        match self.pieces.last_mut() {
            Some(last) if last.stream == stream && last.offset + last.length as u64 == offset => {
                last.length += length;
            }
            _ => self.pieces.push(Piece {
                stream,
                offset,
                length,
            }),
        }
    }

    /// Takes bytes from the end back; reading goes on with the first of them.
    fn take_back(&mut self, mut count: usize) {
        self.bytes.truncate(self.bytes.len() - count);
        while let Some(last) = self.pieces.last_mut().filter(|_| count > 0) {
            let taken = last.length.min(count);
            last.length -= taken;
            count -= taken;
            self.next = last.offset + last.length as u64;
            if last.length == 0 {
                self.pieces.pop();
            }
        }
    }
}

/// Reads from one place on. Where not even one character fits, that one comes whole: otherwise no
/// reader would ever get past it.
pub(super) fn gather(reader: &mut LogReader, place: Passage) -> io::Result<Output> {
    let mut output = Output::nothing(place.from, place.state);
    // A gap counts once output behind it was read.
    let mut gaps = Vec::new();
    reader.seek(place.from)?;
    let mut exhausted = false;
    while output.bytes.len() < place.most {
        match reader.next_of(place.stream, place.most - output.bytes.len())? {
            Some(Chunk::Data {
                stream,
                offset,
                bytes,
            }) => output.add(stream, offset, &bytes),
            Some(Chunk::Gap {
                offset, missing, ..
            }) => gaps.push((offset, missing)),
            None => {
                exhausted = true;
                break;
            }
        }
    }
    output.next = reader.position()?.max(place.from);
    output.ended = exhausted && place.state.is_over();
    if !output.ended {
        let tail = output.bytes.len().saturating_sub(4);
        let cut = output.bytes.get(tail..).map_or(0, cut_at_end);
        if cut > 0 && cut == output.bytes.len() && !exhausted {
            let most = place.most + 1;
            let whole = gather(reader, Passage { most, ..place })?;
            if whole.text().chars().count() <= 1 {
                return Ok(whole);
            }
            // These bytes begin no character after all.
        } else {
            output.take_back(cut);
        }
    }
    let counts = |(offset, _): &&(u64, u64)| *offset < output.next || output.ended;
    output.gap = gaps.iter().filter(counts).map(|(_, missing)| missing).sum();
    Ok(output)
}

#[cfg(test)]
mod tests;
