//! The tools as a client gets them listed.

use bashful_engine::{Dialect, ToolRegistry};
use rmcp::ErrorData;
use rmcp::model::Tool;
use serde_json::{Value, json};

use super::client::Taste;

/// Tools that a model should see from the start; others are found when they are needed.
const ALWAYS: &[&str] = &["bash_run", "task_output"];
/// How much of an answer Claude Code shows; it cuts at half of that unless told.
const MOST_CHARACTERS: u64 = 100_000;

/// All tools. Who gets no JSON is not told its shape: clients insist on what was announced.
pub(super) fn tools(taste: Taste) -> Result<Vec<Tool>, ErrorData> {
    let tools = ToolRegistry::tools().iter().map(|tool| {
        let mut described = tool.describe(Dialect::Mcp);
        if !taste.structured
            && let Some(described) = described.as_object_mut()
        {
            described.remove("outputSchema");
        }
        described["_meta"] = hints(tool.name);
        serde_json::from_value(described)
    });
    let tools: Result<Vec<Tool>, _> = tools.collect();
    tools.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// What Claude Code wants to know about a tool.
fn hints(name: &str) -> Value {
    let mut hints = json!({ "anthropic/maxResultSizeChars": MOST_CHARACTERS });
    if ALWAYS.contains(&name) {
        hints["anthropic/alwaysLoad"] = json!(true);
    }
    hints
}
