//! `bashful mcp install --remove`: takes out what was put in, and nothing else.

use serde_json::Value as Json;

use super::consent::{Consent, Word};
use super::draft::{Draft, Note, Part};
use super::install::{DECLINED, finished};
use crate::clients::{
    Client, FileEdit, Kind, Receipt, Receipts, SetUp, Step, UserEnvironment, What, parse, read,
};
use crate::exit::Exit;
use crate::printer::Printer;

pub(super) fn remove(
    client: &dyn Client,
    wanted: &SetUp,
    user: &UserEnvironment,
    consent: &Consent<'_>,
    printer: &Printer,
) -> anyhow::Result<Exit> {
    let title = client.title();
    let mut receipts = Receipts::load(&crate::commands::places()?)?;
    let mut draft = Draft::new(user, wanted.reach);
    let (mut parts, mut notes): (Vec<Part>, Vec<String>) = (Vec::new(), Vec::new());
    for edit in edits(client, wanted, user) {
        let path = draft.real_path(&edit.path)?;
        let receipt = match receipts.of(&path) {
            Some(receipt) => receipt.clone(),
            None => unrecorded(&edit, wanted, user)?,
        };
        parts.extend(draft.take_back(&edit, &receipt, &mut notes)?);
    }
    if parts.is_empty() {
        let heading = format!("{title} is not set up here; nothing was changed");
        return finished(&heading, &[], &notes, printer);
    }
    consent.show(
        &format!("This was added for {title} and will be removed:"),
        &parts,
    )?;
    match consent.ask("Remove it?")? {
        Word::Yes => {}
        Word::No => {
            printer.data(b"Nothing was changed.\n")?;
            return Ok(DECLINED);
        }
        Word::Stop => return Ok(Exit::Cancelled),
    }
    if let Consent::DryRun(_) = consent {
        printer.data(b"Nothing was written, as asked (--dry-run).\n")?;
        return Ok(Exit::Success);
    }
    let written = draft.write(&mut receipts, Note::Undone)?;
    notes.push(format!(
        "{title} runs commands with its own shell again, bypassing Bashful."
    ));
    let heading = format!("{title} is as it was before");
    finished(&heading, &written, &notes, printer)
}

/// Each file once, with all that may have been put into it.
fn edits(client: &dyn Client, wanted: &SetUp, user: &UserEnvironment) -> Vec<FileEdit> {
    let mut all = vec![client.server(wanted, user)];
    let switch = client.shell(wanted, user);
    all.extend(switch.into_iter().flat_map(|switch| switch.edits));
    all.extend(client.hook(wanted, user));
    let mut edits: Vec<FileEdit> = Vec::new();
    for edit in all {
        match edits.iter_mut().find(|other| other.path == edit.path) {
            Some(other) => other.changes.extend(edit.changes),
            None => edits.push(edit),
        }
    }
    edits
}

/// What is surely ours in a file of which there is no record: our server's entry and our hooks. A
/// rule or a setting may be a person's own wish, and stays.
fn unrecorded(edit: &FileEdit, wanted: &SetUp, user: &UserEnvironment) -> anyhow::Result<Receipt> {
    let found = read(&edit.path, wanted.reach, &user.project)?;
    let text = found.text.unwrap_or_default();
    let Ok(document) = parse(edit.format, &text) else {
        // It is told when it is to be changed.
        return Ok(Receipt::default());
    };
    let mut steps = Vec::new();
    for change in &edit.changes {
        let at = change.at.iter().map(|key| (*key).to_owned()).collect();
        let step = |kind, set| Step {
            at,
            kind,
            set,
            before: None,
            made: 0,
        };
        match (&change.what, document.get(&change.at)) {
            (What::Entry(_), Ok(Some(entry))) => steps.push(step(Kind::Entry, entry)),
            (What::Item { earlier, .. }, Ok(Some(Json::Array(items)))) => {
                let ours = items.into_iter().find(earlier);
                steps.extend(ours.map(|item| step(Kind::Item, item)));
            }
            _ => {}
        }
    }
    Ok(Receipt {
        created: false,
        steps,
    })
}
