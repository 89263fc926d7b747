//! Managed scripts for people: lists, one in full, its versions.

use std::time::Duration;

use bashful_engine::scripts::{
    CreatedBy, FileState, LastRun, Script, ScriptList, ScriptVersion, ScriptView,
};

use super::{
    ask::{between, witness},
    block::Block,
    date::utc,
    listing::listing,
    style::{Style, Tone},
    tables::table,
    text::{duration, size, whole_seconds},
};

mod card;
mod dry_run;
mod validation;
mod words;

pub(crate) use card::{ScriptBefore, ScriptCard};
pub(crate) use dry_run::show_dry_run;
pub(crate) use validation::{show_inferred, show_validation};
pub(crate) use words::{capability_rows, variable_words};

/// The columns of the names beside a script.
const NAMES: usize = 12;
/// The most rows of one entry; a text is shown whole.
const ROWS: usize = 60;
/// How much of a hash is shown: more than enough to name a version.
const SHORT_HASH: usize = 12;

/// Writes the scripts, what else is in the folder and, if wanted, what was deleted.
pub(crate) fn show_scripts(
    list: &ScriptList,
    with_deleted: bool,
    now_ms: u64,
    style: Style,
    out: &mut Vec<u8>,
) {
    if list.scripts.is_empty() {
        out.extend(b"There are no scripts.\n");
    } else {
        let rows = list.scripts.iter().map(|view| {
            let script = &view.script;
            let last = script.last_run.as_ref();
            vec![
                script.name.to_string(),
                standing(view).to_owned(),
                author(script.created_by).to_owned(),
                script.runs.to_string(),
                last.map_or("never".to_owned(), |run| ago(run.at_ms, now_ms)),
                script.description.clone(),
            ]
        });
        let header = ["NAME", "STATE", "BY", "RUNS", "LAST RUN", "DESCRIPTION"];
        table(&header, rows.collect(), style, out);
    }
    if !list.foreign.is_empty() {
        out.extend(b"\nFiles in the folder that are not scripts, and are never run:\n");
        let rows = list.foreign.iter().map(|foreign| {
            let next = match &foreign.id {
                Some(id) => format!("bashful scripts import {id} --name NAME"),
                None => "remove it".to_owned(),
            };
            vec![foreign.file.clone(), next]
        });
        // The name is a whole UUID, which the usual width would cut.
        let rows = rows.map(|row| vec![row.join("  →  ")]);
        table(&["FILE"], rows.collect(), style, out);
    }
    if with_deleted && !list.deleted.is_empty() {
        out.extend(b"\nDeleted, and can be restored:\n");
        let rows = list.deleted.iter().map(|script| {
            let at = script.deleted_at_ms.unwrap_or(now_ms);
            vec![
                script.name.to_string(),
                ago(at, now_ms),
                script.id.to_string(),
            ]
        });
        table(&["NAME", "DELETED", "ID"], rows.collect(), style, out);
    }
}

/// Writes all that is known about a script, and its text.
pub(crate) fn show_script(
    title: &str,
    view: &ScriptView,
    now_ms: u64,
    style: Style,
    out: &mut Vec<u8>,
) {
    let mut block = Block::open(style, (Tone::Heading, title), NAMES, out);
    for (name, content) in entries(view, now_ms) {
        block.text(name, Tone::Plain, &content, ROWS);
    }
    match &view.content {
        Some(content) => {
            block.heading("Text", NUMBERS);
            numbered(&mut block, content);
        }
        None => block.remark("its text cannot be shown"),
    }
    block.close();
}

/// Writes what became of a script, in a few rows.
pub(crate) fn show_change(
    title: &str,
    view: &ScriptView,
    now_ms: u64,
    style: Style,
    out: &mut Vec<u8>,
) {
    let mut block = Block::open(style, (Tone::Heading, title), NAMES, out);
    let brief = ["Script", "Id", "State", "Hash"];
    let entries = entries(view, now_ms).into_iter();
    for (name, content) in entries.filter(|(name, _)| brief.contains(name)) {
        block.text(name, Tone::Plain, &content, ROWS);
    }
    block.close();
}

/// Writes one text of a script, every line with its number.
pub(crate) fn show_script_text(title: &str, text: &str, style: Style, out: &mut Vec<u8>) {
    let mut block = Block::open(style, (Tone::Heading, title), NUMBERS, out);
    numbered(&mut block, text);
    block.close();
}

/// The columns of the numbers of lines.
const NUMBERS: usize = 5;

