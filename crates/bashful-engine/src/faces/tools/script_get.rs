//! `script_get`: one script with its text.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::scripts::{described, line, named, which};
use super::{CallContext, Calling, Effects, Tool, ToolAnswer, ToolRegistry, schema};

pub(super) const TOOL: Tool = Tool {
    name: "script_get",
    aliases: &[
        "script.get",
        "bash.get_script",
        "bash_get_script",
        "get_script",
    ],
    title: "Read a managed script",
    description: "Returns a kept script: its text, what it declares, whether a person approved it \
        as it is, how it last ran.",
    effects: Effects::Reads,
    input,
    output,
    call,
};

/// A longer text is cut for a model; the object has it whole.
const MOST_TEXT: usize = 30_000;

fn input() -> Value {
    let mut properties = json!({});
    named(&mut properties);
    schema::object(&[], &properties)
}

fn output() -> Value {
    schema::answer(
        &["v", "script"],
        &json!({
            "v": schema::count("The version of this shape."),
            "script": {
                "type": "object",
                "description": "id, name, description, created_at, created_by, content_hash, \
                    capabilities, variables, automation_ids, approved, runs, last_run, content.",
            },
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let which = which(&mut arguments)?;
        let view = registry.engine.scripts().show(&which)?;
        let content = view.content.as_deref().unwrap_or_default();
        let mut shown: String = content.chars().take(MOST_TEXT).collect();
        if shown.len() < content.len() {
            shown.push_str("\n… (the rest is left out)");
        }
        let declared = serde_json::to_string(&view.script.capabilities)?;
        Ok(ToolAnswer {
            text: format!(
                "{}\ncapabilities: {declared}\n--- content ---\n{shown}",
                line(&view)
            ),
            json: json!({ "v": 1, "script": described(&view) }),
            is_error: false,
            ask: None,
            task: None,
        })
    })
}
