//! `bash_run`: runs a command.

use std::time::{Duration, Instant};

use bashful_keeper::TerminalSize;
use serde_json::{Value, json};

use super::arguments::{Arguments, InvalidArgument};
use super::running::{Watched, unless, watch};
use super::task_screen::{picture, question_schema, screen_schema};
use super::{
    CallContext, Calling, Effects, Tool, ToolAnswer, ToolError, ToolRegistry, schema, words,
};
use crate::engine::Started;
use crate::model::output::OutputLimit;
use crate::model::result::{ExecutionResult, Status};
use crate::request::invocation::{Invocation, Stdin, Timeout};
use crate::run::background::{Background, Going};
use crate::tasks::{Readied, Readiness};

pub(super) const TOOL: Tool = Tool {
    name: "bash_run",
    aliases: &["bash.execute", "bash_execute", "Bash"],
    title: "Run a command",
    description: "Runs a bash command in a sandbox and returns its exit code and output. It can \
        read the system and write the workspace; network, paths outside and secrets are closed \
        unless they were granted. /tmp stays from call to call, directory and variables only in a \
        `shell`. A refused command was not run: the answer says why and what would allow it, so \
        do not look for a way around. If it needs approval, tell the user, and call again with \
        the same arguments after they answered. Long output is cut in the middle; task_output \
        reads or searches the rest. Use run_in_background for servers and anything that takes minutes, \
        never `&`. Use tty for programs that ask questions or draw on the screen: the call \
        returns as soon as they wait for input, and you answer with task_send.",
    effects: Effects::Runs,
    input,
    output,
    call,
};

fn input() -> Value {
    schema::object(
        &["command"],
        &json!({
            "command": schema::text("The bash text."),
            "description": schema::text("What it is for, in five to ten words; people read it."),
            "timeout": schema::number(
                "Milliseconds until it is ended [default: 120000; none in the background].",
                MOST_TIMEOUT,
            ),
            "name": schema::text("With run_in_background: a name to use as its task_id."),
            "ready_when": schema::text(
                "With run_in_background: return when a line matches this regular expression, or \
                 with tcp:PORT when it listens there; after 60 seconds at most.",
            ),
            "run_in_background": schema::flag("Return at once with a task_id."),
            "cwd": schema::cwd(),
            "env": schema::variables(),
            "tty": schema::flag("Give it a terminal of 80 by 24."),
            "shell": schema::text(
                "Run it in the shell of this name, whose directory, variables and functions are \
                 kept [default: a new shell].",
            ),
            "stdin": schema::text("Its standard input [default: nothing]."),
        }),
    )
}

/// The longest limit that a call may ask for, in milliseconds; the configuration may allow less.
const MOST_TIMEOUT: u64 = 600_000;
/// How long a server may take at most until it is up.
const MOST_READY: Duration = Duration::from_secs(60);

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
            "state": schema::text("`running` or `needs_input` if it goes on in the background."),
            "needs_input": question_schema(),
            "screen": screen_schema(),
            "success": schema::flag("Whether it exited with 0, was started, or is ready."),
            "name": schema::text("Its name."),
            "ready": schema::flag("With ready_when: whether it is."),
            "ready_after_ms": schema::count("How long the wait took."),
            "ready_line": schema::text("The line that shows it."),
            "reason": schema::text("Why it is not ready."),
            "last_output": schema::text("What it printed last, if it is not ready."),
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
            "task_id": schema::text("The task, for task_output and the like."),
            "output_file": schema::text("The complete log on disk."),
            "shell": schema::text("The shell that it ran in."),
            "shell_state": schema::text(
                "`saved`, or `kept` if the shell is as it was before this call.",
            ),
            "shell_note": schema::text("Why that is so, or why the shell began elsewhere."),
            "shell_waited_ms": schema::count("How long other calls had the shell before."),
            "decision": { "type": "object", "description": "What the policy said, and why." },
            "approval": { "type": "object", "description": "What a person is asked." },
            "enforcement": { "type": "object", "description": "What the kernel enforced." },
            "sandbox_violations": {
                "type": "array",
                "items": { "type": "object" },
                "description": "What was stopped, and what would have to be granted.",
            },
            "sandbox_hints": {
                "type": "array",
                "items": { "type": "object" },
                "description": "What it may have run into, guessed from how it ended.",
            },
            "survivors": {
                "type": "array",
                "items": { "type": "object" },
                "description": "Processes that outlived it, and what became of them.",
            },
            "error": schema::text("What went wrong in Bashful."),
        }),
    )
}

fn call(registry: &ToolRegistry, arguments: Arguments, context: CallContext) -> Calling<'_> {
    Box::pin(async move {
        let wish = Wish::read(arguments)?;
        let (in_background, tty) = (wish.in_background, wish.tty);
        let ready_when = wish.ready_when.clone();
        let mut invocation = wish.invocation();
        if tty || context.let_go.is_some() {
            invocation = invocation.may_be_let_go();
        }
        if context.most_output.is_some() {
            invocation = invocation.output(output_limit(registry, context.most_output));
        }
        let run = match registry.engine.start_on_thread(invocation).await? {
            Started::Running(run) => run,
            Started::NotAllowed(result) => return ended(&result),
        };
        if in_background {
            let answer = going_on(&run.background(), Going::AsAsked)?;
            return match ready_when {
                Some(what) => when_ready(registry, answer, &what, context).await,
                None => Ok(answer),
            };
        }
        match watch(&run, context).await? {
            Watched::Ended(result) => ended(&result),
            Watched::LetGo => going_on(&run.let_go(), Going::TookLong),
            Watched::Asks => asks(registry, &run.let_go()).await,
        }
    })
}

