//! Laws of a yes that answers more than one ask.

use std::path::PathBuf;

use super::{
    EVENING, NOON, Place, Settlement, Store, allow, allowed, ask, denied, grant, put, shape,
};
use crate::model::ask::{Ask, AskState};
use crate::model::grant::{Grant, Scope, Subject};
use crate::store::{AskFilter, GrantFilter};

/// Puts `ask-0` and others, says yes to it, and returns the ids of those settled with it.
fn settled_with(store: &dyn Store, grant: &Grant, others: &[Ask]) -> Vec<String> {
    put(store, &ask("ask-0"));
    for other in others {
        put(store, other);
    }
    let Settlement::Done { ask: first, also } = allow(store, "ask-0", grant) else {
        panic!("the first answer does not count");
    };
    assert_eq!(first.state, allowed(grant));
    for other in &also {
        assert_eq!(other.state, allowed(grant));
        assert_eq!(store.ask(&other.id).unwrap().as_ref(), Some(other));
    }
    let ids: Vec<String> = also.into_iter().map(|ask| ask.id).collect();
    for other in others.iter().filter(|other| !ids.contains(&other.id)) {
        assert_eq!(store.ask(&other.id).unwrap().as_ref(), Some(other));
    }
    ids
}

pub(in crate::store) fn a_lasting_yes_settles_equal_asks(place: &dyn Place) {
    let store = place.open();
    let grant = grant("grant-1", Scope::User);
    let equal = [ask("ask-1"), ask("ask-2")];
    assert_eq!(settled_with(&*store, &grant, &equal), ["ask-1", "ask-2"]);
    assert_eq!(store.grants(&GrantFilter::default()).unwrap(), [grant]);
}

pub(in crate::store) fn a_yes_without_shapes_settles_no_other_text(place: &dyn Place) {
    let store = place.open();
    let mut grant = grant("grant-1", Scope::User);
    grant.subject = Subject::Command {
        digest: ask("ask-0").digest,
        text: "…".to_owned(),
    };
    let other_text = ask("ask-1");
    let mut other_directory = ask("ask-2");
    other_directory.digest = ask("ask-0").digest;
    other_directory.cwd = PathBuf::from("/");
    let ids = settled_with(&*store, &grant, &[other_text, other_directory]);
    assert_eq!(ids, Vec::<String>::new());
}

pub(in crate::store) fn a_yes_for_one_call_settles_one_ask(place: &dyn Place) {
    let store = place.open();
    let grant = grant("grant-1", Scope::Call);
    let ids = settled_with(&*store, &grant, &[ask("ask-1")]);
    assert_eq!(ids, Vec::<String>::new());
}

pub(in crate::store) fn a_lasting_yes_leaves_others_alone(place: &dyn Place) {
    let store = place.open();
    let changes: [fn(&mut Ask); 8] = [
        |ask| ask.agent = "codex".to_owned(),
        |ask| ask.policy = "policy 2".to_owned(),
        |ask| ask.rights = "rights 2".to_owned(),
        |ask| ask.shapes = vec![shape(&["git", "push", "…"])],
        |ask| ask.shapes.push(shape(&["npm", "publish"])),
        |ask| ask.shapes.clear(),
        |ask| ask.opens.network = Some("on".to_owned()),
        |ask| ask.expires_at_ms = NOON + 1,
    ];
    let mut others = Vec::new();
    for (number, change) in changes.iter().enumerate() {
        let mut other = ask(&format!("ask-{}", number + 1));
        change(&mut other);
        others.push(other);
    }
    let ids = settled_with(&*store, &grant("grant-1", Scope::User), &others);
    assert_eq!(ids, Vec::<String>::new());
}

pub(in crate::store) fn a_session_and_a_project_are_the_border(place: &dyn Place) {
    let store = place.open();
    for (scope, named, expected) in [
        (Scope::Session, true, ["same"].as_slice()),
        (Scope::Project, true, &["same", "session"]),
        (Scope::User, true, &["same", "session", "project"]),
        // What the grant does not name is where the ask came from.
        (Scope::Session, false, &["same"]),
        (Scope::Project, false, &["same", "session"]),
    ] {
        let same = ask("same");
        let mut session = ask("session");
        session.session = "terminal-2".to_owned();
        let mut project = session.clone();
        project.id = "project".to_owned();
        project.digest = "project".to_owned();
        project.project = PathBuf::from("/home/ada/other");
        let mut others = [same, session, project];
        for (number, other) in others.iter_mut().enumerate() {
            other.created_at_ms += number as u64;
        }
        let mut grant = grant(&format!("{scope} {named}"), scope);
        if !named {
            (grant.session, grant.project) = (None, None);
        }
        assert_eq!(settled_with(&*store, &grant, &others), expected, "{scope}");
        // The next round begins empty.
        store.expire_asks(EVENING).unwrap();
        store.clean(EVENING, NOON).unwrap();
        assert_eq!(store.asks(&AskFilter::default()).unwrap(), []);
    }
}

pub(in crate::store) fn a_no_settles_one_ask(place: &dyn Place) {
    let store = place.open();
    put(&*store, &ask("ask-0"));
    put(&*store, &ask("ask-1"));
    store.settle("ask-0", &denied(), None, NOON).unwrap();
    let other = store.ask("ask-1").unwrap().unwrap();
    assert_eq!(other.state, AskState::Pending);
}
