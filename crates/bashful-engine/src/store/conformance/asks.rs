//! Laws of asks.

use std::path::PathBuf;

use super::examples::shape;
use super::{
    AskLimits, EVENING, NOON, OpenedAsk, PLENTY, Place, Settlement, allow, allowed, ask, denied,
    grant, put, unrecorded,
};
use crate::model::ask::{Ask, AskState, Cause};
use crate::model::error::store::StoreError;
use crate::model::grant::Scope;
use crate::store::{AskFilter, GrantFilter, Settling};

pub(in crate::store) fn an_ask_is_kept_whole(place: &dyn Place) {
    let wanted = ask("ask-1");
    put(&*place.open(), &wanted);
    let store = place.open();
    assert_eq!(store.ask("ask-1").unwrap(), Some(wanted));
    assert_eq!(store.ask("ask-2").unwrap(), None);
}

pub(in crate::store) fn only_what_waits_is_put(place: &dyn Place) {
    let store = place.open();
    let mut settled = ask("ask-1");
    settled.state = denied();
    let refused = store.open_ask(&settled, PLENTY);
    assert!(
        matches!(refused, Err(StoreError::Unusable { .. })),
        "{refused:?}"
    );
    assert_eq!(store.ask("ask-1").unwrap(), None);

    put(&*store, &ask("ask-2"));
    let mut other = ask("ask-2");
    other.digest = "another".to_owned();
    let twice = store.open_ask(&other, PLENTY);
    assert!(
        matches!(twice, Err(StoreError::Unusable { .. })),
        "{twice:?}"
    );
    assert_eq!(store.ask("ask-2").unwrap(), Some(ask("ask-2")));
}

pub(in crate::store) fn equal_asks_join(place: &dyn Place) {
    let store = place.open();
    let first = ask("ask-1");
    put(&*store, &first);
    let mut second = ask("ask-2");
    second.digest.clone_from(&first.digest);
    second.session = "another session".to_owned();
    let mut joined = first.clone();
    joined.count = 2;
    assert_eq!(
        place.open().open_ask(&second, PLENTY).unwrap(),
        OpenedAsk::Joined(joined.clone())
    );
    assert_eq!(store.asks(&AskFilter::default()).unwrap(), [joined]);

    // What is settled is joined no more.
    store.settle("ask-1", &denied(), None, NOON).unwrap();
    put(&*store, &second);
}

pub(in crate::store) fn what_differs_does_not_join(place: &dyn Place) {
    let store = place.open();
    put(&*store, &ask("ask-0"));
    let changes: [fn(&mut Ask); 6] = [
        |ask| ask.agent = "codex".to_owned(),
        |ask| ask.digest = "another".to_owned(),
        |ask| ask.cwd = PathBuf::from("/home/ada/engine"),
        |ask| ask.policy = "policy 2".to_owned(),
        |ask| ask.rights = "rights 2".to_owned(),
        |ask| ask.opens.network = Some("on".to_owned()),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut other = ask("ask-0");
        other.id = format!("ask-{}", number + 1);
        change(&mut other);
        put(&*store, &other);
    }
}

pub(in crate::store) fn the_first_answer_wins(place: &dyn Place) {
    let (first, second) = (place.open(), place.open());
    put(&*first, &ask("ask-1"));
    let no = first.settle("ask-1", &denied(), None, NOON + 1).unwrap();
    let mut settled = ask("ask-1");
    settled.state = denied();
    let done = Settlement::Done {
        ask: settled.clone(),
        also: Vec::new(),
    };
    assert_eq!(no, done);
    let yes = allow(&*second, "ask-1", &grant("grant-1", Scope::Call));
    assert_eq!(yes, Settlement::Before(settled.clone()));
    assert_eq!(second.ask("ask-1").unwrap(), Some(settled));
}

pub(in crate::store) fn an_unknown_ask_cannot_be_settled(place: &dyn Place) {
    let store = place.open();
    let kept = grant("grant-1", Scope::User);
    assert_eq!(allow(&*store, "ask-1", &kept), Settlement::Unknown);
    assert_eq!(store.grants(&GrantFilter::default()).unwrap(), []);
}

pub(in crate::store) fn a_losing_answer_leaves_no_grant(place: &dyn Place) {
    let store = place.open();
    put(&*store, &ask("ask-1"));
    let winner = grant("grant-1", Scope::Session);
    allow(&*store, "ask-1", &winner);
    let late = allow(&*place.open(), "ask-1", &grant("grant-2", Scope::User));
    assert!(matches!(late, Settlement::Before(_)), "{late:?}");
    assert_eq!(store.grants(&GrantFilter::default()).unwrap(), [winner]);
}

