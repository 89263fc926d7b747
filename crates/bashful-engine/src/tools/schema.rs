//! Parts of JSON schemas that several tools share.

use serde_json::{Value, json};

/// An object with these properties and no others.
pub(super) fn object(required: &[&str], properties: &Value) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// What a tool answers: an object with at least these properties. More may come later.
pub(super) fn answer(required: &[&str], properties: &Value) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
    })
}

/// A text.
pub(super) fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

/// A whole number.
pub(super) fn number(about: &str, (least, most): (u64, u64)) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most, "description": about })
}

/// A whole number without bounds.
pub(super) fn count(about: &str) -> Value {
    json!({ "type": "integer", "description": about })
}

/// True or false.
pub(super) fn flag(about: &str) -> Value {
    json!({ "type": "boolean", "description": about })
}

/// Variables for a command.
pub(super) fn variables() -> Value {
    json!({
        "type": "object",
        "additionalProperties": { "type": "string" },
        "description": "Variables for it.",
    })
}

/// The id of a task.
pub(super) fn task_id() -> Value {
    text("The task's id, such as bash-01jx…; the beginning will do while it is unique.")
}