/// Every row of a text, behind the number of its line. Nothing is left out.
pub(super) fn numbered(block: &mut Block<'_>, text: &str) {
    for listed in listing(text, None, block.room()) {
        let number = listed.number.map(|number| format!("{number:>NUMBERS$}"));
        block.rows(
            &number.unwrap_or_default(),
            [(Tone::Literal, listed.row.line)],
        );
    }
}

/// Writes the versions of a script, the last first.
pub(crate) fn show_versions(
    versions: &[ScriptVersion],
    now_ms: u64,
    style: Style,
    out: &mut Vec<u8>,
) {
    let rows = versions.iter().rev().map(|version| {
        vec![
            version.number.to_string(),
            short(&version.content_hash).to_owned(),
            size(version.bytes),
            ago(version.at_ms, now_ms),
            version.origin.as_str().replace('_', " "),
        ]
    });
    let header = ["VERSION", "HASH", "SIZE", "AGE", "HOW"];
    table(&header, rows.collect(), style, out);
}

fn entries(view: &ScriptView, now_ms: u64) -> Vec<(&'static str, String)> {
    let script = &view.script;
    let mut entries = vec![
        ("Script", script.name.to_string()),
        ("Id", script.id.to_string()),
    ];
    if !script.description.is_empty() {
        entries.push(("It is for", script.description.clone()));
    }
    entries.push(("State", state(view)));
    entries.push((
        "Made",
        format!(
            "{} by {}",
            utc(script.created_at_ms),
            match script.created_by {
                CreatedBy::Llm => "a model",
                CreatedBy::User => "a user",
            }
        ),
    ));
    entries.push(("Hash", script.content_hash.clone()));
    if let Some(approval) = &script.approval {
        let at = utc(approval.approved_at_ms);
        entries.push(("Approved", format!("{at} by {}", witness(&approval.by))));
        if approval.approved_hash != script.content_hash {
            entries.push(("Then it was", approval.approved_hash.clone()));
        }
    }
    let mut last = "";
    for (name, content) in capability_rows(&script.capabilities) {
        entries.push((if name == last { "" } else { name }, content));
        last = name;
    }
    let mut name = "Variables";
    for variable in &script.variables {
        entries.push((name, variable_words(variable)));
        name = "";
    }
    if !script.automation_ids.is_empty() {
        entries.push(("Used by", script.automation_ids.join(", ")));
    }
    entries.push(("Runs", runs(script, now_ms)));
    entries
}

/// How often a script ran, when last and how that ended.
fn runs(script: &Script, now_ms: u64) -> String {
    let Some(last) = &script.last_run else {
        return "never".to_owned();
    };
    let times = match script.runs {
        1 => "once".to_owned(),
        runs => format!("{runs} times"),
    };
    format!(
        "{times}, last {} as {}: {}",
        ago(last.at_ms, now_ms),
        last.task_id,
        ended(last)
    )
}

fn ended(last: &LastRun) -> String {
    let Some(status) = &last.status else {
        return "it is running, or its end was not recorded".to_owned();
    };
    let mut words = status.replace('_', " ");
    if let Some(code) = last.exit_code {
        words = format!("{words}, exit code {code}");
    }
    if let Some(took) = last.duration_ms {
        words = format!("{words}, {}", duration(Duration::from_millis(took)));
    }
    words
}

/// How a script stands, in a sentence.
fn state(view: &ScriptView) -> String {
    match &view.file {
        FileState::Missing => {
            "its file is missing, so it cannot run; `restore` writes it".to_owned()
        }
        FileState::Unfit { why } => format!("its file is not a script, so it cannot run: {why}"),
        FileState::NotOurs { why } => format!("its file is not trusted, so it cannot run: {why}"),
        FileState::ChangedByHand if !view.approved => {
            "changed by hand just now, and not approved in this form".to_owned()
        }
        _ if view.approved => "approved as it is: it runs without a question".to_owned(),
        _ if view.script.approval.is_some() => {
            "changed since it was approved, so a person is asked first".to_owned()
        }
        _ => "not approved yet, so a person is asked first".to_owned(),
    }
}

/// The same in a word or two.
fn standing(view: &ScriptView) -> &'static str {
    match &view.file {
        FileState::Missing => "file missing",
        FileState::Unfit { .. } => "file unfit",
        FileState::NotOurs { .. } => "file not trusted",
        _ if view.approved => "approved",
        _ if view.script.approval.is_some() => "changed",
        _ => "not approved",
    }
}

fn author(by: CreatedBy) -> &'static str {
    match by {
        CreatedBy::Llm => "llm",
        CreatedBy::User => "user",
    }
}

/// Enough of a hash to name a version.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..SHORT_HASH).unwrap_or(hash)
}

fn ago(at_ms: u64, now_ms: u64) -> String {
    format!("{} ago", whole_seconds(between(at_ms, now_ms)))
}
