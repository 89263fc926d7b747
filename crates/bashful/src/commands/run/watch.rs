//! Watching a run: live on a terminal, live through pipes, or only its end.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use bashful_engine::{
    Background, EngineError, Event, ExecutionResult, Interrupts, LONGEST_START, Run, Stream,
    Waiting,
};

use super::finish;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{self, Frame, Moment, Neutraliser, Style};

/// How often we look at the clock, the terminal and interrupts.
const GLANCE: Duration = Duration::from_millis(100);
/// How long after the limit a keeper has to end everything and say so, besides the time that a
/// command may wait for its start.
const KEEPER_PATIENCE: Duration = LONGEST_START;

pub(in crate::commands) struct Watcher<'a> {
    pub(in crate::commands) printer: &'a Printer,
    pub(in crate::commands) interrupts: &'a Interrupts,
    /// The time the command has.
    pub(in crate::commands) limit: Duration,
    /// When it was started.
    pub(in crate::commands) began: Instant,
}

/// What became of a run.
pub(super) enum Watched {
    /// It has ended.
    Ended(Exit, Box<ExecutionResult>),
    /// Its time was up, and it goes on in the background.
    LetGo(Background),
}

impl From<Waiting> for Watched {
    fn from(waiting: Waiting) -> Self {
        match waiting {
            Waiting::Ended(result) => Self::Ended(Exit::of(&result), result),
            Waiting::GoesOn(background) => Self::LetGo(background),
        }
    }
}

impl Watcher<'_> {
    /// Waits for the end and shows nothing.
    pub(super) fn silently(&self, mut run: Run) -> Result<Waiting, EngineError> {
        let mut interrupted = 0;
        loop {
            let glance = Instant::now() + GLANCE;
            let until = run.lets_go_at().map_or(glance, |at| at.min(glance));
            match run.wait_until(Some(until)) {
                Ok(outcome) => return outcome.map(Box::new).map(Waiting::Ended),
                Err(going_on) => run = going_on,
            }
            if is_let_go(&run) {
                return Ok(Waiting::GoesOn(run.let_go()));
            }
            self.obey(&run, &mut interrupted)?;
        }
    }

    /// Waits for the end and then shows the output within its limit.
    pub(super) fn at_the_end(&self, run: Run, title: &str) -> anyhow::Result<Watched> {
        let result = match self.silently(run)? {
            Waiting::Ended(result) => result,
            Waiting::GoesOn(background) => return Ok(Watched::LetGo(background)),
        };
        let mut display = Display::new(self.printer, title);
        display.begin();
        display.output(Stream::Stdout, result.stdout_as_bytes())?;
        display.output(Stream::Stderr, result.stderr_as_bytes())?;
        display.end(&result, self.limit)?;
        finish::remarks(&result, self.printer);
        Ok(Watched::Ended(Exit::of(&result), result))
    }

    /// Waits for the end of a run that is never let go, and shows nothing.
    pub(in crate::commands) fn unseen(&self, run: &Run) -> anyhow::Result<(Exit, ExecutionResult)> {
        let mut events = run.events();
        let mut interrupted = 0;
        loop {
            match events.next_until(Some(Instant::now() + GLANCE)) {
                Some(Event::Finished(outcome)) => {
                    let result = (*outcome)?;
                    return Ok((Exit::of(&result), result));
                }
                Some(Event::SoftTimeout { elapsed }) => {
                    let mut out = Vec::new();
                    view::warn_slow(elapsed, self.printer.style(), &mut out);
                    self.printer.talk(&out);
                }
                Some(_) | None => {}
            }
            self.obey(run, &mut interrupted)?;
        }
    }

    /// Shows output of a run that is never let go as it comes.
    pub(in crate::commands) fn live_here(
        &self,
        run: &Run,
        title: &str,
    ) -> anyhow::Result<(Exit, ExecutionResult)> {
        match self.followed(run, title)? {
            Some((exit, result)) => Ok((exit, *result)),
            None => Err(EngineError::KeeperGone.into()),
        }
    }

    /// Shows output as it comes.
    pub(super) fn live(&self, run: Run, title: &str) -> anyhow::Result<Watched> {
        Ok(match self.followed(&run, title)? {
            Some((exit, result)) => Watched::Ended(exit, result),
            None => Watched::LetGo(run.let_go()),
        })
    }

    /// Shows output as it comes, to the end or, which is none, until it is time to let it go.
    fn followed(
        &self,
        run: &Run,
        title: &str,
    ) -> anyhow::Result<Option<(Exit, Box<ExecutionResult>)>> {
        let mut events = run.events().lossless();
        let mut display = Display::new(self.printer, title);
        let mut interrupted = 0;
        let mut shown = 0;
        display.begin();
        loop {
            match events.next_until(Some(Instant::now() + GLANCE)) {
                Some(Event::Output { stream, bytes, .. }) => {
                    shown += bytes.len() as u64;
                    display.output(stream, &bytes)?;
                }
                Some(Event::Gap { bytes, .. }) => display.gap(bytes),
                Some(Event::SoftTimeout { elapsed }) => display.slow(elapsed),
                Some(Event::Finished(outcome)) => {
                    let result = (*outcome)?;
                    display.end(&result, self.limit)?;
                    finish::remarks(&result, self.printer);
                    let exit = finish::complete(&result, shown, self.printer);
                    return Ok(Some((exit, Box::new(result))));
                }
                Some(_) | None => {}
            }
            display.tick();
            if is_let_go(run) {
                display.leave()?;
                return Ok(None);
            }
            self.obey(run, &mut interrupted)?;
        }
    }

    /// The first interrupt asks, the second one insists, and with the third we leave:
    /// a keeper that does not answer must not hold us. Neither do we wait for one that
    /// let the time limit pass.
    fn obey(&self, run: &Run, interrupted: &mut usize) -> Result<(), EngineError> {
        let overdue = run.lets_go_at().is_none()
            && self.began.elapsed() > self.limit.saturating_add(KEEPER_PATIENCE);
        let count = self.interrupts.take();
        if count == 0 && !overdue {
            return Ok(());
        }
        *interrupted += count;
        match *interrupted {
            _ if overdue => return Err(EngineError::KeeperGone),
            1 => run.cancel(),
            2 => run.kill(),
            _ => return Err(EngineError::KeeperGone),
        }
        Ok(())
    }
}

