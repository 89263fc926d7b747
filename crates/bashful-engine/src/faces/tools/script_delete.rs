//! `script_delete`: deletes a script that no automation uses.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::scripts::{named, which};
use super::{CallContext, Calling, Effects, Tool, ToolAnswer, ToolRegistry, schema};
use crate::scripts::Deletion;

pub(super) const TOOL: Tool = Tool {
    name: "script_delete",
    aliases: &[
        "script.delete",
        "bash.delete_script",
        "bash_delete_script",
        "delete_script",
    ],
    title: "Delete a managed script",
    description: "Deletes a script that a model made and no automation uses; others only the user \
        deletes. The user can restore it.",
    effects: Effects::Ends,
    input,
    output,
    call,
};

fn input() -> Value {
    let mut properties = json!({});
    named(&mut properties);
    schema::object(&[], &properties)
}

fn output() -> Value {
    schema::answer(
        &["v", "deleted"],
        &json!({
            "v": schema::count("The version of this shape."),
            "deleted": schema::flag("Whether it is deleted."),
            "id": schema::text("Its id."),
            "name": schema::text("Its name."),
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let which = which(&mut arguments)?;
        // Only a person deletes what a person made, looked at, or depends on.
        let script = registry
            .engine
            .scripts()
            .delete(&which, Deletion::ByModel)?;
        let (id, name) = (script.id, script.name.to_string());
        Ok(ToolAnswer {
            text: format!("deleted {name}; `bashful scripts restore {id}` brings it back"),
            json: json!({ "v": 1, "deleted": true, "id": id, "name": name }),
            is_error: false,
            ask: None,
            task: None,
        })
    })
}
