//! What the record says about requests, put together again from its events.

use std::collections::HashMap;

use crate::model::ask::AskState;
use crate::model::error::record::AuditError;
use crate::model::grant::Grant;
use crate::model::result::Status;
use crate::record::audit::{Decided, Event, Records, Requested};

/// Which requests of the record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Which {
    /// Only those of this agent.
    pub agent: Option<String>,
    /// Only those of this session.
    pub session: Option<String>,
}

/// One request as the record tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// What was asked for.
    pub request: Requested,
    /// What the policy said first, before a person was asked; absent if that is not on record.
    pub decided: Option<Decided>,
    /// What became of the asks that it put.
    pub answers: Vec<AskState>,
    /// The grants that it leaned on.
    pub grants: Vec<Grant>,
    /// Whether it ran.
    pub started: bool,
    /// Whether it came to nothing in the end.
    pub refused: bool,
}

/// What the record says about requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct History {
    /// The requests, the oldest first.
    pub requests: Vec<Recorded>,
    /// How many records could not be read.
    pub unread: u64,
}

impl History {
    /// Reads a trail, or the part of it that these records are. A record that is damaged or that
    /// a newer Bashful wrote is counted; a trail that cannot be read is an error.
    pub fn read(records: Records, which: &Which) -> Result<Self, AuditError> {
        let mut reading = Reading::default();
        for record in records {
            match record {
                Ok(record) => match record.event {
                    Some(event) => reading.event(event, which),
                    None => reading.history.unread += 1,
                },
                Err(AuditError::Damaged { .. }) => reading.history.unread += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(reading.finish())
    }

    /// Puts events together, the oldest first; none stands for a record that cannot be read.
    pub fn of(events: impl IntoIterator<Item = Option<Event>>, which: &Which) -> Self {
        let mut reading = Reading::default();
        for event in events {
            match event {
                Some(event) => reading.event(event, which),
                None => reading.history.unread += 1,
            }
        }
        reading.finish()
    }
}

/// What is read so far.
#[derive(Default)]
struct Reading {
    history: History,
    /// The request of each task: the last one, if a person changed the command.
    of_task: HashMap<String, usize>,
    /// The requests that wait for each ask.
    of_ask: HashMap<String, Vec<usize>>,
    /// Every grant as it was last told. Who leans on one need not have asked for it.
    grants: HashMap<String, Grant>,
    used_grants: Vec<Vec<String>>,
}

impl Reading {
    fn event(&mut self, event: Event, which: &Which) {
        match event {
            // What a script does is not in its request, so it cannot be judged again.
            Event::Request(request) if request.task.starts_with("script-") => {}
            Event::Request(request) if fits(&request, which) => {
                let index = self.history.requests.len();
                self.of_task.insert(request.task.clone(), index);
                self.used_grants.push(Vec::new());
                self.history.requests.push(Recorded {
                    request: *request,
                    decided: None,
                    answers: Vec::new(),
                    grants: Vec::new(),
                    started: false,
                    refused: false,
                });
            }
            Event::Decision(decided) => {
                let index = self.of_task.get(&decided.task).copied();
                let used_grants = index.and_then(|index| self.used_grants.get_mut(index));
                if let Some(used_grants) = used_grants {
                    used_grants.extend(decided.grants.iter().cloned());
                }
                if let Some(recorded) = self.of(&decided.task) {
                    recorded.decided.get_or_insert(decided);
                }
            }
            Event::Ask(asked) => {
                if let Some(index) = self.of_task.get(&asked.task) {
                    let waiting = self.of_ask.entry(asked.ask.id).or_default();
                    waiting.push(*index);
                }
            }
            Event::Answer(answered) => {
                for index in self.of_ask.remove(&answered.ask).unwrap_or_default() {
                    if let Some(recorded) = self.history.requests.get_mut(index) {
                        recorded.answers.push(answered.state.clone());
                    }
                }
            }
            Event::Grant(changed) => {
                let grant = changed.grant;
                self.grants.insert(grant.id.clone(), grant);
            }
            Event::Start(starting) => {
                if let Some(recorded) = self.of(&starting.task) {
                    recorded.started = true;
                }
            }
            // That we failed can mean that nothing was started after all.
            Event::End(ended) if ended.status == Status::Broken.as_str() => {
                if let Some(recorded) = self.of(&ended.task) {
                    recorded.started = false;
                }
            }
            Event::Refusal(refused) => {
                if let Some(recorded) = self.of(&refused.task) {
                    recorded.refused = true;
                }
            }
            _ => {}
        }
    }

    fn of(&mut self, task: &str) -> Option<&mut Recorded> {
        let index = self.of_task.get(task)?;
        self.history.requests.get_mut(*index)
    }

    fn finish(mut self) -> History {
        let requests = self.history.requests.iter_mut();
        for (recorded, ids) in requests.zip(self.used_grants) {
            for id in ids {
                let known = recorded.grants.iter().any(|grant| grant.id == id);
                if let Some(grant) = self.grants.get(&id).filter(|_| !known) {
                    recorded.grants.push(grant.clone());
                }
            }
        }
        self.history
    }
}

fn fits(request: &Requested, which: &Which) -> bool {
    let is = |wanted: &Option<String>, found: &String| {
        wanted.as_ref().is_none_or(|wanted| wanted == found)
    };
    is(&which.agent, &request.agent) && is(&which.session, &request.session)
}
