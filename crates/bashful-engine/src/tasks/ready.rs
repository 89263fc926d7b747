//! Waiting until a server is up.

use std::str::FromStr;
use std::time::{Duration, Instant};

use bashful_keeper::{NeedsInput, Stream};

use super::error::TaskError;
use super::listening::{Listening, listening};
use super::read::{Output, ReadRequest};
use super::search::Matcher;
use super::summary::TaskSummary;
use super::task::Task;
use super::wait::block_on;
use crate::run::watch::Interest;

/// What shows that a task is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Readiness {
    /// A line of its output matches this regular expression anywhere. Escape sequences do not
    /// count, and neither does a missing line end.
    Line(String),
    /// One of its processes accepts TCP connections at this port, in its own network.
    Port(u16),
}

/// What shows nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotReadiness {
    /// What follows `tcp:` is no port.
    #[error("expected a port from 1 to 65535, as in tcp:8080")]
    Port,
    /// It is no pattern.
    #[error(transparent)]
    Pattern(TaskError),
}

impl FromStr for Readiness {
    type Err = NotReadiness;

    /// `tcp:PORT`, or else a pattern.
    fn from_str(text: &str) -> Result<Self, NotReadiness> {
        if let Some(port) = text.strip_prefix("tcp:") {
            let port = port.parse().ok().filter(|port| *port > 0);
            return port.map(Self::Port).ok_or(NotReadiness::Port);
        }
        Matcher::new(text).map_err(NotReadiness::Pattern)?;
        Ok(Self::Line(text.to_owned()))
    }
}

/// What waiting for a server brought.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ready {
    /// It is up.
    Up {
        /// The line that shows it, as far as it was looked at.
        line: Option<String>,
    },
    /// It ended first.
    Ended(Box<TaskSummary>),
    /// The time was up first; it goes on.
    TimedOut {
        /// Another process has the port.
        port_is_taken: bool,
        /// What it waits for, if it waits for a person or an agent to type.
        needs_input: Option<NeedsInput>,
    },
}

/// How often a port is looked at.
const GLANCE: Duration = Duration::from_millis(25);
/// How much of a line is held against the pattern, in bytes.
const MOST_OF_LINE: usize = 64 << 10;

impl Task {
    /// Waits on this thread until the task is ready, has ended, or the time has come.
    pub fn ready_when(&self, what: &Readiness, until: Instant) -> Result<Ready, TaskError> {
        block_on(self.ready_when_async(what, until))
    }

    /// The same in a future, on any executor.
    pub async fn ready_when_async(
        &self,
        what: &Readiness,
        until: Instant,
    ) -> Result<Ready, TaskError> {
        match what {
            Readiness::Line(pattern) => self.line_matches(pattern, until).await,
            Readiness::Port(port) => self.port_opens(*port, until).await,
        }
    }

    async fn line_matches(&self, pattern: &str, until: Instant) -> Result<Ready, TaskError> {
        let mut lines = Lines::new(Matcher::new(pattern)?);
        let mut next = 0;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let output = self
                .read_async(&ReadRequest::after(next).wait(left))
                .await?;
            if let Some(line) = lines.look(&output) {
                return Ok(Ready::Up { line: Some(line) });
            }
            next = output.next;
            if output.ended {
                return Ok(Ready::Ended(Box::new(self.summary()?)));
            }
            if until <= Instant::now() {
                return self.not_ready(Listening::Nobody);
            }
        }
    }

    fn not_ready(&self, found: Listening) -> Result<Ready, TaskError> {
        Ok(Ready::TimedOut {
            port_is_taken: found == Listening::Other,
            needs_input: self.summary()?.needs_input,
        })
    }

    async fn port_opens(&self, port: u16, until: Instant) -> Result<Ready, TaskError> {
        let bell = self.bell(Interest::End)?;
        loop {
            let standing = self.standing()?;
            if standing.state.is_over() {
                self.note_end().await?;
                return Ok(Ready::Ended(Box::new(self.summary()?)));
            }
            let found = match (standing.state, &standing.record) {
                (state, Some(record)) if state.is_running() => listening(record, port),
                _ => Listening::Nobody,
            };
            if found == Listening::Task {
                return Ok(Ready::Up { line: None });
            }
            let now = Instant::now();
            if until <= now {
                return self.not_ready(found);
            }
            bell.rung(until.min(now + GLANCE)).await;
        }
    }
}

/// The lines of both streams as they come.
struct Lines {
    matcher: Matcher,
    /// The line that each stream has begun.
    begun: [Vec<u8>; 2],
}

impl Lines {
    fn new(matcher: Matcher) -> Self {
        Self {
            matcher,
            begun: Default::default(),
        }
    }

    /// The first line that matches, also one that has no end yet.
    fn look(&mut self, output: &Output) -> Option<String> {
        let mut rest = output.bytes.as_slice();
        for piece in &output.pieces {
            let (bytes, later) = rest.split_at_checked(piece.length)?;
            rest = later;
            let stream = usize::from(piece.stream == Stream::Stderr);
            for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                let begun = &mut self.begun[stream];
                let room = MOST_OF_LINE.saturating_sub(begun.len());
                begun.extend_from_slice(part.get(..room).unwrap_or(part));
                if part.ends_with(b"\n") {
                    let line = std::mem::take(begun);
                    if let Some(found) = self.matched(&line) {
                        return Some(found);
                    }
                }
            }
        }
        self.begun.iter().find_map(|line| self.matched(line))
    }

    fn matched(&self, line: &[u8]) -> Option<String> {
        let text = without_escapes(&String::from_utf8_lossy(line));
        let text = text.trim_end_matches(['\r', '\n']);
        let matches = !text.is_empty() && self.matcher.is_match(text);
        matches.then(|| text.to_owned())
    }
}

/// A line without the sequences that give it colours, which are often in the middle of an address.
fn without_escapes(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            text.push(letter);
            continue;
        }
        if letters.next_if_eq(&'[').is_some() {
            // Parameters, up to the letter that says what it is.
            while letters
                .next_if(|it| !('\u{40}'..='\u{7e}').contains(it))
                .is_some()
            {}
            letters.next();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_or_a_pattern() {
        let read = |text: &str| text.parse::<Readiness>().ok();
        assert_eq!(read("tcp:8080"), Some(Readiness::Port(8080)));
        let line = "listening on tcp:1";
        assert_eq!(read(line), Some(Readiness::Line(line.to_owned())));
        for nothing in ["tcp:", "tcp:0", "tcp:70000", "tcp:x", "tcp:-1", "", "("] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn colours_do_not_hide_an_address() {
        let line = "\u{1b}[32m➜\u{1b}[39m  http://localhost:\u{1b}[1;36m5173\u{1b}[22m/";
        assert_eq!(without_escapes(line), "➜  http://localhost:5173/");
        assert_eq!(without_escapes("a\u{1b}"), "a");
        assert_eq!(without_escapes("a\u{1b}[12"), "a");
    }
}
