//! `bashful policy replay`: what a changed policy would have said about what is on record.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bashful_engine::audit::Trail;
use bashful_engine::in_full;
use bashful_engine::replay::{
    Answers, Change, Circumstances, History, Replayed, Retrial, Which, replay as judge_anew,
};
use bashful_engine::{Effect, Places};

use crate::cli::ReplayArguments;
use crate::commands::place::here;
use crate::commands::run::read_command;
use crate::commands::{places, sources};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::view::{shorten, visible};

/// How much of a command a line shows.
const COLUMNS: usize = 160;

pub(super) fn replay(arguments: &ReplayArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let text = read_command(&arguments.file)?;
    let places = places()?;
    let which = Which {
        agent: arguments.agent.clone(),
        session: arguments.session.clone(),
    };
    let history = history(&places, arguments.since, &which)?;
    let usage = |error| anyhow::Error::new(UsageError(in_full(&error)));
    let retrial = Retrial::by_file(circumstances(places)?, &text, &arguments.file);
    let mut retrial = retrial.map_err(usage)?;
    if let Some(profile) = &arguments.profile {
        retrial = retrial.by_profile(profile).map_err(usage)?;
    }
    let replayed = judge_anew(&history, |request| {
        let checked = retrial.judge(request)?;
        Ok(checked.judgement.decision)
    });
    if arguments.json {
        let mut value = serde_json::to_value(&replayed)?;
        value["v"] = 1.into();
        printer.json(&value)?;
    } else {
        printer.data(report(&replayed).as_bytes())?;
        remarks(&replayed, printer);
    }
    Ok(Exit::Success)
}

/// What is on record about requests.
pub(super) fn history(
    places: &Places,
    since: Option<Duration>,
    which: &Which,
) -> anyhow::Result<History> {
    let trail = Trail::at(&places.state);
    let records = match since {
        None => trail.records()?,
        Some(since) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
            let from = now.saturating_sub(since).as_millis();
            trail.records_since(u64::try_from(from).unwrap_or(u64::MAX))?
        }
    };
    Ok(History::read(records, which)?)
}

/// What is the same for all requests.
pub(super) fn circumstances(places: Places) -> anyhow::Result<Circumstances> {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    Ok(Circumstances {
        sources: sources(&here()?),
        environment: std::env::vars_os()
            .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
            .collect(),
        places,
    })
}

/// Writing to a string cannot fail.
fn report(replayed: &Replayed) -> String {
    let mut out = String::new();
    let kinds = [
        (Effect::Allow, "Newly allowed"),
        (Effect::Ask, "Newly asked about"),
        (Effect::Deny, "Newly denied"),
    ];
    for (effect, heading) in kinds {
        if replayed.newly(effect) == 0 {
            continue;
        }
        let _ = writeln!(out, "{heading}");
        let changes = replayed.changes.iter();
        for change in changes.filter(|change| change.now == effect) {
            out.push_str(&about(change));
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "{} judged: {} newly allowed, {} newly asked about, {} newly denied, {} as before",
        count(replayed.judged, "request"),
        replayed.newly(Effect::Allow),
        replayed.newly(Effect::Ask),
        replayed.newly(Effect::Deny),
        replayed.unchanged,
    );
    out
}

fn about(change: &Change) -> String {
    let mut out = format!(
        "  {}× {}\n      was {} by {}, would be {} by {} ({}): {}\n",
        change.count,
        shorten(&visible(&change.command), COLUMNS),
        change.was,
        visible(&change.was_rule),
        change.now,
        visible(&change.rule),
        change.layer,
        visible(&change.reason),
    );
    if let Some(said) = said(change.answers) {
        let _ = writeln!(out, "      people said {said}");
    }
    if change.masked {
        out.push_str(
            "      a secret in it was masked, so the text that was judged is not the text that ran\n",
        );
    }
    out
}

/// What people said, if they said anything.
fn said(answers: Answers) -> Option<String> {
    let said = [
        (answers.yes, "yes"),
        (answers.granted, "yes before"),
        (answers.no, "no"),
        (answers.edited, "an edited command"),
        (answers.expired, "nothing in time"),
    ];
    let said = said.into_iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said
        .map(|(count, what)| format!("{what} ({count}×)"))
        .collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// What is to be known about the numbers.
fn remarks(replayed: &Replayed, printer: &Printer) {
    for failed in &replayed.failed {
        let text = format!(
            "cannot judge {}× {}: {}",
            failed.count,
            shorten(&visible(&failed.command), COLUMNS),
            visible(&failed.why)
        );
        printer.note("warning", &text);
    }
    let left_out = [
        (replayed.unjudged, "request", "went without a policy"),
        (
            replayed.undecided,
            "request",
            "without a decision on record",
        ),
        (replayed.unread, "record", "could not be read"),
    ];
    for (number, what, why) in left_out {
        if number > 0 {
            printer.note(
                "warning",
                &format!("left out {} ({why})", count(number, what)),
            );
        }
    }
}

pub(super) fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
