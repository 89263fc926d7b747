//! What a decision becomes when asking changed it.

use bashful_policy::{Decision, Effect, Layer};

use crate::model::error::ask::ApprovalError;
use crate::model::transfer::ServerKey;

/// The reason of a decision that could lean on no grant.
pub(crate) fn without_grants(reason: &str, error: &ApprovalError) -> String {
    tracing::warn!(%error, "what was granted cannot be read");
    format!("{reason}; what was granted before cannot be read: {error}")
}

/// The decision of a person who said no.
pub(super) fn denied(asked: &Decision, message: Option<&str>) -> Decision {
    let reason = match message {
        Some(message) => format!("was denied: {message}"),
        None => "was denied".to_owned(),
    };
    Decision {
        effect: Effect::Deny,
        layer: Layer::Call,
        reason,
        capability: None,
        remember: None,
        suggestion: Some("do something else, or ask the person what they would accept".to_owned()),
        ..asked.clone()
    }
}

/// No answer came in time.
pub(super) fn expired(asked: &Decision) -> Decision {
    Decision {
        reason: format!("{}, and no answer came in time", asked.reason),
        suggestion: Some("try again when a person is there to answer".to_owned()),
        ..asked.clone()
    }
}

/// No person is asked for what the admin does not give.
pub(super) fn beyond_admin(asked: &Decision) -> Decision {
    Decision {
        effect: Effect::Deny,
        layer: Layer::Admin,
        reason: format!(
            "{}, and the admin file does not allow what it needs",
            asked.reason
        ),
        remember: None,
        ..asked.clone()
    }
}

/// An agent with this many open asks gets no further one.
pub(super) fn too_many(asked: &Decision, pending: u64) -> Decision {
    Decision {
        rule: "too-many-asks".to_owned(),
        reason: format!(
            "{}, and this agent already has too many asks waiting: {pending}",
            asked.reason
        ),
        suggestion: Some("wait until those are answered (`bashful approvals list`)".to_owned()),
        ..asked.clone()
    }
}

/// A server is to be talked to whose key ssh has never seen.
pub(super) fn unknown_server(key: &ServerKey) -> Decision {
    Decision {
        effect: Effect::Ask,
        rule: "git-server-key".to_owned(),
        layer: Layer::Builtin,
        reason: format!(
            "your ssh does not know the server `{}` yet; it shows the key {}, which should be what \
             its owner publishes",
            key.server, key.fingerprint
        ),
        span: None,
        fact: None,
        capability: None,
        suggestion: Some("connect to it once with your own ssh, or answer the question".to_owned()),
        remember: None,
    }
}
