//! Telling the keeper of every connection: before it is made, and at its end.

use std::collections::HashSet;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bashful_policy::{Host, HostName, HostRules};
use bashful_sandbox::{GateNews, Passage, Passed};
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::decide::{Destination, Permitted, Refused};

/// A keeper that has not answered by then writes nothing down, and no connection is made.
const PATIENCE: Duration = Duration::from_secs(10);
/// A longer list of hosts is not repeated with each refusal.
const MOST_LISTED: usize = 2000;

/// The line to the keeper.
#[derive(Debug)]
pub(crate) struct Teller {
    line: OwnedFd,
    next: AtomicU64,
    recorded: Mutex<HashSet<u64>>,
    heard: Condvar,
}

/// A connection that is on record.
#[derive(Debug)]
pub(crate) struct Recorded {
    connection: u64,
    begun: Instant,
}

impl Teller {
    /// Tells on what this process has as its standard input.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            line: rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?,
            next: AtomicU64::new(1),
            recorded: Mutex::default(),
            heard: Condvar::new(),
        })
    }

    /// Hears the keeper until it hangs up.
    pub(crate) fn listen(&self) {
        loop {
            let mut number = [0; 8];
            match recv(&self.line, &mut number, RecvFlags::empty()) {
                Err(rustix::io::Errno::INTR) => continue,
                Ok((8, _)) => {}
                _ => return,
            }
            let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
            recorded.insert(u64::from_ne_bytes(number));
            drop(recorded);
            self.heard.notify_all();
        }
    }

    /// Has it recorded that this connection is to be made; none if it is not.
    pub(crate) fn opens(
        &self,
        from: u16,
        to: &Destination,
        permitted: &Permitted,
    ) -> Option<Recorded> {
        let passage = Passage {
            address: permitted.addresses.first().map(ToString::to_string),
            rule: Some(permitted.rule.clone()),
            ..self.passage(from, to)
        };
        let connection = passage.connection;
        let begun = Instant::now();
        self.say(&GateNews::Opens(passage)).ok()?;
        let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = |recorded: &mut HashSet<u64>| !recorded.contains(&connection);
        let waited = self.heard.wait_timeout_while(recorded, PATIENCE, waits);
        let (mut recorded, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let was_recorded = recorded.remove(&connection);
        was_recorded.then_some(Recorded { connection, begun })
    }

    /// Has it recorded that a connection is refused.
    pub(crate) fn refuses(&self, from: u16, to: &Destination, why: &Refused, rules: &HostRules) {
        let passage = Passage {
            refused: Some(why.to_string()),
            opened_by: opened_by(to, why, rules),
            ..self.passage(from, to)
        };
        let _ = self.say(&GateNews::Opens(passage));
    }

    /// Has it recorded that a connection has ended.
    pub(crate) fn ended(&self, recorded: &Recorded, sent: u64, received: u64) {
        let passed = Passed {
            connection: recorded.connection,
            sent,
            received,
            ms: u64::try_from(recorded.begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        let _ = self.say(&GateNews::Ended(passed));
    }

    fn passage(&self, from: u16, to: &Destination) -> Passage {
        Passage {
            connection: self.next.fetch_add(1, Ordering::Relaxed),
            from,
            host: match &to.host {
                Host::Name(name) => name.to_string(),
                Host::Address(address) => address.to_string(),
            },
            port: to.port,
            address: None,
            rule: None,
            refused: None,
            opened_by: None,
        }
    }

    fn say(&self, news: &GateNews) -> io::Result<()> {
        let news = serde_json::to_vec(news)?;
        send(&self.line, &news, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// The hosts of the room, and behind them the narrowest one that would open this.
fn opened_by(to: &Destination, why: &Refused, rules: &HostRules) -> Option<String> {
    let web = matches!(to.port, 80 | 443);
    let named = |name: &HostName| {
        if web && *why != Refused::Speech {
            name.to_string()
        } else {
            format!("{name}:{}", to.port)
        }
    };
    let wanted = match (why, &to.host) {
        (Refused::NotListed | Refused::Speech, Host::Name(name)) => named(name),
        (Refused::NotListed, Host::Address(_)) => to.to_string(),
        (Refused::Inside(address), _) => {
            let host = Host::Address(*address);
            Destination {
                host,
                port: to.port,
            }
            .to_string()
        }
        (Refused::Misnamed(other), _) => named(&HostName::parse(other).ok()?),
        _ => return None,
    };
    // Some names are none that a list can have.
    let wanted = HostRules::parse(&[wanted]).ok()?;
    let all: Vec<String> = rules.texts().into_iter().chain(wanted.texts()).collect();
    let all = all.join(",");
    Some(if all.len() > MOST_LISTED {
        wanted.texts().join(",")
    } else {
        all
    })
}
