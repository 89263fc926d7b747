//! Searching the log of a task, line by line, in bounded memory and time.

use std::time::Duration;

use bashful_keeper::{Chunk, LogReader, Stream};

use super::error::TaskError;
use super::task::Task;

mod lines;
mod matcher;

use lines::Search;
pub(super) use matcher::Matcher;

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchRequest {
    /// A regular expression, which a line matches anywhere. It takes time in proportion to the
    /// log, whatever it says.
    pub pattern: String,
    /// In this stream only.
    pub stream: Option<Stream>,
    /// In lines that begin at this place in the log or behind it.
    pub after: u64,
    /// How many lines to find at most.
    pub max_matches: usize,
    /// How many lines to show before and after each; twenty at most.
    pub context_lines: usize,
    /// How long the search may take.
    pub patience: Duration,
}

impl SearchRequest {
    /// Looks for the first hundred lines that match.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            stream: None,
            after: 0,
            max_matches: 100,
            context_lines: 0,
            patience: Duration::from_secs(10),
        }
    }

    /// Only in this stream.
    #[must_use]
    pub fn stream(mut self, stream: Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Only from this place on: the `next` of the answer before.
    #[must_use]
    pub fn after(mut self, offset: u64) -> Self {
        self.after = offset;
        self
    }

    /// Finds this many lines at most.
    #[must_use]
    pub fn max_matches(mut self, most: usize) -> Self {
        self.max_matches = most;
        self
    }

    /// With lines around each.
    #[must_use]
    pub fn context_lines(mut self, lines: usize) -> Self {
        self.context_lines = lines;
        self
    }

    /// Searches for this long at most.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The lines, in order.
    pub lines: Vec<FoundLine>,
    /// What to pass as `after` to search on.
    pub next: u64,
    /// Lines behind `next` were not searched: there were enough, or the time was up.
    pub more: bool,
    /// The time was up.
    pub timed_out: bool,
    /// How many lines were so long that only their first 64 KiB were searched.
    pub cut_lines: u64,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundLine {
    /// Its number in the log, or in the stream that was searched; the first is 1.
    pub number: u64,
    /// Where it begins in the log.
    pub offset: u64,
    /// The line without its end, cut after 2000 characters.
    pub text: String,
    /// The line goes on behind what was searched: its end may not be what the pattern took for it.
    pub is_cut: bool,
    /// Lines before it.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
}

/// A pattern that lines are held against, as a search does.
#[derive(Debug)]
pub struct LinePattern(Matcher);

impl LinePattern {
    /// Reads a regular expression.
    pub fn new(pattern: &str) -> Result<Self, TaskError> {
        Matcher::new(pattern).map(Self)
    }

    /// Whether a line matches anywhere.
    pub fn is_match(&self, line: &str) -> bool {
        self.0.is_match(line)
    }
}

/// How much is read at once, in bytes.
const PIECE: usize = 256 << 10;

impl Task {
    /// Searches the log, on this thread.
    pub fn search(&self, request: &SearchRequest) -> Result<Found, TaskError> {
        let matcher = Matcher::new(&request.pattern)?;
        let unreadable = |source| TaskError::Log {
            task: self.id.to_string(),
            source,
        };
        let mut search = Search::new(request, matcher);
        // Asked first: a task that has ended by now has written all its output.
        let state = self.state()?;
        let mut reader = match LogReader::open(&self.directory) {
            Ok(reader) => reader,
            // It printed nothing yet.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(search.found);
            }
            Err(error) => return Err(unreadable(error)),
        };
        let end = reader.end().map_err(unreadable)?;
        if request.after > end {
            return Err(TaskError::PastEnd {
                task: self.id.to_string(),
                offset: request.after,
                end,
            });
        }
        while search.goes_on() {
            match reader.next_of(request.stream, PIECE).map_err(unreadable)? {
                Some(Chunk::Data { offset, bytes, .. }) => search.take(offset, &bytes),
                // A line does not go on behind what is missing.
                Some(Chunk::Gap { .. }) => search.finish_line(),
                None => {
                    let end = reader.position().map_err(unreadable)?;
                    search.finish(end, state);
                    break;
                }
            }
        }
        Ok(search.found)
    }

    /// The same in a future, on a thread of its own.
    pub async fn search_async(&self, request: SearchRequest) -> Result<Found, TaskError> {
        let task = self.clone();
        self.on_thread(move || task.search(&request)).await?
    }
}
