//! `bashful attach`: a person sits down at the terminal of a task.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bashful_engine::{Interrupts, LiveScreen, Sitting, Task, TaskError, TerminalSize};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::cli::AttachArguments;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;

/// Ctrl-\, which leaves when it is pressed twice.
const LEAVE: u8 = 0x1c;
/// How soon after the first press the second must come.
const TWICE: Duration = Duration::from_millis(500);
/// How often we look at the size, at interrupts and whether the task has ended.
const GLANCE: Duration = Duration::from_millis(100);

/// Switches to a screen of our own and clears it.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[2J\x1b[H";
/// Takes back whatever a drawn screen may have switched on: key modes, marks around what is
/// pasted, the mouse, a hidden cursor, colours; then goes back to the person's own screen.
const RESTORE: &[u8] = b"\x1b[?1l\x1b>\x1b[?2004l\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\
    \x1b[?1005l\x1b[?1006l\x1b[0m\x1b[?25h\x1b[?1049l";

pub(crate) fn attach(arguments: &AttachArguments, printer: &Printer) -> anyhow::Result<Exit> {
    // Before the first thread: see there.
    let interrupts = Interrupts::catch_with_quit()?;
    let task = super::tasks::engine()?.task(&arguments.id)?;
    if !is_possible() {
        let text = "`attach` is for a person at a terminal; use `bashful send` and \
            `bashful logs --screen`";
        return Err(UsageError(text.to_owned()).into());
    }
    match sit_down(&task, &interrupts, printer)? {
        Left::Ended => super::wait::exit_of(&task),
        Left::Leaving => {
            say_left(&task, printer);
            Ok(Exit::Success)
        }
        Left::Interrupted => Ok(Exit::Cancelled),
    }
}

/// Whether a person sits at a terminal of ours.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

pub(super) fn say_left(task: &Task, printer: &Printer) {
    let text = format!(
        "left; the task goes on. Return with `bashful attach {}`",
        task.id()
    );
    printer.note("note", &text);
}

/// The size of our terminal.
pub(super) fn own_size() -> TerminalSize {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_row > 0 && size.ws_col > 0 => TerminalSize {
            rows: size.ws_row,
            columns: size.ws_col,
        },
        _ => TerminalSize::USUAL,
    }
}

/// Why the person no longer sits there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// The task has ended.
    Ended,
    /// By the key.
    Leaving,
    /// An interrupt ended us.
    Interrupted,
}