pub(in crate::store) fn an_answer_that_cannot_be_recorded_does_not_count(place: &dyn Place) {
    let store = place.open();
    put(&*store, &ask("ask-1"));
    put(&*store, &ask("ask-2"));
    let given = grant("grant-1", Scope::User);
    let settling = Settling {
        id: "ask-1",
        state: &allowed(&given),
        grant: Some(&given),
        approving: None,
        now_ms: NOON + 1,
    };
    let mut told = Vec::new();
    let failed = store.settle_recorded(&settling, &mut |ask, also| {
        told.push((ask.clone(), also.to_vec()));
        unrecorded()
    });
    assert!(
        matches!(failed, Err(StoreError::Unrecorded(_))),
        "{failed:?}"
    );
    let settled = |id: &str| {
        let mut ask = ask(id);
        ask.state = allowed(&given);
        ask
    };
    assert_eq!(told, [(settled("ask-1"), vec![settled("ask-2")])]);
    let asks = store.asks(&AskFilter::default()).unwrap();
    assert_eq!(asks, [ask("ask-1"), ask("ask-2")]);
    assert_eq!(store.grants(&GrantFilter::default()).unwrap(), []);

    // What does not count is not put on record.
    store.settle("ask-1", &denied(), None, NOON).unwrap();
    let mut calls = 0;
    let before = store.settle_recorded(&settling, &mut |_, _| {
        calls += 1;
        Ok(())
    });
    assert!(matches!(before, Ok(Settlement::Before(_))), "{before:?}");
    assert_eq!(calls, 0);
}

pub(in crate::store) fn an_ask_that_cannot_be_recorded_does_not_wait(place: &dyn Place) {
    let store = place.open();
    let failed = store.open_ask_recorded(&ask("ask-1"), PLENTY, &mut |_| unrecorded());
    assert!(
        matches!(failed, Err(StoreError::Unrecorded(_))),
        "{failed:?}"
    );
    assert_eq!(store.asks(&AskFilter::default()).unwrap(), []);
    let mut told = Vec::new();
    let mut record = |opened: &OpenedAsk| {
        told.push(opened.clone());
        Ok(())
    };
    let opened = store.open_ask_recorded(&ask("ask-1"), PLENTY, &mut record);
    assert_eq!(told, [opened.unwrap()]);
}

