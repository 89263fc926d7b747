//! The rows of asks.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::fault::Fault;
use crate::model::ask::{Ask, AskState, Cause};
use crate::model::script::Destinations;
use crate::model::script::id::ScriptId;
use crate::store::{AskFilter, AskLimits, OpenedAsk};

/// Puts an ask, or joins an equal one that waits.
pub(super) fn open(
    connection: &Connection,
    ask: &Ask,
    limits: AskLimits,
) -> Result<OpenedAsk, Fault> {
    if ask.state != AskState::Pending {
        return Err(Fault::Senseless(
            "only an ask that waits can be put".to_owned(),
        ));
    }
    let now_ms = ask.created_at_ms;
    expire(connection, now_ms)?;
    if let Some(mut equal) = equal_to(connection, ask)? {
        equal.count = equal.count.saturating_add(1);
        put(connection, &equal)?;
        return Ok(OpenedAsk::Joined(equal));
    }
    let (pending, rows) = waiting(connection, ask)?;
    // Both ways, so that a clock that went back does not keep an agent from asking for long.
    let recent: u64 = connection.query_row(
        "SELECT count(*) FROM ask WHERE agent = ?1 AND created > ?2 AND created < ?3",
        (
            &ask.agent,
            time(now_ms).saturating_sub(time(limits.window_ms)),
            time(now_ms).saturating_add(time(limits.window_ms)),
        ),
        |row| count(row, 0),
    )?;
    let full = pending >= limits.pending || rows >= limits.pending.saturating_mul(MOST_ALIKE);
    if full || recent >= limits.recent {
        return Ok(OpenedAsk::TooMany { pending });
    }
    if one(connection, &ask.id)?.is_some() {
        return Err(Fault::Senseless("there is an ask with this id".to_owned()));
    }
    put(connection, ask)?;
    Ok(OpenedAsk::New(ask.clone()))
}

/// For each question that may wait, so many asks that are alike.
const MOST_ALIKE: u64 = 8;

/// How many questions of an agent wait that stand in the way of this one, and how many asks these
/// are. Alike are those that one lasting yes answers: of the same shapes, or about the same
/// directories. What was stopped while it ran has no caller, and keeps no command from being asked
/// about.
fn waiting(connection: &Connection, ask: &Ask) -> Result<(u64, u64), Fault> {
    let stopped = matches!(ask.cause, Cause::Refused { .. });
    let opens = json(&ask.opens)?;
    let own = if ask.directories.is_some() {
        format!("d{opens}")
    } else if ask.shapes.is_empty() {
        ask.id.clone()
    } else {
        format!("s{}{opens}", json(&ask.shapes)?)
    };
    let counts = connection.query_row(
        "SELECT count(DISTINCT question) FILTER (WHERE question <> ?3), count(*) FROM (
            SELECT CASE
                WHEN json_extract(body, '$.directories') IS NOT NULL THEN 'd' || opens
                WHEN json_array_length(body, '$.shapes') > 0
                    THEN 's' || json_extract(body, '$.shapes') || opens
                ELSE id END AS question
            FROM ask WHERE agent = ?1 AND state = 'pending'
                AND (?2 OR json_extract(body, '$.cause') = 'policy'))",
        (&ask.agent, stopped, own),
        |row| Ok((count(row, 0)?, count(row, 1)?)),
    )?;
    Ok(counts)
}

/// The ask of exactly this id.
pub(super) fn one(connection: &Connection, id: &str) -> Result<Option<Ask>, Fault> {
    let found = connection
        .query_row("SELECT id, body FROM ask WHERE id = ?1", [id], id_and_body)
        .optional()?;
    found.map(read).transpose()
}

/// Asks, the oldest first.
pub(super) fn list(connection: &Connection, which: &AskFilter) -> Result<Vec<Ask>, Fault> {
    let mut statement = connection.prepare(
        "SELECT id, body FROM ask
         WHERE (:pending IS NULL OR (state = 'pending' AND expires > :pending))
           AND (:agent IS NULL OR agent = :agent)
           AND (:prefix IS NULL OR substr(id, 1, length(:prefix)) = :prefix)
         ORDER BY created, id",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":pending": which.pending_at_ms.map(time),
            ":agent": which.agent,
            ":prefix": which.id_prefix,
        },
        id_and_body,
    )?;
    rows.map(|row| read(row?)).collect()
}

/// Notes that the agent was told about a no, if it was not before.
pub(super) fn hear(connection: &Connection, id: &str) -> Result<bool, Fault> {
    let unheard = |ask: &Ask| matches!(ask.state, AskState::Denied { .. }) && !ask.heard;
    let Some(mut ask) = one(connection, id)?.filter(unheard) else {
        return Ok(false);
    };
    ask.heard = true;
    put(connection, &ask)?;
    Ok(true)
}

/// Pending asks of one agent under one policy with the same rights, the oldest first.
pub(super) fn pending_like(connection: &Connection, ask: &Ask) -> Result<Vec<Ask>, Fault> {
    let mut statement = connection.prepare(
        "SELECT id, body FROM ask
         WHERE state = 'pending' AND agent = ?1 AND policy = ?2 AND rights = ?3 AND id <> ?4
         ORDER BY created, id",
    )?;
    let rows = statement.query_map((&ask.agent, &ask.policy, &ask.rights, &ask.id), id_and_body)?;
    rows.map(|row| read(row?)).collect()
}

