//! A pseudo-terminal: the end that a program sits at, and the end that its keeper holds.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, Winsize, tcgetattr, tcgetpgrp, tcsetattr, tcsetwinsize,
};
use serde::{Deserialize, Serialize};

use crate::reading::FileIdentity;

/// How large a terminal is, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    /// How many lines.
    pub rows: u16,
    /// How many characters in a line.
    pub columns: u16,
}

impl TerminalSize {
    /// The size that terminals have had for ever.
    pub const USUAL: Self = Self {
        rows: 24,
        columns: 80,
    };

    fn as_window(self) -> Winsize {
        Winsize {
            ws_row: self.rows,
            ws_col: self.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        }
    }
}

/// The keeper's end of a terminal. It never gets into a run.
#[derive(Debug)]
pub struct Terminal(OwnedFd);

/// What a terminal does with what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypingMode {
    /// It is shown.
    pub is_shown: bool,
    /// It is passed on line by line.
    pub by_line: bool,
}

impl Terminal {
    /// A new terminal of the host, and the end for the program.
    pub fn open(size: TerminalSize) -> io::Result<(Self, OwnedFd)> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        unlockpt(&master)?;
        // By descriptor, not by name: names are another matter in another mount namespace.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let program = ioctl_tiocgptpeer(&master, flags)?;
        tcsetwinsize(&master, size.as_window())?;
        let mut modes = tcgetattr(&program)?;
        // Backspace takes away a character, however many bytes it has.
        modes.input_modes |= InputModes::IUTF8;
        tcsetattr(&program, OptionalActions::Now, &modes)?;
        Ok((Self(master), program))
    }

    /// One that the first process of a run opened.
    pub(crate) fn from_run(master: OwnedFd) -> Self {
        Self(master)
    }

    /// Its descriptor, without waiting: for reading what the program prints.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        let flags = rustix::fs::fcntl_getfl(&self.0)?;
        rustix::fs::fcntl_setfl(&self.0, flags | OFlags::NONBLOCK)?;
        Ok(rustix::io::fcntl_dupfd_cloexec(&self.0, 3)?)
    }

    /// Gives it another size; the kernel tells the processes in the foreground.
    pub fn resize(&self, size: TerminalSize) -> io::Result<()> {
        Ok(tcsetwinsize(&self.0, size.as_window())?)
    }

    /// The process group in its foreground, as it is numbered here.
    pub fn foreground(&self) -> Option<i32> {
        Some(tcgetpgrp(&self.0).ok()?.as_raw_pid())
    }

    /// What it does with what is typed now.
    pub fn typing_mode(&self) -> io::Result<TypingMode> {
        let modes = tcgetattr(&self.0)?.local_modes;
        Ok(TypingMode {
            is_shown: modes.contains(LocalModes::ECHO),
            by_line: modes.contains(LocalModes::ICANON),
        })
    }

    /// What it is, for finding out whether another descriptor is the program's end of it.
    pub fn identity(&self) -> io::Result<FileIdentity> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        FileIdentity::of(&ioctl_tiocgptpeer(&self.0, flags)?)
    }

    /// The character that means the end of input, if there is one.
    pub fn end_of_input(&self) -> Option<u8> {
        let modes = tcgetattr(&self.0).ok()?;
        let character = modes.special_codes[rustix::termios::SpecialCodeIndex::VEOF];
        (character != 0).then_some(character)
    }
}

impl AsFd for Terminal {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}
