//! Reading the output of a task by its place in the log, and waiting for more.

use std::io;
use std::time::{Duration, Instant};

use bashful_keeper::{LogReader, Stream};

use super::error::TaskError;
use super::task::Task;
use super::wait::block_on;
use crate::model::result::log_end;
use crate::record::standing::TaskState;
use crate::run::watch::Interest;

mod gather;

use gather::{Passage, gather, settle};

/// Which output is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadRequest {
    /// From this place in the log on: 0, or the `next` of the answer before.
    pub after: u64,
    /// How long to wait while there is nothing.
    pub wait: Duration,
    /// How many bytes at most. A first character that is longer comes whole.
    pub max_bytes: usize,
    /// Of this stream only.
    pub stream: Option<Stream>,
    /// Only this many lines from the end of what there is, as far as `max_bytes` allows.
    pub tail: Option<usize>,
}

impl Default for ReadRequest {
    fn default() -> Self {
        Self {
            after: 0,
            wait: Duration::ZERO,
            max_bytes: 64 << 10,
            stream: None,
            tail: None,
        }
    }
}

impl ReadRequest {
    /// What comes after this place, without waiting.
    pub fn after(offset: u64) -> Self {
        Self {
            after: offset,
            ..Self::default()
        }
    }

    /// Waits this long while there is nothing to read.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Reads this many bytes at most.
    #[must_use]
    pub fn max_bytes(mut self, most: usize) -> Self {
        self.max_bytes = most;
        self
    }

    /// Only this stream.
    #[must_use]
    pub fn stream(mut self, stream: Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Only the last lines.
    #[must_use]
    pub fn tail(mut self, lines: usize) -> Self {
        self.tail = Some(lines);
        self
    }
}

/// Output of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// The bytes. While more may come, no character is cut in two.
    pub bytes: Vec<u8>,
    /// Which of them came from which stream, in order.
    pub pieces: Vec<Piece>,
    /// Where it begins in the log.
    pub start: u64,
    /// What to pass as `after` to read on.
    pub next: u64,
    /// Where the log ends now.
    pub end: u64,
    /// The task has ended, and all was read.
    pub ended: bool,
    /// How many bytes are missing in between, because the log did not take them.
    pub gap: u64,
    /// Why the log has less than was printed: `quota` or `write_failed`.
    pub log_end: Option<&'static str>,
    /// Where the task is in its life.
    pub state: TaskState,
}

/// A stretch of output from one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// The stream that the task wrote it to.
    pub stream: Stream,
    /// Where it stands in the log.
    pub offset: u64,
    /// How many bytes it has.
    pub length: usize,
}

impl Output {
    /// The bytes as text; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    fn is_news(&self) -> bool {
        !self.bytes.is_empty() || self.ended || self.gap > 0
    }
}

impl Task {
    /// Whether entries are missing in the index of its log, so that it is not known which stream
    /// some of the output came from. It is then told as one of standard output.
    pub fn is_unlisted(&self) -> bool {
        let reader = LogReader::open(&self.directory);
        reader
            .and_then(|mut reader| reader.is_unlisted())
            .unwrap_or(false)
    }

    /// Reads what is new after a place in the log, and waits for it on this thread if the request
    /// says so: until there is output, the task has ended, or the time is up.
    pub fn read(&self, request: &ReadRequest) -> Result<Output, TaskError> {
        block_on(self.read_async(request))
    }

    /// The same in a future, on any executor.
    pub async fn read_async(&self, request: &ReadRequest) -> Result<Output, TaskError> {
        let until = Instant::now().checked_add(request.wait);
        let until = until.unwrap_or_else(|| Instant::now() + Duration::from_secs(1 << 30));
        let mut log = Log::new(self, request);
        let mut bell = None;
        loop {
            let output = log.look()?;
            let is_over = output.state.is_over();
            if output.is_news() || until <= Instant::now() {
                if is_over {
                    self.note_end().await?;
                }
                return Ok(output);
            }
            match &bell {
                // Output may have come before there was a bell: look once more.
                None => bell = Some(self.bell(Interest::Output)?),
                Some(bell) => bell.rung(until).await,
            }
        }
    }
}

/// One reader of a log.
struct Log<'a> {
    task: &'a Task,
    request: &'a ReadRequest,
    reader: Option<LogReader>,
    /// Where to read, once that is settled.
    from: Option<u64>,
}

impl<'a> Log<'a> {
    fn new(task: &'a Task, request: &'a ReadRequest) -> Self {
        Self {
            task,
            request,
            reader: None,
            from: None,
        }
    }

    fn look(&mut self) -> Result<Output, TaskError> {
        // Asked first: a task that has ended by now has written all its output.
        let standing = self.task.standing()?;
        let state = standing.state;
        let log_end = standing.record.as_ref().and_then(log_end);
        let unreadable = |source| TaskError::Log {
            task: self.task.id.to_string(),
            source,
        };
        if self.reader.is_none() {
            self.reader = match LogReader::open(&self.task.directory) {
                Ok(reader) => Some(reader),
                // It is made a moment after the command was started.
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(unreadable(error)),
            };
        }
        let end = match &mut self.reader {
            Some(reader) => reader.end().map_err(unreadable)?,
            None => 0,
        };
        if self.request.after > end {
            return Err(TaskError::PastEnd {
                task: self.task.id.to_string(),
                offset: self.request.after,
                end,
            });
        }
        let most = self.request.max_bytes.max(1);
        let Some(reader) = &mut self.reader else {
            return Ok(Output {
                ended: state.is_over(),
                ..Output::nothing(self.request.after, state)
            });
        };
        let from = match self.from {
            Some(from) => from,
            None => settle(reader, self.request, most).map_err(unreadable)?,
        };
        self.from = Some(from);
        let place = Passage {
            from,
            most,
            stream: self.request.stream,
            state,
        };
        let mut output = gather(reader, place).map_err(unreadable)?;
        // It may have grown since.
        output.end = end.max(output.next);
        output.log_end = log_end;
        if state == TaskState::Waiting && !output.bytes.is_empty() {
            // It began between the two questions. Had it ended as well, there could be more.
            output.state = TaskState::Running;
        }
        Ok(output)
    }
}
