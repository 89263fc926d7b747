//! `bashful audit list`: records in a table.

use std::collections::VecDeque;

use bashful_engine::audit::{Event, Trail};

use super::select::{Selected, select};
use super::words::{columns, heading, print_line, row};
use crate::cli::RecordFilter;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;

/// The records to list: those that the flags select, and at most how many.
pub(super) struct Wanted<'a> {
    pub(super) filter: &'a RecordFilter,
    pub(super) event: Option<&'a str>,
    pub(super) limit: Option<usize>,
}

pub(super) fn list(
    trail: &Trail,
    wanted: &Wanted<'_>,
    json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    if let Some(unknown) = wanted.event.filter(|event| !Event::NAMES.contains(event)) {
        let known = Event::NAMES.join(", ");
        let problem = format!("there is no event `{unknown}`; there are {known}");
        return Err(UsageError(problem).into());
    }
    let selected = select(trail, wanted.filter, printer)?;
    let is_wanted = |one: &Selected| wanted.event.is_none_or(|event| one.record.kind == event);
    let records = newest(selected.filter(is_wanted), wanted.limit);
    if json {
        for selected in &records {
            print_line(&selected.record, printer)?;
        }
        return Ok(Exit::Success);
    }
    if records.is_empty() {
        printer.data(b"There are no such records.\n")?;
        return Ok(Exit::Success);
    }
    let width = columns(printer);
    let rows = records.iter().map(|selected| row(selected, width));
    let text: String = std::iter::once(heading()).chain(rows).collect();
    printer.data(text.as_bytes())?;
    Ok(Exit::Success)
}

/// The last ones, or all.
pub(super) fn newest<T>(all: impl Iterator<Item = T>, limit: Option<usize>) -> VecDeque<T> {
    let Some(limit) = limit else {
        return all.collect();
    };
    let mut kept = VecDeque::new();
    for one in all {
        kept.push_back(one);
        if kept.len() > limit {
            kept.pop_front();
        }
    }
    kept
}
