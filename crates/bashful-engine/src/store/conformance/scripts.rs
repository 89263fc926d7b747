//! Laws of scripts.

use super::{NOON, Place, ask, put};
use crate::model::ask::{Ask, AskScript, AskState};
use crate::model::error::record::AuditError;
use crate::model::grant::Scope;
use crate::model::script::content_hash;
use crate::model::script::examples::{approval, script};
use crate::model::script::{LastRun, Script, VersionOrigin};
use crate::store::{Approving, NewVersion, SavedScript, SavingScript, Settlement, Settling, Store};

fn save(store: &dyn Store, script: &Script, is_new: bool, text: Option<&str>) -> SavedScript {
    let version = text.map(|text| NewVersion {
        text,
        at_ms: NOON,
        origin: VersionOrigin::Edited,
    });
    let saving = SavingScript {
        script,
        is_new,
        version,
        lost: None,
        keep: None,
        now_ms: NOON,
    };
    store
        .save_script_recorded(&saving, &mut |_| Ok(()))
        .unwrap()
}

/// A script with this name in the store, as it is there.
fn kept(store: &dyn Store, name: &str, text: &str) -> Script {
    let new = script(name, text);
    assert_eq!(save(store, &new, true, Some(text)), SavedScript::Done);
    store.script(new.id).unwrap().unwrap()
}

