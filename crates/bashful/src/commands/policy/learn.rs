//! `bashful policy learn`: the narrowest profile that would have let a session's runs pass.

use bashful_engine::in_full;
use bashful_engine::learn::{LearnError, Learnt, learn as learn_from};
use bashful_engine::replay::Which;

use super::replay::{circumstances, count, history};
use crate::cli::LearnArguments;
use crate::commands::places;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::visible;

pub(super) fn learn(arguments: &LearnArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let places = places()?;
    let which = Which {
        agent: arguments.agent.clone(),
        session: Some(arguments.session.clone()),
    };
    let history = history(&places, None, &which)?;
    let learnt = match learn_from(&history, &circumstances(places)?, &arguments.name) {
        Ok(learnt) => learnt,
        Err(LearnError::NoRuns) => {
            let session = visible(&arguments.session);
            let text = format!("session `{session}` has no run on record that started");
            return Err(UsageError(text).into());
        }
        Err(error) => return Err(UsageError(in_full(&error)).into()),
    };
    if arguments.json {
        let mut value = serde_json::to_value(&learnt)?;
        value["v"] = 1.into();
        printer.json(&value)?;
    } else {
        printer.data(learnt.toml.as_bytes())?;
        remarks(&learnt, history.unread, printer);
    }
    Ok(Exit::Success)
}

/// Whether the profile was proved, and what it leaves out.
fn remarks(learnt: &Learnt, unread: u64, printer: &Printer) {
    for run in &learnt.left_out {
        let text = format!(
            "this profile would not allow {}× {}: {}",
            run.count,
            visible(&run.command),
            visible(&run.why)
        );
        printer.note("warning", &text);
    }
    if unread > 0 {
        let text = format!("left out {} (could not be read)", count(unread, "record"));
        printer.note("warning", &text);
    }
    let left_out: u64 = learnt.left_out.iter().map(|run| run.count).sum();
    let proved = format!(
        "judged again by this profile: {} of {} would pass",
        learnt.runs.saturating_sub(left_out),
        count(learnt.runs, "run")
    );
    printer.note("note", &proved);
}