/// Whether it is time to let a run go on in the background.
fn is_let_go(run: &Run) -> bool {
    run.lets_go_at().is_some_and(|at| at <= Instant::now())
}

/// Where output goes: into a frame when both streams are a terminal, otherwise to
/// each stream. Where that is a terminal, escapes are neutralised, and the lines on
/// standard error keep their gutter, because our own talk goes there too.
enum Display<'a> {
    Framed(Framed<'a>),
    Plain(Plain<'a>),
}

struct Framed<'a> {
    frame: Frame,
    printer: &'a Printer,
    title: String,
    began: Instant,
    last_output: Duration,
}

struct Plain<'a> {
    stdout: Option<Neutraliser>,
    stderr: Errors,
    printer: &'a Printer,
}

/// How standard error is shown, where our own talk goes too.
enum Errors {
    /// As it is: not a terminal.
    Raw,
    /// Without escapes: a terminal that cannot be drawn on.
    Neutral(Neutraliser),
    /// With a gutter, so that the person does not take it for ours.
    Gutter(Frame),
}

impl<'a> Display<'a> {
    fn new(printer: &'a Printer, title: &str) -> Self {
        if printer.can_draw() {
            return Self::Framed(Framed {
                frame: Frame::new(printer.style()),
                printer,
                title: title.to_owned(),
                began: Instant::now(),
                last_output: Duration::ZERO,
            });
        }
        Self::Plain(Plain {
            stdout: io::stdout()
                .is_terminal()
                .then(|| Neutraliser::new(printer.data_style().colour)),
            stderr: match io::stderr().is_terminal() {
                true if printer.can_draw_errors() => Errors::Gutter(Frame::new(printer.style())),
                true => Errors::Neutral(Neutraliser::new(printer.style().colour)),
                false => Errors::Raw,
            },
            printer,
        })
    }

