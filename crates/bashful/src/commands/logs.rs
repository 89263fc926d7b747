//! `bashful logs`: what a task printed, and what it prints.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::time::Duration;

use bashful_engine::{Interrupts, LinePattern, Output, ReadRequest, Stream, Task, TaskState};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use crate::cli::{LogsArguments, StreamFlag};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{Neutraliser, Truncation};

mod grep;

use grep::Grep;

/// How much is read at a time.
const PIECE: usize = 256 << 10;
/// How much of the end of a log is searched for the last lines.
const TAIL: usize = 8 << 20;
/// How long we wait for output before we look whether the reader still wants it.
const GLANCE: Duration = Duration::from_millis(200);

pub(crate) fn logs(arguments: &LogsArguments, printer: &Printer) -> anyhow::Result<Exit> {
    if arguments.screen {
        return screen(arguments, printer);
    }
    // Before the first thread, so that an interrupt ends the following and leaves the terminal
    // as it was.
    let interrupts = Interrupts::catch()?;
    let task = super::tasks::engine()?.task(&arguments.id)?;
    let mut show = Show::new(arguments, printer)?;
    let mut request = ReadRequest::after(arguments.since.unwrap_or(0)).max_bytes(PIECE);
    request.stream = arguments.stream.map(|stream| match stream {
        StreamFlag::Stdout => Stream::Stdout,
        StreamFlag::Stderr => Stream::Stderr,
    });
    match arguments.tail {
        // Nothing of what there is.
        Some(0) => request.after = task.summary()?.log_bytes,
        Some(lines) => request = request.max_bytes(TAIL).tail(lines),
        None => {}
    }
    let mut output = task.read(&request)?;
    // Without following, what is there now is shown, and not what comes meanwhile.
    let end = output.end;
    let mut told_end = false;
    request.tail = None;
    request.max_bytes = PIECE;
    loop {
        show.write(&output)?;
        if let Some(why) = output.log_end
            && output.next >= output.end
            && !std::mem::replace(&mut told_end, true)
        {
            say_that_the_log_ended(why, &output, printer);
        }
        let is_over = output.ended || (!arguments.follow && output.next >= end);
        let is_stuck = !arguments.follow && output.bytes.is_empty() && output.gap == 0;
        if is_over || is_stuck || is_unwanted(&interrupts) {
            break;
        }
        request.after = output.next;
        if arguments.follow {
            request = request.wait(GLANCE);
        }
        output = task.read(&request)?;
    }
    show.finish()?;
    if task.is_unlisted() {
        let text = "the index of the log is damaged or incomplete, so it is not known which stream \
            some of this came from";
        printer.note("warning", text);
    }
    if output.ended {
        say_how_it_ended(&task, arguments.follow, printer)?;
    }
    Ok(Exit::Success)
}

/// Shows the screen of its terminal. An interrupt ends us while it is drawn.
fn screen(arguments: &LogsArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let task = super::tasks::engine()?.task(&arguments.id)?;
    let screen = task.screen()?;
    if arguments.json {
        printer.json(&json!({ "v": 1, "task_id": task.id(), "screen": screen }))?;
        return Ok(Exit::Success);
    }
    // Its lines have no escapes in them; what turns text around or cannot be seen is spelled.
    let mut neutraliser = Neutraliser::new(printer.data_style().colour);
    let mut out = Vec::new();
    neutraliser.push(format!("{}\n", screen.text()).as_bytes(), &mut out);
    neutraliser.finish(&mut out);
    printer.data(&out)?;
    if screen.partial {
        printer.note(
            "note",
            "drawn from the end of a long log; older output is missing",
        );
    }
    Ok(Exit::Success)
}

/// Whether an interrupt ended us, or the reader is gone.
fn is_unwanted(interrupts: &Interrupts) -> bool {
    let stdout = io::stdout();
    let mut reader = [PollFd::new(&stdout, PollFlags::empty())];
    let instant = Timespec::default();
    let gone = poll(&mut reader, Some(&instant)).is_ok_and(|ready| ready > 0)
        && reader[0]
            .revents()
            .intersects(PollFlags::ERR | PollFlags::HUP);
    gone || interrupts.take() > 0
}

/// Waits for `pause`; whether an interrupt ended us, or the reader is gone.
pub(super) fn is_over(interrupts: &Interrupts, pause: Duration) -> bool {
    let stdout = io::stdout();
    let mut waiting = [
        PollFd::from_borrowed_fd(interrupts.as_fd(), PollFlags::IN),
        PollFd::new(&stdout, PollFlags::empty()),
    ];
    let _ = poll(&mut waiting, Timespec::try_from(pause).ok().as_ref());
    is_unwanted(interrupts)
}

