//! Watching a run: live on a terminal, live through pipes, or only its end.

use std::io;
use std::time::{Duration, Instant};

use bashful_engine::{EngineError, Event, ExecutionResult, Interrupts, Run, Stream};

use super::finish;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{self, Frame, Moment, Neutraliser, Style, can_draw_on};

/// How often we look at the clock, the terminal and interrupts.
const GLANCE: Duration = Duration::from_millis(100);

pub(super) struct Watcher<'a> {
    pub(super) printer: &'a Printer,
    pub(super) interrupts: &'a Interrupts,
    /// The time the command has.
    pub(super) limit: Duration,
}

impl Watcher<'_> {
    /// Waits for the end and shows nothing.
    pub(super) fn silently(&self, mut run: Run) -> Result<ExecutionResult, EngineError> {
        let mut interrupted = 0;
        loop {
            match run.wait_until(Some(Instant::now() + GLANCE)) {
                Ok(outcome) => return outcome,
                Err(going_on) => run = going_on,
            }
            self.obey(&run, &mut interrupted);
        }
    }

    /// Waits for the end and then shows the output within its limit.
    pub(super) fn at_the_end(&self, run: Run, title: &str) -> anyhow::Result<Exit> {
        let result = self.silently(run)?;
        let mut display = Display::new(self.printer, title);
        display.begin();
        display.output(Stream::Stdout, result.stdout_as_bytes())?;
        display.output(Stream::Stderr, result.stderr_as_bytes())?;
        display.end(&result, self.limit)?;
        finish::remarks(&result, self.printer);
        Ok(Exit::of(&result))
    }

    /// Shows output as it comes.
    pub(super) fn live(&self, run: Run, title: &str) -> anyhow::Result<Exit> {
        let mut events = run.events().lossless();
        let mut display = Display::new(self.printer, title);
        let mut interrupted = 0;
        let mut missing = 0;
        display.begin();
        loop {
            match events.next_until(Some(Instant::now() + GLANCE)) {
                Some(Event::Output { stream, bytes, .. }) => display.output(stream, &bytes)?,
                Some(Event::Gap { bytes, .. }) => {
                    missing += bytes;
                    display.gap(bytes);
                }
                Some(Event::SoftTimeout { elapsed }) => display.slow(elapsed),
                Some(Event::Finished(outcome)) => {
                    let result = (*outcome)?;
                    display.end(&result, self.limit)?;
                    finish::remarks(&result, self.printer);
                    return Ok(finish::complete(&result, missing, self.printer));
                }
                Some(_) => {}
                None => {}
            }
            display.tick();
            self.obey(&run, &mut interrupted);
        }
    }

    /// The first interrupt asks, the second one insists.
    fn obey(&self, run: &Run, interrupted: &mut usize) {
        let count = self.interrupts.take();
        if count == 0 {
            return;
        }
        *interrupted += count;
        if *interrupted == 1 {
            run.cancel();
        } else {
            run.kill();
        }
    }
}

/// Where output goes: into a frame when both streams are a terminal, otherwise to
/// each stream, with escapes neutralised where that is a terminal.
enum Display<'a> {
    Framed {
        frame: Frame,
        printer: &'a Printer,
        title: String,
        began: Instant,
        last_output: Duration,
    },
    Plain {
        stdout: Option<Neutraliser>,
        stderr: Option<Neutraliser>,
        printer: &'a Printer,
    },
}

impl<'a> Display<'a> {
    fn new(printer: &'a Printer, title: &str) -> Self {
        if can_draw_on(io::stdout()) && can_draw_on(io::stderr()) {
            return Self::Framed {
                frame: Frame::new(printer.style()),
                printer,
                title: title.to_owned(),
                began: Instant::now(),
                last_output: Duration::ZERO,
            };
        }
        let neutraliser =
            |terminal: bool, style: Style| terminal.then(|| Neutraliser::new(style.colour));
        Self::Plain {
            stdout: neutraliser(
                io::IsTerminal::is_terminal(&io::stdout()),
                printer.data_style(),
            ),
            stderr: neutraliser(io::IsTerminal::is_terminal(&io::stderr()), printer.style()),
            printer,
        }
    }

    fn begin(&mut self) {
        if let Self::Framed {
            frame,
            printer,
            title,
            ..
        } = self
        {
            let mut out = Vec::new();
            frame.header(title, &mut out);
            printer.talk(&out);
        }
    }

    fn output(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Framed {
                frame,
                printer,
                began,
                last_output,
                ..
            } => {
                *last_output = began.elapsed();
                let mut out = Vec::new();
                let stream = match stream {
                    Stream::Stdout => view::Stream::Stdout,
                    Stream::Stderr => view::Stream::Stderr,
                };
                frame.output(stream, bytes, &mut out);
                printer.talk(&out);
                Ok(())
            }
            Self::Plain {
                stdout,
                stderr,
                printer,
            } => {
                let neutraliser = match stream {
                    Stream::Stdout => stdout.as_mut(),
                    Stream::Stderr => stderr.as_mut(),
                };
                let safe = neutraliser.map(|neutraliser| {
                    let mut out = Vec::new();
                    neutraliser.push(bytes, &mut out);
                    out
                });
                let bytes = safe.as_deref().unwrap_or(bytes);
                match stream {
                    Stream::Stdout => printer.data(bytes),
                    Stream::Stderr => printer.error_data(bytes),
                }
            }
        }
    }

    /// A line of ours between the command's lines.
    fn remark(&mut self, write: impl FnOnce(Style, &mut Vec<u8>)) {
        let mut out = Vec::new();
        let printer = match self {
            Self::Framed { frame, printer, .. } => {
                frame.make_way(&mut out);
                printer
            }
            Self::Plain { printer, .. } => printer,
        };
        write(printer.style(), &mut out);
        printer.talk(&out);
    }

    fn gap(&mut self, bytes: u64) {
        self.remark(|style, out| {
            view::Truncation {
                skipped_bytes: bytes,
                output_file: None,
            }
            .write(style, out)
        });
    }

    fn slow(&mut self, elapsed: Duration) {
        self.remark(|style, out| view::warn_slow(elapsed, style, out));
    }

    fn tick(&mut self) {
        if let Self::Framed {
            frame,
            printer,
            began,
            last_output,
            ..
        } = self
        {
            frame.resize(printer.style().width);
            let mut out = Vec::new();
            frame.tick(
                Moment {
                    now: began.elapsed(),
                    last_output: *last_output,
                },
                &mut out,
            );
            if !out.is_empty() {
                printer.talk(&out);
            }
        }
    }

    fn end(&mut self, result: &ExecutionResult, limit: Duration) -> io::Result<()> {
        match self {
            Self::Framed { frame, printer, .. } => {
                let mut out = Vec::new();
                frame.footer(finish::outcome(result, limit), &mut out);
                printer.talk(&out);
                Ok(())
            }
            Self::Plain {
                stdout,
                stderr,
                printer,
            } => {
                let rest = |neutraliser: &mut Option<Neutraliser>| {
                    let mut out = Vec::new();
                    if let Some(neutraliser) = neutraliser {
                        neutraliser.finish(&mut out);
                    }
                    out
                };
                printer.data(&rest(stdout))?;
                printer.error_data(&rest(stderr))
            }
        }
    }
}
