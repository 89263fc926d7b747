//! Settling an ask, and those that the same yes answers.

use std::path::Path;

use rusqlite::Connection;

use super::fault::Fault;
use super::scripts::Approved;
use super::{asks, grants, scripts};
use crate::model::ask::{Ask, AskState};
use crate::model::grant::{Grant, Scope, Subject};
use crate::store::{Settlement, Settling};

pub(super) fn settle(
    connection: &Connection,
    settling: &Settling<'_>,
    directory: &Path,
) -> Result<Settlement, Fault> {
    check(settling)?;
    let Some(mut ask) = asks::one(connection, settling.id)? else {
        return Ok(Settlement::Unknown);
    };
    if ask.state != AskState::Pending {
        return Ok(Settlement::Before(ask));
    }
    if ask.expires_at_ms <= settling.now_ms {
        asks::expire_one(connection, &mut ask)?;
        return Ok(Settlement::Before(ask));
    }
    let mut also = Vec::new();
    if let Some(grant) = settling.grant {
        grants::add(connection, grant, directory)?;
        also = asks::pending_like(connection, &ask)?;
        also.retain(|other| {
            settling.now_ms < other.expires_at_ms
                && grant.holds_at(settling.now_ms)
                && answers(grant, &ask, other)
        });
    }
    if let Some(approving) = &settling.approving {
        if scripts::approve(connection, approving)? == Approved::NotAnyMore {
            ask.state = AskState::Overtaken {
                at_ms: settling.now_ms,
            };
            asks::put(connection, &ask)?;
            return Ok(Settlement::Overtaken(ask));
        }
        also = asks::pending_about(connection, approving.script)?;
        also.retain(|other| {
            other.id != ask.id
                && settling.now_ms < other.expires_at_ms
                && other.digest == ask.digest
                && asks::leads(other) == asks::leads(&ask)
        });
    }
    for settled in std::iter::once(&mut ask).chain(&mut also) {
        settled.state = settling.state.clone();
        asks::put(connection, settled)?;
    }
    Ok(Settlement::Done { ask, also })
}

/// A yes has its grant, and nothing else has one.
fn check(settling: &Settling<'_>) -> Result<(), Fault> {
    let senseless = |detail: &str| Err(Fault::Senseless(detail.to_owned()));
    let yes = matches!(settling.state, AskState::Allowed { .. });
    if settling.approving.is_some() && (!yes || settling.grant.is_some()) {
        return senseless("only a yes without a grant approves a script");
    }
    match (settling.state, settling.grant) {
        (AskState::Pending, _) => senseless("an ask that waits cannot be settled as waiting"),
        (AskState::Allowed { grant: id, .. }, Some(grant)) if *id != grant.id => {
            senseless("the yes names another grant than the one it leaves")
        }
        (AskState::Allowed { .. }, _) | (_, None) => Ok(()),
        _ => senseless("only a yes leaves a grant"),
    }
}

/// Whether the grant that was given for one ask answers another one of the same agent, policy and
/// rights too. In doubt it does not: a person is then asked once more about the run that waits.
fn answers(grant: &Grant, ask: &Ask, other: &Ask) -> bool {
    let about = match &grant.subject {
        Subject::Shapes(shapes) => same_shapes(shapes, &other.shapes),
        Subject::Command { digest, .. } => *digest == other.digest && ask.cwd == other.cwd,
        Subject::Any => other.directories.is_some() && other.directories == ask.directories,
    };
    let within = match grant.scope {
        Scope::Call => false,
        Scope::Session => ask.session == other.session,
        Scope::Project => ask.project == other.project,
        Scope::User => true,
    };
    let fits = |bound: Option<&Path>, its: &Path| bound.is_none_or(|bound| bound == its);
    about
        && within
        && grant.opens == other.opens
        && grant.agent == other.agent
        && fits(grant.project.as_deref(), &other.project)
        && fits(grant.directory.as_deref(), &other.cwd)
        && grant
            .session
            .as_ref()
            .is_none_or(|session| *session == other.session)
        && grant
            .policy
            .as_ref()
            .is_none_or(|policy| *policy == other.policy)
        && grant
            .rights
            .as_ref()
            .is_none_or(|rights| rights == other.directories.as_ref().unwrap_or(&other.rights))
}

/// Whether these are the same shapes, in whatever order.
fn same_shapes(left: &[Vec<String>], right: &[Vec<String>]) -> bool {
    !left.is_empty()
        && left.iter().all(|shape| right.contains(shape))
        && right.iter().all(|shape| left.contains(shape))
}
