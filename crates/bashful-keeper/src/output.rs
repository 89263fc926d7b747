//! From a pipe to the log: reading, masking, counting.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

use crate::characters::CharacterCount;
use crate::log::{LogWriter, Stream};
use crate::mask::Masker;
use crate::question::LastLine;

/// One output stream of a run while its pipe is open.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stream: Stream,
    pipe: Option<OwnedFd>,
    masker: Option<Masker>,
    pub(crate) bytes: u64,
    pub(crate) characters: CharacterCount,
    enlarged: bool,
    /// What was printed since the last end of a line, where a caller may have to answer it.
    pub(crate) last_line: Option<LastLine>,
}

/// How much is read before others get their turn.
const TURN_BYTES: usize = 4 << 20;
/// A stream that prints this much gets a larger pipe: fewer, longer reads.
const BUSY_BYTES: u64 = 1 << 20;
const LARGE_PIPE: usize = 1 << 20;

impl Output {
    pub(crate) fn new(stream: Stream, pipe: OwnedFd, mask: &[String]) -> Self {
        Self {
            stream,
            pipe: Some(pipe),
            masker: Masker::new(mask),
            bytes: 0,
            characters: CharacterCount::default(),
            enlarged: false,
            last_line: None,
        }
    }

    /// Remembers its last line from now on.
    pub(crate) fn with_last_line(mut self) -> Self {
        self.last_line = Some(LastLine::default());
        self
    }

    /// A stream that no process writes to.
    pub(crate) fn closed(stream: Stream) -> Self {
        Self {
            stream,
            pipe: None,
            masker: None,
            bytes: 0,
            characters: CharacterCount::default(),
            enlarged: true,
            last_line: None,
        }
    }

    pub(crate) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// The same stream for the task that adopts the processes that still write to it; what was read
    /// so far stays here.
    pub(crate) fn bequeath(&mut self) -> Self {
        Self {
            stream: self.stream,
            pipe: self.pipe.take(),
            masker: self.masker.take(),
            bytes: 0,
            characters: CharacterCount::default(),
            enlarged: self.enlarged,
            last_line: self.last_line.take(),
        }
    }

    /// Reads what is there, up to a fair share.
    pub(crate) fn read(&mut self, buffer: &mut [u8], log: &mut LogWriter) {
        let mut turn = 0;
        while turn < TURN_BYTES {
            let Some(pipe) = &self.pipe else {
                return;
            };
            match rustix::io::read(pipe, &mut *buffer) {
                Ok(0) => {
                    self.pipe = None;
                    self.finish(log);
                    return;
                }
                Ok(count) => {
                    turn += count;
                    self.take(&buffer[..count], log);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    self.pipe = None;
                    self.finish(log);
                    return;
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8], log: &mut LogWriter) {
        let masked = self.masker.as_mut().map(|masker| {
            let mut out = Vec::with_capacity(bytes.len());
            masker.push(bytes, &mut out);
            out
        });
        self.record(masked.as_deref().unwrap_or(bytes), log);
        if !self.enlarged && self.bytes > BUSY_BYTES {
            self.enlarged = true;
            if let Some(pipe) = &self.pipe {
                // Refused when the user has many large pipes already: then it stays small.
                let _ = rustix::pipe::fcntl_setpipe_size(pipe, LARGE_PIPE);
            }
        }
    }

    /// Gives out what the masker still holds.
    pub(crate) fn finish(&mut self, log: &mut LogWriter) {
        if let Some(mut masker) = self.masker.take() {
            let mut rest = Vec::new();
            masker.finish(&mut rest);
            self.record(&rest, log);
        }
    }

    fn record(&mut self, bytes: &[u8], log: &mut LogWriter) {
        self.bytes += bytes.len() as u64;
        self.characters.push(bytes);
        if let Some(line) = &mut self.last_line {
            line.push(bytes);
        }
        log.append(self.stream, bytes);
    }
}
