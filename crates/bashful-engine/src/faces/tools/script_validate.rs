//! `script_validate`: what can be told about a script before it runs.

use bashful_policy::Capabilities;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::scripts::{capabilities_schema, findings, named, variables_schema, which_of};
use super::{CallContext, Calling, Effects, Tool, ToolAnswer, ToolRegistry, schema};
use crate::scripts::{Draft, WrittenVariables};

pub(super) const TOOL: Tool = Tool {
    name: "script_validate",
    aliases: &[
        "script.validate",
        "bash.validate_script",
        "bash_validate_script",
        "validate_script",
    ],
    title: "Look at a script before it runs",
    description: "Checks a kept script, or a `content` before it is kept: what bash, shellcheck \
        and Bashful find in it, what it seems to run, read, write and reach, and what it should \
        declare. Nothing runs.",
    effects: Effects::Reads,
    input,
    output,
    call,
};

fn input() -> Value {
    let mut properties = json!({
        "content": schema::text("Bash text instead."),
        "capabilities": capabilities_schema("With content: as in script_create."),
        "variables": variables_schema("With content: as in script_create."),
    });
    named(&mut properties);
    schema::object(&[], &properties)
}

fn output() -> Value {
    schema::answer(
        &["v", "valid", "findings"],
        &json!({
            "v": schema::count("The version of this shape."),
            "valid": schema::flag("Whether no finding is an error."),
            "content_hash": schema::text("SHA-256 of the text."),
            "findings": {
                "type": "array",
                "items": { "type": "object" },
                "description": "line, column, severity, source, code, message.",
            },
            "needs": {
                "type": "object",
                "description": "commands, reads, writes, network, classes, dynamic.",
            },
            "declared": { "type": "object", "description": "What it declares." },
            "inferred": { "type": "object", "description": "Capabilities that it seems to need." },
            "templates": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The templates in it, which need values.",
            },
            "shellcheck": schema::flag("Whether shellcheck was there to look at it."),
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let scripts = registry.engine.scripts();
        let validation = if let Some(content) = arguments.optional_text("content")? {
            for name in ["script_id", "script_name"] {
                if arguments.optional_text(name)?.is_some() {
                    return Err(arguments.pair("content", "does not go with", name).into());
                }
            }
            let capabilities = arguments.read_as("capabilities", "capabilities")?;
            let capabilities: Capabilities = capabilities.unwrap_or_default();
            let variables = arguments.read_as("variables", "a list of variables")?;
            let WrittenVariables(variables) = variables.unwrap_or_default();
            scripts.validate_draft(Draft {
                content: content.as_bytes(),
                capabilities: &capabilities,
                variables: &variables,
            })?
        } else {
            let names = "`content`, `script_id` and `script_name`";
            let which = which_of(&mut arguments, names)?;
            scripts.validate(&which)?
        };
        let verdict = if validation.valid {
            "valid"
        } else {
            "not valid"
        };
        let mut lines = vec![verdict.to_owned()];
        lines.extend(findings(&validation.findings));
        let inferred = serde_json::to_string(&validation.inferred)?;
        lines.push(format!("it seems to need: {inferred}"));
        if !validation.templates.is_empty() {
            lines.push(format!("templates: {}", validation.templates.join(", ")));
        }
        Ok(ToolAnswer {
            json: serde_json::to_value(&validation)?,
            text: lines.join("\n"),
            is_error: false,
            ask: None,
            task: None,
        })
    })
}
