//! Lines from standard input.

use std::io::{self, ErrorKind};
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The longest message, in bytes.
pub(super) const LONGEST_LINE: usize = 16 << 20;
/// How much is read at once.
const PIECE: usize = 64 << 10;

/// What there was to read.
pub(super) enum Line {
    Whole(Vec<u8>),
    TooLong,
    End,
}

/// Standard input, and what was read of it. A read is only begun when there is something to read,
/// so that it waits on no thread.
pub(super) struct Input {
    /// None where the kernel tells no readiness because reading never waits, as with a file.
    waits: Option<AsyncFd<BorrowedFd<'static>>>,
    piece: Vec<u8>,
    /// Read, and not yet part of a line.
    taken: usize,
    line: Vec<u8>,
    /// The line is too long, and what follows of it is passed over: it is never held in memory.
    too_long: bool,
}

impl Input {
    pub(super) fn open() -> Self {
        #[expect(
            deprecated,
            reason = "what replaces it is unsafe; standard input is never closed"
        )]
        let waits = AsyncFd::try_with_interest(rustix::stdio::stdin(), Interest::READABLE);
        Self {
            waits: waits.ok(),
            piece: Vec::with_capacity(PIECE),
            taken: 0,
            line: Vec::new(),
            too_long: false,
        }
    }

    /// The next line. A call may be given up while it waits; nothing is lost with that.
    pub(super) async fn next_line(&mut self) -> io::Result<Line> {
        loop {
            let rest = self.piece.get(self.taken..).unwrap_or_default();
            if rest.is_empty() {
                self.read().await?;
                if self.piece.is_empty() {
                    // A message without its end was cut off.
                    return Ok(Line::End);
                }
                continue;
            }
            let end = rest.iter().position(|byte| *byte == b'\n');
            let more = end.map_or(rest.len(), |end| end + 1);
            self.too_long |= self.line.len() + more > LONGEST_LINE;
            if self.too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(&rest[..more]);
            }
            self.taken += more;
            if end.is_some() {
                return Ok(if std::mem::take(&mut self.too_long) {
                    Line::TooLong
                } else {
                    Line::Whole(std::mem::take(&mut self.line))
                });
            }
        }
    }

    /// Reads the next piece; an empty one is the end.
    async fn read(&mut self) -> io::Result<()> {
        let stdin = rustix::stdio::stdin();
        loop {
            if let Some(waits) = &self.waits {
                let mut ready = waits.readable().await?;
                if !has_input(stdin)? {
                    ready.clear_ready();
                    continue;
                }
            }
            self.piece.clear();
            self.taken = 0;
            match rustix::io::read(stdin, rustix::buffer::spare_capacity(&mut self.piece)) {
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                read => return read.map(drop).map_err(io::Error::from),
            }
        }
    }
}

/// Whether a read would not wait, now.
fn has_input(input: BorrowedFd<'_>) -> io::Result<bool> {
    let mut watched = [PollFd::from_borrowed_fd(input, PollFlags::IN)];
    let none = rustix::event::Timespec::default();
    match poll(&mut watched, Some(&none)) {
        Ok(ready) => Ok(ready > 0),
        Err(errno) if io::Error::from(errno).kind() == ErrorKind::Interrupted => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}
