//! What the trail tells, whole, broken and cut off.

use std::fs;
use std::path::Path;

use super::{Recalled, recall};
use crate::model::ask::{Ask, AskState};
use crate::model::grant::{Grant, Scope};
use crate::record::audit::{
    Answered, Asked, Event, GrantChange, GrantChanged, Mended, Starting, Trail,
};
use crate::store::conformance::{NOON, allowed, ask, denied, grant};

fn asked(ask: &Ask) -> Event {
    Event::Ask(Box::new(Asked {
        task: "task-1".to_owned(),
        joined: ask.count > 1,
        ask: ask.clone(),
    }))
}

fn answered(ask: &str, state: AskState) -> Event {
    Event::Answer(Answered {
        ask: ask.to_owned(),
        agent: "claude".to_owned(),
        state,
    })
}

fn changed(change: GrantChange, grant: &Grant) -> Event {
    Event::Grant(Box::new(GrantChanged {
        change,
        grant: grant.clone(),
    }))
}

fn started(claimed: &str) -> Event {
    Event::Start(Starting {
        task: "task-9".to_owned(),
        agent: "claude".to_owned(),
        session: "s".to_owned(),
        claimed: Some(claimed.to_owned()),
    })
}

/// A grant that answers an ask.
fn given_to(ask: &str, id: &str) -> Grant {
    let mut grant = grant(id, Scope::Call);
    grant.ask = Some(ask.to_owned());
    grant
}

fn recorded(events: &[Event]) -> (tempfile::TempDir, Recalled) {
    let directory = tempfile::tempdir().unwrap();
    let trail = Trail::at(directory.path());
    trail.append_synced(events).unwrap();
    let recalled = recall(&trail);
    (directory, recalled)
}

fn ids(recalled: &Recalled) -> Vec<&str> {
    let holding = recalled.grants.iter().filter(|grant| grant.holds_at(NOON));
    holding.map(|grant| grant.id.as_str()).collect()
}

#[test]
fn without_a_trail_there_is_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let recalled = recall(&Trail::at(directory.path()));
    assert!(recalled.asks.is_empty() && recalled.grants.is_empty());
    assert_eq!((recalled.records, recalled.broken), (0, None));
}

#[test]
fn asks_and_grants_come_back_as_they_stood() {
    let mut joined = ask("ask-1");
    joined.count = 2;
    let given = given_to("ask-2", "grant-2");
    let mut revoked = grant("grant-3", Scope::User);
    revoked.revoked_at_ms = Some(NOON + 3);
    let (_directory, recalled) = recorded(&[
        asked(&ask("ask-1")),
        asked(&joined),
        asked(&ask("ask-2")),
        answered("ask-2", allowed(&given)),
        changed(GrantChange::Given, &given),
        changed(GrantChange::Given, &grant("grant-3", Scope::User)),
        changed(GrantChange::Given, &grant("grant-4", Scope::User)),
        started("grant-2"),
        changed(GrantChange::Revoked, &revoked),
    ]);
    let mut settled = ask("ask-2");
    settled.state = allowed(&given);
    assert_eq!(recalled.asks, [joined, settled]);
    let mut used = given;
    used.claimed_by = Some("task-9".to_owned());
    assert_eq!(
        recalled.grants,
        [used, revoked, grant("grant-4", Scope::User)]
    );
    assert_eq!((recalled.records, recalled.broken), (9, None));
}

#[test]
fn an_answer_that_did_not_count_left_no_grant() {
    // It was put on record, and then the database could not be written.
    let lost = given_to("ask-1", "grant-1");
    let (_directory, recalled) = recorded(&[
        asked(&ask("ask-1")),
        answered("ask-1", allowed(&lost)),
        changed(GrantChange::Given, &lost),
        answered("ask-1", denied()),
    ]);
    assert_eq!(recalled.asks[0].state, denied());
    assert_eq!(recalled.grants, []);
}

#[test]
fn a_grant_for_an_ask_that_nobody_knows_does_not_come_back() {
    let (_directory, recalled) =
        recorded(&[changed(GrantChange::Given, &given_to("ask-1", "grant-1"))]);
    assert_eq!(recalled.grants, []);
}

#[test]
fn a_joined_ask_does_not_wait_again() {
    let mut joined = ask("ask-1");
    joined.count = 2;
    let (_directory, recalled) = recorded(&[
        asked(&ask("ask-1")),
        answered("ask-1", denied()),
        asked(&joined),
    ]);
    assert_eq!(recalled.asks[0].state, denied());
}

