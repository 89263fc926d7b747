//! What engines ask of running commands: input, another size, a signal.

use std::time::Instant;

use bashful_sandbox::TerminalSize;
use rustix::event::epoll::EventFlags;

use super::{Keeper, Source};
use crate::protocol::{Answer, Reply};
use crate::run::Run;
use crate::task_id::TaskId;

impl Keeper {
    pub(super) fn reply(&mut self, connection: u64, number: u64, answer: Answer) {
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.send(&Reply::Answer { number, answer });
        }
    }

    pub(super) fn send_input(&mut self, id: &TaskId, bytes: &[u8], end: bool) -> Answer {
        let now = Instant::now();
        self.with(id, |run| run.send_input(bytes, end, now))
    }

    pub(super) fn resize(&mut self, id: &TaskId, size: TerminalSize) -> Answer {
        let now = Instant::now();
        self.with(id, |run| run.resize(size, now))
    }

    pub(super) fn signal(&mut self, id: &TaskId, signal: i32) -> Answer {
        self.with(id, |run| run.signal(signal))
    }

    fn with(&mut self, id: &TaskId, act: impl FnOnce(&mut Run) -> Answer) -> Answer {
        let number = self.find(id);
        let run = number.and_then(|number| self.runs.get_mut(&number));
        run.map_or(Answer::NotRunning, act)
    }

    /// Watches for room where input waits, and only there: a terminal without input to write is
    /// always ready, and would wake the keeper for ever.
    pub(super) fn watch_inputs(&mut self) {
        for (number, run) in &mut self.runs {
            let Some(input) = &mut run.input else {
                continue;
            };
            let wanted = input.clogged().is_some();
            if wanted == input.is_watched {
                continue;
            }
            if let Some(way) = input.way() {
                let source = Source::Input(*number);
                if wanted {
                    // Where the kernel does not take it, the run tries to write from time to time.
                    let _ = self.events.watch(source, way, EventFlags::OUT);
                } else {
                    self.events.forget(source, way);
                }
            }
            input.is_watched = wanted;
        }
    }

    /// Tells and writes down what has changed about questions and sizes.
    pub(super) fn tell_questions(&mut self, now: Instant) {
        let (holder, socket) = (self.holder, self.socket_path());
        for run in self.runs.values_mut() {
            let is_new = run.has_new_question();
            if !is_new && !run.is_record_due(now) {
                continue;
            }
            let state = run.state(holder, socket.clone());
            let _ = run.record(&state);
            let owner = run.owner.and_then(|owner| self.connections.get_mut(&owner));
            if let Some(connection) = owner.filter(|_| is_new) {
                connection.send(&Reply::Wants {
                    id: run.spec.id.clone(),
                    needs_input: state.needs_input,
                });
            }
        }
    }
}
