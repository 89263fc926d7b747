//! The rows of grants.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::asks::{id_and_body, json, parse, time};
use super::fault::Fault;
use crate::model::grant::{Grant, Scope};
use crate::store::{GrantFilter, marker};

/// Keeps a grant that is not there yet.
pub(super) fn add(connection: &Connection, grant: &Grant, state: &Path) -> Result<(), Fault> {
    if one(connection, &grant.id)?.is_some() {
        return Err(Fault::Senseless("there is a grant with this id".to_owned()));
    }
    put(connection, grant, state)
}

/// Keeps a grant, over what is there under its id. This runs with the write lock, as does what
/// takes the marker away; so the marker is there when the grant is committed.
pub(super) fn put(connection: &Connection, grant: &Grant, state: &Path) -> Result<(), Fault> {
    marker::put(state).map_err(Fault::Marker)?;
    write(connection, grant)
}

/// The grant of exactly this id.
pub(super) fn one(connection: &Connection, id: &str) -> Result<Option<Grant>, Fault> {
    let found = connection
        .query_row(
            "SELECT id, body FROM grant_given WHERE id = ?1",
            [id],
            id_and_body,
        )
        .optional()?;
    found.map(read).transpose()
}

/// Grants, the oldest first.
pub(super) fn list(connection: &Connection, which: &GrantFilter) -> Result<Vec<Grant>, Fault> {
    // Two texts, because only the first lets SQLite use the index of what is open.
    let open = "SELECT id, body FROM grant_given
         WHERE claimed_by IS NULL AND revoked IS NULL
           AND (expires IS NULL OR expires > :now)
           AND (:agent IS NULL OR agent = :agent)
           AND (:prefix IS NULL OR substr(id, 1, length(:prefix)) = :prefix)
         ORDER BY created, id";
    let all = "SELECT id, body FROM grant_given
         WHERE :now IS NULL
           AND (:agent IS NULL OR agent = :agent)
           AND (:prefix IS NULL OR substr(id, 1, length(:prefix)) = :prefix)
         ORDER BY created, id";
    let text = if which.holding_at_ms.is_some() {
        open
    } else {
        all
    };
    let mut statement = connection.prepare(text)?;
    let rows = statement.query_map(
        named_params! {
            ":now": which.holding_at_ms.map(time),
            ":agent": which.agent,
            ":prefix": which.id_prefix,
        },
        id_and_body,
    )?;
    let mut grants = rows
        .map(|row| read(row?))
        .collect::<Result<Vec<Grant>, Fault>>()?;
    // The record itself has the last word.
    grants.retain(|grant| which.holding_at_ms.is_none_or(|now| grant.holds_at(now)));
    Ok(grants)
}

/// Uses up a grant for one call.
pub(super) fn claim(
    connection: &Connection,
    id: &str,
    claimant: &str,
    now_ms: u64,
) -> Result<bool, Fault> {
    let found = one(connection, id)?;
    let Some(mut grant) =
        found.filter(|grant| grant.scope == Scope::Call && grant.holds_at(now_ms))
    else {
        return Ok(false);
    };
    grant.claimed_by = Some(claimant.to_owned());
    write(connection, &grant)?;
    Ok(true)
}

/// Gives back what this claimant claimed.
pub(super) fn release(
    connection: &Connection,
    id: &str,
    claimant: &str,
    state: &Path,
) -> Result<(), Fault> {
    let claimed = |grant: &Grant| grant.claimed_by.as_deref() == Some(claimant);
    if let Some(mut grant) = one(connection, id)?.filter(claimed) {
        grant.claimed_by = None;
        // It may be the only one that holds.
        put(connection, &grant, state)?;
    }
    Ok(())
}

/// Takes a grant back, and returns it if it held. It is marked in any case: a clock that goes back
/// must not revive it.
pub(super) fn revoke(
    connection: &Connection,
    id: &str,
    now_ms: u64,
) -> Result<Option<Grant>, Fault> {
    let Some(mut grant) = one(connection, id)?.filter(|grant| grant.revoked_at_ms.is_none()) else {
        return Ok(None);
    };
    let could_hold = could_hold(&grant, now_ms);
    grant.revoked_at_ms = Some(now_ms);
    write(connection, &grant)?;
    Ok(could_hold.then_some(grant))
}

/// Whether it holds now, or will when a clock that went back has caught up.
fn could_hold(grant: &Grant, now_ms: u64) -> bool {
    grant.holds_at(now_ms.max(grant.created_at_ms))
}

fn write(connection: &Connection, grant: &Grant) -> Result<(), Fault> {
    let mut statement = connection.prepare(
        "REPLACE INTO grant_given VALUES (:id, :agent, :session, :scope, :created,
            :expires, :claimed_by, :revoked, :body)",
    )?;
    statement.execute(named_params! {
        ":id": grant.id,
        ":agent": grant.agent,
        ":session": grant.session,
        ":scope": grant.scope.as_str(),
        ":created": time(grant.created_at_ms),
        ":expires": grant.expires_at_ms.map(time),
        ":claimed_by": grant.claimed_by,
        ":revoked": grant.revoked_at_ms.map(time),
        ":body": json(grant)?,
    })?;
    Ok(())
}

fn read((id, body): (String, String)) -> Result<Grant, Fault> {
    parse("grant", id, &body, |grant: &Grant| &grant.id)
}
