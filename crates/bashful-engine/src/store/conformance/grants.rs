//! Laws of grants.

use super::{EVENING, NOON, Place, allow, ask, denied, grant, put, unrecorded};
use crate::model::ask::AskState;
use crate::model::error::store::StoreError;
use crate::model::grant::{Grant, Scope, Subject};
use crate::store::{AskFilter, Cleaned, GrantFilter};

pub(in crate::store) fn a_grant_is_kept_whole(place: &dyn Place) {
    let mut wanted = grant("grant-1", Scope::Session);
    wanted.opens.network = Some("example.org,example.com".to_owned());
    wanted.opens.resources.insert("memory".to_owned(), u64::MAX);
    wanted.subject = Subject::Command {
        digest: "d".to_owned(),
        text: "it's \0 \"odd\"".to_owned(),
    };
    wanted.expires_at_ms = Some(u64::MAX);
    place.open().add_grant(&wanted).unwrap();
    let store = place.open();
    assert_eq!(store.grant("grant-1").unwrap(), Some(wanted));
    assert_eq!(store.grant("grant-2").unwrap(), None);
}

pub(in crate::store) fn a_grant_is_added_once(place: &dyn Place) {
    let store = place.open();
    let first = grant("grant-1", Scope::Call);
    store.add_grant(&first).unwrap();
    assert!(store.claim("grant-1", "task-1", NOON).unwrap());
    let twice = store.add_grant(&first);
    assert!(
        matches!(twice, Err(StoreError::Unusable { .. })),
        "{twice:?}"
    );
    assert!(!store.claim("grant-1", "task-2", NOON).unwrap());
}

pub(in crate::store) fn a_grant_is_claimed_once(place: &dyn Place) {
    let store = place.open();
    store.add_grant(&grant("grant-1", Scope::Call)).unwrap();
    assert!(place.open().claim("grant-1", "task-1", NOON).unwrap());
    assert!(!store.claim("grant-1", "task-1", NOON).unwrap());
    assert!(!place.open().claim("grant-1", "task-2", NOON).unwrap());
    let mut claimed = grant("grant-1", Scope::Call);
    claimed.claimed_by = Some("task-1".to_owned());
    assert_eq!(store.grant("grant-1").unwrap(), Some(claimed));
}

pub(in crate::store) fn what_does_not_hold_cannot_be_claimed(place: &dyn Place) {
    let store = place.open();
    store.add_grant(&grant("grant-1", Scope::Call)).unwrap();
    // Past its end, in the moment of its end, and before it was given.
    for time in [EVENING + 1, EVENING, NOON - 1] {
        assert!(!store.claim("grant-1", "task-1", time).unwrap(), "{time}");
    }
    assert!(!store.claim("grant-2", "task-1", NOON).unwrap());
    for scope in [Scope::Session, Scope::Project, Scope::User] {
        store.add_grant(&grant(scope.as_str(), scope)).unwrap();
        assert!(!store.claim(scope.as_str(), "task-1", NOON).unwrap());
    }
    let mut endless = grant("grant-3", Scope::Call);
    endless.expires_at_ms = None;
    store.add_grant(&endless).unwrap();
    assert!(store.claim("grant-3", "task-1", NOON - 1).unwrap());
    assert!(store.claim("grant-1", "task-1", NOON).unwrap());
}

pub(in crate::store) fn only_the_claimant_gives_a_grant_back(place: &dyn Place) {
    let store = place.open();
    store.add_grant(&grant("grant-1", Scope::Call)).unwrap();
    assert!(store.claim("grant-1", "task-1", NOON).unwrap());
    store.release("grant-1", "task-2").unwrap();
    store.release("grant-2", "task-1").unwrap();
    assert!(!store.claim("grant-1", "task-2", NOON).unwrap());
    store.release("grant-1", "task-1").unwrap();
    assert_eq!(
        store.grant("grant-1").unwrap(),
        Some(grant("grant-1", Scope::Call))
    );
    assert!(store.claim("grant-1", "task-2", NOON).unwrap());
    // What was taken back meanwhile stays so.
    store.revoke("grant-1", NOON).unwrap();
    store.release("grant-1", "task-2").unwrap();
    assert!(!store.claim("grant-1", "task-3", NOON).unwrap());
}

