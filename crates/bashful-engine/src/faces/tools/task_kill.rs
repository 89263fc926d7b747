//! `task_kill`: ends a task.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::task_output::head;
use super::{CallContext, Calling, Effects, Tool, ToolAnswer, ToolRegistry, schema, words};
use crate::tasks::{Kill, Killed};

pub(super) const TOOL: Tool = Tool {
    name: "task_kill",
    aliases: &["task.kill", "KillShell"],
    title: "End a task",
    description: "Ends a command with all its processes: politely, and two seconds later by force.",
    effects: Effects::Ends,
    input,
    output,
    call,
};

fn input() -> Value {
    schema::object(
        &["task_id"],
        &json!({
            "task_id": schema::task_id(),
            "force": schema::flag("End it at once."),
        }),
    )
}

fn output() -> Value {
    schema::answer(
        &["v", "task_id", "state", "outcome"],
        &json!({
            "v": schema::count("The version of this shape."),
            "task_id": schema::text("The task."),
            "state": schema::text("How it stands now."),
            "status": schema::text("How it ended."),
            "reason": schema::text("Why it ended, unless it did by itself."),
            "exit_code": schema::count("Its exit code, if it ended by itself."),
            "outcome": schema::text("ended, already_ended or still_running."),
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let id = arguments.text("task_id")?;
        let kill = if arguments.flag("force")? {
            Kill::Now
        } else {
            Kill::Politely
        };
        let task = registry.engine.task_among(&id, &registry.tasks())?;
        let (outcome, told) = match task.kill_async(kill).await? {
            Killed::Ended(_) => ("ended", "it was ended"),
            Killed::AlreadyEnded(_) => ("already_ended", "it had already ended"),
            Killed::StillRunning(_) => ("still_running", "it was told to end and still runs"),
        };
        let summary = task.summary()?;
        let mut json = head(&summary);
        json["outcome"] = json!(outcome);
        Ok(ToolAnswer {
            text: format!("{told}\n{}", words::standing(&summary)),
            json,
            is_error: outcome == "still_running",
            ask: None,
            task: None,
        })
    })
}
