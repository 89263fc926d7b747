//! The controlling terminal: opened by name, its modes changed for a while and always put back.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcdrain,
    tcflush, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr,
};

use crate::printer::Manner;
use crate::view::Style;

/// Where the controlling terminal of a process is, whatever its streams are.
const CONTROLLING: &str = "/dev/tty";
/// The rows taken when a terminal does not tell its own.
const DEFAULT_ROWS: usize = 24;

/// A terminal with a person at it.
#[derive(Debug)]
pub(crate) struct Terminal {
    descriptor: OwnedFd,
    manner: Manner,
}

impl Terminal {
    /// The controlling terminal; none if there is none, or if others are in its foreground.
    pub(crate) fn open(manner: Manner) -> Option<Self> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let descriptor = rustix::fs::open(CONTROLLING, flags, Mode::empty()).ok()?;
        let terminal = Self::over(descriptor, manner);
        terminal.is_ours().then_some(terminal)
    }

    /// A terminal that is open already.
    pub(super) fn over(descriptor: OwnedFd, manner: Manner) -> Self {
        Self { descriptor, manner }
    }

    /// Whether we are in its foreground. In the background, reading would stop us.
    fn is_ours(&self) -> bool {
        tcgetpgrp(&self.descriptor).is_ok_and(|group| group == rustix::process::getpgrp())
    }

    /// How to draw on it.
    pub(crate) fn style(&self) -> Style {
        self.manner.style(&self.descriptor)
    }

    /// Whether it understands escape sequences.
    pub(super) fn can_draw(&self) -> bool {
        self.manner.can_draw(&self.descriptor)
    }

    /// The rows that it shows.
    pub(super) fn rows(&self) -> usize {
        let rows = tcgetwinsize(&self.descriptor).map_or(0, |size| size.ws_row);
        match usize::from(rows) {
            0 => DEFAULT_ROWS,
            rows => rows,
        }
    }

    /// Writes to it. Whether the person is gone is found out by reading.
    pub(crate) fn write(&self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(&self.descriptor, rest) {
                Ok(0) => return,
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// Reads what is there; none at its end.
    pub(super) fn read(&self) -> Option<Vec<u8>> {
        let mut buffer = [0; 4096];
        loop {
            match rustix::io::read(&self.descriptor, &mut buffer) {
                Ok(0) => return None,
                Ok(count) => return Some(buffer.get(..count)?.to_vec()),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }

    /// Drops all that was typed and not read.
    pub(super) fn drop_input(&self) {
        // A terminal that is gone has no input either.
        let _ = tcflush(&self.descriptor, QueueSelector::IFlush);
    }

    /// Waits until all that was written is on its way to the screen.
    pub(super) fn drain(&self) {
        let _ = tcdrain(&self.descriptor);
    }

    /// Has each key on its own, without echo and without signals, until the value is dropped.
    pub(super) fn by_key(&self) -> io::Result<ByKey<'_>> {
        let before = tcgetattr(&self.descriptor)?;
        let mut modes = before.clone();
        modes.local_modes -= LocalModes::ICANON
            | LocalModes::ECHO
            | LocalModes::ECHONL
            | LocalModes::ISIG
            | LocalModes::IEXTEN;
        modes.input_modes -= InputModes::ICRNL | InputModes::INLCR | InputModes::IGNCR;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        self.drop_input();
        // Made first, so that what is set halfway is put back too.
        let guard = ByKey {
            terminal: self,
            before,
        };
        tcsetattr(&self.descriptor, OptionalActions::Flush, &modes)?;
        if self.can_draw() {
            // A paste comes between marks from now on, so that one letter of it is no key.
            self.write(b"\x1b[?2004h");
        }
        Ok(guard)
    }
}

impl AsFd for Terminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// A terminal that hands over each key. When this goes, the modes are as they were.
#[derive(Debug)]
pub(super) struct ByKey<'a> {
    terminal: &'a Terminal,
    before: Termios,
}

impl Drop for ByKey<'_> {
    fn drop(&mut self) {
        if self.terminal.can_draw() {
            self.terminal.write(b"\x1b[?2004l");
        }
        // What was typed for us is not for the program that reads next.
        let descriptor = &self.terminal.descriptor;
        if tcsetattr(descriptor, OptionalActions::Flush, &self.before).is_err() {
            let _ = tcsetattr(descriptor, OptionalActions::Now, &self.before);
        }
    }
}
