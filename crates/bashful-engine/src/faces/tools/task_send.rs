//! `task_send`: types into a task's terminal, or writes to its standard input.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::arguments::{Arguments, InvalidArgument};
use super::task_output::{head, told};
use super::task_screen::{picture, question_schema, screen_schema};
use super::{CallContext, Calling, Effects, Tool, ToolError, ToolRegistry, schema, words};
use crate::record::audit::InputHow;
use crate::tasks::{KEY_NAMES, Key, ReadRequest, Task};

pub(super) const TOOL: Tool = Tool {
    name: "task_send",
    aliases: &["task.send"],
    title: "Type into a task",
    description: "Types into a command started with `tty`: text, then Enter, then keys, then the \
        end of input. Waits a moment and returns the screen. Never make up a password: tell the \
        user, who can type it with `bashful attach`.",
    effects: Effects::Runs,
    input,
    output,
    call,
};

/// The longest that a reaction is waited for, in milliseconds.
const MOST_WAIT: u64 = 60_000;
/// How long it is waited for usually.
const USUAL_WAIT: u64 = 2_000;
/// How long a task must be quiet after it printed before that counts as its reaction.
const QUIET: Duration = Duration::from_millis(300);
/// How much of what it printed is returned where there is no screen, in characters.
const MOST_OUTPUT: usize = 30_000;

fn input() -> Value {
    schema::object(
        &["task_id"],
        &json!({
            "task_id": schema::task_id(),
            "text": schema::text("What to type."),
            "enter": schema::flag("Press Enter after it."),
            "keys": {
                "type": "array",
                "items": { "type": "string" },
                "description": format!("Keys after that: {KEY_NAMES}."),
            },
            "eof": schema::flag("End the input, as Ctrl-D does."),
            "wait_ms": schema::number(
                "The longest wait for a reaction [default: 2000].",
                MOST_WAIT,
            ),
        }),
    )
}

fn output() -> Value {
    schema::answer(
        &["v", "task_id", "state", "sent_bytes"],
        &json!({
            "v": schema::count("The version of this shape."),
            "task_id": schema::text("The task."),
            "state": schema::text("How it stands: running, needs_input, finished or lost."),
            "status": schema::text("How it ended."),
            "reason": schema::text("Why it ended, unless it did by itself."),
            "exit_code": schema::count("Its exit code, if it ended by itself."),
            "sent_bytes": schema::count("How much was sent."),
            "needs_input": question_schema(),
            "screen": screen_schema(),
            "output": schema::text("What it printed since, where it has no terminal."),
        }),
    )
}

fn call(registry: &ToolRegistry, mut arguments: Arguments, _: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let id = arguments.text("task_id")?;
        let text = arguments.optional_text("text")?.unwrap_or_default();
        let enter = arguments.flag("enter")?;
        let keys = keys(&mut arguments)?;
        let eof = arguments.flag("eof")?;
        let wait = arguments.number("wait_ms", 0..=MOST_WAIT)?;
        let wait = Duration::from_millis(wait.unwrap_or(USUAL_WAIT));
        let task = registry.engine.task_among(&id, &registry.tasks())?;
        let task = task.typed_by(InputHow::Tool);
        let mut bytes = text.into_bytes();
        if enter {
            // A terminal makes a new line of what the key sends; a pipe does not.
            bytes.push(if task.has_terminal() { b'\r' } else { b'\n' });
        }
        bytes.extend(keys.iter().flat_map(Key::bytes));
        let sent = bytes.len();
        if sent == 0 && !eof {
            return Err(arguments.none_of("`text`, `enter`, `keys` or `eof`").into());
        }
        let before = task.summary()?.log_bytes;
        if sent > 0 {
            task.send_async(bytes).await?;
        }
        if eof {
            task.send_end_async().await?;
        }
        let printed = reaction(&task, before, Instant::now() + wait).await?;
        let (mut json, text) = if task.has_terminal() {
            picture(&task).await?
        } else {
            let summary = task.summary()?;
            let mut json = head(&summary);
            let text = words::standing(&summary) + &words::question(&summary);
            json["output"] = json!(printed);
            (json, format!("{text}\n{printed}"))
        };
        json["sent_bytes"] = json!(sent);
        Ok(told(json, text))
    })
}

fn keys(arguments: &mut Arguments) -> Result<Vec<Key>, InvalidArgument> {
    let names = arguments.list("keys")?;
    let parsed: Result<Vec<Key>, _> = names.iter().map(|name| name.parse()).collect();
    parsed.map_err(|_| arguments.not_keys("keys", &names))
}

/// Waits until the task has printed and is quiet again, or asks for more, or has ended.
async fn reaction(task: &Task, before: u64, until: Instant) -> Result<String, ToolError> {
    let mut after = before;
    let mut printed = String::new();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        // The first sign may take its time; after it, quiet means that it is done.
        let wait = if after == before {
            left
        } else {
            left.min(QUIET)
        };
        let request = ReadRequest::after(after).max_bytes(64 << 10).wait(wait);
        let output = task.read_async(&request).await?;
        let quiet = output.next == after;
        after = output.next;
        let room = MOST_OUTPUT.saturating_sub(printed.len());
        printed.extend(output.text().chars().take(room));
        if quiet || output.ended || left.is_zero() {
            return Ok(printed);
        }
    }
}