pub(in crate::store) fn a_script_is_kept_whole(place: &dyn Place) {
    let store = place.open();
    let mut whole = script("backup", "tar");
    whole.capabilities = serde_json::from_str(r#"{"paths_read": ["~/a b"]}"#).unwrap();
    whole.variables = serde_json::from_str(r#"[{"name": "x", "type": "list"}]"#).unwrap();
    whole.automation_ids = vec!["nightly".to_owned()];
    whole.approval = Some(approval(&whole));
    assert_eq!(save(&*store, &whole, true, Some("tar")), SavedScript::Done);
    whole.revision += 1;
    let other = place.open();
    assert_eq!(other.script(whole.id).unwrap(), Some(whole.clone()));
    assert_eq!(
        other.script_named(&whole.name).unwrap(),
        Some(whole.clone())
    );
    assert_eq!(other.scripts().unwrap(), [whole.clone()]);
    assert_eq!(save(&*store, &whole, true, None), SavedScript::Changed);
}

pub(in crate::store) fn a_name_belongs_to_one_script(place: &dyn Place) {
    let store = place.open();
    let mut first = kept(&*store, "a", "one");
    let second = script("a", "two");
    assert_eq!(save(&*store, &second, true, None), SavedScript::NameTaken);
    assert_eq!(store.script(second.id).unwrap(), None);
    let mut third = kept(&*store, "b", "three");
    third.name = "a".parse().unwrap();
    assert_eq!(save(&*store, &third, false, None), SavedScript::NameTaken);
    first.deleted_at_ms = Some(NOON);
    assert_eq!(save(&*store, &first, false, None), SavedScript::Done);
    assert_eq!(save(&*store, &third, false, None), SavedScript::Done);
    let found = store.script_named(&third.name).unwrap().unwrap();
    assert_eq!(found.id, third.id);
    // What is deleted comes back only if its name is free.
    let mut back = store.script(first.id).unwrap().unwrap();
    back.deleted_at_ms = None;
    assert_eq!(save(&*store, &back, false, None), SavedScript::NameTaken);
}

pub(in crate::store) fn whoever_changes_an_older_script_comes_too_late(place: &dyn Place) {
    let (store, other) = (place.open(), place.open());
    let read = kept(&*store, "a", "one");
    let mut theirs = read.clone();
    theirs.description = "theirs".to_owned();
    assert_eq!(save(&*other, &theirs, false, None), SavedScript::Done);
    let mut ours = read;
    ours.description = "ours".to_owned();
    assert_eq!(save(&*store, &ours, false, None), SavedScript::Changed);
    let there = store.script(ours.id).unwrap().unwrap();
    assert_eq!(there.description, "theirs");
    let unknown = script("b", "x");
    assert_eq!(save(&*store, &unknown, false, None), SavedScript::Changed);
}

pub(in crate::store) fn a_script_that_cannot_be_recorded_is_not_kept(place: &dyn Place) {
    let store = place.open();
    let new = script("a", "one");
    let saving = SavingScript {
        script: &new,
        is_new: true,
        version: Some(NewVersion {
            text: "one",
            at_ms: NOON,
            origin: VersionOrigin::Created,
        }),
        lost: None,
        keep: None,
        now_ms: NOON,
    };
    let refused = store.save_script_recorded(&saving, &mut |_| {
        Err(AuditError::NotPrivate { path: "/".into() })
    });
    assert!(refused.is_err());
    assert_eq!(store.scripts().unwrap(), []);
    assert_eq!(store.script_versions(new.id).unwrap(), []);
}

pub(in crate::store) fn versions_are_kept_by_their_hash(place: &dyn Place) {
    let store = place.open();
    let mut one = kept(&*store, "a", "one");
    for text in ["two", "one"] {
        one.content_hash = content_hash(text.as_bytes());
        assert_eq!(save(&*store, &one, false, Some(text)), SavedScript::Done);
        one.revision += 1;
    }
    let versions = store.script_versions(one.id).unwrap();
    let hash = |text: &str| content_hash(text.as_bytes());
    let found: Vec<_> = versions
        .iter()
        .map(|version| (version.number, version.content_hash.clone()))
        .collect();
    assert_eq!(
        found,
        [(1, hash("one")), (2, hash("two")), (3, hash("one"))]
    );
    let text = |text: &str| store.script_text(one.id, &hash(text)).unwrap();
    assert_eq!(text("two").as_deref(), Some("two"));
    assert_eq!(text("never"), None);
    let other = kept(&*store, "b", "three");
    assert_eq!(store.script_text(other.id, &hash("two")).unwrap(), None);
}

pub(in crate::store) fn old_versions_are_forgotten(place: &dyn Place) {
    let store = place.open();
    let mut one = kept(&*store, "a", "0");
    one.approval = Some(approval(&one));
    for number in 1..6 {
        let text = number.to_string();
        one.content_hash = content_hash(text.as_bytes());
        let saving = SavingScript {
            script: &one,
            is_new: false,
            version: Some(NewVersion {
                text: &text,
                at_ms: NOON,
                origin: VersionOrigin::Edited,
            }),
            lost: None,
            keep: Some(2),
            now_ms: NOON,
        };
        let saved = store
            .save_script_recorded(&saving, &mut |_| Ok(()))
            .unwrap();
        assert_eq!(saved, SavedScript::Done);
        one.revision += 1;
    }
    let versions = store.script_versions(one.id).unwrap();
    let numbers: Vec<u64> = versions.iter().map(|version| version.number).collect();
    // The approved one stays, so that a change of it can be shown and taken back.
    assert_eq!(numbers, [1, 5, 6]);
    let kept = |text: &str| {
        let found = store.script_text(one.id, &content_hash(text.as_bytes()));
        found.unwrap().is_some()
    };
    let found = ["0", "1", "2", "3", "4", "5"].map(kept);
    assert_eq!(found, [true, false, false, false, true, true]);
}

pub(in crate::store) fn runs_are_counted_beside_a_script(place: &dyn Place) {
    let store = place.open();
    let one = kept(&*store, "a", "one");
    let run = |task: &str, status: Option<&str>| LastRun {
        task_id: task.to_owned(),
        at_ms: NOON,
        status: status.map(str::to_owned),
        exit_code: status.map(|_| 3),
        duration_ms: status.map(|_| 5),
        content_hash: one.content_hash.clone(),
    };
    store
        .note_script_run(one.id, &run("script-1", None))
        .unwrap();
    store
        .note_script_run(one.id, &run("script-2", None))
        .unwrap();
    // The end of an earlier run says nothing about the last.
    let ended = run("script-1", Some("success"));
    store.note_script_run(one.id, &ended).unwrap();
    let found = store.script(one.id).unwrap().unwrap();
    assert_eq!(
        (found.runs, found.last_run),
        (2, Some(run("script-2", None)))
    );
    let ended = run("script-2", Some("soft_failure"));
    store.note_script_run(one.id, &ended).unwrap();
    // A caller that edits the script has read it before, and takes no run away.
    assert_eq!(save(&*store, &one, false, None), SavedScript::Done);
    let found = store.script(one.id).unwrap().unwrap();
    assert_eq!((found.runs, found.last_run), (2, Some(ended)));
}

/// An ask about a script as it is, in the store.
fn asked(store: &dyn Store, id: &str, about: &Script) -> AskState {
    let mut asked = ask(id);
    asked.digest = about.digest();
    asked.rights = format!("rights of {}", about.id);
    asked.script = Some(Box::new(AskScript {
        id: about.id,
        name: about.name.clone(),
        content_hash: about.content_hash.clone(),
        capabilities: about.capabilities.clone(),
        reach: crate::model::script::Destinations::new(),
        variables: Vec::new(),
        findings: Vec::new(),
        approved_before: None,
    }));
    put(store, &asked);
    AskState::Allowed {
        grant: format!("script:{}", about.id),
        scope: Scope::Call,
        at_ms: NOON,
        by: approval(about).by,
    }
}

pub(in crate::store) fn a_yes_to_an_ask_approves_the_script(place: &dyn Place) {
    let store = place.open();
    let one = kept(&*store, "a", "one");
    let yes = asked(&*store, "ask-1", &one);
    let approval = approval(&one);
    let settling = Settling {
        id: "ask-1",
        state: &yes,
        grant: None,
        approving: Some(Approving {
            script: one.id,
            approval: &approval,
        }),
        now_ms: NOON + 1,
    };
    // Only a yes approves.
    let no = AskState::Denied {
        message: None,
        at_ms: NOON,
        by: approval.by.clone(),
    };
    let denying = Settling {
        state: &no,
        ..settling
    };
    assert!(store.settle_recorded(&denying, &mut |_, _| Ok(())).is_err());
    let unrecorded = store.settle_recorded(&settling, &mut |_, _| {
        Err(AuditError::NotPrivate { path: "/".into() })
    });
    assert!(unrecorded.is_err());
    assert_eq!(store.script(one.id).unwrap().unwrap().approval, None);
    let settled = store
        .settle_recorded(&settling, &mut |_, _| Ok(()))
        .unwrap();
    assert!(matches!(settled, Settlement::Done { .. }));
    let found = store.script(one.id).unwrap().unwrap();
    assert_eq!(found.approval.as_ref(), Some(&approval));
    assert!(found.is_approved_at(NOON));
    assert_eq!(found.revision, one.revision + 1);
}

pub(in crate::store) fn a_yes_to_what_a_script_was_has_no_effect(place: &dyn Place) {
    let store = place.open();
    let was = kept(&*store, "a", "one");
    let old = approval(&was);
    let mut one = was.clone();
    one.content_hash = content_hash(b"two");
    let newer = approval(&one);
    one.approval = Some(newer.clone());
    assert_eq!(save(&*store, &one, false, Some("two")), SavedScript::Done);
    let yes = asked(&*store, "ask-1", &was);
    let settling = Settling {
        id: "ask-1",
        state: &yes,
        grant: None,
        approving: Some(Approving {
            script: one.id,
            approval: &old,
        }),
        now_ms: NOON + 1,
    };
    let mut told = Vec::new();
    let settled = store.settle_recorded(&settling, &mut |ask, also| {
        told.push((ask.state.clone(), also.len()));
        Ok(())
    });
    let overtaken = AskState::Overtaken { at_ms: NOON + 1 };
    assert!(
        matches!(settled.unwrap(), Settlement::Overtaken(ask) if ask.state == overtaken),
        "{told:?}"
    );
    assert_eq!(told, [(overtaken.clone(), 0)]);
    assert_eq!(store.ask("ask-1").unwrap().unwrap().state, overtaken);
    let found = store.script(one.id).unwrap().unwrap();
    assert_eq!(found.approval, Some(newer));
}

pub(in crate::store) fn what_is_asked_about_a_script_ends_with_it(place: &dyn Place) {
    let store = place.open();
    let mut one = kept(&*store, "a", "one");
    let other = kept(&*store, "b", "one");
    asked(&*store, "ask-other", &other);
    let state = |id: &str| store.ask(id).unwrap().unwrap().state;
    let mut told = Vec::new();
    let mut change = |script: &Script| {
        let saving = SavingScript {
            script,
            is_new: false,
            lost: None,
            version: None,
            keep: None,
            now_ms: NOON,
        };
        let record = &mut |settled: &[Ask]| {
            told.extend(settled.iter().map(|ask| ask.id.clone()));
            Ok(())
        };
        let saved = store.save_script_recorded(&saving, record).unwrap();
        assert_eq!(saved, SavedScript::Done);
        store.script(script.id).unwrap().unwrap()
    };
    let overtaken = AskState::Overtaken { at_ms: NOON };
    asked(&*store, "ask-edited", &one);
    one.description = "other words".to_owned();
    one = change(&one);
    assert_eq!(state("ask-edited"), AskState::Pending);
    one.content_hash = content_hash(b"two");
    one = change(&one);
    assert_eq!(state("ask-edited"), overtaken);
    asked(&*store, "ask-approved", &one);
    one.approval = Some(approval(&one));
    one = change(&one);
    assert!(matches!(state("ask-approved"), AskState::Allowed { .. }));
    one.approval = None;
    one = change(&one);
    asked(&*store, "ask-deleted", &one);
    one.deleted_at_ms = Some(NOON);
    change(&one);
    assert_eq!(state("ask-deleted"), overtaken);
    assert_eq!(state("ask-other"), AskState::Pending);
    assert_eq!(told, ["ask-edited", "ask-approved", "ask-deleted"]);
}
