//! `bashful audit export`: the records for other programs.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use bashful_engine::audit::Trail;

use super::select::{Owners, Selected, readable, since};
use super::words::what;
use crate::cli::ExportFormat;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{harmless_json, utc, visible};

const HEADING: &str = "seq,time,event,agent,session,task,what,hash\n";

pub(super) fn export(
    trail: &Trail,
    age: Option<Duration>,
    format: ExportFormat,
    output: Option<&Path>,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    // On a terminal nothing may act; a file or a program gets the lines as they are.
    let raw = output.is_some() || !io::stdout().is_terminal();
    let mut owners = Owners::default();
    let records = readable(since(trail, age)?, printer);
    let lines = records.map(|record| match format {
        ExportFormat::Jsonl if raw => format!("{}\n", record.line),
        ExportFormat::Jsonl => format!("{}\n", harmless_json(&record.line)),
        ExportFormat::Csv => csv(&owners.complete(record)),
    });
    let heading = (format == ExportFormat::Csv).then(|| HEADING.to_owned());
    let lines = heading.into_iter().chain(lines);
    let Some(path) = output else {
        for line in lines {
            printer.data(line.as_bytes())?;
        }
        return Ok(Exit::Success);
    };
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| UsageError(format!("cannot write `{}`: {error}", path.display())))?;
    let mut file = BufWriter::new(file);
    let failed = || format!("cannot write `{}`", path.display());
    for line in lines {
        file.write_all(line.as_bytes()).with_context(failed)?;
    }
    file.flush().with_context(failed)?;
    Ok(Exit::Success)
}

fn csv(selected: &Selected) -> String {
    let record = &selected.record;
    let cells = [
        record.seq.to_string(),
        utc(record.at_ms),
        cell(&record.kind),
        cell(&selected.agent),
        cell(&selected.session),
        cell(&selected.task),
        cell(&what(record)),
        record.hash.clone(),
    ];
    cells.join(",") + "\n"
}

/// A text of an agent in a table: visible, in quotes, and for no spreadsheet a formula.
fn cell(text: &str) -> String {
    let text = visible(text);
    let is_formula = text.starts_with(['=', '+', '-', '@']);
    let mark = if is_formula { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}
