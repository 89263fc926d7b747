//! `task_wait`: waits for the end of a task.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::task_output::{head, told};
use super::task_screen::question_schema;
use super::{
    CallContext, Calling, Effects, Tool, ToolAnswer, ToolError, ToolRegistry, bash_run, schema,
    words,
};
use crate::tasks::Task;

pub(super) const TOOL: Tool = Tool {
    name: "task_wait",
    aliases: &["task.wait"],
    title: "Wait for a task",
    description: "Waits for the end of a background command and returns its result as bash_run \
        would; or says that it still runs, at once if it waits for input.",
    effects: Effects::Reads,
    input,
    output,
    call,
};

/// The longest wait, and how long unless told, in milliseconds.
const MOST: u64 = 600_000;
const USUAL: u64 = 45_000;

fn input() -> Value {
    schema::object(
        &["task_id"],
        &json!({
            "task_id": schema::task_id(),
            "timeout": schema::number("Milliseconds to wait at most [default: 45000].", MOST),
        }),
    )
}

fn output() -> Value {
    schema::answer(
        &["v", "task_id"],
        &json!({
            "v": schema::count("The version of this shape."),
            "task_id": schema::text("The task."),
            "state": schema::text("`running` or `needs_input` if it still runs."),
            "needs_input": question_schema(),
            "status": schema::text("How it ended; the other fields are those of bash_run."),
            "exit_code": schema::count("Its exit code."),
            "stdout": schema::text("What it printed, cut in the middle if it is long."),
            "stderr": schema::text("The same for standard error."),
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, context: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let id = arguments.text("task_id")?;
        let wait = arguments.number("timeout", 0..=MOST)?.unwrap_or(USUAL);
        let task = registry.engine.task_among(&id, &registry.tasks())?;
        let until = Instant::now() + Duration::from_millis(wait);
        let waiting = task.wait_unless_asked_async(until);
        super::running::unless(waiting, context.let_go)
            .await
            .transpose()?;
        if let Some(answer) = registry.result_of(&task, context.most_output)? {
            return Ok(answer);
        }
        let summary = task.summary()?;
        let mut text = words::standing(&summary);
        match words::question(&summary) {
            none if none.is_empty() => text.push_str("\nnext: task_wait again, or task_output"),
            question => text.push_str(&question),
        }
        Ok(told(head(&summary), text))
    })
}

impl ToolRegistry {
    /// What `bash_run` would have answered about a task that has ended; none while it runs.
    pub fn answer_about(&self, task: &Task) -> Result<Option<ToolAnswer>, ToolError> {
        self.result_of(task, None)
    }

    pub(super) fn result_of(
        &self,
        task: &Task,
        most: Option<usize>,
    ) -> Result<Option<ToolAnswer>, ToolError> {
        let limit = bash_run::output_limit(self, most);
        let result = task.result(limit)?;
        result.as_ref().map(bash_run::ended).transpose()
    }
}
