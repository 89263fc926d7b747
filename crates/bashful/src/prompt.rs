//! The prompt: puts an ask to the person at the terminal of this run.
//!
//! It talks to the controlling terminal and to nothing else: what is piped into us is never an
//! answer. What was typed before the question was on the screen is dropped, a paste is no answer,
//! and whatever is not clearly a yes is a no.

mod keys;
mod line;
mod question;
mod terminal;
mod turn;
mod waiting;

use std::path::PathBuf;
use std::sync::Arc;

use bashful_engine::approvals::{Answer, AnsweredBy, Approver, Ask, Cause, Channel, Pending};
use bashful_engine::{Interrupts, Places};

use crate::printer::{Manner, Printer};
pub(crate) use crate::view::Editing;

pub(crate) use question::{Said, confirm, now_ms, put};
pub(crate) use terminal::Terminal;
pub(crate) use turn::Turn;
pub(crate) use waiting::{Waiting, Wake};

/// Asks the person at the terminal of this process.
#[derive(Debug)]
pub(crate) struct TerminalApprover {
    manner: Manner,
    runtime: PathBuf,
    interrupts: Option<Arc<Interrupts>>,
}

impl TerminalApprover {
    /// An approver that gives up when one of these interrupts comes; it leaves them for others to
    /// see. Without them, a signal ends the process as always.
    pub(crate) fn new(
        printer: &Printer,
        places: &Places,
        interrupts: Option<Arc<Interrupts>>,
    ) -> Self {
        Self {
            manner: printer.manner(),
            runtime: places.runtime.clone(),
            interrupts,
        }
    }
}

impl Approver for TerminalApprover {
    fn ask(&self, ask: &Ask, pending: &dyn Pending) -> Option<(Answer, AnsweredBy)> {
        let terminal = Terminal::open(self.manner)?;
        // Before anything is shown: a person who cannot answer is not asked.
        let witness = AnsweredBy::here(Channel::Prompt).ok()?;
        let waiting = Waiting::new(&terminal, Some(pending), self.interrupts.as_deref());
        let _turn = Turn::take(&self.runtime, &waiting)?;
        // What ran already is tried again as it was, or not at all.
        let editing = match ask.cause {
            Cause::Policy => Editing::Offered,
            Cause::Refused { .. } => Editing::NotHere,
        };
        match put(ask, editing, &waiting) {
            Said::Answer(answer) => Some((answer, witness)),
            Said::Stopped => Some((Answer::Deny { message: None }, witness)),
            Said::Elsewhere | Said::Gone => None,
        }
    }
}

#[cfg(test)]
mod tests;