/// How much of each stream an answer holds.
pub(super) fn output_limit(registry: &ToolRegistry, most: Option<usize>) -> OutputLimit {
    let usual = &registry.engine.config().limits;
    let amount = most.map_or(usual.max_output, |most| usual.max_output.min(most));
    OutputLimit::characters(usual.keep, amount)
}

/// What shows that a server is up.
fn readiness(arguments: &mut Arguments) -> Result<Option<Readiness>, InvalidArgument> {
    const WANTED: &str = "a regular expression, or tcp: and a port, such as tcp:8080";
    let Some(text) = arguments.optional_text("ready_when")? else {
        return Ok(None);
    };
    let wrong = |_| arguments.not_this("ready_when", WANTED, text.clone());
    text.parse().map(Some).map_err(wrong)
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
    tty: bool,
    shell: Option<String>,
    name: Option<String>,
    ready_when: Option<Readiness>,
}

impl Wish {
    fn read(mut arguments: Arguments) -> Result<Self, InvalidArgument> {
        let ready_when = readiness(&mut arguments)?;
        let wish = Self {
            command: arguments.text("command")?,
            description: arguments.optional_text("description")?,
            timeout: arguments
                .number("timeout", 1..=MOST_TIMEOUT)?
                .map(Duration::from_millis),
            in_background: arguments.flag("run_in_background")?,
            cwd: arguments.optional_text("cwd")?,
            variables: arguments.texts("env")?.into_iter().collect(),
            stdin: arguments.optional_text("stdin")?,
            tty: arguments.flag("tty")?,
            shell: arguments.optional_text("shell")?,
            name: arguments.optional_text("name")?,
            ready_when,
        };
        match (wish.in_background, wish.tty) {
            (false, _) if wish.name.is_some() => {
                Err(arguments.pair("name", "needs", "run_in_background"))
            }
            (false, _) if wish.ready_when.is_some() => {
                Err(arguments.pair("ready_when", "needs", "run_in_background"))
            }
            (_, true) if wish.stdin.is_some() => {
                Err(arguments.pair("stdin", "does not go with", "tty"))
            }
            _ => Ok(wish),
        }
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
        if self.tty {
            invocation = invocation.terminal(TerminalSize::USUAL);
        }
        if let Some(shell) = self.shell {
            invocation = invocation.shell(shell);
        }
        if let Some(name) = self.name {
            invocation = invocation.name(name);
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

/// Waits until a server is up, and adds to the answer whether it is.
async fn when_ready(
    registry: &ToolRegistry,
    mut answer: ToolAnswer,
    what: &Readiness,
    context: CallContext,
) -> Result<ToolAnswer, ToolError> {
    let id = answer.task.clone().unwrap_or_default();
    let task = registry.engine.task_among(&id, &registry.tasks())?;
    let began = Instant::now();
    let ready = task.ready_when_async(what, began + MOST_READY);
    let ready = unless(ready, context.let_go).await.transpose()?;
    let told = Readied::of(&task, ready, began.elapsed())?;
    if let (Value::Object(all), Value::Object(more)) =
        (&mut answer.json, serde_json::to_value(&told)?)
    {
        all.extend(more);
    }
    let head = words::readied(&told);
    if told.state.is_over() {
        // What to do with one that runs is of no use any more.
        answer.text = format!("{id}: {head}");
        answer.task = None;
    } else {
        answer.text = format!("{head}\n{}", answer.text);
    }
    if let Some(output) = told.last_output {
        words::outputs(&mut answer.text, &output, "");
    }
    Ok(answer)
}

/// The answer about a command that waits for input at its terminal.
async fn asks(registry: &ToolRegistry, background: &Background) -> Result<ToolAnswer, ToolError> {
    let task = registry
        .engine
        .task_among(&background.task_id, &registry.tasks())?;
    let (seen, text) = picture(&task).await?;
    let mut json = serde_json::to_value(background)?;
    for name in ["state", "needs_input", "screen"] {
        if let Some(value) = seen.get(name) {
            json[name] = value.clone();
        }
    }
    Ok(ToolAnswer {
        json,
        text,
        is_error: false,
        ask: None,
        task: Some(background.task_id.clone()),
    })
}

/// The answer about a command that goes on.
fn going_on(picture: &Background, why: Going) -> Result<ToolAnswer, ToolError> {
    Ok(ToolAnswer {
        json: serde_json::to_value(picture)?,
        text: words::going_on(picture, why),
        is_error: false,
        ask: None,
        task: Some(picture.task_id.clone()),
    })
}
