//! What a result says about an ask.

use serde::Serialize;

use crate::model::ask::{Ask, AskState};
use crate::model::grant::Opening;

/// The ask that a person was put about a request, and how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Approval {
    /// The id of the ask.
    pub id: String,
    /// `pending`, `allowed`, `denied`, `edited` or `expired`.
    pub state: &'static str,
    /// What is asked for.
    pub ask: Vec<Wanted>,
    /// The shapes that a lasting yes would cover; none: this exact command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remember: Vec<String>,
    /// What the person who answered said to the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Until when it can be answered, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
    /// What a person types to say yes, while it can be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_with: Option<String>,
    /// The command as the agent wrote it, if a person changed it before it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_from: Option<String>,
}

/// One thing that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Wanted {
    /// `command`, `script`, `network`, `git`, `server_key`, `paths_read`, `paths_write`,
    /// `resources.…`, or the name of a class.
    pub capability: String,
    /// The path, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Approval {
    /// What is to be told about an ask.
    pub(crate) fn of(ask: &Ask) -> Self {
        let pending = ask.state == AskState::Pending;
        let message = match &ask.state {
            AskState::Denied { message, .. } => message.clone(),
            _ => None,
        };
        Self {
            id: ask.id.clone(),
            state: ask.state.as_str(),
            ask: match ask.script {
                Some(_) => vec![Wanted {
                    capability: "script".to_owned(),
                    path: None,
                }],
                None => wanted(&ask.opens),
            },
            remember: ask.shapes.iter().map(|shape| shape.join(" ")).collect(),
            message,
            expires_at_ms: pending.then_some(ask.expires_at_ms),
            answer_with: pending.then(|| format!("bashful approvals allow {}", ask.id)),
            edited_from: None,
        }
    }
}

fn wanted(opens: &Opening) -> Vec<Wanted> {
    let named = |capability: &str, path: Option<&String>| Wanted {
        capability: capability.to_owned(),
        path: path.cloned(),
    };
    let network = opens.network.iter().map(|_| named("network", None));
    let classes = opens.classes.iter().map(|class| named(class, None));
    let read = opens.paths_read.iter();
    let read = read.map(|path| named("paths_read", Some(path)));
    let write = opens.paths_write.iter();
    let write = write.map(|path| named("paths_write", Some(path)));
    let limits = opens.resources.keys();
    let limits = limits.map(|name| named(&format!("resources.{name}"), None));
    let git = opens.git.iter().map(|_| named("git", None));
    let keys = opens.server_keys.iter().map(|_| named("server_key", None));
    let all = network
        .chain(git)
        .chain(keys)
        .chain(classes)
        .chain(read)
        .chain(write)
        .chain(limits);
    let mut all: Vec<Wanted> = all.collect();
    if all.is_empty() {
        all.push(named("command", None));
    }
    all
}