    fn begin(&mut self) {
        if let Self::Framed(framed) = self {
            let mut out = Vec::new();
            framed.frame.header(&framed.title, &mut out);
            framed.printer.talk(&out);
        }
    }

    fn output(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Framed(framed) => {
                framed.output(stream, bytes);
                Ok(())
            }
            Self::Plain(plain) => plain.output(stream, bytes),
        }
    }

    /// A line of ours between the command's lines.
    fn remark(&mut self, write: impl FnOnce(Style, &mut Vec<u8>)) {
        let mut out = Vec::new();
        let (frame, printer) = match self {
            Self::Framed(framed) => (Some(&mut framed.frame), framed.printer),
            Self::Plain(plain) => match &mut plain.stderr {
                Errors::Gutter(frame) => (Some(frame), plain.printer),
                Errors::Raw | Errors::Neutral(_) => (None, plain.printer),
            },
        };
        if let Some(frame) = frame {
            frame.make_way(&mut out);
        }
        write(printer.style(), &mut out);
        printer.talk(&out);
    }

    fn gap(&mut self, bytes: u64) {
        self.remark(|style, out| {
            let truncation = view::Truncation {
                skipped_bytes: bytes,
                output_file: None,
            };
            truncation.write(style, out);
        });
    }

    fn slow(&mut self, elapsed: Duration) {
        self.remark(|style, out| view::warn_slow(elapsed, style, out));
    }

    fn tick(&mut self) {
        if let Self::Framed(framed) = self {
            framed.tick();
        }
    }

    /// What was held back, where the command goes on without us.
    fn leave(&mut self) -> io::Result<()> {
        match self {
            Self::Framed(framed) => {
                let mut out = Vec::new();
                framed.frame.finish(&mut out);
                framed.printer.talk(&out);
                Ok(())
            }
            Self::Plain(plain) => plain.end(),
        }
    }

    fn end(&mut self, result: &ExecutionResult, limit: Duration) -> io::Result<()> {
        match self {
            Self::Framed(framed) => {
                let mut out = Vec::new();
                framed
                    .frame
                    .footer(finish::outcome(result, limit), &mut out);
                framed.printer.talk(&out);
                Ok(())
            }
            Self::Plain(plain) => plain.end(),
        }
    }
}

impl Framed<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.last_output = self.began.elapsed();
        let stream = match stream {
            Stream::Stdout => view::Stream::Stdout,
            Stream::Stderr => view::Stream::Stderr,
        };
        let mut out = Vec::new();
        self.frame.output(stream, bytes, &mut out);
        self.printer.talk(&out);
    }

    fn tick(&mut self) {
        self.frame.resize(self.printer.style().width);
        let moment = Moment {
            now: self.began.elapsed(),
            last_output: self.last_output,
        };
        let mut out = Vec::new();
        self.frame.tick(moment, &mut out);
        if !out.is_empty() {
            self.printer.talk(&out);
        }
    }
}

impl Plain<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let mut safe = Vec::new();
        match (stream, &mut self.stdout, &mut self.stderr) {
            (Stream::Stdout, None, _) => return self.printer.data(bytes),
            (Stream::Stderr, _, Errors::Raw) => return self.printer.error_data(bytes),
            (Stream::Stdout, Some(neutraliser), _)
            | (Stream::Stderr, _, Errors::Neutral(neutraliser)) => {
                neutraliser.push(bytes, &mut safe);
            }
            (Stream::Stderr, _, Errors::Gutter(frame)) => {
                frame.output(view::Stream::Stderr, bytes, &mut safe);
            }
        }
        match stream {
            Stream::Stdout => self.printer.data(&safe),
            Stream::Stderr => self.printer.error_data(&safe),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        let (mut data, mut errors) = (Vec::new(), Vec::new());
        if let Some(neutraliser) = &mut self.stdout {
            neutraliser.finish(&mut data);
        }
        match &mut self.stderr {
            Errors::Raw => {}
            Errors::Neutral(neutraliser) => neutraliser.finish(&mut errors),
            Errors::Gutter(frame) => frame.finish(&mut errors),
        }
        self.printer.data(&data)?;
        self.printer.error_data(&errors)
    }
}