pub(in crate::store) fn a_revoked_grant_stays_so(place: &dyn Place) {
    let store = place.open();
    for id in ["held", "early", "late"] {
        store.add_grant(&grant(id, Scope::Call)).unwrap();
    }
    assert!(store.revoke("held", NOON).unwrap());
    assert!(!store.revoke("held", NOON).unwrap());
    assert!(!store.revoke("unknown", NOON).unwrap());
    // A clock that is behind does not save a grant, and one that was ahead does not revive it.
    assert!(store.revoke("early", NOON - 1).unwrap());
    assert!(!store.revoke("late", EVENING).unwrap());
    for id in ["held", "early", "late"] {
        assert!(!store.claim(id, "task-1", NOON + 1).unwrap(), "{id}");
    }
    assert_eq!(store.grants(&holding_at(NOON + 1)).unwrap(), []);
    let mut revoked = grant("held", Scope::Call);
    revoked.revoked_at_ms = Some(NOON);
    assert_eq!(store.grant("held").unwrap(), Some(revoked));

    store.add_grant(&grant("used", Scope::Call)).unwrap();
    assert!(store.claim("used", "task-1", NOON).unwrap());
    assert!(!store.revoke("used", NOON).unwrap());
}

fn holding_at(now_ms: u64) -> GrantFilter {
    GrantFilter {
        holding_at_ms: Some(now_ms),
        ..GrantFilter::default()
    }
}

pub(in crate::store) fn grants_are_listed_by_what_is_wanted(place: &dyn Place) {
    let store = place.open();
    let mut endless = grant("grant-b", Scope::User);
    endless.created_at_ms = NOON + 5;
    endless.expires_at_ms = None;
    let mut codex = grant("grant-a", Scope::Session);
    codex.agent = "codex".to_owned();
    let used = grant("grant-c", Scope::Call);
    for grant in [&endless, &codex, &used] {
        store.add_grant(grant).unwrap();
    }
    let ids = |filter: &GrantFilter| -> Vec<String> {
        let grants = store.grants(filter).unwrap();
        grants.into_iter().map(|grant| grant.id).collect()
    };
    assert_eq!(
        ids(&GrantFilter::default()),
        ["grant-a", "grant-c", "grant-b"]
    );
    assert_eq!(ids(&holding_at(NOON)), ["grant-a", "grant-c", "grant-b"]);
    store.claim("grant-c", "task-1", NOON).unwrap();
    assert_eq!(ids(&holding_at(NOON)), ["grant-a", "grant-b"]);
    assert_eq!(ids(&holding_at(NOON - 1)), ["grant-b"]);
    assert_eq!(ids(&holding_at(EVENING)), ["grant-b"]);
    let of_codex = GrantFilter {
        agent: Some("codex".to_owned()),
        ..holding_at(NOON)
    };
    assert_eq!(ids(&of_codex), ["grant-a"]);
    let prefix = GrantFilter {
        id_prefix: Some("grant-c".to_owned()),
        ..GrantFilter::default()
    };
    assert_eq!(ids(&prefix), ["grant-c"]);
}

