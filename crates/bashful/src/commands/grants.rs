//! `bashful grants`: what is remembered, giving it and taking it back.

use std::time::Duration;

use bashful_engine::approvals::{
    AnsweredBy, ApprovalError, ApprovalQueue, Channel, Grant, WhichGrants,
};
use serde_json::json;

use crate::cli::{GrantsArguments, GrantsCommand};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::prompt::now_ms;
use crate::view::{grant_entries, show_block, show_grants};

mod add;
pub(super) mod older;
mod shape;

/// Some of them did not hold any more.
const NOT_HOLDING: Exit = Exit::Command(1);

pub(crate) fn grants(arguments: &GrantsArguments, printer: &Printer) -> anyhow::Result<Exit> {
    let queue = ApprovalQueue::open(&super::places()?)?;
    match &arguments.what {
        GrantsCommand::List { all, json } => list(&queue, *all, *json, printer),
        GrantsCommand::Show { id, json } => {
            let grant = queue.grant(id)?;
            tell("A grant", &grant, *json, printer)?;
            Ok(Exit::Success)
        }
        GrantsCommand::Add(arguments) => {
            let grant = add::add(&queue, arguments, printer)?;
            tell(
                "Granted; this is remembered",
                &grant,
                arguments.json,
                printer,
            )?;
            Ok(Exit::Success)
        }
        GrantsCommand::Revoke { ids, json, .. } => revoke(&queue, ids, *json, printer),
        GrantsCommand::Clean { older_than, json } => clean(&queue, *older_than, *json, printer),
    }
}

fn list(
    queue: &ApprovalQueue,
    all: bool,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let which = if all {
        WhichGrants::All
    } else {
        WhichGrants::Holding
    };
    let grants = queue.grants(which)?;
    if as_json {
        printer.json(&json!({ "v": 1, "grants": grants }))?;
        return Ok(Exit::Success);
    }
    let known = queue.grants(WhichGrants::All)?;
    let known: Vec<&str> = known.iter().map(|grant| grant.id.as_str()).collect();
    let mut out = Vec::new();
    show_grants(&grants, &known, now_ms(), printer.data_style(), &mut out);
    printer.data(&out)?;
    older::tell(queue, printer)?;
    Ok(Exit::Success)
}

/// One grant, with all that is known about it.
fn tell(title: &str, grant: &Grant, as_json: bool, printer: &Printer) -> anyhow::Result<()> {
    if as_json {
        printer.json(&json!({ "v": 1, "grant": grant }))?;
        return Ok(());
    }
    let mut out = Vec::new();
    let entries = grant_entries(grant, now_ms());
    show_block(title, &entries, printer.data_style(), &mut out);
    printer.data(&out)?;
    Ok(())
}

/// Takes grants back; no id means all of them.
fn revoke(
    queue: &ApprovalQueue,
    ids: &[String],
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let by = AnsweredBy::here(Channel::Terminal)?;
    // All must be known before the first is taken back.
    let grants = if ids.is_empty() {
        queue.grants(WhichGrants::Holding)?
    } else {
        let known = ids.iter().map(|id| queue.grant(id));
        known.collect::<Result<Vec<_>, _>>()?
    };
    let (mut revoked, mut not_holding) = (Vec::new(), Vec::new());
    for grant in grants {
        match queue.revoke(&grant.id, &by) {
            Ok(grant) => revoked.push(grant.id),
            Err(ApprovalError::NotHolding { id }) => not_holding.push(id),
            Err(error) => return Err(error.into()),
        }
    }
    if as_json {
        printer.json(&json!({ "v": 1, "revoked": revoked, "not_holding": not_holding }))?;
    } else {
        printer.data(format!("Revoked {}.\n", revoked.len()).as_bytes())?;
        for id in &not_holding {
            printer.note("error", &format!("the grant `{id}` no longer holds"));
        }
    }
    Ok(if not_holding.is_empty() || ids.is_empty() {
        Exit::Success
    } else {
        NOT_HOLDING
    })
}

fn clean(
    queue: &ApprovalQueue,
    older_than: Duration,
    as_json: bool,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let cleaned = queue.clean(older_than)?;
    if as_json {
        printer.json(&json!({ "v": 1, "forgotten": cleaned }))?;
    } else {
        let words = format!(
            "Forgot {} asks and {} grants.\n",
            cleaned.asks, cleaned.grants
        );
        printer.data(words.as_bytes())?;
    }
    Ok(Exit::Success)
}
