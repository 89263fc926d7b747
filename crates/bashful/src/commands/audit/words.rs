//! A record in a few words, and in a row of a table.

use std::io::IsTerminal as _;
use std::time::Duration;

use bashful_engine::approvals::{AskState, Subject};
use bashful_engine::audit::{
    Ended, Event, GrantChange, InputHow, InputSent, Mended, Record, ScriptChanged,
};

use super::select::Selected;
use crate::printer::Printer;
use crate::view::{duration, harmless_json, short_hash, shorten, utc, visible};

const AGENT: usize = 12;
/// More than a text is ever shown of.
const UNCUT: usize = 1 << 16;

/// What happened. It may hold anything: make it visible before it is shown.
pub(super) fn what(record: &Record) -> String {
    let Some(event) = &record.event else {
        return "a newer version wrote this record".to_owned();
    };
    match event {
        Event::Policy(event) => format!("profile {}, policy {}", event.profile, event.policy),
        Event::Request(event) => event.command.clone(),
        Event::Decision(event) => format!("{} by {}: {}", event.effect, event.rule, event.reason),
        Event::Ask(event) => format!("{}: {}", event.ask.id, event.ask.command),
        Event::Answer(event) => format!("{} {}", event.ask, answer(&event.state)),
        Event::Grant(event) => {
            let change = match event.change {
                GrantChange::Given => "given",
                GrantChange::Claimed => "claimed",
                GrantChange::Revoked => "revoked",
            };
            let grant = &event.grant;
            let subject = subject(&grant.subject);
            format!("{} {change}, scope {}: {subject}", grant.id, grant.scope)
        }
        Event::Start(event) => event.task.clone(),
        Event::Input(event) => format!("{} {}", event.task, input(event)),
        Event::End(event) => format!("{} {}", event.task, end(event)),
        Event::Refusal(event) => format!("{}: {}", event.status, event.action),
        Event::Script(event) => script(event),
        Event::Mended(mended) => mending(mended),
        _ => String::new(),
    }
}

fn answer(state: &AskState) -> String {
    match state {
        AskState::Allowed { grant, scope, .. } => format!("allowed, scope {scope}: {grant}"),
        AskState::Denied {
            message: Some(message),
            ..
        } => format!("denied: {message}"),
        state => state.as_str().to_owned(),
    }
}

fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Command { text, .. } => text.clone(),
        Subject::Shapes(shapes) => {
            let words: Vec<String> = shapes.iter().map(|shape| shape.join(" ")).collect();
            words.join("; ")
        }
        _ => "every command".to_owned(),
    }
}

/// What happened to a script.
fn script(event: &ScriptChanged) -> String {
    let change = event.change.as_str().replace('_', " ");
    let hash = short_hash(&event.content_hash);
    let detail = event.detail.as_ref();
    let detail = detail.map_or(String::new(), |detail| format!(": {detail}"));
    format!("{} {change}, SHA-256 {hash}{detail}", event.name)
}

fn mending(mended: &Mended) -> String {
    match mended {
        Mended::Torn { bytes, .. } => format!("{bytes} bytes of a torn line were removed"),
        Mended::Cut { last, known } => {
            format!("cut off after record {last}: records up to {known} are gone")
        }
        Mended::NoHead { .. } => "the head was missing or could not be read".to_owned(),
        _ => String::new(),
    }
}

/// What was typed, without saying it.
fn input(event: &InputSent) -> String {
    let bytes = event.bytes.unwrap_or_default();
    match event.how {
        InputHow::AttachBegan => "a person attached to its terminal".to_owned(),
        InputHow::AttachEnded => format!("a person left its terminal: {bytes} bytes typed"),
        InputHow::Send => format!("sent with `bashful send`: {bytes} bytes"),
        InputHow::Tool => format!("sent by an agent: {bytes} bytes"),
        _ => format!("sent: {bytes} bytes"),
    }
}

/// How a run ended.
fn end(event: &Ended) -> String {
    let took = duration(Duration::from_millis(event.duration_ms));
    match (event.exit_code, &event.signal) {
        (Some(code), _) => format!("{}, exit {code}, {took}", event.status),
        (None, Some(signal)) => format!("{}, {signal}, {took}", event.status),
        (None, None) => format!("{}, {took}", event.status),
    }
}

/// The columns for a table. What goes to a file or a program is not cut.
pub(super) fn columns(printer: &Printer) -> usize {
    if std::io::stdout().is_terminal() {
        printer.data_style().width
    } else {
        UNCUT
    }
}

/// The first line of a table of records.
pub(super) fn heading() -> String {
    format!(
        "{:>6}  {:<20}  {:<8}  {:<AGENT$}  WHAT\n",
        "SEQ", "TIME", "EVENT", "AGENT"
    )
}

/// A record in a table, safe to show.
pub(super) fn row(selected: &Selected, width: usize) -> String {
    let Selected { record, agent, .. } = selected;
    let kind = shorten(&visible(&record.kind), 8);
    let agent = shorten(&visible(agent), AGENT);
    let lead = format!(
        "{:>6}  {:<20}  {kind:<8}  {agent:<AGENT$}  ",
        record.seq,
        utc(record.at_ms)
    );
    let left = width.saturating_sub(lead.chars().count() + 1).max(20);
    format!("{lead}{}\n", shorten(&visible(&what(record)), left))
}

/// A record as it stands in the trail, safe to show.
pub(super) fn print_line(record: &Record, printer: &Printer) -> std::io::Result<()> {
    printer.data(format!("{}\n", harmless_json(&record.line)).as_bytes())
}
