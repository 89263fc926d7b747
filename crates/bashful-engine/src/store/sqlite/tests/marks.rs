//! The marker of grants: there may be one without a grant, never a grant without one.

use std::fs;

use rusqlite::{Transaction, TransactionBehavior};

use super::super::{clean, grants};
use super::{Directory, directory};
use crate::model::grant::Scope;
use crate::store::conformance::{EVENING, NOON, allow, ask, denied, grant, put};
use crate::store::{GrantFilter, Store, may_have_grants};

impl Directory {
    fn is_marked(&self) -> bool {
        may_have_grants(self.0.path())
    }
}

#[test]
fn whatever_keeps_a_grant_sets_the_marker() {
    let acts: [fn(&dyn Store); 3] = [
        |store| store.add_grant(&grant("grant-1", Scope::User)).unwrap(),
        |store| {
            put(store, &ask("ask-1"));
            allow(store, "ask-1", &grant("grant-1", Scope::Call));
        },
        |store| {
            store
                .restore(&[], &[grant("grant-1", Scope::User)])
                .unwrap();
        },
    ];
    for act in acts {
        let directory = directory();
        let store = directory.store();
        assert!(!directory.is_marked());
        act(&store);
        assert!(directory.is_marked());
    }
}

#[test]
fn what_keeps_none_sets_none() {
    let directory = directory();
    let store = directory.store();
    put(&store, &ask("ask-1"));
    store.settle("ask-1", &denied(), None, NOON).unwrap();
    store.restore(&[ask("ask-2")], &[]).unwrap();
    // A yes that comes too late keeps none either.
    allow(&store, "ask-1", &grant("grant-1", Scope::User));
    assert!(!directory.is_marked());
}

#[test]
fn cleaning_takes_it_away_when_nothing_can_hold() {
    let directory = directory();
    let store = directory.store();
    store.add_grant(&grant("held", Scope::User)).unwrap();
    store.add_grant(&grant("used", Scope::Call)).unwrap();
    store.claim("used", "task-1", NOON).unwrap();
    store.clean(NOON, NOON).unwrap();
    assert!(directory.is_marked());
    store.revoke("held", NOON).unwrap();
    assert!(directory.is_marked());
    // Both are too young to be forgotten, and hold no more.
    store.clean(NOON, NOON).unwrap();
    assert_eq!(store.grants(&GrantFilter::default()).unwrap().len(), 2);
    assert!(!directory.is_marked());

    // What is given back holds again.
    store.release("used", "task-1").unwrap();
    assert!(directory.is_marked());
    store.clean(NOON, EVENING).unwrap();
    assert!(!directory.is_marked());
}

#[test]
fn a_crash_between_marker_and_grant_leaves_the_marker() {
    let directory = directory();
    let store = directory.store();
    {
        let handle = store.connection.lock().unwrap();
        let lost = Transaction::new_unchecked(&handle.connection, TransactionBehavior::Immediate);
        grants::add(
            &lost.unwrap(),
            &grant("grant-1", Scope::User),
            directory.0.path(),
        )
        .unwrap();
    }
    assert_eq!(store.grant("grant-1").unwrap(), None);
    assert!(directory.is_marked());
}

#[test]
fn a_crash_while_cleaning_brings_back_only_what_does_not_hold() {
    let directory = directory();
    let store = directory.store();
    store.add_grant(&grant("grant-1", Scope::User)).unwrap();
    store.revoke("grant-1", NOON).unwrap();
    {
        let handle = store.connection.lock().unwrap();
        let lost = Transaction::new_unchecked(&handle.connection, TransactionBehavior::Immediate);
        let cleaning = clean::Cleaning {
            older_than_ms: EVENING,
            now_ms: NOON,
            directory: directory.0.path(),
        };
        clean::clean(&lost.unwrap(), &cleaning).unwrap();
    }
    assert!(!directory.is_marked());
    let back = store.grant("grant-1").unwrap().unwrap();
    assert!(!back.holds_at(NOON));
}

#[test]
fn without_a_marker_no_grant_is_kept() {
    let directory = directory();
    let state = directory.0.path().join("state");
    let store = crate::store::SqliteStore::open(&state.join("bashful.db")).unwrap();
    let elsewhere = directory.0.path().join("elsewhere");
    fs::rename(&state, &elsewhere).unwrap();
    let refused = store.add_grant(&grant("grant-1", Scope::User));
    assert!(refused.is_err(), "{refused:?}");
    fs::rename(&elsewhere, &state).unwrap();
    assert_eq!(store.grants(&GrantFilter::default()).unwrap(), []);
}

#[test]
fn a_grant_and_a_cleaning_at_the_same_moment() {
    let directory = directory();
    let (giver, cleaner) = (directory.store(), directory.store());
    for round in 0..100 {
        let id = format!("grant-{round}");
        std::thread::scope(|scope| {
            scope.spawn(|| giver.add_grant(&grant(&id, Scope::User)).unwrap());
            scope.spawn(|| cleaner.clean(NOON, NOON).unwrap());
        });
        assert!(directory.is_marked(), "round {round}");
        giver.revoke(&id, NOON).unwrap();
        cleaner.clean(EVENING, NOON).unwrap();
        assert!(!directory.is_marked(), "round {round}");
    }
}