/// Where output goes.
struct Show<'a> {
    printer: &'a Printer,
    json: bool,
    grep: Option<Grep>,
    /// On a terminal.
    neutraliser: Option<Neutraliser>,
}

impl<'a> Show<'a> {
    fn new(arguments: &LogsArguments, printer: &'a Printer) -> anyhow::Result<Self> {
        let pattern = arguments.grep.as_deref().map(LinePattern::new);
        let pattern = pattern
            .transpose()
            .map_err(|error| UsageError(error.to_string()))?;
        let for_people = io::stdout().is_terminal() && !arguments.raw;
        Ok(Self {
            printer,
            json: arguments.json,
            grep: pattern.map(Grep::new),
            neutraliser: for_people.then(|| Neutraliser::new(printer.data_style().colour)),
        })
    }

    fn write(&mut self, output: &Output) -> anyhow::Result<()> {
        if self.json {
            return self.write_json(output);
        }
        match &mut self.grep {
            Some(grep) => {
                let mut chosen = Vec::new();
                grep.take(output, &mut chosen);
                self.print(&chosen)?;
            }
            None => self.print(&output.bytes)?,
        }
        if output.gap > 0 {
            let mut out = Vec::new();
            let truncation = Truncation {
                skipped_bytes: output.gap,
                output_file: None,
            };
            truncation.write(self.printer.style(), &mut out);
            self.printer.talk(&out);
        }
        Ok(())
    }

    /// An object for each piece of one stream.
    fn write_json(&self, output: &Output) -> anyhow::Result<()> {
        let mut rest = output.bytes.as_slice();
        let mut gap = output.gap;
        for piece in &output.pieces {
            let Some((bytes, later)) = rest.split_at_checked(piece.length) else {
                break;
            };
            rest = later;
            let mut told = json!({
                "v": 1,
                "stream": match piece.stream {
                    Stream::Stdout => "stdout",
                    Stream::Stderr => "stderr",
                },
                "offset": piece.offset,
                "next": piece.offset + piece.length as u64,
                "text": String::from_utf8_lossy(bytes),
            });
            let missing = std::mem::take(&mut gap);
            if missing > 0 {
                told["missing_bytes"] = json!(missing);
            }
            self.printer.json(&told)?;
        }
        Ok(())
    }

    fn print(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let Some(neutraliser) = &mut self.neutraliser else {
            return self.printer.data(bytes);
        };
        let mut safe = Vec::new();
        neutraliser.push(bytes, &mut safe);
        self.printer.data(&safe)
    }

    fn finish(&mut self) -> io::Result<()> {
        if let Some(grep) = &mut self.grep {
            let mut chosen = Vec::new();
            grep.finish(&mut chosen);
            self.print(&chosen)?;
        }
        if let Some(neutraliser) = &mut self.neutraliser {
            let mut out = Vec::new();
            neutraliser.finish(&mut out);
            self.printer.data(&out)?;
        }
        Ok(())
    }
}

/// A log that has less than was printed says so, and what to do about it.
fn say_that_the_log_ended(why: &str, output: &Output, printer: &Printer) {
    let (why, hint) = match why {
        "quota" => (
            "the log has reached its quota",
            "raise --log-quota, or let the command write to a file",
        ),
        _ => (
            "the log could not be written in full",
            "`bashful doctor` looks for the cause",
        ),
    };
    let goes_on = if output.state.is_over() {
        ""
    } else {
        "; the task goes on, and what it prints now is not stored"
    };
    printer.note("warning", &format!("{why}{goes_on}"));
    printer.note("hint", hint);
}

/// A person who followed, or who looks at a log with gaps, wants to know why it ends.
fn say_how_it_ended(task: &Task, followed: bool, printer: &Printer) -> anyhow::Result<()> {
    let summary = task.summary()?;
    if let Some(reason) = summary.reason.filter(|_| {
        followed || summary.state == TaskState::Lost || summary.status.is_some_and(is_broken)
    }) {
        printer.note("note", &format!("the task ended: {reason}"));
    }
    Ok(())
}

fn is_broken(status: bashful_engine::Status) -> bool {
    !matches!(
        status,
        bashful_engine::Status::Success
            | bashful_engine::Status::SoftFailure
            | bashful_engine::Status::Cancelled
    )
}
