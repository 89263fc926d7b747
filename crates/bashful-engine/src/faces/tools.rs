//! The tools that agents call, each described once.
//!
//! A tool is one file below and one row in [`TOOLS`]: its names, what a model is told about it,
//! the schemas of what goes in and comes out, and the call. The MCP server, `bashful tools` and
//! embedders all read this table, so none of them can know a tool that the others do not. No tool
//! changes policy, grants or approvals; what one keeps as a script, a person approves.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use crate::base::error_chain::in_full;
use crate::engine::Engine;
use crate::model::error::script::ScriptError;
use crate::model::error::{EngineError, InvalidInvocation};
use crate::tasks::{TaskError, TaskFilter, block_on};

mod arguments;
mod bash_run;
mod dialects;
mod policy_explain;
mod running;
mod schema;
mod script_create;
mod script_delete;
mod script_get;
mod script_list;
mod script_run;
mod script_validate;
mod scripts;
mod task_kill;
mod task_list;
mod task_output;
mod task_screen;
mod task_send;
mod task_wait;
mod words;

pub use arguments::InvalidArgument;
pub use dialects::Dialect;

use arguments::Arguments;

/// All tools, in the order in which they are listed.
const TOOLS: &[Tool] = &[
    bash_run::TOOL,
    task_output::TOOL,
    task_wait::TOOL,
    task_list::TOOL,
    task_kill::TOOL,
    task_send::TOOL,
    task_screen::TOOL,
    policy_explain::TOOL,
    script_run::TOOL,
    script_create::TOOL,
    script_list::TOOL,
    script_get::TOOL,
    script_validate::TOOL,
    script_delete::TOOL,
];

/// The type of an action that runs a script; with a `command`, it means the tool of nearly the
/// same name.
const ACTION: &str = "bash.run";

/// A tool that agents can call.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Tool {
    /// Its name, which every client takes.
    pub name: &'static str,
    /// Other names that it answers to.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// What a model is told about it.
    pub description: &'static str,
    /// What a client may take for granted about it.
    pub effects: Effects,
    input: fn() -> Value,
    output: fn() -> Value,
    call: for<'a> fn(&'a ToolRegistry, Arguments, CallContext) -> Calling<'a>,
}

/// What a client may take for granted about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effects {
    /// It changes nothing.
    Reads,
    /// It runs what it is told, which may change anything that the sandbox leaves open.
    Runs,
    /// It ends a task or deletes a script, and doing so twice changes nothing more.
    Ends,
    /// It keeps a script for later. Nothing runs.
    Keeps,
}

/// A call that is under way. Dropping it ends what it runs.
type Calling<'a> = Pin<Box<dyn Future<Output = Result<ToolAnswer, ToolError>> + Send + 'a>>;

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolAnswer {
    /// The whole answer, as the tool's output schema says.
    pub json: Value,
    /// The same for a model to read.
    pub text: String,
    /// Whether what was wanted did not happen because it was refused or we failed. A command that
    /// ran and failed is no error: its exit code says so.
    pub is_error: bool,
    /// The ask that a person would have to answer first.
    pub ask: Option<String>,
    /// The task that goes on after this answer.
    pub task: Option<String>,
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// There is no such tool.
    #[error("there is no tool `{}`", name.escape_debug())]
    Unknown {
        /// The name as given.
        name: String,
    },
    /// The arguments are not what the tool takes.
    #[error(transparent)]
    Arguments(#[from] InvalidArgument),
    /// It is about a task that cannot be used so.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// It is about a script that cannot be used so.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The engine could not do it.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// What came out cannot be told.
    #[error("cannot write the answer as JSON")]
    Json(#[from] serde_json::Error),
}

impl ToolError {
    /// What a model can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Task(TaskError::Unknown { .. } | TaskError::Gone { .. }) => {
                "task_list shows your tasks"
            }
            Self::Task(TaskError::PastEnd { .. }) => {
                "read on from the `next` of the last answer, or from 0"
            }
            Self::Task(TaskError::NoInput { .. } | TaskError::NoTerminal { .. }) => {
                "start it with `tty` to give it a terminal"
            }
            Self::Engine(EngineError::Invalid(InvalidInvocation::TooManyTasks { .. })) => {
                "task_list shows them: wait until some have ended, or end some with task_kill"
            }
            Self::Engine(EngineError::Invalid(InvalidInvocation::NameTaken { .. })) => {
                "use that task, end it with task_kill, or choose another name"
            }
            Self::Script(ScriptError::Unknown { .. }) => "script_list shows the scripts",
            Self::Script(ScriptError::NameTaken { .. }) => {
                "use that script, or choose another name"
            }
            Self::Script(ScriptError::Body(_) | ScriptError::Capabilities { .. }) => {
                "script_validate says more about a script before it is kept"
            }
            _ => return None,
        })
    }

    /// All that is said about it, on one line.
    pub fn in_full(&self) -> String {
        let error = in_full(self);
        match self.hint() {
            Some(hint) => format!("{error}; {hint}"),
            None => error,
        }
    }
}

