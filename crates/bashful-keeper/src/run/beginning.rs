//! A run between its order and its execution.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use bashful_sandbox::{ExitStatus, LaunchError, Terminal, Understudy};

use super::{Run, now_ms};
use crate::input::Input;
use crate::output::Output;
use crate::rooms::InRoom;
use crate::task_directory::Ending;

/// What is known of a run that has not begun.
#[derive(Debug)]
pub(crate) struct Beginning {
    /// The connection that asked for it, and hears what becomes of it.
    pub(crate) asked_by: u64,
    /// What becomes its command, where that is in no room.
    pub(crate) understudy: Option<Understudy>,
    /// What is typed into it first.
    pub(crate) input: Vec<u8>,
}

impl Run {
    /// Whether its command has not executed yet.
    pub(crate) fn is_beginning(&self) -> bool {
        self.beginning.is_some()
    }

    /// What tells how its start goes on, if that is not the report of its first process.
    pub(crate) fn begins_on(&self) -> Option<BorrowedFd<'_>> {
        let beginning = self.beginning.as_ref()?;
        match &beginning.understudy {
            Some(understudy) => Some(understudy.as_fd()),
            None => self.place.as_ref()?.confined.line(),
        }
    }

    /// How its start went, once that is known. On an error nothing of it is left.
    pub(crate) fn hear_start(&mut self) -> Option<Result<(), LaunchError>> {
        let beginning = self.beginning.as_mut()?;
        match &mut beginning.understudy {
            Some(understudy) => understudy.hear_start(),
            None => self.place.as_mut()?.confined.hear_start(),
        }
    }

    /// From now on it runs, and its time counts; who asked for it.
    pub(crate) fn begin(&mut self, now: Instant) -> Option<u64> {
        let beginning = self.beginning.take()?;
        self.input_to_type = beginning.input;
        if let Some(place) = &mut self.place {
            place.has_begun();
            self.first_pid = place.command().or(self.first_pid);
        }
        self.count_from(now);
        Some(beginning.asked_by)
    }

    /// Its clocks begin now.
    pub(super) fn count_from(&mut self, now: Instant) {
        let after = |millis: Option<u64>| {
            millis.and_then(|millis| now.checked_add(Duration::from_millis(millis)))
        };
        self.deadline = after(self.spec.timeout_ms);
        self.warn_at = after(self.spec.warn_after_ms);
        self.started = now;
        self.started_at_ms = now_ms();
    }

    /// It was ended before it began: nothing is left of it.
    pub(crate) fn never_began(&mut self) {
        self.beginning = None;
        self.leader = None;
        self.init = None;
        self.exit.get_or_insert(ExitStatus::Signal(KILLED));
    }

    /// Why it is to end, if it is.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The keeper's end of its terminal, if it got one in its room.
    pub(crate) fn take_terminal(&mut self) -> Option<Terminal> {
        self.place.as_mut().and_then(InRoom::take_terminal)
    }

    /// It sits at that terminal.
    pub(crate) fn sit_at(&mut self, outputs: [Output; 2], input: Input) {
        self.outputs = outputs;
        self.input = Some(input);
    }

    /// Types what was to be typed first. More than fits was refused by the engine.
    pub(crate) fn type_ahead(&mut self) {
        let text = std::mem::take(&mut self.input_to_type);
        if let Some(input) = &mut self.input {
            let _ = input.push(&text, false);
        }
    }

    /// Ends everything in its room at once.
    pub(crate) fn kill_room(&self) {
        if let Some(place) = &self.place {
            place.confined.kill();
        }
    }
}

/// By this signal ends what is killed.
const KILLED: i32 = 9;
