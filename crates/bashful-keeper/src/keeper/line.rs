//! The line of commands that are to start.
//!
//! A start takes its time, and many can be asked for at once. So every engine is greeted as soon
//! as it comes, and its command waits in line: one is started each time the keeper has looked after
//! everything else. A command that waits too long is refused, and its engine hears why.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Keeper;
use super::start::{Given, fault};
use crate::protocol::{Fault, FaultKind, Reply, Start};
use crate::task_id::TaskId;

/// The longest that a command waits for its turn.
pub const LONGEST_IN_LINE: Duration = Duration::from_secs(90);
/// How many commands may wait at a time.
const MOST_IN_LINE: usize = 4096;

/// A command whose turn has not come.
#[derive(Debug)]
struct Waiting {
    /// The connection that asked for it.
    connection: u64,
    start: Start,
    given: Given,
    since: Instant,
}

/// All of them, the oldest first.
#[derive(Debug, Default)]
pub(super) struct StartLine(VecDeque<Waiting>);

impl StartLine {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, id: &TaskId) -> Option<Waiting> {
        let at = self.0.iter().position(|it| it.start.spec.id == *id)?;
        self.0.remove(at)
    }

    /// Forgets what only this connection would have heard of.
    pub(super) fn forget(&mut self, connection: u64) {
        self.0
            .retain(|it| it.connection != connection || it.start.detached);
    }
}

impl Keeper {
    /// Puts a command at the end of the line.
    pub(super) fn line_up(&mut self, connection: u64, start: Start) {
        // Descriptors are taken now, in the order in which they came, and also where the command
        // is refused: what was sent for one must not be taken for another's.
        let given = self.take_descriptors(connection, &start);
        let refusal = match given {
            Err(fault) => fault,
            Ok(_) if self.line.0.len() >= MOST_IN_LINE => {
                busy(&format!("{MOST_IN_LINE} commands are waiting ahead of it"))
            }
            Ok(given) => {
                self.line.0.push_back(Waiting {
                    connection,
                    start,
                    given,
                    since: Instant::now(),
                });
                return;
            }
        };
        self.refuse(connection, start.spec.id, refusal);
    }

    /// Starts the next command. Those that waited too long are refused first.
    pub(super) fn start_next(&mut self) {
        let next = self.line.0.front();
        let room = next.and_then(|next| next.start.room.as_ref());
        if room.is_some_and(|room| !self.rooms.is_recovered(room)) {
            return;
        }
        while let Some(next) = self.line.0.pop_front() {
            let waited = next.since.elapsed();
            if waited <= LONGEST_IN_LINE || self.ending {
                self.start(next.connection, next.start, next.given);
                return;
            }
            let words = format!("it waited {} s for its turn", waited.as_secs());
            self.refuse(next.connection, next.start.spec.id, busy(&words));
        }
    }

    /// Starts a command before its turn, if it waits: its engine has more to say about it.
    pub(super) fn start_early(&mut self, id: &TaskId) {
        let Some(waiting) = self.line.take(id) else {
            return;
        };
        let room = waiting.start.room.as_ref();
        if room.is_none_or(|room| self.rooms.is_recovered(room)) {
            return self.start(waiting.connection, waiting.start, waiting.given);
        }
        let words = "what runs of a killed keeper left is searched first";
        self.refuse(waiting.connection, waiting.start.spec.id, busy(words));
    }

    fn refuse(&mut self, connection: u64, id: TaskId, fault: Fault) {
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.send(&Reply::Refused { id, fault });
        }
    }
}

fn busy(words: &str) -> Fault {
    fault(FaultKind::Busy, words, None)
}
