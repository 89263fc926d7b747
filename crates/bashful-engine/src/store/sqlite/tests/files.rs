//! How the file is made, what is refused, and what loads for ever.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::Connection;

use super::super::open::{KNOWN, MIGRATIONS, beside};
use super::{DATABASE, SqliteStore, directory};
use crate::model::error::store::StoreError;
use crate::model::grant::Scope;
use crate::store::conformance::{EVENING, NOON, ask, denied, grant, put};
use crate::store::{AskFilter, GrantFilter, Store, TaskFilter};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn everything_is_made_for_nobody_else() {
    let directory = directory();
    let state = directory.0.path().join("a/state");
    let path = state.join(DATABASE);
    let store = SqliteStore::open(&path).unwrap();
    store.add_grant(&grant("grant-1", Scope::User)).unwrap();
    assert_eq!(mode(&state), 0o700);
    let [log, shared] = beside(&path);
    for file in [&path, &log, &shared, &state.join("grants.some")] {
        assert_eq!(mode(file), 0o600, "{file:?}");
    }
    drop(store);
    // And nothing else is left.
    let mut left: Vec<String> = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, [DATABASE, "grants.some"]);
}

#[test]
fn where_there_is_none_nothing_is_made() {
    let directory = directory();
    for path in [directory.database(), directory.0.path().join("no/where")] {
        assert!(SqliteStore::open_existing(&path).unwrap().is_none());
    }
    assert_eq!(fs::read_dir(directory.0.path()).unwrap().count(), 0);
}

#[test]
fn what_others_can_write_is_refused() {
    let directory = directory();
    drop(directory.store());
    let change = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for mode in [0o770, 0o702, 0o1777] {
        change(directory.0.path(), mode);
        let refused = directory.store_or_error();
        assert!(
            matches!(refused, Err(StoreError::Unusable { .. })),
            "{refused:?}"
        );
    }
    change(directory.0.path(), 0o755);
    directory.store_or_error().unwrap();
    for mode in [0o620, 0o602] {
        change(&directory.database(), mode);
        let refused = directory.store_or_error();
        assert!(
            matches!(refused, Err(StoreError::Unusable { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn a_newer_database_is_left_as_it_is() {
    let directory = directory();
    let path = directory.database();
    put(&directory.store(), &ask("ask-1"));
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    let refused = directory.store_or_error();
    assert!(
        matches!(
            refused,
            Err(StoreError::Newer {
                found: 99,
                known: KNOWN,
                ..
            })
        ),
        "{refused:?}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_database_of_version_1_loads_for_ever() {
    let directory = directory();
    let connection = Connection::open(directory.database()).unwrap();
    connection
        .execute_batch(include_str!("version-1.sql"))
        .unwrap();
    drop(connection);
    fs::set_permissions(directory.database(), fs::Permissions::from_mode(0o600)).unwrap();

    let store = directory.store();
    let mut settled = ask("ask-2");
    settled.state = denied();
    assert_eq!(
        store.asks(&AskFilter::default()).unwrap(),
        [ask("ask-1"), settled]
    );
    let mut used = grant("grant-1", Scope::Call);
    used.claimed_by = Some("task-1".to_owned());
    let mut revoked = grant("grant-2", Scope::User);
    revoked.revoked_at_ms = Some(NOON + 2);
    let mut held = grant("grant-3", Scope::Project);
    held.opens.network = Some("example.org".to_owned());
    held.expires_at_ms = None;
    assert_eq!(
        store.grants(&GrantFilter::default()).unwrap(),
        [used, revoked, held.clone()]
    );
    let holding = GrantFilter {
        holding_at_ms: Some(EVENING),
        ..GrantFilter::default()
    };
    assert_eq!(store.grants(&holding).unwrap(), [held]);
    let tasks = store.tasks(&TaskFilter::default()).unwrap();
    assert_eq!(tasks.len(), 1);
    assert_eq!(tasks[0].exit_code, Some(2));
    store.check().unwrap();
}

#[test]
fn the_known_version_is_that_of_the_last_migration() {
    assert_eq!(usize::try_from(KNOWN), Ok(MIGRATIONS.len()));
}

#[test]
fn an_old_database_becomes_the_same_as_a_new_one() {
    let (old, new) = (directory(), directory());
    let connection = Connection::open(old.database()).unwrap();
    connection
        .execute_batch(include_str!("version-1.sql"))
        .unwrap();
    drop(connection);
    fs::set_permissions(old.database(), fs::Permissions::from_mode(0o600)).unwrap();
    let schema = |store: &SqliteStore| {
        let lines = store.read(|connection| {
            let mut statement = connection
                .prepare("SELECT name || ': ' || sql FROM sqlite_schema ORDER BY name")?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        });
        let plain = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.unwrap().into_iter().map(plain).collect::<Vec<_>>()
    };
    assert_eq!(schema(&old.store()), schema(&new.store()));
}
