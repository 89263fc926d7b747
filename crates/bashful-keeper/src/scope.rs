//! A scope of systemd for a keeper, so that it outlives its starter.
//!
//! A keeper begins in the control group of its starter. Where systemd stops that unit, be it
//! a terminal, a service or a login session, it ends every process in it. So a keeper whose runs
//! may outlive their starter has itself and its guard moved into a unit of their own, before
//! it makes a control group or starts anything.
//!
//! This is one message to the manager's own socket, said in D-Bus' bytes and without a process
//! or a library: `busctl` would cost more than the run that waits for it, and be one more
//! program to trust. The socket has a fixed name, so no variable of the starter counts. The
//! message is sent as soon as the keeper's lifetime is known, and the answer is awaited only
//! where the first command would start, for a bounded time. Whatever fails, the keeper stays where it is.

use std::fs;
use std::time::{Duration, Instant};

use bashful_sandbox::{Process, share_group_with};
use rustix::process::{geteuid, getpid, getppid};

mod decide;
mod facts;
mod logind;
mod manager;
mod message;
#[cfg(test)]
mod tests;

pub use decide::{Ground, Outlook, Scope};
use facts::Facts;
use manager::{Heard, Manager};

/// How long a first command waits for a manager that says nothing.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long a caller who only wants to know waits for its answer.
const CURIOSITY: Duration = Duration::from_secs(3);

/// Where a keeper that this process started would live, and how long.
pub fn scope_outlook() -> Outlook {
    let facts = Facts::look();
    let mut outlook = facts.outlook();
    if outlook.scope == Scope::Own
        && let Err(error) = ping()
    {
        outlook = facts.without_answer(error.to_string());
    }
    outlook
}

fn ping() -> std::io::Result<()> {
    let mut manager = Manager::reach(&manager::address(geteuid()))?;
    let until = Instant::now() + CURIOSITY;
    loop {
        match manager.listen(until)? {
            // A manager that reads so short a message together with who we are forgets it.
            Heard::Greeting => manager.send(&message::ping())?,
            Heard::Return => return Ok(()),
            Heard::Other => {}
            Heard::Refused => return Err(std::io::Error::other("it refused")),
            Heard::Silence => return Err(std::io::ErrorKind::TimedOut.into()),
        }
    }
}

/// The way of a keeper into a unit of its own.
#[derive(Debug)]
pub(crate) enum OwnScope {
    /// Nothing is known yet.
    Unasked,
    /// Its manager was asked.
    Asked(Asked),
    /// It is there, or stays where it is.
    Settled,
}

impl OwnScope {
    /// Asks, unless the keeper asked before or would gain nothing; does not wait.
    pub(crate) fn ask(&mut self, guard: i32) {
        if matches!(self, Self::Unasked) {
            *self = ask(guard).map_or(Self::Settled, Self::Asked);
        }
    }

    /// Whether the keeper stays where it is, whatever is asked.
    pub(crate) fn stays(&self) -> bool {
        match self {
            Self::Unasked => !facts::is_booted(),
            Self::Asked(_) => false,
            Self::Settled => true,
        }
    }

    /// Waits for the answer, for as long as that is bearable.
    pub(crate) fn settle(&mut self) {
        if let Self::Asked(asked) = self
            && asked.settle() != Moved::NotYet
        {
            *self = Self::Settled;
        }
    }
}

/// A move that was asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    manager: Manager,
    /// What the scope is called.
    name: String,
    companions: Vec<i32>,
    /// Until when a command waits for it.
    until: Instant,
}

/// What became of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moved {
    Yes,
    No,
    NotYet,
}

/// Asks for a scope for this process and its guard, if that is a gain.
fn ask(guard: i32) -> Option<Asked> {
    // Most of it is read only where it can matter.
    if !facts::is_booted() || Facts::look().outlook().scope != Scope::Own {
        return None;
    }
    let this = Process::find(getpid().as_raw_pid())?;
    // It is the guard only as long as it is our parent.
    let guard = getppid().filter(|parent| parent.as_raw_pid() == guard);
    let companions: Vec<i32> = guard.iter().map(|guard| guard.as_raw_pid()).collect();
    let name = format!("{}{}-{}.scope", decide::PREFIX, this.pid, this.started);
    let order = message::StartScope {
        name: &name,
        processes: &[&[this.pid], companions.as_slice()].concat(),
        slice: (!geteuid().is_root()).then_some(decide::USER_SLICE),
    };
    let mut manager = Manager::reach(&manager::address(geteuid())).ok()?;
    manager.send(&order.encode()).ok()?;
    Some(Asked {
        manager,
        name,
        companions,
        until: Instant::now() + PATIENCE,
    })
}

impl Asked {
    /// Waits for it, the first time; the kernel says whether it has happened, not the manager.
    fn settle(&mut self) -> Moved {
        loop {
            if self.has_moved() {
                // Control groups are looked for anew, below the scope.
                share_group_with(&self.companions);
                return Moved::Yes;
            }
            match self.manager.listen(self.until) {
                Ok(Heard::Greeting | Heard::Return | Heard::Other) => {}
                Ok(Heard::Silence) => return Moved::NotYet,
                Ok(Heard::Refused) | Err(_) => return Moved::No,
            }
        }
    }

    fn has_moved(&self) -> bool {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        facts::units(&groups).any(|unit| unit == self.name)
    }
}
