//! The part of a run's life that others take part in: input, questions, signals.

use std::time::{Duration, Instant};

use bashful_sandbox::{Process, Reach, Status, TerminalSize, descendants, signal_process};
use rustix::io::Errno;
use rustix::process::Signal;

use super::{Run, Stage};
use crate::input::{MOST_WAITING, NotTaken};
use crate::protocol::Answer;

/// How long a change of the record waits for the next one.
const RECORD_DELAY: Duration = Duration::from_millis(200);
/// How soon a run tries to write again where the kernel does not say that there is room.
const RETRY: Duration = Duration::from_secs(1);

impl Run {
    /// Takes input, all of it or nothing.
    pub(crate) fn send_input(&mut self, bytes: &[u8], end: bool, now: Instant) -> Answer {
        let Some(input) = &mut self.input else {
            return Answer::NoInput;
        };
        match input.push(bytes, end) {
            Ok(()) => {
                self.question.answered(now);
                Answer::Done
            }
            Err(NotTaken::Closed) => Answer::InputClosed,
            Err(NotTaken::Full { waiting }) => Answer::Full {
                waiting: waiting as u64,
                most: MOST_WAITING as u64,
            },
        }
    }

    pub(crate) fn resize(&mut self, size: TerminalSize, now: Instant) -> Answer {
        let terminal = self
            .input
            .as_ref()
            .and_then(|input| input.terminal.as_ref());
        let Some(terminal) = terminal else {
            return Answer::NoTerminal;
        };
        if size.rows == 0 || size.columns == 0 {
            return failed(Errno::INVAL);
        }
        if let Err(error) = terminal.resize(size) {
            let errno = error.raw_os_error().unwrap_or_default();
            return Answer::Failed { errno };
        }
        // The record says the size as it is, the spec as it was.
        self.size = Some(size);
        self.record_at.get_or_insert(now + RECORD_DELAY);
        Answer::Done
    }

    /// Signals the foreground of its terminal, or without one the group that it leads.
    pub(crate) fn signal(&self, number: i32) -> Answer {
        let Some(signal) = Signal::from_named_raw(number) else {
            return failed(Errno::INVAL);
        };
        let terminal = self
            .input
            .as_ref()
            .and_then(|input| input.terminal.as_ref());
        let foreground = terminal.and_then(bashful_sandbox::Terminal::foreground);
        let Some(group) = foreground.filter(|group| *group > 0).or(self.first_pid) else {
            return Answer::NotRunning;
        };
        // One by one, each by number and start: a group's number may be reused like any other.
        let is_member = |process: &Process| {
            !self.is_own(process.pid)
                && Status::of(process.pid).is_some_and(|status| status.group == group)
        };
        let mut forbidden = false;
        let mut reached = false;
        for member in descendants(&self.roots()).into_iter().filter(is_member) {
            match signal_process(member, signal) {
                Reach::Delivered => reached = true,
                Reach::Forbidden => forbidden = true,
                Reach::Gone => {}
            }
        }
        match (reached, forbidden) {
            (true, _) => Answer::Done,
            (false, true) => failed(Errno::PERM),
            (false, false) => Answer::NotRunning,
        }
    }

    /// Looks whether it waits for an answer, if it is time.
    pub(super) fn look_for_question(&mut self, now: Instant) {
        let roots = self.roots();
        let Some(input) = &mut self.input else {
            return;
        };
        input.write();
        if self.stage == Stage::Running {
            self.question.look(now, input, &roots);
        }
    }

    fn roots(&self) -> Vec<i32> {
        self.leader.into_iter().chain(self.init).collect()
    }

    /// Whether what it asks has changed since this was asked last.
    pub(crate) fn has_new_question(&mut self) -> bool {
        self.question.take_change()
    }

    /// Whether a change that is not on record yet is due to be written down.
    pub(crate) fn is_record_due(&mut self, now: Instant) -> bool {
        self.record_at.take_if(|at| now >= *at).is_some()
    }

    pub(super) fn wake_for_input(&self) -> Option<Instant> {
        let input = self.input.as_ref()?;
        let retry = input.clogged().map(|_| Instant::now() + RETRY);
        let look = self.question.look_at();
        let look = look.filter(|_| self.stage == Stage::Running);
        [retry, look].into_iter().flatten().min()
    }
}

fn failed(errno: Errno) -> Answer {
    Answer::Failed {
        errno: errno.raw_os_error(),
    }
}
