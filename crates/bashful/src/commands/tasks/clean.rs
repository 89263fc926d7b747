//! `bashful tasks clean`: removes tasks that have ended.

use std::fmt::Write;

use bashful_engine::{CleanRequest, Engine};

use crate::cli::CleanArguments;
use crate::commands::{load_config, place::here, places};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::size;

/// How many are named.
const MOST_NAMED: usize = 20;

pub(super) fn clean(arguments: &CleanArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let loaded = load_config(&here()?, printer)?;
    let mut request = CleanRequest::of(&loaded.config.tasks);
    if let Some(age) = arguments.older_than {
        request.max_age = age;
    }
    if let Some(keep) = arguments.keep {
        request.keep = keep;
    }
    request.dry_run = arguments.dry_run;
    let engine = Engine::builder().places(places()?).config(loaded.config);
    let cleaned = engine.build()?.clean_tasks(&request);
    if arguments.json {
        let mut value = serde_json::to_value(&cleaned)?;
        value["v"] = 1.into();
        value["dry_run"] = arguments.dry_run.into();
        printer.json(&value)?;
        return Ok(Exit::Success);
    }
    let verb = if arguments.dry_run {
        "Would remove"
    } else {
        "Removed"
    };
    let count = cleaned.removed.len();
    let mut text = format!(
        "{verb} {count} {}, {} of logs; {} ended and {} running are kept.\n",
        if count == 1 { "task" } else { "tasks" },
        size(cleaned.freed_bytes),
        cleaned.kept,
        cleaned.running,
    );
    if cleaned.waiting > 0 {
        let _ = writeln!(
            text,
            "{} ended a moment ago, and can be removed once that is on record.",
            cleaned.waiting
        );
    }
    if cleaned.stuck > 0 {
        let _ = writeln!(
            text,
            "{} cannot be removed; `bashful doctor` looks for the cause.",
            cleaned.stuck
        );
    }
    if arguments.dry_run {
        for task in cleaned.removed.iter().take(MOST_NAMED) {
            let _ = writeln!(text, "  {}  {}", task.task_id, size(task.log_bytes));
        }
        if count > MOST_NAMED {
            let _ = writeln!(text, "  and {} more", count - MOST_NAMED);
        }
    }
    printer.data(text.as_bytes())?;
    Ok(Exit::Success)
}
