//! The rows of scripts.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::asks::{self, count, json, time};
use super::fault::Fault;
use crate::model::ask::{Ask, AskState};
use crate::model::grant::Scope;
use crate::model::script::content_hash;
use crate::model::script::id::{ScriptId, ScriptName};
use crate::model::script::{LastRun, Script, ScriptVersion};
use crate::store::{Approving, NewVersion, SavedScript, SavingScript};

/// The columns that a script is read from.
const WHOLE: &str =
    "SELECT script.id, script.body, script.revision, script_run.runs, script_run.last
     FROM script LEFT JOIN script_run ON script_run.script = script.id";

/// Keeps a script, if it is as it was.
pub(super) fn save(
    connection: &Connection,
    saving: &SavingScript<'_>,
) -> Result<SavedScript, Fault> {
    let script = saving.script;
    let before = one(connection, script.id)?;
    let is_as_it_was = match &before {
        None => saving.is_new,
        Some(before) => !saving.is_new && before.revision == script.revision,
    };
    if !is_as_it_was {
        return Ok(SavedScript::Changed);
    }
    if script.deleted_at_ms.is_none() {
        let taken = |other: &Script| {
            other.deleted_at_ms.is_none()
                && other.id != script.id
                && other.name.looks_like(&script.name)
        };
        if list(connection)?.iter().any(taken) {
            return Ok(SavedScript::NameTaken);
        }
    }
    let revision = script.revision.saturating_add(1);
    put(
        connection,
        &Script {
            revision,
            ..script.clone()
        },
    )?;
    for version in saving.lost.into_iter().chain(saving.version) {
        add_version(connection, script, version)?;
    }
    if let Some(keep) = saving.keep {
        forget_old(connection, script, keep)?;
    }
    Ok(SavedScript::Done)
}

/// Settles what waits for an answer about a script that was kept just now.
pub(super) fn settle_asks(
    connection: &Connection,
    saving: &SavingScript<'_>,
) -> Result<Vec<Ask>, Fault> {
    let (script, at_ms) = (saving.script, saving.now_ms);
    let digest = script.digest();
    let is_same = |ask: &Ask| script.deleted_at_ms.is_none() && ask.digest == digest;
    let approval = script.approval.as_ref();
    let approval = approval.filter(|_| script.is_approved_at(at_ms));
    let mut settled = Vec::new();
    for mut ask in asks::pending_about(connection, script.id)? {
        ask.state = match approval {
            _ if at_ms >= ask.expires_at_ms => continue,
            _ if !is_same(&ask) => AskState::Overtaken { at_ms },
            None => continue,
            // Its paths lead elsewhere than those that the person said yes to.
            Some(approval) if asks::leads(&ask) != Some(&approval.reach) => continue,
            Some(approval) => AskState::Allowed {
                grant: format!("script:{}", script.id),
                scope: Scope::User,
                at_ms,
                by: approval.by.clone(),
            },
        };
        asks::put(connection, &ask)?;
        settled.push(ask);
    }
    Ok(settled)
}

/// What became of a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Approved {
    /// The script is what it is about, so it counts.
    AsItIs,
    /// The script is not what it is about any more, so it has no effect.
    NotAnyMore,
}

/// Keeps a yes, if the script is still what it is about.
pub(super) fn approve(
    connection: &Connection,
    approving: &Approving<'_>,
) -> Result<Approved, Fault> {
    let still = |script: &Script| {
        script.deleted_at_ms.is_none() && script.digest() == approving.approval.digest
    };
    let Some(mut script) = one(connection, approving.script)?.filter(still) else {
        return Ok(Approved::NotAnyMore);
    };
    script.approval = Some(approving.approval.clone());
    script.revision = script.revision.saturating_add(1);
    put(connection, &script)?;
    Ok(Approved::AsItIs)
}

/// The script of exactly this id.
pub(super) fn one(connection: &Connection, id: ScriptId) -> Result<Option<Script>, Fault> {
    let found = connection
        .prepare(&format!("{WHOLE} WHERE script.id = ?1"))?
        .query_row([id.to_string()], columns)
        .optional()?;
    found.map(read).transpose()
}

/// The script that has this name.
pub(super) fn named(connection: &Connection, name: &ScriptName) -> Result<Option<Script>, Fault> {
    let found = connection
        .prepare(&format!(
            "{WHOLE} WHERE script.name = ?1 AND script.deleted IS NULL"
        ))?
        .query_row([name.as_str()], columns)
        .optional()?;
    found.map(read).transpose()
}

/// All scripts, the oldest first.
pub(super) fn list(connection: &Connection) -> Result<Vec<Script>, Fault> {
    let mut statement =
        connection.prepare(&format!("{WHOLE} ORDER BY script.created, script.id"))?;
    let rows = statement.query_map([], columns)?;
    rows.map(|row| read(row?)).collect()
}

/// The versions of a script, the oldest first.
pub(super) fn versions(connection: &Connection, id: ScriptId) -> Result<Vec<ScriptVersion>, Fault> {
    let mut statement =
        connection.prepare("SELECT body FROM script_version WHERE script = ?1 ORDER BY number")?;
    let rows = statement.query_map([id.to_string()], |row| row.get::<_, String>(0))?;
    rows.map(|body| {
        serde_json::from_str(&body?).map_err(|error| Fault::Row {
            table: "version of script",
            id: id.to_string(),
            detail: error.to_string(),
        })
    })
    .collect()
}

