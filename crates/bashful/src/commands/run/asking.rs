//! Who is asked when a command needs a yes, and for how long.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use bashful_engine::approvals::{Answer, AnsweredBy, Approver, Ask, Pending};
use bashful_engine::{EngineBuilder, Interrupts};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::commands::places;
use crate::printer::Printer;
use crate::prompt::TerminalApprover;

/// What flags say about asking.
#[derive(Debug, Clone, Copy)]
pub(in crate::commands) struct AskingFlags {
    /// The result is for a program.
    pub(in crate::commands) json: bool,
    /// The person at this terminal is not asked.
    pub(in crate::commands) no_ask: bool,
    /// How long to wait for an answer from elsewhere.
    pub(in crate::commands) wait: Option<Duration>,
}

/// Who is asked, and for how long.
pub(in crate::commands) struct Asking {
    approver: Option<Arc<dyn Approver>>,
    wait: Option<Duration>,
    interrupts: Arc<Interrupts>,
}

impl Asking {
    /// The person at this terminal, if there is one who sees what we say; in any case, for as long
    /// as `--wait` says, a person who answers elsewhere.
    pub(in crate::commands) fn of(
        flags: AskingFlags,
        printer: &Printer,
        interrupts: &Arc<Interrupts>,
    ) -> anyhow::Result<Self> {
        let seen = io::stderr().is_terminal() && !flags.json && !flags.no_ask;
        let approver: Option<Arc<dyn Approver>> = if seen {
            let interrupts = Some(Arc::clone(interrupts));
            let approver = TerminalApprover::new(printer, &places()?, interrupts);
            Some(Arc::new(approver))
        } else if flags.wait.is_some() {
            Some(Arc::new(Announcer))
        } else {
            None
        };
        Ok(Self {
            approver,
            wait: flags.wait,
            interrupts: Arc::clone(interrupts),
        })
    }

    /// An engine's settings for asking.
    pub(in crate::commands) fn applied_to(&self, mut builder: EngineBuilder) -> EngineBuilder {
        if let Some(approver) = &self.approver {
            builder = builder.approver(Arc::clone(approver));
        }
        if let Some(wait) = self.wait {
            builder = builder.wait_for_answers(wait);
        }
        let interrupts = Arc::clone(&self.interrupts);
        builder.give_up_when(move || is_waiting(&interrupts))
    }
}

/// Says where a run that waits can be answered, and leaves the answer to others.
#[derive(Debug)]
struct Announcer;

impl Approver for Announcer {
    fn ask(&self, ask: &Ask, _pending: &dyn Pending) -> Option<(Answer, AnsweredBy)> {
        let line = format!(
            "bashful: waiting for an answer: bashful approvals allow {id} (or deny {id})\n",
            id = ask.id
        );
        // If no person reads this here, one can still answer elsewhere.
        let _ = io::Write::write_all(&mut io::stderr(), line.as_bytes());
        None
    }
}

/// Whether an interrupt waits to be taken.
pub(super) fn is_waiting(interrupts: &Interrupts) -> bool {
    let mut descriptors = [PollFd::from_borrowed_fd(interrupts.as_fd(), PollFlags::IN)];
    poll(&mut descriptors, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}
