//! The life of a tool call: from a client's request to what its model reads.

use std::time::Instant;

use bashful_engine::{
    CallContext, EngineError, Kill, Tool, ToolAnswer, ToolError, ToolRegistry, in_full,
};
use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::McpServer;
use super::asking::{Asked, Question};
use super::client::Client;
use super::progress::{Began, Reporter};
use super::slim::slim;
use super::state::Bound;
use super::tasks;

/// The most characters that are said about a call that came to nothing.
const MOST_WORDS: usize = 2_000;
/// How often one call is made again after an answer; an equal call may have used up the yes.
const MOST_ROUNDS: usize = 4;

impl McpServer {
    /// Serves one `tools/call`.
    pub(super) async fn serve_call(
        &self,
        params: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        context.extensions.insert(Began(Instant::now()));
        let cancelled = context.ct.clone();
        let gone = self.inner.gone.clone();
        let response = tokio::select! {
            // What was called off first does not go on because of an answer that came later.
            biased;
            // Dropping the call ends what it runs.
            () = cancelled.cancelled() => Err(ended("the call was cancelled")),
            () = gone.cancelled() => Err(ended("the server ends")),
            response = self.call(params, &context) => response,
        };
        self.tell_of_scripts(&context).await;
        response
    }

    async fn call(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = Client::of(context);
        let arguments = Value::Object(params.arguments.unwrap_or_default());
        let Some(tool) = ToolRegistry::meant(&params.name, &arguments) else {
            return Err(unknown_tool(&params.name));
        };
        let question = Question {
            server: self,
            client: &client,
            context,
            bound: Bound {
                agent: self.engine().agent(),
                tool: tool.name,
                arguments: &arguments,
            },
        };
        let mut why = None;
        match (&params.request_state, &params.input_responses) {
            (None, None) => {}
            (Some(state), Some(responses)) => {
                let note = self.inner.states.open(state, question.bound);
                let note = note.map_err(|refused| {
                    self.engine().record_refusal("mcp:request-state", &refused);
                    not_ours()
                })?;
                match question.take(&note.ask, &json!(responses)).await {
                    Ok(Asked::Nobody(words)) => why = Some(words),
                    Ok(_) => {}
                    Err(error) => return Ok(failed(&in_full(&error))),
                }
            }
            _ => return Err(not_ours()),
        }
        for _ in 0..MOST_ROUNDS {
            let answer = match self.run(tool, &arguments, &client, context).await {
                Ok(answer) => answer,
                Err(error) => return Ok(failed(&self.told(tool, &error))),
            };
            if let Some(task) = answer.task.as_deref().filter(|_| context.ct.is_cancelled()) {
                self.end_untold(task);
            }
            let Some(ask) = answer.ask.clone() else {
                return Ok(self.finished(question.bound, answer, &client));
            };
            if let Some(why) = why.take() {
                return Ok(self.finished(question.bound, unanswered(answer, &why), &client));
            }
            match question.put(&ask).await {
                Ok(Asked::Answered) => {}
                Ok(Asked::Carried(result)) => return Ok((*result).into()),
                Ok(Asked::Nobody(why)) => {
                    return Ok(self.finished(question.bound, unanswered(answer, &why), &client));
                }
                Err(error) => return Ok(failed(&in_full(&error))),
            }
        }
        Ok(failed(
            "answers were given, but equal calls used them up; call again",
        ))
    }

    /// Why a call came to nothing, for the model; what the client got wrong is on record.
    fn told(&self, tool: &Tool, error: &ToolError) -> String {
        match error {
            ToolError::Arguments(problem) => {
                let action = format!("mcp:{}", tool.name);
                self.engine().record_refusal(&action, problem);
                format!("nothing was done: {}", error.in_full())
            }
            // The engine has put this on record.
            ToolError::Engine(EngineError::Invalid(_)) | ToolError::Task(_) => {
                format!("nothing was done: {}", error.in_full())
            }
            ToolError::Script(problem) if problem.is_mistake() => {
                format!("nothing was done: {}", error.in_full())
            }
            _ => format!(
                "broken: Bashful failed, not the command: {}",
                error.in_full()
            ),
        }
    }