/// Pending asks about one script, the oldest first.
pub(super) fn pending_about(connection: &Connection, script: ScriptId) -> Result<Vec<Ask>, Fault> {
    let mut statement = connection.prepare(
        "SELECT id, body FROM ask
         WHERE state = 'pending' AND json_extract(body, '$.script.id') = ?1 ORDER BY created, id",
    )?;
    let rows = statement.query_map([script.to_string()], id_and_body)?;
    rows.map(|row| read(row?)).collect()
}

/// Where the paths led of the script that an ask is about.
pub(super) fn leads(ask: &Ask) -> Option<&Destinations> {
    ask.script.as_ref().map(|script| &script.reach)
}

/// Marks every pending ask past its time as expired.
pub(super) fn expire(connection: &Connection, now_ms: u64) -> Result<Vec<Ask>, Fault> {
    let mut statement = connection.prepare(
        "SELECT id, body FROM ask WHERE state = 'pending' AND expires <= ?1 ORDER BY created, id",
    )?;
    let rows = statement.query_map([time(now_ms)], id_and_body)?;
    let mut late = rows
        .map(|row| read(row?))
        .collect::<Result<Vec<Ask>, Fault>>()?;
    for ask in &mut late {
        expire_one(connection, ask)?;
    }
    Ok(late)
}

/// Marks one as expired, at the moment that it said itself.
pub(super) fn expire_one(connection: &Connection, ask: &mut Ask) -> Result<(), Fault> {
    ask.state = AskState::Expired {
        at_ms: ask.expires_at_ms,
    };
    put(connection, ask)
}

/// Writes an ask as it stands, over what is there under its id.
pub(super) fn put(connection: &Connection, ask: &Ask) -> Result<(), Fault> {
    let mut statement = connection.prepare(
        "INSERT INTO ask VALUES (:id, :state, :agent, :session, :digest, :cwd, :policy, :rights,
            :opens, :created, :expires, :body)
         ON CONFLICT (id) DO UPDATE SET
            state = excluded.state, agent = excluded.agent, session = excluded.session,
            digest = excluded.digest, cwd = excluded.cwd, policy = excluded.policy,
            rights = excluded.rights, opens = excluded.opens, created = excluded.created,
            expires = excluded.expires, body = excluded.body",
    )?;
    statement.execute(named_params! {
        ":id": ask.id,
        ":state": ask.state.as_str(),
        ":agent": ask.agent,
        ":session": ask.session,
        ":digest": ask.digest,
        ":cwd": text(&ask.cwd)?,
        ":policy": ask.policy,
        ":rights": ask.rights,
        ":opens": json(&ask.opens)?,
        ":created": time(ask.created_at_ms),
        ":expires": time(ask.expires_at_ms),
        ":body": json(ask)?,
    })?;
    Ok(())
}

/// Takes over an ask as it was recorded. Of two equal ones that wait only the younger can: the
/// other had passed its time without a record of it.
pub(super) fn restore(connection: &Connection, ask: &Ask) -> Result<(), Fault> {
    let waits = ask.state == AskState::Pending;
    let mut ask = ask.clone();
    if waits && let Some(mut equal) = equal_to(connection, &ask)?.filter(|equal| equal.id != ask.id)
    {
        let older = if equal.created_at_ms <= ask.created_at_ms {
            &mut equal
        } else {
            &mut ask
        };
        expire_one(connection, older)?;
    }
    put(connection, &ask)
}

fn equal_to(connection: &Connection, ask: &Ask) -> Result<Option<Ask>, Fault> {
    let found = connection
        .query_row(
            "SELECT id, body FROM ask
             WHERE state = 'pending' AND agent = ?1 AND digest = ?2 AND cwd = ?3
               AND policy = ?4 AND rights = ?5 AND opens = ?6",
            (
                &ask.agent,
                &ask.digest,
                text(&ask.cwd)?,
                &ask.policy,
                &ask.rights,
                json(&ask.opens)?,
            ),
            id_and_body,
        )
        .optional()?;
    found.map(read).transpose()
}

fn read((id, body): (String, String)) -> Result<Ask, Fault> {
    parse("ask", id, &body, |ask: &Ask| &ask.id)
}

/// The two columns that every list of records begins with.
pub(super) fn id_and_body(row: &Row<'_>) -> rusqlite::Result<(String, String)> {
    Ok((row.get(0)?, row.get(1)?))
}

/// Reads the body of a row.
pub(super) fn parse<T: serde::de::DeserializeOwned>(
    table: &'static str,
    id: String,
    body: &str,
    id_of: impl FnOnce(&T) -> &str,
) -> Result<T, Fault> {
    let detail = match serde_json::from_str(body) {
        Ok(record) if id_of(&record) == id => return Ok(record),
        Ok(_) => "it names another".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Fault::Row { table, id, detail })
}

/// The JSON of a record.
pub(super) fn json(record: &impl serde::Serialize) -> Result<String, Fault> {
    serde_json::to_string(record).map_err(|error| Fault::Senseless(error.to_string()))
}

/// A path as it is in the JSON of a record.
pub(super) fn text(path: &std::path::Path) -> Result<&str, Fault> {
    path.to_str()
        .ok_or_else(|| Fault::Senseless("a path is not UTF-8".to_owned()))
}

/// A time for a column. What lies past the end of a column's numbers lies past every clock.
pub(super) fn time(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// A number from a column that is never negative.
pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    Ok(u64::try_from(number).unwrap_or_default())
}
