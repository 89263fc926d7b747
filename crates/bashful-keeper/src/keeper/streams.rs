//! What a command reads from and prints to: pipes, or a terminal.

use std::io;
use std::os::fd::OwnedFd;

use bashful_sandbox::{Terminal, TerminalSize};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::input::Input;
use crate::log::Stream;
use crate::output::Output;
use crate::protocol::Start;

/// Both sides of a command's streams.
pub(super) struct Streams {
    pub(super) outputs: [Output; 2],
    pub(super) input: Option<Input>,
    pub(super) theirs: Theirs,
}

/// The command's side.
pub(super) enum Theirs {
    Pipes {
        stdin: Option<OwnedFd>,
        rest: [OwnedFd; 2],
    },
    Terminal(OwnedFd),
    /// Its room makes it; our side comes when it has started.
    RoomTerminal(TerminalSize),
}

impl Streams {
    pub(super) fn of(start: &Start, stdin: Option<OwnedFd>) -> io::Result<Self> {
        match (start.spec.terminal, &start.room) {
            (Some(size), Some(_)) => Ok(Self {
                outputs: [Stream::Stdout, Stream::Stderr].map(Output::closed),
                input: None,
                theirs: Theirs::RoomTerminal(size),
            }),
            (Some(size), None) => {
                let (ours, theirs) = Terminal::open(size)?;
                let (outputs, input) = at_terminal(ours, &start.mask)?;
                Ok(Self {
                    outputs,
                    input: Some(input),
                    theirs: Theirs::Terminal(theirs),
                })
            }
            (None, _) => Self::pipes(start, stdin),
        }
    }

    fn pipes(start: &Start, stdin: Option<OwnedFd>) -> io::Result<Self> {
        let pipe = || {
            let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
            rustix::io::ioctl_fionbio(&ours, true)?;
            Ok::<_, rustix::io::Errno>((ours, theirs))
        };
        let (stdout, stdout_theirs) = pipe()?;
        let (stderr, stderr_theirs) = pipe()?;
        let mut outputs = [
            Output::new(Stream::Stdout, stdout, &start.mask),
            Output::new(Stream::Stderr, stderr, &start.mask),
        ];
        let (mut input, mut stdin) = (None, stdin);
        if start.spec.keep_input {
            let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
            input = Some(Input::pipe(ours)?);
            stdin = Some(theirs);
            // A question matters only where a caller can answer it.
            outputs = outputs.map(Output::with_last_line);
        }
        Ok(Self {
            outputs,
            input,
            theirs: Theirs::Pipes {
                stdin,
                rest: [stdout_theirs, stderr_theirs],
            },
        })
    }
}

/// Our side of a command that sits at this terminal.
pub(super) fn at_terminal(terminal: Terminal, mask: &[String]) -> io::Result<([Output; 2], Input)> {
    let reading = terminal.descriptor()?;
    let outputs = [
        Output::new(Stream::Stdout, reading, mask).with_last_line(),
        Output::closed(Stream::Stderr),
    ];
    Ok((outputs, Input::terminal(terminal)?))
}
