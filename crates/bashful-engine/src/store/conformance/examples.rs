//! Asks and grants to try stores with.

use std::path::PathBuf;

use super::{AskLimits, OpenedAsk, Settlement, Store};
use crate::model::answered_by::{AnsweredBy, Channel};
use crate::model::ask::AskGround;
use crate::model::ask::{Ask, AskState, Cause, Reachable};
use crate::model::error::record::AuditError;
use crate::model::grant::{Grant, Opening, Scope, Subject};

/// When the examples are made.
pub(crate) const NOON: u64 = 1_800_000_000_000;

/// When example asks expire.
pub(crate) const EVENING: u64 = NOON + 6 * 60 * 60 * 1000;

/// More than any law needs.
pub(crate) const PLENTY: AskLimits = AskLimits {
    pending: 1_000_000,
    recent: 1_000_000,
    window_ms: 60_000,
};

pub(crate) fn ask(id: &str) -> Ask {
    Ask {
        directories: None,
        id: id.to_owned(),
        created_at_ms: NOON,
        expires_at_ms: EVENING,
        agent: "claude".to_owned(),
        session: "terminal-1".to_owned(),
        project: PathBuf::from("/home/ada/engine"),
        workspace: PathBuf::from("/home/ada/engine"),
        cwd: PathBuf::from("/home/ada/engine/src"),
        command: "git push origin \u{202e}main\n".to_owned(),
        description: Some("publish".to_owned()),
        variables: Vec::new(),
        reads_input: false,
        input: None,
        memory: None,
        asking: Vec::new(),
        script: None,
        digest: format!("digest of {id}"),
        ground: AskGround {
            rule: "git-push".to_owned(),
            layer: "user".to_owned(),
            reason: "publishes commits".to_owned(),
            span: Some((0, 8)),
            fact: None,
            capability: None,
        },
        cause: Cause::Policy,
        shapes: vec![shape(&["git", "push", "origin", "…"])],
        opens: Opening::default(),
        reach: Reachable::default(),
        policy: "policy 1".to_owned(),
        rights: "rights 1".to_owned(),
        count: 1,
        state: AskState::Pending,
        heard: false,
    }
}

pub(crate) fn shape(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// A grant as a yes to an example ask would leave it.
pub(crate) fn grant(id: &str, scope: Scope) -> Grant {
    let ask = ask("ask");
    Grant {
        id: id.to_owned(),
        scope,
        subject: Subject::Shapes(ask.shapes),
        opens: Opening::default(),
        agent: ask.agent,
        session: matches!(scope, Scope::Call | Scope::Session).then_some(ask.session),
        project: (scope != Scope::User).then_some(ask.project),
        directory: None,
        policy: Some(ask.policy),
        rights: Some(ask.rights),
        created_at_ms: NOON,
        expires_at_ms: Some(EVENING),
        by: a_person(),
        ask: None,
        claimed_by: None,
        revoked_at_ms: None,
    }
}

pub(crate) fn a_person() -> AnsweredBy {
    AnsweredBy {
        channel: Channel::Terminal,
        uid: 1000,
        pid: 4711,
        terminal: Some("/dev/pts/1".to_owned()),
        ancestry: Vec::new(),
        client: None,
    }
}

pub(crate) fn allowed(grant: &Grant) -> AskState {
    AskState::Allowed {
        grant: grant.id.clone(),
        scope: grant.scope,
        at_ms: NOON + 1,
        by: a_person(),
    }
}

pub(crate) fn denied() -> AskState {
    AskState::Denied {
        message: Some("not on a Friday".to_owned()),
        at_ms: NOON + 1,
        by: a_person(),
    }
}

/// Puts an ask that must be new.
pub(crate) fn put(store: &dyn Store, ask: &Ask) {
    let opened = store.open_ask(ask, PLENTY).unwrap();
    assert_eq!(opened, OpenedAsk::New(ask.clone()));
}

/// Says yes to an ask a moment after noon.
pub(crate) fn allow(store: &dyn Store, id: &str, grant: &Grant) -> Settlement {
    store
        .settle(id, &allowed(grant), Some(grant), NOON + 1)
        .unwrap()
}

/// What a trail says that takes no more records.
pub(crate) fn unrecorded() -> Result<(), AuditError> {
    Err(AuditError::Damaged {
        path: PathBuf::from("/trail"),
        at: 7,
        detail: "gone".to_owned(),
    })
}