#[test]
fn after_a_gap_nothing_that_was_given_before_holds() {
    let (_directory, recalled) = recorded(&[
        changed(GrantChange::Given, &grant("grant-1", Scope::User)),
        Event::Mended(Mended::Cut { last: 1, known: 7 }),
        changed(GrantChange::Given, &grant("grant-2", Scope::User)),
    ]);
    assert_eq!(recalled.broken, None);
    assert_eq!(ids(&recalled), ["grant-2"]);
}

#[test]
fn a_grant_does_not_come_back_where_the_end_of_the_trail_may_be_missing() {
    let events = [
        changed(GrantChange::Given, &grant("grant-1", Scope::User)),
        changed(GrantChange::Revoked, &grant("grant-1", Scope::User)),
    ];
    let damages: [fn(&Path); 3] = [
        // The last record is cut off.
        |state| {
            let trail = state.join("trail.jsonl");
            let first = lines(&trail).remove(0);
            fs::write(&trail, first + "\n").unwrap();
        },
        // The same, and the head is gone too.
        |state| {
            let trail = state.join("trail.jsonl");
            let first = lines(&trail).remove(0);
            fs::write(&trail, first + "\n").unwrap();
            fs::remove_file(state.join("trail.head")).unwrap();
        },
        |state| fs::write(state.join("trail.head"), "").unwrap(),
    ];
    for damage in damages {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        let trail = Trail::at(&state);
        trail.append_synced(&events).unwrap();
        damage(&state);
        let recalled = recall(&trail);
        let holding = |grant: &&Grant| grant.holds_at(grant.created_at_ms);
        assert_eq!(recalled.grants.iter().filter(holding).count(), 0);
        assert!(recalled.broken.is_some());
    }
}

fn lines(trail: &Path) -> Vec<String> {
    let text = fs::read_to_string(trail).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Four grants, and the third is used up at the end.
fn four() -> Vec<Event> {
    let mut events: Vec<Event> = (1..=4)
        .map(|n| {
            changed(
                GrantChange::Given,
                &grant(&format!("grant-{n}"), Scope::Call),
            )
        })
        .collect();
    events.push(started("grant-1"));
    events
}

#[test]
fn nothing_is_believed_behind_the_first_break_but_what_takes_away() {
    type Damage = fn(&mut Vec<String>);
    let cases: [(Damage, u64, &[&str]); 5] = [
        // Changed.
        (
            |lines| lines[2] = lines[2].replace("claude", "codex!"),
            3,
            &["grant-2"],
        ),
        // Dropped.
        (|lines| drop(lines.remove(1)), 2, &[]),
        // Swapped.
        (|lines| lines.swap(1, 2), 2, &[]),
        // A line that is no record in between.
        (|lines| lines.insert(1, "hello".to_owned()), 2, &[]),
        // The first is gone.
        (|lines| drop(lines.remove(0)), 1, &[]),
    ];
    for (number, (damage, at, holding)) in cases.into_iter().enumerate() {
        let (directory, whole) = recorded(&four());
        assert_eq!(ids(&whole), ["grant-2", "grant-3", "grant-4"]);
        let path = Trail::at(directory.path()).path();
        let mut lines = lines(&path);
        damage(&mut lines);
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let recalled = recall(&Trail::at(directory.path()));
        assert_eq!(
            recalled.broken.as_ref().map(|broken| broken.at),
            Some(at),
            "case {number}"
        );
        assert_eq!(recalled.records, at - 1, "case {number}");
        assert_eq!(ids(&recalled), holding, "case {number}");
    }
}

#[test]
fn a_record_of_another_trail_is_a_break() {
    let (directory, _) = recorded(&four());
    let forged = grant("forged", Scope::User);
    let (other, _) = recorded(&[
        changed(GrantChange::Given, &forged),
        changed(GrantChange::Given, &forged),
    ]);
    let path = Trail::at(directory.path()).path();
    let mut ours = lines(&path);
    // It is sealed, and its number is the right one.
    ours[1] = lines(&Trail::at(other.path()).path()).remove(1);
    fs::write(&path, ours.join("\n") + "\n").unwrap();
    let recalled = recall(&Trail::at(directory.path()));
    assert_eq!(recalled.broken.as_ref().map(|broken| broken.at), Some(2));
    assert_eq!(ids(&recalled), Vec::<&str>::new());
}

#[test]
fn a_trail_that_cannot_be_opened_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let trail = Trail::at(directory.path());
    fs::create_dir(trail.path()).unwrap();
    let recalled = recall(&trail);
    assert!(recalled.broken.is_some());
    assert!(recalled.grants.is_empty());
}