/// Sits a person down at a task's terminal until it ends or they leave.
pub(super) fn sit_down(
    task: &Task,
    interrupts: &Interrupts,
    printer: &Printer,
) -> anyhow::Result<Left> {
    let size = own_size();
    match task.resize(size) {
        Ok(()) | Err(TaskError::Ended { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let sitting = task.sit_down()?;
    let screen = Mutex::new(task.live_screen(size)?);
    let text = format!(
        "at the terminal of {}; press Ctrl-\\ twice to leave",
        task.id()
    );
    printer.note("note", &text);
    let raw = RawMode::enter(printer)?;
    printer.data(ENTER)?;
    printer.data(&lock(&screen).whole())?;
    let (ended, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let left = std::thread::scope(|scope| {
        let drawing = scope.spawn(|| {
            let outcome = draw(&screen, &stop, printer);
            ended.store(true, Ordering::Release);
            outcome
        });
        let typist = Typist {
            task,
            sitting: &sitting,
            interrupts,
            screen: &screen,
            ended: &ended,
            printer,
        };
        let left = typist.pass_on(size);
        stop.store(true, Ordering::Release);
        let drawn = drawing.join();
        let drawn = drawn.unwrap_or_else(|_| Err(anyhow::anyhow!("cannot draw the screen")));
        drawn.and(left)
    });
    drop(raw);
    if matches!(left, Ok(Left::Ended)) {
        // What was on it stays to be seen.
        printer.data(&lock(&screen).lines())?;
    }
    left
}

/// Draws what the task prints, until it ends or `stop` is set.
fn draw(screen: &Mutex<LiveScreen>, stop: &AtomicBool, printer: &Printer) -> anyhow::Result<()> {
    while !stop.load(Ordering::Acquire) {
        let mut screen = lock(screen);
        let drawn = screen.next(GLANCE / 2)?;
        if !drawn.bytes.is_empty() {
            printer.data(&drawn.bytes)?;
        }
        drop(screen);
        if drawn.ended {
            break;
        }
        // The thread that passes keys on may want to draw it all anew.
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Passes on what a person types.
struct Typist<'a> {
    task: &'a Task,
    sitting: &'a Sitting,
    interrupts: &'a Interrupts,
    screen: &'a Mutex<LiveScreen>,
    ended: &'a AtomicBool,
    printer: &'a Printer,
}

impl Typist<'_> {
    fn pass_on(&self, size: TerminalSize) -> anyhow::Result<Left> {
        let mut size = size;
        // A first press of the key that leaves, and since when.
        let mut held: Option<Instant> = None;
        loop {
            if self.ended.load(Ordering::Acquire) {
                return Ok(Left::Ended);
            }
            if self.interrupts.take() > 0 {
                return Ok(Left::Interrupted);
            }
            self.follow_size(&mut size)?;
            if held.is_some_and(|since| since.elapsed() >= TWICE) {
                held = None;
                self.send(&[LEAVE])?;
            }
            let Some(typed) = self.typed() else {
                // Our own terminal is gone.
                return Ok(Left::Interrupted);
            };
            let mut passed = Vec::with_capacity(typed.len() + 1);
            for byte in typed {
                match (byte, held.take()) {
                    (LEAVE, Some(_)) => {
                        self.send(&passed)?;
                        return Ok(Left::Leaving);
                    }
                    (LEAVE, None) => held = Some(Instant::now()),
                    (byte, Some(_)) => passed.extend([LEAVE, byte]),
                    (byte, None) => passed.push(byte),
                }
            }
            self.send(&passed)?;
        }
    }

    /// What was typed in the next moment; none at the end of our terminal.
    fn typed(&self) -> Option<Vec<u8>> {
        let stdin = io::stdin();
        let mut waiting = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::from_borrowed_fd(self.interrupts.as_fd(), PollFlags::IN),
        ];
        let glance = Timespec::try_from(GLANCE).ok();
        let ready = poll(&mut waiting, glance.as_ref());
        if !ready.is_ok_and(|ready| ready > 0) || waiting[0].revents().is_empty() {
            return Some(Vec::new());
        }
        let mut buffer = vec![0; 4096];
        let count = rustix::io::read(&stdin, &mut buffer).unwrap_or(0);
        buffer.truncate(count);
        (count > 0).then_some(buffer)
    }

    fn send(&self, bytes: &[u8]) -> anyhow::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        match self.sitting.send(bytes) {
            // That it has ended is seen in a moment; one that does not read loses what is typed,
            // as at any terminal.
            Ok(())
            | Err(
                TaskError::Ended { .. }
                | TaskError::InputClosed { .. }
                | TaskError::InputFull { .. },
            ) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn follow_size(&self, size: &mut TerminalSize) -> anyhow::Result<()> {
        let now = own_size();
        if now == *size {
            return Ok(());
        }
        *size = now;
        // One that has ended no longer cares.
        let _ = self.task.resize(now);
        let mut screen = lock(self.screen);
        screen.resize(now);
        self.printer.data(b"\x1b[0m\x1b[2J")?;
        self.printer.data(&screen.whole())?;
        Ok(())
    }
}

fn lock(screen: &Mutex<LiveScreen>) -> std::sync::MutexGuard<'_, LiveScreen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Our terminal passes on every key, until this goes: then it is as it was, whatever happened.
struct RawMode<'a> {
    before: Termios,
    printer: &'a Printer,
}

impl<'a> RawMode<'a> {
    fn enter(printer: &'a Printer) -> anyhow::Result<Self> {
        let before = tcgetattr(io::stdin()).map_err(io::Error::from)?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw).map_err(io::Error::from)?;
        Ok(Self { before, printer })
    }
}

impl Drop for RawMode<'_> {
    fn drop(&mut self) {
        let _ = self.printer.data(RESTORE);
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.before);
    }
}
