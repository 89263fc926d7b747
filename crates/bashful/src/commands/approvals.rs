//! `bashful approvals`: what waits for an answer, and answering it from another terminal.

use bashful_engine::approvals::{
    Answer, AnsweredBy, ApprovalQueue, Channel, Scope, Settled, WhichAsks,
};
use serde_json::json;

use crate::cli::{AllowArguments, ApprovalsArguments, ApprovalsCommand};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::prompt::now_ms;
use crate::view::{AskCard, show_asks};

mod settled;
mod watch;

/// It was answered or had expired before.
const TOO_LATE: Exit = Exit::Command(1);

pub(crate) fn approvals(arguments: &ApprovalsArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let queue = ApprovalQueue::open(&super::places()?)?;
    match &arguments.what {
        ApprovalsCommand::List { all, json } => list(&queue, *all, *json, printer),
        ApprovalsCommand::Show { id, json } => show(&queue, id, *json, printer),
        ApprovalsCommand::Allow(arguments) => allow(&queue, arguments, printer),
        ApprovalsCommand::Deny {
            id, message, json, ..
        } => {
            let answer = Answer::Deny {
                message: message.clone(),
            };
            match id {
                Some(id) => give(&queue, id, &answer, *json, printer),
                None => deny_all(&queue, &answer, *json, printer),
            }
        }
        ApprovalsCommand::Watch { json: true } => watch::print(&queue, printer),
        ApprovalsCommand::Watch { json: false } => watch::watch(&queue, printer),
    }
}

fn list(
    queue: &ApprovalQueue,
    all: bool,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let which = if all {
        WhichAsks::All
    } else {
        WhichAsks::Pending
    };
    let asks = queue.asks(which)?;
    if as_json {
        printer.json(&json!({ "v": 1, "asks": asks }))?;
        return Ok(Exit::Success);
    }
    let known = queue.asks(WhichAsks::All)?;
    let known: Vec<&str> = known.iter().map(|ask| ask.id.as_str()).collect();
    let mut out = Vec::new();
    show_asks(&asks, &known, now_ms(), printer.data_style(), &mut out);
    printer.data(&out)?;
    super::grants::older::tell(queue, printer)?;
    Ok(Exit::Success)
}

fn show(queue: &ApprovalQueue, id: &str, as_json: bool, printer: &Printer) -> anyhow::Result<Exit> {
    let ask = queue.ask(id)?;
    if as_json {
        printer.json(&json!({ "v": 1, "ask": ask }))?;
        return Ok(Exit::Success);
    }
    let mut out = Vec::new();
    let now_ms = now_ms();
    AskCard { ask: &ask, now_ms }.write(printer.data_style(), &mut out);
    printer.data(&out)?;
    Ok(Exit::Success)
}

fn allow(
    queue: &ApprovalQueue,
    arguments: &AllowArguments,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let AllowArguments {
        id, expires, json, ..
    } = arguments;
    let answer = Answer::Allow {
        scope: arguments.scope.unwrap_or(Scope::Call),
        expires: *expires,
    };
    give(queue, id, &answer, *json, printer)
}

/// Denies all that waits, and tells what that was.
fn deny_all(
    queue: &ApprovalQueue,
    answer: &Answer,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let by = AnsweredBy::here(Channel::Terminal)?;
    let mut denied = Vec::new();
    for ask in queue.asks(WhichAsks::Pending)? {
        // Answered elsewhere meanwhile: then that counts.
        if let Settled::Counts { ask, .. } = queue.answer(&ask.id, answer, &by)? {
            denied.push(*ask);
        }
    }
    if as_json {
        printer.json(&json!({ "v": 1, "denied": denied }))?;
    } else {
        printer.data(format!("Denied {}.\n", denied.len()).as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Gives an answer, and tells what became of it.
fn give(
    queue: &ApprovalQueue,
    id: &str,
    answer: &Answer,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let by = AnsweredBy::here(Channel::Terminal)?;
    let settled = queue.answer(id, answer, &by)?;
    if as_json {
        printer.json(&settled::json(&settled))?;
    } else {
        let mut out = Vec::new();
        settled::show(&settled, printer.data_style(), &mut out);
        printer.data(&out)?;
    }
    Ok(match settled {
        Settled::Counts { .. } => Exit::Success,
        _ => TOO_LATE,
    })
}
