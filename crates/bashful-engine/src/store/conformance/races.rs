//! Laws that hold when many do the same at the same moment, tried a hundred times each.

use std::sync::Barrier;

use super::{
    AskLimits, EVENING, NOON, OpenedAsk, PLENTY, Place, Settlement, Store, allow, allowed, ask,
    grant, put,
};
use crate::model::ask::AskState;
use crate::model::grant::Scope;
use crate::store::{AskFilter, GrantFilter};

const ROUNDS: usize = 100;
const RACERS: usize = 10;

/// Lets every handle act at the same moment, and returns what each got.
fn race<T: Send>(
    handles: &[Box<dyn Store>],
    act: impl Fn(usize, &dyn Store) -> T + Sync,
) -> Vec<T> {
    let start = Barrier::new(handles.len());
    let (act, start) = (&act, &start);
    std::thread::scope(|scope| {
        let racers: Vec<_> = handles
            .iter()
            .enumerate()
            .map(|(number, handle)| {
                scope.spawn(move || {
                    start.wait();
                    act(number, &**handle)
                })
            })
            .collect();
        racers
            .into_iter()
            .map(|racer| racer.join().unwrap())
            .collect()
    })
}

fn handles(place: &dyn Place, number: usize) -> Vec<Box<dyn Store>> {
    (0..number).map(|_| place.open()).collect()
}

pub(in crate::store) fn ten_approvers_one_answer(place: &dyn Place) {
    let handles = handles(place, RACERS);
    for round in 0..ROUNDS {
        let id = format!("ask-{round}");
        put(&*handles[0], &ask(&id));
        let answers = race(&handles, |number, store| {
            let grant = grant(&format!("grant-{round}-{number}"), Scope::Call);
            allow(store, &id, &grant)
        });
        let winners: Vec<&Settlement> = answers
            .iter()
            .filter(|answer| matches!(answer, Settlement::Done { .. }))
            .collect();
        let [Settlement::Done { ask, .. }] = winners[..] else {
            panic!("round {round}: {} answers count", winners.len());
        };
        // Everybody was told the same, and only the winner left a grant.
        for answer in &answers {
            let (Settlement::Done { ask: told, .. } | Settlement::Before(told)) = answer else {
                panic!("round {round}: the ask is unknown");
            };
            assert_eq!(told, ask);
        }
        let AskState::Allowed { grant: winner, .. } = &ask.state else {
            panic!("round {round}: it is not allowed");
        };
        let kept = handles[0].grants(&GrantFilter {
            id_prefix: Some(format!("grant-{round}-")),
            ..GrantFilter::default()
        });
        let kept: Vec<String> = kept.unwrap().into_iter().map(|grant| grant.id).collect();
        assert_eq!(kept, std::slice::from_ref(winner));
    }
}

pub(in crate::store) fn ten_consumers_one_start(place: &dyn Place) {
    let handles = handles(place, RACERS);
    for round in 0..ROUNDS {
        let id = format!("grant-{round}");
        handles[0].add_grant(&grant(&id, Scope::Call)).unwrap();
        let got = race(&handles, |number, store| {
            store.claim(&id, &format!("task-{number}"), NOON).unwrap()
        });
        let winners: Vec<usize> = (0..RACERS).filter(|&number| got[number]).collect();
        let claimed = handles[0].grant(&id).unwrap().unwrap().claimed_by;
        assert_eq!(winners.len(), 1, "round {round}");
        assert_eq!(claimed, Some(format!("task-{}", winners[0])));
    }
}

pub(in crate::store) fn an_answer_in_the_moment_of_expiry(place: &dyn Place) {
    let handles = handles(place, 2);
    let (mut answered, mut expired) = (0, 0);
    for round in 0..ROUNDS {
        let id = format!("ask-{round}");
        put(&*handles[0], &ask(&id));
        let grant = grant(&format!("grant-{round}"), Scope::Call);
        // One clock is a moment ahead of the other.
        let got = race(&handles, |number, store| match number {
            0 => {
                let yes = store.settle(&id, &allowed(&grant), Some(&grant), EVENING - 1);
                matches!(yes.unwrap(), Settlement::Done { .. })
            }
            _ => !store.expire_asks(EVENING).unwrap().is_empty(),
        });
        assert!(got[0] != got[1], "round {round}: {got:?}");
        let state = handles[0].ask(&id).unwrap().unwrap().state;
        let kept = handles[0].grant(&grant.id).unwrap().is_some();
        assert_eq!(kept, got[0], "round {round}");
        if got[0] {
            answered += 1;
            assert_eq!(state, allowed(&grant));
        } else {
            expired += 1;
            assert_eq!(state, AskState::Expired { at_ms: EVENING });
        }
    }
    assert_eq!(answered + expired, ROUNDS);
}

pub(in crate::store) fn revoked_or_claimed_but_not_both(place: &dyn Place) {
    let handles = handles(place, 4);
    for round in 0..ROUNDS {
        let id = format!("grant-{round}");
        handles[0].add_grant(&grant(&id, Scope::Call)).unwrap();
        let got = race(&handles, |number, store| match number {
            0 => store.revoke(&id, NOON).unwrap(),
            _ => store.claim(&id, &format!("task-{number}"), NOON).unwrap(),
        });
        let happened = got.iter().filter(|&&happened| happened).count();
        assert_eq!(happened, 1, "round {round}: {got:?}");
        let kept = handles[0].grant(&id).unwrap().unwrap();
        assert_eq!(kept.claimed_by.is_none(), got[0], "round {round}");
        assert!(!kept.holds_at(NOON), "round {round}");
    }
}

pub(in crate::store) fn ten_equal_asks_are_one(place: &dyn Place) {
    let handles = handles(place, RACERS);
    for round in 0..ROUNDS {
        let got = race(&handles, |number, store| {
            let mut ask = ask(&format!("ask-{round}-{number}"));
            ask.digest = format!("round {round}");
            store.open_ask(&ask, PLENTY).unwrap()
        });
        let new = got.iter().filter(|got| matches!(got, OpenedAsk::New(_)));
        assert_eq!(new.count(), 1, "round {round}");
        let waiting = handles[0].asks(&AskFilter {
            id_prefix: Some(format!("ask-{round}-")),
            ..AskFilter::default()
        });
        let counts: Vec<u64> = waiting.unwrap().iter().map(|ask| ask.count).collect();
        assert_eq!(counts, [RACERS as u64], "round {round}");
    }
}

pub(in crate::store) fn a_flood_from_ten_threads_is_limited(place: &dyn Place) {
    let handles = handles(place, RACERS);
    let limits = AskLimits {
        pending: 4,
        ..PLENTY
    };
    for round in 0..ROUNDS {
        let got = race(&handles, |number, store| {
            let mut ask = ask(&format!("ask-{round}-{number}"));
            ask.agent = format!("agent {round}");
            ask.shapes.clear();
            store.open_ask(&ask, limits).unwrap()
        });
        let new = got.iter().filter(|got| matches!(got, OpenedAsk::New(_)));
        assert_eq!(new.count(), 4, "round {round}");
        let refused = OpenedAsk::TooMany { pending: 4 };
        let refused = got.iter().filter(|&got| *got == refused);
        assert_eq!(refused.count(), RACERS - 4, "round {round}");
    }
}
