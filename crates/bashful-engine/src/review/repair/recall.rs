//! Asks and grants as the audit trail tells them.
//!
//! What was given is believed only up to the first record that does not verify. What was used up
//! or taken back is believed from every record that can be read: in doubt a person is asked again.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::error_chain::in_full;
use crate::model::ask::{Ask, AskState};
use crate::model::error::record::AuditError;
use crate::model::grant::Grant;
use crate::record::asks::is_cut;
use crate::record::audit::{Event, Mended, Record, Trail};

/// What the trail tells.
#[derive(Debug, Default)]
pub(super) struct Recalled {
    pub(super) asks: Vec<Ask>,
    pub(super) grants: Vec<Grant>,
    /// How many records verified.
    pub(super) records: u64,
    /// The highest number of a record that can be read, good or not.
    last: u64,
    pub(super) broken: Option<BrokenTrail>,
}

/// Where the trail stops being one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BrokenTrail {
    /// The number of the first record that does not verify.
    pub at: u64,
    /// What is wrong there.
    pub detail: String,
}

/// Reads all of a trail.
pub(super) fn recall(trail: &Trail) -> Recalled {
    match trail.records() {
        Ok(records) => without_lost_end(trail, fold(records)),
        Err(error) => Recalled {
            broken: Some(BrokenTrail {
                at: 1,
                detail: in_full(&error),
            }),
            ..Recalled::default()
        },
    }
}

/// What a trail tells whose end may be missing: there a grant may have been taken back, so that
/// none is believed to hold.
fn without_lost_end(trail: &Trail, mut recalled: Recalled) -> Recalled {
    let lost = match trail.reaches(recalled.last) {
        Ok(true) => None,
        Ok(false) => {
            let detail = "its head knows of more, or is gone: its end may be missing";
            Some((recalled.last.saturating_add(1), detail.to_owned()))
        }
        Err(error) => Some((recalled.last, in_full(&error))),
    };
    if let Some((at, detail)) = lost {
        let over = |grant: &Grant| grant.revoked_at_ms.is_some() || grant.claimed_by.is_some();
        recalled.grants.retain(over);
        recalled.broken.get_or_insert(BrokenTrail { at, detail });
    }
    recalled
}

fn fold(records: impl Iterator<Item = Result<Record, AuditError>>) -> Recalled {
    let mut chain = Chain::default();
    let mut memory = Memory::default();
    for record in records {
        let record = chain.check(record);
        match record {
            Some(Record {
                event: Some(event), ..
            }) if chain.broken.is_none() => memory.take(event),
            Some(Record {
                event: Some(event), ..
            }) => memory.take_back(&event),
            _ => {}
        }
    }
    let (asks, grants) = memory.told();
    Recalled {
        asks,
        grants,
        records: chain.records,
        last: chain.highest,
        broken: chain.broken,
    }
}

/// Whether each record follows the one before it.
#[derive(Default)]
struct Chain {
    records: u64,
    highest: u64,
    last: Option<(u64, String)>,
    broken: Option<BrokenTrail>,
}

impl Chain {
    fn check(&mut self, record: Result<Record, AuditError>) -> Option<Record> {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                self.break_at(in_full(&error));
                return None;
            }
        };
        self.highest = self.highest.max(record.seq);
        let follows = match &self.last {
            Some((_, hash)) => record.prev == *hash,
            None => record.prev.bytes().all(|byte| byte == b'0'),
        };
        // Numbers are left out only where the trail itself says that records are missing.
        let next = self.next();
        let cut = matches!(record.event, Some(Event::Mended(Mended::Cut { .. })));
        if !follows {
            self.break_at("it does not follow the record before it".to_owned());
        } else if record.seq != next && !(cut && record.seq > next) {
            self.break_at("its number does not follow".to_owned());
        }
        if self.broken.is_none() {
            self.records += 1;
            self.last = Some((record.seq, record.hash.clone()));
        }
        Some(record)
    }

    fn next(&self) -> u64 {
        let last = self.last.as_ref().map_or(0, |(seq, _)| *seq);
        last.saturating_add(1)
    }

    fn break_at(&mut self, detail: String) {
        let at = self.next();
        self.broken.get_or_insert(BrokenTrail { at, detail });
    }
}

#[derive(Default)]
struct Memory {
    asks: BTreeMap<String, Ask>,
    grants: BTreeMap<String, Grant>,
}

impl Memory {
    fn take(&mut self, event: Event) {
        self.take_back(&event);
        match event {
            Event::Ask(asked) => {
                let known = self.asks.get(&asked.ask.id);
                // One that cannot be shown whole is put again when the agent comes back.
                if is_cut(&asked.ask) {
                    return;
                }
                if known.is_none_or(|known| known.state == AskState::Pending) {
                    self.asks.insert(asked.ask.id.clone(), asked.ask);
                }
            }
            Event::Answer(answered) => {
                // An answer is on record before it counts, and only the last on record did.
                if let Some(ask) = self.asks.get_mut(&answered.ask) {
                    ask.state = answered.state;
                }
            }
            Event::Grant(changed) => {
                let grant = changed.grant;
                self.grants.entry(grant.id.clone()).or_insert(grant);
            }
            // What was given before the gap may have been taken back in it.
            // Without its head, the trail does not show whether it ended there.
            Event::Mended(Mended::Cut { .. } | Mended::NoHead { .. }) => self.grants.clear(),
            _ => {}
        }
    }

    /// Takes from an event only what takes a right away.
    fn take_back(&mut self, event: &Event) {
        match event {
            Event::Grant(changed) => {
                if let Some(known) = self.grants.get_mut(&changed.grant.id) {
                    let told = &changed.grant;
                    known.claimed_by = known.claimed_by.take().or(told.claimed_by.clone());
                    known.revoked_at_ms = known.revoked_at_ms.or(told.revoked_at_ms);
                }
            }
            Event::Start(starting) => {
                let claimed = starting.claimed.as_ref();
                if let Some(known) = claimed.and_then(|id| self.grants.get_mut(id)) {
                    known.claimed_by.get_or_insert(starting.task.clone());
                }
            }
            _ => {}
        }
    }

    fn told(self) -> (Vec<Ask>, Vec<Grant>) {
        let Self { asks, mut grants } = self;
        // An answer that was put on record and did not count left no grant.
        grants.retain(|id, grant| match &grant.ask {
            None => true,
            Some(ask) => asks.get(ask).is_some_and(
                |ask| matches!(&ask.state, AskState::Allowed { grant, .. } if grant == id),
            ),
        });
        (asks.into_values().collect(), grants.into_values().collect())
    }
}

#[cfg(test)]
mod tests;
