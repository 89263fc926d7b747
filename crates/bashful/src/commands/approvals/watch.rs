//! `bashful approvals watch`: puts every ask to the person at this terminal.

use std::collections::BTreeSet;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use bashful_engine::Interrupts;
use bashful_engine::approvals::{
    Answer, AnsweredBy, ApprovalQueue, Ask, AskState, Channel, Pending, Settled, Watch, WhichAsks,
};
use serde_json::json;

use super::settled;
use crate::commands::places;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::prompt::{Editing, Said, Terminal, Turn, Waiting, Wake, confirm, put};
use crate::view::alike;

/// How long a wait without anything new may take before we look again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

pub(super) fn watch(queue: &ApprovalQueue, printer: &Printer) -> anyhow::Result<Exit> {
    let by = AnsweredBy::here(Channel::Terminal)?;
    let terminal = Terminal::open(printer.manner()).ok_or_else(|| {
        UsageError(
            "answers must be typed, and this process is not in the foreground of a terminal"
                .to_owned(),
        )
    })?;
    let watcher = Watcher {
        queue,
        by,
        terminal,
        interrupts: Interrupts::catch().context("cannot catch interrupts")?,
        runtime: places()?.runtime,
    };
    watcher
        .terminal
        .write("Waiting for asks; Ctrl-C stops.\n".as_bytes());
    loop {
        let mut asks = queue.asks(WhichAsks::Pending)?;
        let go_on = if asks.is_empty() {
            watcher.wait_for_more()
        } else {
            let first = asks.remove(0);
            watcher.put(&first, &asks)?
        };
        if go_on == Next::End {
            return Ok(Exit::Success);
        }
    }
}

/// Whether the watch goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    End,
}

/// The person at a terminal who answers.
struct Watcher<'a> {
    queue: &'a ApprovalQueue,
    by: AnsweredBy,
    terminal: Terminal,
    interrupts: Interrupts,
    runtime: PathBuf,
}

impl Watcher<'_> {
    /// Puts one ask and gives the answer.
    fn put(&self, ask: &Ask, others: &[Ask]) -> anyhow::Result<Next> {
        let like: Vec<&Ask> = others.iter().filter(|other| alike(other, ask)).collect();
        let pending = Open {
            queue: self.queue,
            id: &ask.id,
            watch: self.queue.watch(),
        };
        let waiting = Waiting::new(&self.terminal, Some(&pending), Some(&self.interrupts));
        let Some(turn) = Turn::take(&self.runtime, &waiting) else {
            if self.interrupts.take() > 0 {
                return Ok(Next::End);
            }
            anyhow::ensure!(
                !pending.is_open(),
                "cannot take turns at this terminal in `{}`",
                self.runtime.display()
            );
            return Ok(Next::GoOn);
        };
        match (others.len(), like.len()) {
            (0, _) => {}
            (count, 0) => self.say(&format!("{count} more waiting.")),
            (count, like) => self.say(&format!("{count} more waiting, {like} of them like this.")),
        }
        let answer = match put(ask, Editing::NotHere, &waiting) {
            Said::Answer(answer) => answer,
            Said::Elsewhere => return Ok(Next::GoOn),
            Said::Stopped | Said::Gone => return Ok(Next::End),
        };
        self.give(ask, &answer)?;
        let next = match answer {
            Answer::Deny { .. } if !like.is_empty() => self.deny_too(&like, &answer)?,
            _ => Next::GoOn,
        };
        drop(turn);
        Ok(next)
    }

    /// Offers to give the same answer to those that are like the one that was denied. A lasting
    /// yes needs no such question: the queue settles what it covers.
    fn deny_too(&self, like: &[&Ask], answer: &Answer) -> anyhow::Result<Next> {
        let waiting = Waiting::new(&self.terminal, None, Some(&self.interrupts));
        let question = format!("Also deny the {} like it?", like.len());
        match confirm(&question, &waiting) {
            Some(true) => {}
            Some(false) => return Ok(Next::GoOn),
            None => return Ok(Next::End),
        }
        for ask in like {
            self.give(ask, answer)?;
        }
        Ok(Next::GoOn)
    }

    /// Gives an answer, and tells what it left behind or that it came too late.
    fn give(&self, ask: &Ask, answer: &Answer) -> anyhow::Result<()> {
        let settled = self.queue.answer(&ask.id, answer, &self.by)?;
        if !matches!(settled, Settled::Counts { grant: None, .. }) {
            let mut out = Vec::new();
            settled::show(&settled, self.terminal.style(), &mut out);
            self.terminal.write(&out);
        }
        Ok(())
    }

    fn say(&self, words: &str) {
        self.terminal.write(format!("\n{words}\n").as_bytes());
    }

    /// Waits until there is an ask to put.
    fn wait_for_more(&self) -> Next {
        let idle = Idle {
            queue: self.queue,
            watch: self.queue.watch(),
        };
        let waiting = Waiting::new(&self.terminal, Some(&idle), Some(&self.interrupts));
        match waiting.without_keys(LOOK_AGAIN) {
            Wake::Settled | Wake::Quiet | Wake::Typed(_) => Next::GoOn,
            Wake::Interrupted | Wake::HungUp => Next::End,
        }
    }
}

/// There is nothing to ask; over when an ask comes.
struct Idle<'a> {
    queue: &'a ApprovalQueue,
    watch: Watch,
}

impl Pending for Idle<'_> {
    fn is_open(&self) -> bool {
        // What cannot be read now is an error when it is read to be shown.
        let asks = self.queue.asks(WhichAsks::Pending);
        asks.is_ok_and(|asks| asks.is_empty())
    }

    fn hint(&self) -> Option<BorrowedFd<'_>> {
        self.watch.hint()
    }

    fn take_hint(&self) {
        self.watch.take_hint();
    }
}

/// One ask that waits.
struct Open<'a> {
    queue: &'a ApprovalQueue,
    id: &'a str,
    watch: Watch,
}

impl Pending for Open<'_> {
    fn is_open(&self) -> bool {
        let ask = self.queue.ask(self.id);
        // A database that cannot be read for a moment has not answered either.
        ask.map_or(true, |ask| ask.state == AskState::Pending)
    }

    fn hint(&self) -> Option<BorrowedFd<'_>> {
        self.watch.hint()
    }

    fn take_hint(&self) {
        self.watch.take_hint();
    }
}

/// Prints each ask once, until the reader is gone or an interrupt ends us.
pub(super) fn print(queue: &ApprovalQueue, printer: &Printer) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::catch().context("cannot catch interrupts")?;
    let watch = queue.watch();
    let mut told: BTreeSet<String> = BTreeSet::new();
    loop {
        let asks = queue.asks(WhichAsks::Pending)?;
        for ask in &asks {
            if told.insert(ask.id.clone()) {
                printer.json(&json!({ "v": 1, "ask": ask }))?;
            }
        }
        // Those that do not wait any more do not come back.
        told.retain(|id| asks.iter().any(|ask| ask.id == *id));
        if interrupts.take() > 0 {
            return Ok(Exit::Success);
        }
        watch.wait(Duration::from_millis(250));
    }
}