    /// Ends a background task that the client called off before it was told of it.
    fn end_untold(&self, id: &str) {
        if let Ok(task) = self.engine().task_among(id, &self.inner.registry.tasks()) {
            tokio::spawn(async move {
                if let Err(error) = task.kill_async(Kill::Now).await {
                    tracing::warn!(%error, "a task that was called off goes on");
                }
            });
        }
    }

    /// Makes the call once, and tells the client how it goes.
    async fn run(
        &self,
        tool: &Tool,
        arguments: &Value,
        client: &Client,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolAnswer, ToolError> {
        let mut wish = CallContext::default();
        wish.most_output = client.taste.most_output;
        let reporter = Reporter::of(context);
        wish.on_output = reporter.as_ref().map(Reporter::listener);
        // A client that hears nothing may not wait long.
        let silent = reporter.is_none().then_some(self.inner.options.patience);
        if let Some(patience) = silent.into_iter().chain(client.taste.patience).min() {
            wish.let_go = Some(Box::pin(tokio::time::sleep(patience)));
        }
        let call = self.inner.registry.call(tool.name, arguments.clone(), wish);
        match &reporter {
            None => call.await,
            Some(reporter) => tokio::select! {
                answer = call => answer,
                never = reporter.report("running") => match never {},
            },
        }
    }

    /// The answer to this call as this client likes it.
    fn finished(&self, call: Bound<'_>, answer: ToolAnswer, client: &Client) -> CallToolResponse {
        if let Some(id) = &answer.task
            && client.follows_tasks
            && call.tool == "bash_run"
        {
            return tasks::created(id).into();
        }
        self.finished_task(call.arguments, answer, client).into()
    }

    /// The answer to a call that has ended, or to one whose task has.
    pub(super) fn finished_task(
        &self,
        arguments: &Value,
        mut answer: ToolAnswer,
        client: &Client,
    ) -> CallToolResult {
        let content = vec![ContentBlock::text(answer.text)];
        let mut result = if answer.is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        if client.taste.structured {
            if !self.inner.options.output_schemas {
                slim(&mut answer.json, arguments);
            }
            result.structured_content = Some(answer.json);
        }
        result
    }
}

/// The answer to a call that no person said yes to, with the reason.
fn unanswered(mut answer: ToolAnswer, why: &str) -> ToolAnswer {
    answer.text.push_str("\nasked: ");
    answer.text.push_str(why);
    if let Some(approval) = answer
        .json
        .get_mut("approval")
        .and_then(Value::as_object_mut)
    {
        approval.insert("asked".to_owned(), json!(why));
    }
    answer
}

/// A call that came to nothing for a reason that the model can read.
fn failed(why: &str) -> CallToolResponse {
    // What was wrong may be a path of a megabyte.
    let mut words: String = why.chars().take(MOST_WORDS).collect();
    if words.len() < why.len() {
        words.push('…');
    }
    CallToolResult::error(vec![ContentBlock::text(words)]).into()
}

fn unknown_tool(name: &str) -> ErrorData {
    let known: Vec<&str> = ToolRegistry::tools().iter().map(|tool| tool.name).collect();
    let name: String = name.chars().take(100).collect();
    ErrorData::invalid_params(
        format!(
            "there is no tool `{}`; the tools are {}",
            name.escape_debug(),
            known.join(", ")
        ),
        None,
    )
}

/// One answer for all that can be wrong with a state: it tells an attacker nothing.
fn not_ours() -> ErrorData {
    ErrorData::invalid_params(
        "the request state is not valid for this call: it was changed, used before or is too old; \
         call again without it",
        None,
    )
}

fn ended(why: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, why, None)
}
