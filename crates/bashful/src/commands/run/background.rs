//! A run that goes on without us: what is told about it, and waiting until it is up.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use bashful_engine::{
    Background, Engine, EngineError, Going, Interrupts, LONGEST_START, Readied, Readiness, Ready,
    Run, Task,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;

use super::Ended;
use crate::cli::RunArguments;
use crate::commands::wait::exit_of;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{Neutraliser, StartedTask, duration};

/// How often we look at interrupts.
const GLANCE: Duration = Duration::from_millis(50);

/// Tells about a task that goes on: a box for people, its id for programs.
pub(super) fn tell(background: &Background, why: Going, printer: &Printer) -> anyhow::Result<()> {
    let id = &background.task_id;
    if !io::stdout().is_terminal() && why == Going::AsAsked {
        printer.data(format!("{id}\n").as_bytes())?;
    }
    let called = background.name.as_ref().unwrap_or(id);
    let shown = match &background.name {
        Some(name) => format!("{id} ({name})"),
        None => id.clone(),
    };
    let attach = format!("bashful attach {called}");
    let mut out = Vec::new();
    StartedTask {
        title: match why {
            Going::AsAsked => "✓ Started in the background",
            _ => "⋯ Still running: it goes on in the background",
        },
        id: &shown,
        command: &background.command,
        output_file: &background.output_file,
        look: &format!("bashful logs -f {called}"),
        attach: background.tty.then_some(attach.as_str()),
    }
    .write(printer.style(), &mut out);
    printer.talk(&out);
    Ok(())
}

/// Leaves a run that was started in the background.
pub(super) fn leave(
    run: Run,
    engine: &Engine,
    arguments: &RunArguments,
    printer: &Printer,
    interrupts: &Interrupts,
) -> anyhow::Result<Ended> {
    let began = Instant::now();
    if !run.has_started(began + LONGEST_START)? {
        return Err(EngineError::KeeperGone.into());
    }
    let background = run.background();
    let task = engine.task(&background.task_id)?;
    drop(run);
    if !arguments.json {
        tell(&background, Going::AsAsked, printer)?;
    }
    let mut json = serde_json::to_value(&background)?;
    let exit = match &arguments.background.ready_when {
        None => Exit::Success,
        Some(what) => {
            let wait = arguments.background.ready_timeout;
            let ready = await_ready(&task, what, began + wait, interrupts)?;
            let up = Up {
                task: &task,
                after: began.elapsed(),
                printer,
                quiet: arguments.json,
            };
            up.report(ready, &mut json)?
        }
    };
    Ok(Ended {
        exit,
        json: arguments.json.then_some(json),
        ask: None,
    })
}

/// Waits aside, so that an interrupt ends the waiting; none if one did.
fn await_ready(
    task: &Task,
    what: &Readiness,
    until: Instant,
    interrupts: &Interrupts,
) -> anyhow::Result<Option<Ready>> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let (task, what) = (task.clone(), what.clone());
    std::thread::spawn(move || {
        // After an interrupt the caller listens no more.
        let _ = sender.send(task.ready_when(&what, until));
    });
    loop {
        match receiver.recv_timeout(GLANCE) {
            Ok(ready) => return Ok(Some(ready?)),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                anyhow::bail!("cannot wait for the task")
            }
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
        }
        let mut waiting = [PollFd::new(interrupts, PollFlags::IN)];
        let _ = poll(&mut waiting, Some(&Timespec::default()));
        if interrupts.take() > 0 {
            return Ok(None);
        }
    }
}

/// A server whose start we waited for.
struct Up<'a> {
    task: &'a Task,
    after: Duration,
    printer: &'a Printer,
    quiet: bool,
}

impl Up<'_> {
    fn report(&self, ready: Option<Ready>, json: &mut Value) -> anyhow::Result<Exit> {
        let ended = matches!(ready, Some(Ready::Ended(_)));
        let waited = ready.is_some();
        let told = Readied::of(self.task, ready, self.after)?;
        if let (Value::Object(all), Value::Object(more)) = (json, serde_json::to_value(&told)?) {
            all.extend(more);
        }
        let after = duration(self.after);
        if told.ready {
            self.say("note", &format!("it is ready after {after}"));
            return Ok(Exit::Success);
        }
        let reason = told.reason.as_deref().unwrap_or_default();
        if !waited {
            self.say("note", "no longer waiting; it goes on in the background");
            return Ok(Exit::Cancelled);
        }
        if ended {
            self.say("error", reason);
            self.show_last(&told);
            // A server that ends is no success, whatever it says.
            return Ok(match exit_of(self.task)? {
                Exit::Success => Exit::Command(1),
                exit => exit,
            });
        }
        self.say(
            "error",
            &format!("it was not ready after {after}: {reason}"),
        );
        let hint = format!("it goes on; `bashful kill {}` ends it", self.task.id());
        self.say("hint", &hint);
        self.show_last(&told);
        Ok(Exit::TimedOut)
    }

    fn say(&self, label: &str, text: &str) {
        if !self.quiet {
            self.printer.note(label, text);
        }
    }

    /// What it printed last, with its escapes neutralised.
    fn show_last(&self, told: &Readied) {
        let output = told.last_output.as_deref().unwrap_or_default();
        if self.quiet || output.is_empty() {
            return;
        }
        let mut safe = Vec::new();
        let mut neutraliser = Neutraliser::new(self.printer.style().colour);
        neutraliser.push(output.as_bytes(), &mut safe);
        neutraliser.finish(&mut safe);
        if !safe.ends_with(b"\n") {
            safe.push(b'\n');
        }
        self.printer.note("note", "the last it printed:");
        self.printer.talk(&safe);
    }
}