pub(in crate::store) fn cleaning_keeps_what_has_an_effect(place: &dyn Place) {
    let store = place.open();
    for id in ["pending", "late", "denied", "young"] {
        let mut ask = ask(id);
        if id == "young" {
            ask.created_at_ms = NOON + 10;
        }
        if id == "pending" {
            ask.expires_at_ms = EVENING + 1;
        }
        put(&*store, &ask);
    }
    for id in ["denied", "young"] {
        store.settle(id, &denied(), None, NOON).unwrap();
    }
    let mut endless = grant("endless", Scope::User);
    endless.expires_at_ms = None;
    let mut young = grant("young", Scope::User);
    young.created_at_ms = NOON + 10;
    for grant in [
        &endless,
        &young,
        &grant("held", Scope::Session),
        &grant("used", Scope::Call),
        &grant("revoked", Scope::User),
    ] {
        store.add_grant(grant).unwrap();
    }
    store.claim("used", "task-1", NOON).unwrap();
    store.revoke("revoked", NOON).unwrap();

    let cleaned = store.clean(NOON + 10, EVENING - 1).unwrap();
    assert_eq!(cleaned, Cleaned { asks: 1, grants: 2 });
    let asks = || -> Vec<String> {
        let asks = store.asks(&AskFilter::default()).unwrap();
        asks.into_iter().map(|ask| ask.id).collect()
    };
    let grants = || -> Vec<String> {
        let grants = store.grants(&GrantFilter::default()).unwrap();
        grants.into_iter().map(|grant| grant.id).collect()
    };
    assert_eq!(asks(), ["late", "pending", "young"]);
    assert_eq!(grants(), ["endless", "held", "young"]);

    // What has no mark yet is not forgotten in silence.
    let cleaned = store.clean(NOON + 11, EVENING).unwrap();
    assert_eq!(cleaned, Cleaned { asks: 1, grants: 2 });
    assert_eq!(
        (asks(), grants()),
        (
            vec!["late".into(), "pending".into()],
            vec!["endless".into()]
        )
    );
    assert_eq!(store.expire_asks(EVENING).unwrap().len(), 1);
    assert_eq!(
        store.clean(NOON + 11, EVENING).unwrap(),
        Cleaned { asks: 1, grants: 0 }
    );
    assert_eq!(asks(), ["pending"]);
}

pub(in crate::store) fn what_was_recorded_is_restored(place: &dyn Place) {
    let store = place.open();
    put(&*store, &ask("ask-1"));
    allow(&*store, "ask-1", &grant("grant-1", Scope::Call));
    let mut settled = ask("ask-1");
    settled.state = denied();
    let waiting = ask("ask-2");
    let mut used: Grant = grant("grant-1", Scope::Call);
    used.claimed_by = Some("task-1".to_owned());
    let held = grant("grant-2", Scope::User);
    for _ in 0..2 {
        store
            .restore(
                &[settled.clone(), waiting.clone()],
                &[used.clone(), held.clone()],
            )
            .unwrap();
        let asks = store.asks(&AskFilter::default()).unwrap();
        assert_eq!(asks, [settled.clone(), waiting.clone()]);
        let grants = store.grants(&GrantFilter::default()).unwrap();
        assert_eq!(grants, [used.clone(), held.clone()]);
    }
    assert!(!store.claim("grant-1", "task-2", NOON).unwrap());
    assert_eq!(store.grants(&holding_at(NOON)).unwrap(), [held]);
}

pub(in crate::store) fn restoring_equal_asks_keeps_the_younger(place: &dyn Place) {
    let store = place.open();
    let mut older = ask("ask-1");
    older.digest = "same".to_owned();
    let mut younger = ask("ask-2");
    younger.digest = "same".to_owned();
    younger.created_at_ms = NOON + 1;
    let mut expired = older.clone();
    expired.state = AskState::Expired { at_ms: EVENING };
    for order in [[&older, &younger], [&younger, &older]] {
        store.restore(&order.map(Clone::clone), &[]).unwrap();
        let asks = store.asks(&AskFilter::default()).unwrap();
        assert_eq!(asks, [expired.clone(), younger.clone()]);
    }
}

pub(in crate::store) fn a_change_that_cannot_be_recorded_is_none(place: &dyn Place) {
    let store = place.open();
    let given = grant("grant-1", Scope::User);
    let failed = store.add_grant_recorded(&given, &mut |_| unrecorded());
    assert!(
        matches!(failed, Err(StoreError::Unrecorded(_))),
        "{failed:?}"
    );
    assert_eq!(store.grants(&GrantFilter::default()).unwrap(), []);
    store.add_grant(&given).unwrap();
    let failed = store.revoke_recorded("grant-1", NOON, &mut |_| unrecorded());
    assert!(
        matches!(failed, Err(StoreError::Unrecorded(_))),
        "{failed:?}"
    );
    assert_eq!(store.grants(&holding_at(NOON)).unwrap(), [given]);

    // What does not hold any more is not put on record as taken back.
    let once = grant("grant-2", Scope::Call);
    store.add_grant(&once).unwrap();
    assert!(store.claim("grant-2", "bash-1", NOON).unwrap());
    let mut calls = 0;
    let late = store.revoke_recorded("grant-2", NOON, &mut |_| {
        calls += 1;
        Ok(())
    });
    assert_eq!((late.unwrap(), calls), (false, 0));
}
