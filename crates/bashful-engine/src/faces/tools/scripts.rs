//! What the tools for managed scripts share: naming a script, and telling about one.

use serde_json::{Value, json};

use super::arguments::{Arguments, InvalidArgument};
use super::schema;
use crate::model::script::CreatedBy;
use crate::model::script::finding::{ScriptFinding, Severity};
use crate::scripts::{FileState, ScriptView};

/// The arguments that name a script.
pub(super) const fn script_names() -> &'static str {
    "`script_id` and `script_name`"
}

/// Adds the arguments that name a script.
pub(super) fn named(properties: &mut Value) {
    properties["script_id"] = schema::text("Its id, a UUID.");
    properties["script_name"] = schema::text("Or its name.");
}

/// The script that the arguments name.
pub(super) fn which(arguments: &mut Arguments) -> Result<String, InvalidArgument> {
    which_of(arguments, script_names())
}

/// The same, where these arguments would do.
pub(super) fn which_of(
    arguments: &mut Arguments,
    names: &'static str,
) -> Result<String, InvalidArgument> {
    let id = arguments.optional_text("script_id")?;
    let name = arguments.optional_text("script_name")?;
    match (id, name) {
        (Some(_), Some(_)) => Err(arguments.pair("script_id", "does not go with", "script_name")),
        (Some(id), None) => {
            if id.parse::<crate::model::script::id::ScriptId>().is_err() {
                let wanted = "a UUID; a name is given as `script_name`";
                return Err(arguments.not_this("script_id", wanted, id));
            }
            Ok(id)
        }
        (None, Some(name)) => Ok(name),
        (None, None) => Err(arguments.none_of(names)),
    }
}

/// The schema of capabilities. Only one tool spells them out; the others point there.
pub(super) fn capabilities_schema(about: &str) -> Value {
    json!({ "type": "object", "description": about })
}

/// The schema of the variables that a script declares.
pub(super) fn variables_schema(about: &str) -> Value {
    json!({ "type": "array", "items": { "type": "object" }, "description": about })
}

/// A script for a program: all that a model may know about it.
pub(super) fn described(view: &ScriptView) -> Value {
    let script = &view.script;
    let mut told = json!({
        "id": script.id,
        "name": script.name.as_str(),
        "description": script.description,
        "created_at": script.created_at_ms,
        "created_by": script.created_by,
        "content_hash": script.content_hash,
        "capabilities": script.capabilities,
        "variables": script.variables,
        "automation_ids": script.automation_ids,
        "approved": view.approved,
        "file": view.file,
        "runs": script.runs,
        "last_run": script.last_run,
    });
    // Who said yes, and where they sat, is nothing for a model.
    if let Some(approval) = &script.approval {
        told["approved_at"] = approval.approved_at_ms.into();
        told["approved_hash"] = approval.approved_hash.clone().into();
    }
    if let Some(content) = &view.content {
        told["content"] = content.clone().into();
    }
    told
}

/// The same in one line.
pub(super) fn line(view: &ScriptView) -> String {
    let script = &view.script;
    let state = match &view.file {
        FileState::Missing => "its file is missing",
        FileState::Unfit { .. } | FileState::NotOurs { .. } => "its file cannot be used",
        _ if view.approved => "approved",
        _ => "not approved",
    };
    let by = match script.created_by {
        CreatedBy::Llm => "llm",
        CreatedBy::User => "user",
    };
    let about = match script.description.as_str() {
        "" => String::new(),
        about => format!(": {}", super::words::shortened(about)),
    };
    format!("{} ({}, {state}, by {by}){about}", script.name, script.id)
}

/// What was found in a script, a line each.
pub(super) fn findings(found: &[ScriptFinding]) -> Vec<String> {
    let line = |finding: &ScriptFinding| {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let place = finding.line.map(|line| format!(" in line {line}"));
        format!(
            "{severity}{}: {}",
            place.unwrap_or_default(),
            super::words::shortened(&finding.message)
        )
    };
    found.iter().map(line).collect()
}