/// A text that a script had.
pub(super) fn text(
    connection: &Connection,
    id: ScriptId,
    hash: &str,
) -> Result<Option<String>, Fault> {
    let found = connection.query_row(
        "SELECT content FROM script_text WHERE script = ?1 AND hash = ?2",
        [&id.to_string(), hash],
        |row| row.get(0),
    );
    Ok(found.optional()?)
}

/// Notes a run.
pub(super) fn note_run(connection: &Connection, id: ScriptId, run: &LastRun) -> Result<(), Fault> {
    let last = json(run)?;
    if run.status.is_none() {
        connection.execute(
            "INSERT INTO script_run VALUES (?1, 1, ?2)
             ON CONFLICT (script) DO UPDATE SET runs = runs + 1, last = excluded.last",
            [&id.to_string(), &last],
        )?;
        return Ok(());
    }
    connection.execute(
        "UPDATE script_run SET last = ?2
         WHERE script = ?1 AND json_extract(last, '$.task_id') = ?3",
        [&id.to_string(), &last, &run.task_id],
    )?;
    Ok(())
}

fn put(connection: &Connection, script: &Script) -> Result<(), Fault> {
    // What counts runs has a place of its own.
    let body = Script {
        runs: 0,
        last_run: None,
        ..script.clone()
    };
    let mut statement = connection.prepare(
        "INSERT INTO script VALUES (:id, :name, :created, :deleted, :revision, :body)
         ON CONFLICT (id) DO UPDATE SET
            name = excluded.name, created = excluded.created, deleted = excluded.deleted,
            revision = excluded.revision, body = excluded.body",
    )?;
    statement.execute(named_params! {
        ":id": script.id.to_string(),
        ":name": script.name.as_str(),
        ":created": time(script.created_at_ms),
        ":deleted": script.deleted_at_ms.map(time),
        ":revision": time(script.revision),
        ":body": json(&body)?,
    })?;
    Ok(())
}

fn add_version(connection: &Connection, script: &Script, new: NewVersion<'_>) -> Result<(), Fault> {
    let (id, hash) = (script.id.to_string(), &content_hash(new.text.as_bytes()));
    connection.execute(
        "INSERT INTO script_text VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        [&id, hash, new.text],
    )?;
    let last: u64 = connection.query_row(
        "SELECT coalesce(max(number), 0) FROM script_version WHERE script = ?1",
        [&id],
        |row| count(row, 0),
    )?;
    let version = ScriptVersion {
        number: last.saturating_add(1),
        content_hash: hash.clone(),
        bytes: new.text.len() as u64,
        at_ms: new.at_ms,
        origin: new.origin,
    };
    connection.execute(
        "INSERT INTO script_version VALUES (?1, ?2, ?3, ?4)",
        (&id, time(version.number), hash, json(&version)?),
    )?;
    Ok(())
}

/// Forgets all but the last versions, and texts that no version has any more. The current one
/// stays, and so does the one that was approved: a change of it is to be shown and taken back.
fn forget_old(connection: &Connection, script: &Script, keep: usize) -> Result<(), Fault> {
    let id = script.id.to_string();
    let keep = i64::try_from(keep.max(1)).unwrap_or(i64::MAX);
    let approved = script
        .approval
        .as_ref()
        .map(|yes| yes.approved_hash.as_str());
    connection.execute(
        "DELETE FROM script_version WHERE script = ?1
            AND number NOT IN
                (SELECT number FROM script_version WHERE script = ?1
                 ORDER BY number DESC LIMIT ?2)
            AND number NOT IN
                (SELECT max(number) FROM script_version WHERE script = ?1 AND hash IN (?3, ?4)
                 GROUP BY hash)",
        (&id, keep, &script.content_hash, approved),
    )?;
    connection.execute(
        "DELETE FROM script_text WHERE script = ?1 AND hash <> ?2 AND hash IS NOT ?3
            AND hash NOT IN (SELECT hash FROM script_version WHERE script = ?1)",
        (&id, &script.content_hash, approved),
    )?;
    Ok(())
}

/// What a script is read from.
struct Columns {
    id: String,
    body: String,
    revision: u64,
    runs: Option<i64>,
    last: Option<String>,
}

fn columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    Ok(Columns {
        id: row.get(0)?,
        body: row.get(1)?,
        revision: count(row, 2)?,
        runs: row.get(3)?,
        last: row.get(4)?,
    })
}

fn read(columns: Columns) -> Result<Script, Fault> {
    let Columns { id, body, .. } = columns;
    let fault = |detail: String| Fault::Row {
        table: "script",
        id: id.clone(),
        detail,
    };
    let mut script: Script =
        serde_json::from_str(&body).map_err(|error| fault(error.to_string()))?;
    if script.id.to_string() != id || script.revision != columns.revision {
        return Err(fault("it names another".to_owned()));
    }
    script.runs = columns
        .runs
        .and_then(|runs| u64::try_from(runs).ok())
        .unwrap_or(0);
    let last = columns.last.map(|last| serde_json::from_str(&last));
    script.last_run = last.transpose().map_err(|error| fault(error.to_string()))?;
    Ok(script)
}
