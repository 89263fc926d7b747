//! Several processes at once, and what is left when one is killed.

use std::time::{Duration, Instant};

use super::process::Other;
use super::{Directory, directory};
use crate::model::error::store::StoreError;
use crate::model::grant::Scope;
use crate::store::conformance::{NOON, ask, denied, grant, put};
use crate::store::{AskFilter, GrantFilter, Store};

fn others(number: usize, part: &str, directory: &Directory) -> Vec<Other> {
    let mut others: Vec<Other> = (0..number)
        .map(|_| Other::play(part, directory.0.path()))
        .collect();
    for other in &mut others {
        assert_eq!(other.tells().as_deref(), Some("ready"));
    }
    others
}

#[test]
fn ten_processes_make_the_same_new_database() {
    for _ in 0..3 {
        let directory = directory();
        let mut others = others(10, "opens it", &directory);
        others.iter_mut().for_each(Other::go);
        for other in &mut others {
            let told = other.tells().unwrap();
            assert!(told.starts_with("New("), "{told}");
        }
        let store = directory.store();
        assert_eq!(store.asks(&AskFilter::default()).unwrap().len(), 10);
        store.check().unwrap();
    }
}

/// Lets ten processes race a hundred times, with a new prize to win each time.
fn race(part: &str, prepare: impl Fn(&dyn Store, usize)) {
    let directory = directory();
    let store = directory.store();
    let mut others = others(10, part, &directory);
    for round in 0..100 {
        prepare(&store, round);
        others.iter_mut().for_each(Other::go);
        let told: Vec<String> = others
            .iter_mut()
            .map(|other| other.tells().unwrap())
            .collect();
        let won = told.iter().filter(|told| *told == "won").count();
        assert_eq!(won, 1, "round {round}: {told:?}");
    }
    assert_eq!(store.grants(&GrantFilter::default()).unwrap().len(), 100);
}

#[test]
fn ten_processes_answer_and_one_counts() {
    race("answers", |store, round| {
        put(store, &ask(&format!("ask-{round}")));
    });
}

#[test]
fn ten_processes_consume_and_one_starts() {
    race("consumes", |store, round| {
        let id = format!("grant-{round}");
        store.add_grant(&grant(&id, Scope::Call)).unwrap();
    });
}

#[test]
fn a_lock_of_another_process_is_told_in_time() {
    let directory = directory();
    let store = directory.store();
    put(&store, &ask("ask-1"));
    let holder = others(1, "writes for long", &directory);
    let began = Instant::now();
    let refused = store.add_grant(&grant("grant-1", Scope::User));
    assert!(
        matches!(refused, Err(StoreError::Locked { .. })),
        "{refused:?}"
    );
    let took = began.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
    let words = refused.unwrap_err().to_string();
    assert!(words.ends_with("is locked by another process"), "{words}");
    drop(holder);
    store.add_grant(&grant("grant-1", Scope::User)).unwrap();
}

#[test]
fn a_database_that_is_all_locked_is_told_in_time() {
    let directory = directory();
    directory.store().close().unwrap();
    let _holder = others(1, "locks it", &directory);
    let began = Instant::now();
    let refused = directory
        .store_or_error()
        .and_then(|store| store.asks(&AskFilter::default()).map(|_| ()));
    assert!(
        matches!(refused, Err(StoreError::Locked { .. })),
        "{refused:?}"
    );
    let took = began.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn threads_that_share_a_handle_wait_as_long_as_one() {
    let directory = directory();
    let store = directory.store();
    let _holder = others(1, "writes for long", &directory);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let store = &store;
            scope.spawn(move || {
                let refused = store.add_grant(&grant(&format!("grant-{number}"), Scope::User));
                assert!(
                    matches!(refused, Err(StoreError::Locked { .. })),
                    "{refused:?}"
                );
            });
        }
    });
    let took = began.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_transaction_that_was_killed_never_was() {
    let directory = directory();
    put(&directory.store(), &ask("kept"));
    for _ in 0..5 {
        for other in others(1, "is stopped in the middle", &directory) {
            other.kill();
        }
        let store = directory.store();
        let kept = store.asks(&AskFilter::default()).unwrap();
        assert_eq!(kept, [ask("kept")]);
        store.check().unwrap();
        put(&store, &ask("ask-1"));
        store.settle("ask-1", &denied(), None, NOON).unwrap();
        store.clean(NOON + 1, NOON).unwrap();
    }
}

#[test]
fn what_was_done_before_a_kill_is_done() {
    for round in 0..10_u64 {
        let directory = directory();
        drop(directory.store());
        let mut writer = Other::play("writes and writes", directory.0.path());
        let mut told = vec![writer.tells().unwrap()];
        std::thread::sleep(Duration::from_millis(round * 3));
        told.extend(writer.kill());
        let store = directory.store();
        store.check().unwrap();
        for line in &told {
            let (what, id) = line.split_once(' ').unwrap();
            let grant = store.grant(id).unwrap().unwrap();
            assert!(what == "added" || grant.claimed_by.is_some(), "{line}");
        }
        // At most one step was done and not told.
        let kept = store.grants(&GrantFilter::default()).unwrap();
        let claimed = kept
            .iter()
            .filter(|grant| grant.claimed_by.is_some())
            .count();
        let steps = kept.len() + claimed;
        assert!((told.len()..=told.len() + 1).contains(&steps), "{steps}");
        assert!(crate::store::may_have_grants(directory.0.path()));
    }
}
