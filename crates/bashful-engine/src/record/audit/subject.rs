//! Whom and what a record is about.

use serde_json::Value;

use super::event::Event;
use super::reader::Record;

impl Event {
    /// The task that it is about.
    pub fn task(&self) -> Option<&str> {
        match self {
            Self::Request(event) => Some(&event.task),
            Self::Decision(event) => Some(&event.task),
            Self::Ask(event) => Some(&event.task),
            Self::Start(event) => Some(&event.task),
            Self::Input(event) => Some(&event.task),
            Self::End(event) => Some(&event.task),
            Self::Refusal(event) => Some(&event.task),
            Self::Script(event) => event.task.as_deref(),
            Self::Policy(_) | Self::Answer(_) | Self::Grant(_) | Self::Mended(_) => None,
        }
    }

    /// The agent that it is about. A decision does not say; the request before it does.
    pub fn agent(&self) -> Option<&str> {
        match self {
            Self::Policy(event) => Some(&event.agent),
            Self::Request(event) => Some(&event.agent),
            Self::Ask(event) => Some(&event.ask.agent),
            Self::Answer(event) => Some(&event.agent),
            Self::Grant(event) => Some(&event.grant.agent),
            Self::Start(event) => Some(&event.agent),
            Self::Input(event) => Some(&event.agent),
            Self::End(event) => Some(&event.agent),
            Self::Refusal(event) => Some(&event.agent),
            Self::Script(event) => Some(&event.agent),
            Self::Decision(_) | Self::Mended(_) => None,
        }
    }

    /// The session that it is about.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Request(event) => Some(&event.session),
            Self::Ask(event) => Some(&event.ask.session),
            Self::Grant(event) => event.grant.session.as_deref(),
            Self::Start(event) => Some(&event.session),
            Self::Input(event) => Some(&event.session),
            Self::End(event) => Some(&event.session),
            Self::Refusal(event) => Some(&event.session),
            Self::Script(event) => Some(&event.session),
            Self::Policy(_) | Self::Decision(_) | Self::Answer(_) | Self::Mended(_) => None,
        }
    }
}

impl Record {
    /// Whether it names this id anywhere: a task, an ask or a grant.
    pub fn mentions(&self, id: &str) -> bool {
        // Most lines do not, and need not be read.
        self.line.contains(id) && mentions(&self.json(), id)
    }
}

/// Whether a text in there is this one. Only whole texts count: a command that happens to hold an
/// id is not about it.
fn mentions(value: &Value, id: &str) -> bool {
    match value {
        Value::String(text) => text == id,
        Value::Array(items) => items.iter().any(|item| mentions(item, id)),
        Value::Object(fields) => fields.values().any(|field| mentions(field, id)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
