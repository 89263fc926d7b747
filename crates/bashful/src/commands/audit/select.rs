//! Which records are meant, and whose they are.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bashful_engine::audit::{AuditError, Record, Records, Trail};

use crate::cli::RecordFilter;
use crate::printer::Printer;

/// A record with what it is about.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) record: Record,
    pub(super) agent: String,
    pub(super) session: String,
    pub(super) task: String,
}

/// Knows whose a task is, for records that do not say.
#[derive(Debug, Default)]
pub(super) struct Owners(HashMap<String, (String, String)>);

impl Owners {
    /// A record with what it is about; what it does not say itself, the request before it did.
    pub(super) fn complete(&mut self, record: Record) -> Selected {
        let text = |name: &str| {
            let value = record.json();
            let text = value.get(name).and_then(|value| value.as_str());
            text.unwrap_or_default().to_owned()
        };
        let (mut agent, mut session, task) = match &record.event {
            Some(event) => (
                event.agent().unwrap_or_default().to_owned(),
                event.session().unwrap_or_default().to_owned(),
                event.task().unwrap_or_default().to_owned(),
            ),
            // A newer version wrote it.
            None => (text("agent"), text("session"), text("task")),
        };
        match self.0.get(&task) {
            Some((known, known_session)) if agent.is_empty() => {
                agent.clone_from(known);
                session.clone_from(known_session);
            }
            None if !task.is_empty() && !agent.is_empty() => {
                let owner = (agent.clone(), session.clone());
                self.0.insert(task.clone(), owner);
            }
            Some(_) | None => {}
        }
        Selected {
            record,
            agent,
            session,
            task,
        }
    }
}

/// The records of a filter, the oldest first. A line that is no record is told and passed over:
/// what else is there shall be seen.
pub(super) fn select(
    trail: &Trail,
    filter: &RecordFilter,
    printer: &Printer,
) -> Result<impl Iterator<Item = Selected>, AuditError> {
    let records = since(trail, filter.since)?;
    let mut owners = Owners::default();
    let all = readable(records, printer).map(move |record| owners.complete(record));
    let is_of =
        |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| wanted == found);
    Ok(all.filter(move |selected| {
        is_of(&filter.agent, &selected.agent) && is_of(&filter.session, &selected.session)
    }))
}

/// The records that are not older than this.
pub(super) fn since(trail: &Trail, age: Option<Duration>) -> Result<Records, AuditError> {
    let Some(age) = age else {
        return trail.records();
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let from = now.unwrap_or_default().saturating_sub(age).as_millis();
    trail.records_since(u64::try_from(from).unwrap_or(u64::MAX))
}

/// Tells what cannot be read, and goes on.
pub(super) fn readable(
    records: impl Iterator<Item = Result<Record, AuditError>>,
    printer: &Printer,
) -> impl Iterator<Item = Record> {
    records.filter_map(|record| match record {
        Ok(record) => Some(record),
        Err(error) => {
            printer.note("warning", &bashful_engine::in_full(&error));
            None
        }
    })
}
