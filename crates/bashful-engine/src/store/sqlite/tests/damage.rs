//! Files that are damaged, or no databases of ours at all.

use std::fs;
use std::os::unix::fs::symlink;

use super::super::open::beside;
use super::{Directory, directory};
use crate::model::error::store::StoreError;
use crate::model::grant::Scope;
use crate::model::script::examples::script;
use crate::store::conformance::{NOON, PLENTY, ask, grant, put};
use crate::store::{AskFilter, GrantFilter, SavingScript, ScriptStore as _, Store};
use crate::store::{SqliteStore, TaskFilter};

impl Directory {
    pub(super) fn store_or_error(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(&self.database())
    }

    /// One with enough in it to be damaged in many ways, and nothing in its log.
    fn filled() -> Self {
        let directory = directory();
        let store = directory.store();
        for number in 0..40 {
            put(&store, &ask(&format!("ask-{number}")));
            let id = format!("grant-{number}");
            store.add_grant(&grant(&id, Scope::User)).unwrap();
            let new = script(&format!("script-{number}"), "echo");
            let saving = SavingScript {
                script: &new,
                is_new: true,
                version: None,
                lost: None,
                keep: None,
                now_ms: NOON,
            };
            store
                .save_script_recorded(&saving, &mut |_| Ok(()))
                .unwrap();
        }
        store.close().unwrap();
        directory
    }
}

fn is_corrupt<T: std::fmt::Debug>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Corrupt { .. }))
}

#[test]
fn what_is_no_database_is_damaged_and_left_as_it_is() {
    let noise: Vec<u8> = (0_u32..20_000)
        .map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[2])
        .collect();
    for content in [&b""[..], b"x", b"SQLite format 3\0", &noise, &[0; 8192]] {
        let directory = directory();
        fs::write(directory.database(), content).unwrap();
        let refused = directory.store_or_error();
        assert!(is_corrupt(&refused), "{}: {refused:?}", content.len());
        assert_eq!(fs::read(directory.database()).unwrap(), content);
    }
}

#[test]
fn what_is_no_file_is_damaged_and_not_followed() {
    let (here, there) = (directory(), Directory::filled());
    fs::create_dir(here.database()).unwrap();
    assert!(is_corrupt(&here.store_or_error()));
    fs::remove_dir(here.database()).unwrap();
    for target in [there.database(), "/nowhere/at/all".into()] {
        symlink(&target, here.database()).unwrap();
        assert!(is_corrupt(&here.store_or_error()));
        fs::remove_file(here.database()).unwrap();
    }
    rustix::fs::mknodat(
        rustix::fs::CWD,
        here.database(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert!(is_corrupt(&here.store_or_error()));
    let [log, _] = beside(&there.database());
    assert!(!log.exists());
}

#[test]
fn a_database_that_was_cut_off_is_damaged() {
    let directory = Directory::filled();
    let whole = fs::read(directory.database()).unwrap();
    for length in [
        1,
        50,
        100,
        1024,
        4096,
        8192,
        whole.len() / 2,
        whole.len() - 1,
    ] {
        fs::write(directory.database(), &whole[..length]).unwrap();
        let checked = directory.store_or_error().and_then(|store| store.check());
        assert!(is_corrupt(&checked), "{length}: {checked:?}");
        for file in beside(&directory.database()) {
            let _ = fs::remove_file(file);
        }
    }
}

#[test]
fn every_kind_of_damage_is_survived() {
    let directory = Directory::filled();
    let whole = fs::read(directory.database()).unwrap();
    let mut found = 0;
    for position in (0..whole.len()).step_by(whole.len() / 250) {
        let mut damaged = whole.clone();
        for byte in damaged.iter_mut().skip(position).take(16) {
            *byte ^= 0xa5;
        }
        fs::write(directory.database(), &damaged).unwrap();
        let used = directory.store_or_error().and_then(|store| {
            store.check()?;
            store.grants(&GrantFilter::default())?;
            store.claim("grant-7", "task", NOON)?;
            store.open_ask(&ask("new"), PLENTY)?;
            Ok(())
        });
        match used {
            Ok(()) => {}
            Err(
                StoreError::Corrupt { .. } | StoreError::Unusable { .. } | StoreError::Newer { .. },
            ) => found += 1,
            Err(error) => panic!("at {position}: {error}"),
        }
        for file in beside(&directory.database()) {
            let _ = fs::remove_file(file);
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn a_row_that_cannot_be_read_is_named() {
    let directory = Directory::filled();
    let store = directory.store();
    let spoil = |sql: &str| {
        store
            .connection
            .lock()
            .unwrap()
            .connection
            .execute_batch(sql)
            .unwrap();
    };
    spoil("UPDATE ask SET body = '{}' WHERE id = 'ask-3'");
    spoil("UPDATE grant_given SET body = replace(body, 'grant-3', 'grant-4') WHERE id = 'grant-3'");
    for told in [
        store.ask("ask-3").map(|_| ()),
        store.asks(&AskFilter::default()).map(|_| ()),
        store.check(),
    ] {
        let words = told.unwrap_err().to_string();
        assert!(words.contains("the ask `ask-3` cannot be read"), "{words}");
    }
    let mixed_up = store.grant("grant-3").unwrap_err().to_string();
    assert!(
        mixed_up.contains("the grant `grant-3` cannot be read"),
        "{mixed_up}"
    );
    assert!(store.claim("grant-3", "task", NOON).is_err());
    // The others can be used.
    store.ask("ask-4").unwrap().unwrap();
    store.tasks(&TaskFilter::default()).unwrap();
}

#[test]
fn a_log_without_its_database_is_not_played_into_another() {
    let directory = directory();
    let store = directory.store();
    put(&store, &ask("ask-1"));
    let [log, shared] = beside(&directory.database());
    let kept = fs::read(&log).unwrap();
    drop(store);
    fs::remove_file(directory.database()).unwrap();
    let _ = fs::remove_file(shared);
    fs::write(&log, kept).unwrap();
    assert!(is_corrupt(&directory.store_or_error()));
    assert!(!directory.database().exists());
}

#[test]
fn a_full_disk_is_told_and_what_was_there_stays() {
    let directory = Directory::filled();
    let store = directory.store();
    {
        let handle = store.connection.lock().unwrap();
        let pages: i64 = handle
            .connection
            .query_row("PRAGMA page_count", [], |row| row.get(0))
            .unwrap();
        handle
            .connection
            .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
            .unwrap();
    }
    let mut long = ask("long");
    long.command = "x".repeat(100_000);
    let refused = store.open_ask(&long, PLENTY);
    assert!(
        matches!(refused, Err(StoreError::Full { .. })),
        "{refused:?}"
    );
    assert_eq!(store.ask("long").unwrap(), None);
    assert_eq!(store.asks(&AskFilter::default()).unwrap().len(), 40);
    drop(store);
    let store = directory.store();
    store.check().unwrap();
    put(&store, &long);
}
