//! The index: tasks, and what is known of agents and sessions.

use std::path::PathBuf;

use rusqlite::{Connection, Row, named_params};

use super::asks::{count, text, time};
use super::fault::Fault;
use crate::store::{KnownSession, TaskFilter, TaskRow};

/// Brings tasks into the index. What is finished stays so: a caller that looked before it was may
/// come later.
pub(super) fn index(connection: &Connection, rows: &[TaskRow]) -> Result<(), Fault> {
    let mut statement = connection.prepare(
        "INSERT INTO task VALUES (:id, :agent, :session, :workspace, :command, :state,
            :exit_code, :created, :ended)
         ON CONFLICT (id) DO UPDATE SET
            agent = excluded.agent, session = excluded.session, workspace = excluded.workspace,
            command = excluded.command, state = excluded.state,
            exit_code = excluded.exit_code, created = excluded.created, ended = excluded.ended
         WHERE task.state <> 'finished' OR excluded.state = 'finished'",
    )?;
    for row in rows {
        statement.execute(named_params! {
            ":id": row.id,
            ":agent": row.agent,
            ":session": row.session,
            ":workspace": text(&row.workspace)?,
            ":command": row.command,
            ":state": row.state,
            ":exit_code": row.exit_code,
            ":created": time(row.created_at_ms),
            ":ended": row.ended_at_ms.map(time),
        })?;
    }
    Ok(())
}

/// Indexed tasks, the oldest first.
pub(super) fn list(connection: &Connection, which: &TaskFilter) -> Result<Vec<TaskRow>, Fault> {
    let mut statement = connection.prepare(
        "SELECT id, agent, session, workspace, command, state, exit_code, created, ended FROM task
         WHERE (:agent IS NULL OR agent = :agent)
           AND (:session IS NULL OR session = :session)
           AND (:state IS NULL OR state = :state)
         ORDER BY created, id",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":agent": which.agent,
            ":session": which.session,
            ":state": which.state,
        },
        task,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn task(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    let workspace: String = row.get(3)?;
    let ended: Option<i64> = row.get(8)?;
    Ok(TaskRow {
        id: row.get(0)?,
        agent: row.get(1)?,
        session: row.get(2)?,
        workspace: PathBuf::from(workspace),
        command: row.get(4)?,
        state: row.get(5)?,
        exit_code: row.get(6)?,
        created_at_ms: count(row, 7)?,
        ended_at_ms: ended.map(|ended| u64::try_from(ended).unwrap_or_default()),
    })
}

/// What is known of agents and sessions, by name.
pub(super) fn known(connection: &Connection) -> Result<Vec<KnownSession>, Fault> {
    let mut statement = connection.prepare(
        "SELECT agent, session, min(first), max(last), sum(tasks), sum(asks) FROM (
            SELECT agent, session, created AS first, max(created, coalesce(ended, 0)) AS last,
                1 AS tasks, 0 AS asks FROM task
            UNION ALL SELECT agent, session, created, created, 0, 1 FROM ask
            UNION ALL SELECT agent, session, created, created, 0, 0 FROM grant_given
                WHERE session IS NOT NULL)
         GROUP BY agent, session ORDER BY agent, session",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(KnownSession {
            agent: row.get(0)?,
            session: row.get(1)?,
            first_seen_ms: count(row, 2)?,
            last_seen_ms: count(row, 3)?,
            tasks: count(row, 4)?,
            asks: count(row, 5)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
