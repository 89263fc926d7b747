//! Forgetting what can have no effect any more.

use std::path::Path;

use rusqlite::Connection;

use super::asks::{count, time};
use super::fault::Fault;
use crate::store::{Cleaned, marker};

/// What to forget.
pub(super) struct Cleaning<'a> {
    pub(super) older_than_ms: u64,
    pub(super) now_ms: u64,
    pub(super) directory: &'a Path,
}

pub(super) fn clean(connection: &Connection, cleaning: &Cleaning<'_>) -> Result<Cleaned, Fault> {
    let asks = connection.execute(
        "DELETE FROM ask WHERE state <> 'pending' AND created < ?1",
        [time(cleaning.older_than_ms)],
    )?;
    let grants = connection.execute(
        "DELETE FROM grant_given
         WHERE created < ?1
           AND (claimed_by IS NOT NULL OR revoked IS NOT NULL OR expires <= ?2)",
        (time(cleaning.older_than_ms), time(cleaning.now_ms)),
    )?;
    if !any_could_hold(connection, cleaning.now_ms)? {
        // Should this be undone, then only grants come back that hold no more.
        marker::take_away(cleaning.directory).map_err(Fault::Marker)?;
    }
    Ok(Cleaned {
        asks: asks as u64,
        grants: grants as u64,
    })
}

/// Sets the marker if there is a grant that could hold, whatever took it away.
pub(super) fn mark_grants(
    connection: &Connection,
    now_ms: u64,
    directory: &Path,
) -> Result<(), Fault> {
    if any_could_hold(connection, now_ms)? {
        marker::put(directory).map_err(Fault::Marker)?;
    }
    Ok(())
}

fn any_could_hold(connection: &Connection, now_ms: u64) -> Result<bool, Fault> {
    let left = connection.query_row(
        "SELECT count(*) FROM grant_given
         WHERE claimed_by IS NULL AND revoked IS NULL AND (expires IS NULL OR expires > ?1)",
        [time(now_ms)],
        |row| count(row, 0),
    )?;
    Ok(left > 0)
}