pub(in crate::store) fn an_answer_that_makes_no_sense_is_refused(place: &dyn Place) {
    let store = place.open();
    put(&*store, &ask("ask-1"));
    let given = grant("grant-1", Scope::User);
    let other = grant("grant-2", Scope::User);
    for (state, grant) in [
        (AskState::Pending, None),
        (denied(), Some(&given)),
        (allowed(&other), Some(&given)),
    ] {
        let refused = store.settle("ask-1", &state, grant, NOON + 1);
        assert!(
            matches!(refused, Err(StoreError::Unusable { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(store.ask("ask-1").unwrap(), Some(ask("ask-1")));
    assert_eq!(store.grants(&GrantFilter::default()).unwrap(), []);
}

pub(in crate::store) fn an_ask_past_its_time_expires_instead(place: &dyn Place) {
    let store = place.open();
    put(&*store, &ask("ask-1"));
    let given = grant("grant-1", Scope::User);
    let late = store.settle("ask-1", &allowed(&given), Some(&given), EVENING);
    let mut expired = ask("ask-1");
    expired.state = AskState::Expired { at_ms: EVENING };
    assert_eq!(late.unwrap(), Settlement::Before(expired.clone()));
    assert_eq!(store.ask("ask-1").unwrap(), Some(expired));
    assert_eq!(store.grants(&GrantFilter::default()).unwrap(), []);
}

pub(in crate::store) fn asks_expire_once_and_at_their_time(place: &dyn Place) {
    let store = place.open();
    put(&*store, &ask("ask-1"));
    let mut longer = ask("ask-2");
    longer.expires_at_ms = EVENING + 1;
    put(&*store, &longer);
    assert_eq!(store.expire_asks(EVENING - 1).unwrap(), []);
    let mut expired = ask("ask-1");
    expired.state = AskState::Expired { at_ms: EVENING };
    assert_eq!(store.expire_asks(EVENING).unwrap(), [expired.clone()]);
    assert_eq!(store.expire_asks(EVENING).unwrap(), []);
    let all = store.asks(&AskFilter::default()).unwrap();
    assert_eq!(all, [expired, longer]);
}

pub(in crate::store) fn an_agent_can_have_so_many_asks(place: &dyn Place) {
    let store = place.open();
    let limits = AskLimits {
        pending: 2,
        ..PLENTY
    };
    let other_shape = |id: &str| Ask {
        shapes: vec![shape(&["git", "push", id, "…"])],
        ..ask(id)
    };
    put(&*store, &ask("ask-1"));
    put(&*store, &other_shape("ask-2"));
    // One that the same lasting yes answers is no other question.
    put(&*store, &ask("ask-1b"));
    let mut stopped = other_shape("ask-2b");
    stopped.cause = Cause::Refused {
        task: "bash-1".to_owned(),
    };
    put(&*store, &stopped);
    let refused = store.open_ask(&other_shape("ask-3"), limits).unwrap();
    assert_eq!(refused, OpenedAsk::TooMany { pending: 2 });
    assert_eq!(store.ask("ask-3").unwrap(), None);

    // An equal one joins all the same, and another agent has its own share.
    let mut equal = ask("ask-4");
    equal.digest = ask("ask-1").digest;
    let joined = store.open_ask(&equal, limits).unwrap();
    assert!(matches!(joined, OpenedAsk::Joined(_)), "{joined:?}");
    let mut other = ask("ask-5");
    other.agent = "codex".to_owned();
    assert_eq!(
        store.open_ask(&other, limits).unwrap(),
        OpenedAsk::New(other)
    );

    // What is answered or expired does not count.
    store.settle("ask-2", &denied(), None, NOON + 1).unwrap();
    let third = other_shape("ask-3");
    assert_eq!(
        store.open_ask(&third, limits).unwrap(),
        OpenedAsk::New(third)
    );
    let mut tomorrow = ask("ask-6");
    tomorrow.created_at_ms = EVENING;
    tomorrow.expires_at_ms = EVENING + 1;
    assert_eq!(
        store.open_ask(&tomorrow, limits).unwrap(),
        OpenedAsk::New(tomorrow)
    );
}

pub(in crate::store) fn an_agent_can_put_so_many_asks_in_a_while(place: &dyn Place) {
    let store = place.open();
    let limits = AskLimits {
        recent: 3,
        ..PLENTY
    };
    let at = |number: u64, created_at_ms| {
        let mut ask = ask(&format!("ask-{number}"));
        ask.created_at_ms = created_at_ms;
        ask
    };
    for number in 0..3 {
        put(&*store, &at(number, NOON + number));
        // That they are answered does not make room.
        let id = format!("ask-{number}");
        store.settle(&id, &denied(), None, NOON + number).unwrap();
    }
    let refused = store.open_ask(&at(3, NOON + 100), limits).unwrap();
    assert_eq!(refused, OpenedAsk::TooMany { pending: 0 });
    // The first is out of the window at exactly its length.
    let later = at(4, NOON + limits.window_ms);
    assert_eq!(
        store.open_ask(&later, limits).unwrap(),
        OpenedAsk::New(later)
    );
    // A clock that went back far does not count what lies before it.
    let back = at(5, NOON - 10 * limits.window_ms);
    assert_eq!(store.open_ask(&back, limits).unwrap(), OpenedAsk::New(back));
}

pub(in crate::store) fn asks_are_listed_by_what_is_wanted(place: &dyn Place) {
    let store = place.open();
    let mut first = ask("ask-b1");
    first.created_at_ms = NOON - 1;
    let mut codex = ask("ask-b2");
    codex.agent = "codex".to_owned();
    let mut last = ask("ask-a1");
    last.created_at_ms = NOON + 1;
    for ask in [&last, &codex, &first] {
        put(&*store, ask);
    }
    let ids = |filter: &AskFilter| -> Vec<String> {
        let asks = store.asks(filter).unwrap();
        asks.into_iter().map(|ask| ask.id).collect()
    };
    assert_eq!(ids(&AskFilter::default()), ["ask-b1", "ask-b2", "ask-a1"]);
    let agent = AskFilter {
        agent: Some("codex".to_owned()),
        ..AskFilter::default()
    };
    assert_eq!(ids(&agent), ["ask-b2"]);
    let prefix = |begin: &str| AskFilter {
        id_prefix: Some(begin.to_owned()),
        ..AskFilter::default()
    };
    assert_eq!(ids(&prefix("ask-b")), ["ask-b1", "ask-b2"]);
    assert_eq!(ids(&prefix("ask_b")), Vec::<String>::new());
    assert_eq!(ids(&prefix("%")), Vec::<String>::new());
    store.settle("ask-b1", &denied(), None, NOON).unwrap();
    let pending = |at| AskFilter {
        pending_at_ms: Some(at),
        ..AskFilter::default()
    };
    assert_eq!(ids(&pending(EVENING - 1)), ["ask-b2", "ask-a1"]);
    assert_eq!(ids(&pending(EVENING)), Vec::<String>::new());
}
