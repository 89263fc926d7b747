//! `task_screen`: what a person would see on a task's terminal.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::task_output::{head, told};
use super::{CallContext, Calling, Effects, Tool, ToolRegistry, schema, words};
use crate::tasks::{Screen, Task, TaskError, TaskSummary};

pub(super) const TOOL: Tool = Tool {
    name: "task_screen",
    aliases: &["task.screen"],
    title: "Look at a task's terminal",
    description: "Shows the screen of a command started with `tty` as text, with the cursor's \
        place: for programs that draw on it, better than task_output.",
    effects: Effects::Reads,
    input,
    output,
    call,
};

fn input() -> Value {
    schema::object(&["task_id"], &json!({ "task_id": schema::task_id() }))
}

fn output() -> Value {
    schema::answer(
        &["v", "task_id", "state", "screen"],
        &json!({
            "v": schema::count("The version of this shape."),
            "task_id": schema::text("The task."),
            "state": schema::text("How it stands: running, needs_input, finished or lost."),
            "status": schema::text("How it ended."),
            "reason": schema::text("Why it ended, unless it did by itself."),
            "exit_code": schema::count("Its exit code, if it ended by itself."),
            "needs_input": question_schema(),
            "screen": screen_schema(),
        }),
    )
}

pub(super) fn screen_schema() -> Value {
    json!({
        "type": "object",
        "description": "rows, columns, lines from the top, cursor (row and column, from 0), title.",
    })
}

pub(super) fn question_schema() -> Value {
    json!({
        "type": "object",
        "description": "What it waits for: the line that asks, and `hidden` for a password.",
    })
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let id = arguments.text("task_id")?;
        let task = registry.engine.task_among(&id, &registry.tasks())?;
        let (json, text) = picture(&task).await?;
        Ok(told(json, text))
    })
}

/// A task with a terminal, as JSON and in words.
pub(super) async fn picture(task: &Task) -> Result<(Value, String), TaskError> {
    let summary = task.summary()?;
    let screen = task.screen_async().await?;
    let mut json = head(&summary);
    json["screen"] = json!(screen);
    let text = in_words(&summary, &screen);
    Ok((json, text))
}

fn in_words(summary: &TaskSummary, screen: &Screen) -> String {
    let mut text = words::standing(summary) + &words::question(summary);
    let size = format!("\nscreen, {} by {}", screen.columns, screen.rows);
    text.push_str(&size);
    if let Some(cursor) = screen.cursor {
        let at = format!(
            ", cursor in line {} at {}",
            cursor.row + 1,
            cursor.column + 1
        );
        text.push_str(&at);
    }
    if screen.partial {
        text.push_str(", from the end of a long log");
    }
    text.push_str(":\n");
    text.push_str(&screen.text());
    text
}
