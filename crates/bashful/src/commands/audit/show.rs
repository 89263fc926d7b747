//! `bashful audit show`: records in full.

use std::fmt::Write as _;

use bashful_engine::audit::{Record, Trail};
use serde_json::Value;

use super::select::readable;
use super::words::print_line;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{utc, visible};

/// What every record has is shown apart.
const ENVELOPE: [&str; 6] = ["v", "seq", "at_ms", "event", "prev", "hash"];

pub(super) fn show(
    trail: &Trail,
    which: &str,
    json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let records = readable(trail.records()?, printer);
    let found: Vec<Record> = match which.parse::<u64>() {
        Ok(seq) => records.filter(|record| record.seq == seq).collect(),
        Err(_) => records.filter(|record| record.mentions(which)).collect(),
    };
    if found.is_empty() {
        let which = visible(which);
        printer.note("error", &format!("there is no record of `{which}`"));
        return Ok(super::NOT_WELL);
    }
    for (index, record) in found.iter().enumerate() {
        if json {
            print_line(record, printer)?;
            continue;
        }
        let gap = if index > 0 { "\n" } else { "" };
        printer.data(format!("{gap}{}", sheet(record)).as_bytes())?;
    }
    Ok(Exit::Success)
}

/// A record, one field a line.
fn sheet(record: &Record) -> String {
    let kind = visible(&record.kind);
    let mut text = format!("record {}  {kind}  {}\n", record.seq, utc(record.at_ms));
    if let Value::Object(fields) = record.json() {
        for (name, value) in &fields {
            if !ENVELOPE.contains(&name.as_str()) {
                field(&visible(name), value, &mut text);
            }
        }
    }
    // Writing to a string does not fail.
    let _ = write!(text, "  prev: {}\n  hash: {}\n", record.prev, record.hash);
    text
}

/// A field, and those inside it with their whole names.
fn field(name: &str, value: &Value, text: &mut String) {
    let said = match value {
        Value::Object(fields) => {
            for (inner, value) in fields {
                field(&format!("{name}.{}", visible(inner)), value, text);
            }
            return;
        }
        Value::String(said) => said.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let words = items.iter().filter_map(Value::as_str);
            words.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    // Every line of a longer text behind a margin, so that none can pass for one of ours.
    let mut lines = said.split('\n');
    let first = lines.next().unwrap_or_default();
    let _ = writeln!(text, "  {name}: {}", visible(first));
    for line in lines {
        let _ = writeln!(text, "  | {}", visible(line));
    }
}
