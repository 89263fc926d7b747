//! What happens during a run, in order.
//!
//! Output is not queued in memory: the keeper says how far the log has grown, and
//! a reader takes it from the log. So a slow reader costs nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bashful_keeper::{Chunk, LogReader, Stream};

use crate::launch::client::Client;
use crate::launch::progress::{Outcome, Picture};
use crate::model::error::EngineError;
use crate::model::result::{ExecutionResult, Survivor};
use crate::run::running::Report;

/// What happened during a run, for a reader that follows it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// The command runs.
    Started {
        /// The task's id.
        task_id: String,
        /// Its process id.
        pid: i32,
    },
    /// It printed text or other bytes.
    Output {
        /// On which stream.
        stream: Stream,
        /// Where this stands in the log.
        offset: u64,
        /// The output, as the command wrote it.
        bytes: Vec<u8>,
    },
    /// Output that this reader does not get.
    Gap {
        /// How many bytes.
        bytes: u64,
        /// Where they can be read; none when the log does not have them either.
        in_log_at: Option<u64>,
    },
    /// The soft limit has passed; the command goes on.
    SoftTimeout {
        /// How long it has run.
        elapsed: Duration,
    },
    /// It has ended and left processes behind.
    Survivors(Vec<Survivor>),
    /// It has ended. This is the last event.
    Finished(Box<Result<ExecutionResult, EngineError>>),
}

/// A reader further behind than this is moved on.
const MOST_LAG: u64 = 8 << 20;
/// One event carries at most this much output.
const PIECE: usize = 64 << 10;

/// The events of one run. Any number of readers may follow a run, each at its own pace.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says what this reader was told"
)]
pub struct Events {
    report: Arc<Report>,
    client: Arc<Client>,
    log: Option<LogReader>,
    /// How far this reader is in the log.
    position: u64,
    told_start: bool,
    told_warning: bool,
    /// The end, once known; told when all output was.
    end: Option<Outcome>,
    told_survivors: bool,
    done: bool,
    most_lag: Option<u64>,
}

/// What the picture holds for this reader.
enum Due {
    Started(i32),
    SoftTimeout(Duration),
    Output,
    Ended(Outcome),
}

impl Events {
    pub(crate) fn new(report: Arc<Report>, client: Arc<Client>) -> Self {
        Self {
            report,
            client,
            log: None,
            position: 0,
            told_start: false,
            told_warning: false,
            end: None,
            told_survivors: false,
            done: false,
            most_lag: Some(MOST_LAG),
        }
    }

    /// Never skips output, however far behind; it is all in the log.
    #[must_use]
    pub fn lossless(mut self) -> Self {
        self.most_lag = None;
        self
    }

    /// The next event; none after the last.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if self.done {
                return None;
            }
            if let Some(event) = self.ready() {
                return Some(event);
            }
            let (report, client) = (Arc::clone(&self.report), Arc::clone(&self.client));
            let due = match client
                .wait(&report.progress, |picture| self.due(picture))
                .await
            {
                Ok(due) => due,
                Err(error) => {
                    self.done = true;
                    return Some(Event::Finished(Box::new(Err(error))));
                }
            };
            if let Some(event) = self.take(due) {
                return Some(event);
            }
        }
    }

    /// The next event on this thread; none after the last, or if `until` passes.
    pub fn next_until(&mut self, until: Option<Instant>) -> Option<Event> {
        loop {
            if self.done {
                return None;
            }
            if let Some(event) = self.ready() {
                return Some(event);
            }
            let (report, client) = (Arc::clone(&self.report), Arc::clone(&self.client));
            let due = client.wait_until(&report.progress, until, |picture| self.due(picture))?;
            if let Some(event) = self.take(due) {
                return Some(event);
            }
        }
    }

    /// Whether the last event was given.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// What is left to tell after the end is known: the rest of the output, the
    /// survivors, the result.
    fn ready(&mut self) -> Option<Event> {
        self.end.as_ref()?;
        if let Some(event) = self.output() {
            return Some(event);
        }
        let outcome = self.end.clone()?;
        if let (false, Outcome::Finished(state)) = (self.told_survivors, &outcome)
            && !state.survivors.is_empty()
        {
            self.told_survivors = true;
            return Some(Event::Survivors(
                state
                    .survivors
                    .iter()
                    .map(crate::model::result::survivor)
                    .collect(),
            ));
        }
        self.done = true;
        Some(Event::Finished(Box::new(self.report.result(outcome))))
    }

    fn due(&self, picture: &Picture) -> Option<Due> {
        match (picture.pid, picture.soft_timeout) {
            (Some(pid), _) if !self.told_start => return Some(Due::Started(pid)),
            (_, Some(elapsed)) if !self.told_warning => return Some(Due::SoftTimeout(elapsed)),
            _ => {}
        }
        // A keeper can see what a command printed before it hears that the command has executed.
        let is_under_way = self.told_start || picture.outcome.is_some();
        if is_under_way && picture.log_bytes > self.position {
            return Some(Due::Output);
        }
        picture.outcome.clone().map(Due::Ended)
    }

    fn take(&mut self, due: Due) -> Option<Event> {
        match due {
            Due::Started(pid) => {
                self.told_start = true;
                Some(Event::Started {
                    task_id: self.report.account.id.to_string(),
                    pid,
                })
            }
            Due::SoftTimeout(elapsed) => {
                self.told_warning = true;
                Some(Event::SoftTimeout { elapsed })
            }
            Due::Output => self.output().or_else(|| {
                // The log promised more than it has; the end will tell.
                self.position = u64::MAX;
                None
            }),
            Due::Ended(outcome) => {
                self.end = Some(outcome);
                None
            }
        }
    }

    fn output(&mut self) -> Option<Event> {
        if self.log.is_none() {
            self.log = LogReader::open(&self.report.account.directory).ok();
        }
        let log = self.log.as_mut()?;
        if let Some(most) = self.most_lag
            && let Ok(end) = log.end()
            && end.saturating_sub(self.position.min(end)) > most
        {
            let at = self.position;
            let bytes = log.skip_to_end().ok()?;
            self.position = at + bytes;
            return Some(Event::Gap {
                bytes,
                in_log_at: Some(at),
            });
        }
        match log.next(PIECE).ok()?? {
            Chunk::Data {
                stream,
                offset,
                bytes,
            } => {
                self.position = offset + bytes.len() as u64;
                Some(Event::Output {
                    stream,
                    offset,
                    bytes,
                })
            }
            Chunk::Gap { missing, .. } => Some(Event::Gap {
                bytes: missing,
                in_log_at: None,
            }),
        }
    }
}
