//! A run between its order and its execution.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use bashful_sandbox::{ExitStatus, Launch, LaunchError, Terminal};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

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
    /// What is to start at a word of the engine, where that is in no room.
    pub(crate) held: Option<Held>,
    /// What is typed into it first.
    pub(crate) input: Vec<u8>,
}

/// A command that is started when its engine says so.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) launch: Launch,
    /// Where the engine says so.
    pub(crate) release: OwnedFd,
}

impl Held {
    /// Whether the engine said so; none if it did not say anything yet.
    fn is_released(&self) -> Option<bool> {
        match recv(&self.release, &mut [0_u8], RecvFlags::DONTWAIT) {
            Err(Errno::AGAIN | Errno::INTR) => None,
            Ok((1, _)) => Some(true),
            // It went away without a word.
            _ => Some(false),
        }
    }
}

impl Run {
    /// Whether its command has not executed yet.
    pub(crate) fn is_beginning(&self) -> bool {
        self.beginning.is_some()
    }

    /// What tells how its start goes on, if that is not the report of its first process.
    pub(crate) fn begins_on(&self) -> Option<BorrowedFd<'_>> {
        let beginning = self.beginning.as_ref()?;
        match &beginning.held {
            Some(held) => Some(held.release.as_fd()),
            None => self.place.as_ref()?.confined.line(),
        }
    }

    /// How its start went, once that is known. On an error nothing of it is left.
    pub(crate) fn hear_start(&mut self) -> Option<Result<(), LaunchError>> {
        let beginning = self.beginning.as_mut()?;
        let Some(held) = &beginning.held else {
            return self.place.as_mut()?.confined.hear_start();
        };
        let is_released = held.is_released()?;
        let held = beginning.held.take()?;
        if !is_released {
            return Some(Err(held.launch.was_not_released()));
        }
        Some(held.launch.start().map(|pid| {
            self.leader = Some(pid);
            self.first_pid = Some(pid);
        }))
    }

    /// Whether there is no process of it yet.
    pub(crate) fn is_held(&self) -> bool {
        let beginning = self.beginning.as_ref();
        beginning.is_some_and(|beginning| beginning.held.is_some())
    }

    /// From now on it runs, and its time counts; who asked for it.
    pub(crate) fn begin(&mut self, now: Instant) -> Option<u64> {
        let beginning = self.beginning.take()?;
        self.input_to_type = beginning.input;
        if let Some(place) = &self.place {
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
        self.is_seen = true;
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
