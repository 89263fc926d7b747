//! `script_create`: keeps a new script, which no person has approved.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::scripts::{capabilities_schema, described, findings, line, variables_schema};
use super::{CallContext, Calling, Effects, Tool, ToolAnswer, ToolRegistry, schema};
use crate::model::error::script::ScriptError;
use crate::model::script::CreatedBy;
use crate::request::script::advice::approve_command;
use crate::scripts::{NewScript, WrittenVariables};

pub(super) const TOOL: Tool = Tool {
    name: "script_create",
    aliases: &[
        "script.create",
        "bash.create_script",
        "bash_create_script",
        "create_script",
    ],
    title: "Keep a new script",
    description: "Keeps a bash script to be run again and again, sandboxed to the capabilities \
        that it declares: all it needs and nothing more. ${a.b} in its text is a template, whose \
        value is given when it runs and is only ever data. A person has to approve it before its \
        first run; you cannot.",
    effects: Effects::Keeps,
    input,
    output,
    call,
};

fn input() -> Value {
    schema::object(
        &["name", "content"],
        &json!({
            "name": schema::text("Its name, which no other script may have."),
            "description": schema::text("What it is for; people read it."),
            "content": schema::text("The bash text."),
            "capabilities": capabilities_schema(
                "What it may do: {paths_read: [], paths_write: [], paths_deny: [], network: \
                 false, commands: [], classes: []} [default: nothing more].",
            ),
            "variables": variables_schema(
                "{name, type: string, number, integer, boolean, list or path, default, \
                 description}. One without a dot is set before the script; ${a.b} in the text \
                 needs no declaration.",
            ),
        }),
    )
}

fn output() -> Value {
    schema::answer(
        &["v", "script"],
        &json!({
            "v": schema::count("The version of this shape."),
            "script": { "type": "object", "description": "The script, as in script_get." },
            "findings": {
                "type": "array",
                "items": { "type": "object" },
                "description": "What was found in it: line, severity, code, message.",
            },
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let name = arguments.text("name")?;
        let variables = arguments.read_as("variables", "a list of variables")?;
        let WrittenVariables(variables) = variables.unwrap_or_default();
        let new = NewScript {
            name: name.parse().map_err(ScriptError::from)?,
            description: arguments.optional_text("description")?.unwrap_or_default(),
            content: arguments.text("content")?.into_bytes(),
            capabilities: arguments
                .read_as("capabilities", "capabilities")?
                .unwrap_or_default(),
            variables,
            created_by: CreatedBy::Llm,
        };
        let scripts = registry.engine.scripts();
        let mut made = scripts.create(new)?;
        let found = scripts.validate(&made.script.id.to_string())?.findings;
        // The model that wrote it knows its text.
        made.content = None;
        let mut lines = vec![format!("kept {}", line(&made))];
        lines.extend(findings(&found));
        lines.push(format!(
            "next: script_run asks a person for approval the first time; or they type `{}` in a \
             terminal",
            approve_command(&made.script)
        ));
        Ok(ToolAnswer {
            json: json!({ "v": 1, "script": described(&made), "findings": found }),
            text: lines.join("\n"),
            is_error: false,
            ask: None,
            task: None,
        })
    })
}
