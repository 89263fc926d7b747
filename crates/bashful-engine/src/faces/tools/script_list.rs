//! `script_list`: which scripts there are.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::scripts::{described, line};
use super::{CallContext, Calling, Effects, Tool, ToolAnswer, ToolRegistry, schema};

pub(super) const TOOL: Tool = Tool {
    name: "script_list",
    aliases: &[
        "script.list",
        "bash.list_scripts",
        "bash_list_scripts",
        "list_scripts",
    ],
    title: "List managed scripts",
    description: "Lists the kept scripts: name, id, what each is for, whether a person approved \
        it. Look here before you write a new one.",
    effects: Effects::Reads,
    input,
    output,
    call,
};

fn input() -> Value {
    schema::object(&[], &json!({}))
}

fn output() -> Value {
    schema::answer(
        &["v", "scripts"],
        &json!({
            "v": schema::count("The version of this shape."),
            "scripts": {
                "type": "array",
                "items": { "type": "object" },
                "description": "The scripts, as in script_get but without their texts.",
            },
        }),
    )
}

fn call(registry: &ToolRegistry, _: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let list = registry.engine.scripts().list()?;
        let scripts: Vec<Value> = list.scripts.iter().map(described).collect();
        let lines: Vec<String> = list.scripts.iter().map(line).collect();
        let text = if lines.is_empty() {
            "there are no scripts".to_owned()
        } else {
            lines.join("\n")
        };
        Ok(ToolAnswer {
            json: json!({ "v": 1, "scripts": scripts }),
            text,
            is_error: false,
            ask: None,
            task: None,
        })
    })
}
