//! `bashful audit tail`: the newest records, and those to come.

use std::time::Duration;

use bashful_engine::audit::Trail;

use super::list::newest;
use super::select::{Owners, Selected, readable};
use super::words::{columns, print_line, row};
use crate::exit::Exit;
use crate::printer::Printer;

/// How often we look for more.
const PAUSE: Duration = Duration::from_millis(200);

/// What to show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) lines: usize,
    pub(super) follow: bool,
}

pub(super) fn tail(
    trail: &Trail,
    wanted: Wanted,
    json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let mut owners = Owners::default();
    let print = |selected: &Selected| {
        if json {
            return print_line(&selected.record, printer);
        }
        printer.data(row(selected, columns(printer)).as_bytes())
    };
    let mut records = trail.records()?;
    let read = readable(records.by_ref(), printer).map(|record| owners.complete(record));
    for selected in newest(read, Some(wanted.lines)) {
        print(&selected)?;
    }
    if !wanted.follow {
        return Ok(Exit::Success);
    }
    loop {
        std::thread::sleep(PAUSE);
        // Anew each time: it may not have been there before.
        records = trail.records_from(records.offset())?;
        for record in readable(records.by_ref(), printer) {
            print(&owners.complete(record))?;
        }
    }
}