/// Output as it comes, for a caller that watches its call.
pub type OnOutput = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// How a caller wants one call to be.
#[derive(Default)]
#[non_exhaustive]
pub struct CallContext {
    /// Gets what a command prints, while it runs.
    pub on_output: Option<OnOutput>,
    /// When this is ready, a command that still runs goes on in the background, and the answer
    /// says so: for callers who do not wait long.
    pub let_go: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// How many characters of each stream an answer holds, if that is less than usual.
    pub most_output: Option<usize>,
}

impl fmt::Debug for CallContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallContext")
            .field("on_output", &self.on_output.is_some())
            .field("let_go", &self.let_go.is_some())
            .field("most_output", &self.most_output)
            .finish()
    }
}

/// The tools on one engine. Cheap to clone.
///
/// What they see of tasks is what this engine's agent runs in this engine's workspace.
#[derive(Debug, Clone)]
pub struct ToolRegistry {
    engine: Engine,
}

impl ToolRegistry {
    /// The tools on this engine.
    pub fn new(engine: &Engine) -> Self {
        let engine = engine.clone();
        Self { engine }
    }

    /// All tools, described.
    pub fn tools() -> &'static [Tool] {
        TOOLS
    }

    /// The tool with this name or alias. A dot in a name is as good as an underscore.
    ///
    /// `bash.run` alone is no other spelling: it is the type of an action, and runs a script.
    pub fn find(name: &str) -> Option<&'static Tool> {
        let plain = name.replace('.', "_");
        let mut tools = TOOLS.iter();
        let exact = tools.find(|tool| tool.aliases.contains(&name));
        exact.or_else(|| TOOLS.iter().find(|tool| tool.name == plain))
    }

    /// The tool that a call with this name and these arguments means: `bash.run` with a `command`
    /// is `bash_run`.
    pub fn meant(name: &str, arguments: &Value) -> Option<&'static Tool> {
        if name == ACTION && arguments.get("command").is_some() {
            return Some(&bash_run::TOOL);
        }
        Self::find(name)
    }

    /// Calls a tool. Dropping the future ends what it runs in the foreground, with its whole
    /// process tree.
    pub async fn call(
        &self,
        name: &str,
        arguments: Value,
        context: CallContext,
    ) -> Result<ToolAnswer, ToolError> {
        let Some(tool) = Self::meant(name, &arguments) else {
            let name = name.to_owned();
            return Err(ToolError::Unknown { name });
        };
        let mut arguments = arguments;
        if tool.name == script_run::TOOL.name {
            script_run::without_approval(&mut arguments);
        }
        let arguments = Arguments::read(tool, arguments)?;
        (tool.call)(self, arguments, context).await
    }

    /// The same on this thread, for programs without an executor.
    pub fn call_and_wait(
        &self,
        name: &str,
        arguments: Value,
        context: CallContext,
    ) -> Result<ToolAnswer, ToolError> {
        block_on(self.call(name, arguments, context))
    }

    /// The engine below.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Whose tasks the tools are about.
    pub fn tasks(&self) -> TaskFilter {
        self.engine.own_tasks()
    }
}

impl Tool {
    /// Whether it is one of the set for managed scripts, which is of use where there are some.
    pub fn is_for_scripts(&self) -> bool {
        self.name.starts_with("script_")
    }

    /// The JSON schema of its input.
    pub fn input_schema(&self) -> Value {
        (self.input)()
    }

    /// The JSON schema of the `json` of its answers.
    pub fn output_schema(&self) -> Value {
        (self.output)()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Tool").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests;
