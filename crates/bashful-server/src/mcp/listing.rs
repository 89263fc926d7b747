//! The tools as a client gets them listed: every model has the list in front of it in every
//! conversation, so it holds what a model needs and no more.

use std::sync::atomic::Ordering;

use bashful_engine::{Dialect, Tool as OurTool, ToolRegistry};
use rmcp::model::Tool;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::McpServer;
use super::client::{Taste, is_stateless};

/// Tools that Claude Code's model should see from the start; others are found when they are needed.
const ALWAYS: &[&str] = &["bash_run", "task_output"];
/// Tools whose answers may be longer than it shows by itself.
const LONG: &[&str] = &["bash_run", "task_output", "task_wait"];
/// How much of an answer Claude Code shows; it cuts at half of that unless told.
const MOST_CHARACTERS: u64 = 100_000;

impl McpServer {
    /// The tools for this client.
    pub(super) fn list(&self, taste: Taste) -> Result<Vec<Tool>, ErrorData> {
        let scripts = self.lists_scripts();
        self.inner
            .scripts_unlisted
            .store(!scripts, Ordering::Relaxed);
        // A client that gets no JSON is not told its shape: clients insist on what was announced.
        let shapes = taste.structured && self.inner.options.output_schemas;
        let tools = ToolRegistry::tools().iter();
        let tools = tools.filter(|tool| scripts || !tool.is_for_scripts());
        let tools: Result<Vec<Tool>, _> = tools
            .map(|tool| serde_json::from_value(described(tool, shapes)))
            .collect();
        tools.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Whether the tools for scripts are listed.
    pub(super) fn lists_scripts(&self) -> bool {
        self.inner.options.all_tools || self.engine().scripts().any()
    }

    /// Tells a client with a connection when the first script has appeared since it asked for the
    /// tools, by a person or by a model. The other generation asks again by itself.
    pub(super) async fn tell_of_scripts(&self, context: &RequestContext<RoleServer>) {
        let unlisted = &self.inner.scripts_unlisted;
        if unlisted.load(Ordering::Relaxed)
            && !is_stateless(context.protocol_version().as_ref())
            && self.lists_scripts()
            && unlisted.swap(false, Ordering::Relaxed)
            && let Err(error) = context.peer.notify_tool_list_changed().await
        {
            tracing::debug!(%error, "the client was not told of new tools");
        }
    }
}

fn described(tool: &OurTool, shapes: bool) -> Value {
    let mut described = tool.describe(Dialect::Mcp);
    if let Some(fields) = described.as_object_mut() {
        if !shapes {
            fields.remove("outputSchema");
        }
        if let Some(hints) = hints(tool.name) {
            fields.insert("_meta".to_owned(), hints);
        }
    }
    described
}

/// What Claude Code wants to know about a tool.
fn hints(name: &str) -> Option<Value> {
    if !LONG.contains(&name) {
        return None;
    }
    let mut hints = json!({ "anthropic/maxResultSizeChars": MOST_CHARACTERS });
    if ALWAYS.contains(&name) {
        hints["anthropic/alwaysLoad"] = json!(true);
    }
    Some(hints)
}
