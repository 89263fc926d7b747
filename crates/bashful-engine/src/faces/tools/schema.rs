//! Parts of JSON schemas that several tools share.

use serde_json::{Value, json};

/// An object with these properties and no others.
pub(super) fn object(required: &[&str], properties: &Value) -> Value {
    let mut schema = answer(required, properties);
    schema["additionalProperties"] = json!(false);
    schema
}

/// What a tool answers: an object with at least these properties. More may come later.
pub(super) fn answer(required: &[&str], properties: &Value) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// A text, with what a model is told about it.
pub(super) fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

/// A whole number up to a bound; the lower one goes without saying.
pub(super) fn number(about: &str, most: u64) -> Value {
    json!({ "type": "integer", "maximum": most, "description": about })
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
        "description": "Variables.",
    })
}

/// The id of a task.
pub(super) fn task_id() -> Value {
    text("Its id, a unique beginning of that, or its name.")
}

/// Where a command starts.
pub(super) fn cwd() -> Value {
    text("A directory inside the workspace [default: the workspace].")
}
