//! `bash_run`: runs a command.

use std::time::Duration;

use serde_json::{Value, json};

use super::arguments::{Arguments, InvalidArgument};
use super::running::{Watched, watch};
use super::{
    CallContext, Calling, Effects, Tool, ToolAnswer, ToolError, ToolRegistry, schema, words,
};
use crate::engine::Started;
use crate::invocation::{Invocation, Stdin, Timeout};
use crate::output::OutputLimit;
use crate::result::{ExecutionResult, Status};

pub(super) const TOOL: Tool = Tool {
    name: "bash_run",
    aliases: &["bash.execute", "bash_execute", "Bash"],
    title: "Run a command",
    description: "Runs a bash command in a sandbox and returns its exit code and output. It can \
        read the system and write the workspace; /tmp is private to this session and stays from \
        call to call, while directory and variables do not. The network, paths outside and secrets \
        are closed unless they were granted. A refused command was not run: the answer says why \
        and what would allow it, so do not look for a way around. If it needs approval, tell the \
        user and call again with the same command after they answered. Long output is cut in the \
        middle; the rest can be read or searched with task_output. Use run_in_background for \
        servers and for what takes minutes, and do not add `&`.",
    effects: Effects::Runs,
    input,
    output,
    call,
};

fn input() -> Value {
    schema::object(
        &["command"],
        &json!({
            "command": schema::text("The bash text to run."),
            "description": schema::text("What it is for, in five to ten words; people read it."),
            "timeout": schema::number(
                "Milliseconds after which it is ended [default: 120000; none in the background].",
                (1, MOST_TIMEOUT),
            ),
            "run_in_background": schema::flag(
                "Return at once with a task_id; read it with task_output, end it with task_kill.",
            ),
            "cwd": schema::text(
                "Where it starts: a directory inside the workspace [default: the workspace].",
            ),
            "env": schema::variables(),
            "stdin": schema::text("What it reads on standard input [default: nothing]."),
        }),
    )
}

/// The longest that anybody may ask for, in milliseconds; the configuration may allow less.
const MOST_TIMEOUT: u64 = 600_000;

fn output() -> Value {
    schema::answer(
        &["v", "success", "command"],
        &json!({
            "v": schema::count("The version of this shape."),
            "status": {
                "enum": [
                    "success", "soft_failure", "hard_failure", "timed_out", "cancelled", "denied",
                    "needs_approval", "requirement_failed", "broken",
                ],
                "description": "How it ended; absent while it runs.",
            },
            "state": schema::text("`running` if it goes on in the background."),
            "success": schema::flag("Whether it ran and exited with 0, or was started."),
            "command": schema::text("The command."),
            "exit_code": schema::count("Absent if it did not run or a signal ended it."),
            "signal": schema::text("The signal that ended it."),
            "exit_status": schema::text("success, soft_failure or hard_failure."),
            "stdout": schema::text("What it printed, cut in the middle if it is long."),
            "stderr": schema::text("The same for standard error."),
            "truncated": schema::flag("Whether one of the two was cut."),
            "stdout_bytes": schema::count("How much it printed in all."),
            "stderr_bytes": schema::count("The same for standard error."),
            "duration_ms": schema::count("How long it ran."),
            "timed_out": schema::flag("Whether it was ended at its limit."),
            "task_id": schema::text("The task, for task_output and its kin."),
            "output_file": schema::text("The complete log on disk."),
            "decision": { "type": "object", "description": "What the policy said, and why." },
            "approval": { "type": "object", "description": "What a person is asked." },
            "enforcement": { "type": "object", "description": "What the kernel enforced." },
            "sandbox_violations": {
                "type": "array",
                "items": { "type": "object" },
                "description": "What was stopped, and what would have to be granted.",
            },
            "survivors": {
                "type": "array",
                "items": { "type": "object" },
                "description": "Processes that outlived it, and what became of them.",
            },
            "error": schema::text("What went wrong on our side."),
        }),
    )
}

fn call(registry: &ToolRegistry, arguments: Arguments, context: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let wish = Wish::read(arguments)?;
        let in_background = wish.in_background;
        let mut invocation = wish.invocation();
        if context.most_output.is_some() {
            invocation = invocation.output(output_limit(registry, context.most_output));
        }
        let run = match registry.engine.start_aside(invocation).await? {
            Started::Running(run) => run,
            Started::NotAllowed(result) => return ended(&result),
        };
        if in_background {
            return going_on(&run.picture(), words::Going::AsAsked);
        }
        match watch(run, context).await? {
            Watched::Ended(result) => ended(&result),
            Watched::LetGo(picture) => going_on(&picture, words::Going::TookLong),
        }
    })
}

/// How much of each stream an answer holds.
pub(super) fn output_limit(registry: &ToolRegistry, most: Option<usize>) -> OutputLimit {
    let usual = &registry.engine.config().limits;
    let amount = most.map_or(usual.max_output, |most| usual.max_output.min(most));
    OutputLimit::characters(usual.keep, amount)
}

/// What is to be run.
struct Wish {
    command: String,
    description: Option<String>,
    timeout: Option<Duration>,
    in_background: bool,
    cwd: Option<String>,
    variables: Vec<(String, String)>,
    stdin: Option<String>,
}

impl Wish {
    fn read(mut arguments: Arguments) -> Result<Self, InvalidArgument> {
        Ok(Self {
            command: arguments.text("command")?,
            description: arguments.optional_text("description")?,
            timeout: arguments
                .number("timeout", (1, MOST_TIMEOUT))?
                .map(Duration::from_millis),
            in_background: arguments.flag("run_in_background")?,
            cwd: arguments.optional_text("cwd")?,
            variables: arguments.texts("env")?.into_iter().collect(),
            stdin: arguments.optional_text("stdin")?,
        })
    }

    fn invocation(self) -> Invocation {
        let mut invocation = Invocation::bash(self.command);
        if let Some(description) = self.description {
            invocation = invocation.description(description);
        }
        if let Some(cwd) = self.cwd {
            invocation = invocation.cwd(cwd);
        }
        for (name, value) in self.variables {
            invocation = invocation.variable(name, value);
        }
        if let Some(stdin) = self.stdin {
            invocation = invocation.stdin(Stdin::Bytes(stdin.into_bytes()));
        }
        invocation = match (self.timeout, self.in_background) {
            (Some(limit), _) => invocation.timeout(Timeout::After(limit)),
            (None, true) => invocation.timeout(Timeout::Never),
            (None, false) => invocation,
        };
        if self.in_background {
            invocation = invocation.detached();
        }
        invocation
    }
}

/// The answer about a command that has ended, or was not run.
pub(super) fn ended(result: &ExecutionResult) -> Result<ToolAnswer, ToolError> {
    let waits = result.status == Status::NeedsApproval;
    let ask = result.approval.as_ref().filter(|_| waits);
    Ok(ToolAnswer {
        json: serde_json::to_value(result)?,
        text: words::result(result),
        is_error: matches!(
            result.status,
            Status::Denied | Status::NeedsApproval | Status::Broken
        ),
        ask: ask.map(|approval| approval.id.clone()),
        task: None,
    })
}

/// The answer about a command that goes on.
fn going_on(picture: &super::running::Picture, why: words::Going) -> Result<ToolAnswer, ToolError> {
    Ok(ToolAnswer {
        json: serde_json::to_value(picture)?,
        text: words::going_on(picture, why),
        is_error: false,
        ask: None,
        task: Some(picture.task_id.clone()),
    })
}
