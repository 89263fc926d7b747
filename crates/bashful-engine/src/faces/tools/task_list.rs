//! `task_list`: this agent's commands, running and ended.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::task_output::told;
use super::{CallContext, Calling, Effects, Tool, ToolRegistry, schema, words};
use crate::tasks::WhichTasks;

pub(super) const TOOL: Tool = Tool {
    name: "task_list",
    aliases: &["task.list"],
    title: "List tasks",
    description: "Lists your commands in this workspace with their state, running and ended, the \
        newest first.",
    effects: Effects::Reads,
    input,
    output,
    call,
};

const WHICH: &[&str] = &["running", "finished", "all"];
/// The most tasks at once, and how many unless told.
const MOST: u64 = 200;
const USUAL: u64 = 20;

fn input() -> Value {
    schema::object(
        &[],
        &json!({
            "which": { "enum": WHICH, "description": "Which of them [default: all]." },
            "limit": schema::number("The most to list [default: 20].", MOST),
        }),
    )
}

fn output() -> Value {
    schema::answer(
        &["v", "tasks"],
        &json!({
            "v": schema::count("The version of this shape."),
            "tasks": {
                "type": "array",
                "items": { "type": "object" },
                "description": "task_id, name, state, needs_input, status, exit_code, command, output_file \
                    and more.",
            },
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let which = match arguments.word("which", WHICH)? {
            Some("running") => WhichTasks::Running,
            Some("finished") => WhichTasks::Finished,
            _ => WhichTasks::All,
        };
        let limit = arguments.number("limit", 1..=MOST)?.unwrap_or(USUAL);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let filter = registry.tasks().which(which).limit(limit);
        let mut tasks = registry.engine.list_tasks(&filter)?.tasks;
        tasks.reverse();
        let lines = tasks.iter().map(|task| {
            let standing = words::standing(task);
            let command = words::shortened(&task.command);
            let question = words::question(task).replace('\n', "\n  ");
            format!("{standing}  {command}{question}")
        });
        let mut text = lines.collect::<Vec<_>>().join("\n");
        if text.is_empty() {
            text.push_str("no tasks");
        }
        let json = json!({ "v": 1, "tasks": serde_json::to_value(&tasks)? });
        Ok(told(json, text))
    })
}
