//! How the makers of models want tools described.

use serde_json::{Value, json};

use super::{Effects, Tool, ToolRegistry};

/// Whose way of describing tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// The Model Context Protocol's.
    Mcp,
    /// OpenAI's functions.
    OpenAi,
    /// Anthropic's tools.
    Anthropic,
}

impl ToolRegistry {
    /// All tools as this dialect describes them: a list to be given to a model.
    pub fn describe(dialect: Dialect) -> Value {
        Self::tools()
            .iter()
            .map(|tool| tool.describe(dialect))
            .collect()
    }
}

impl Tool {
    /// This tool as this dialect describes it.
    pub fn describe(&self, dialect: Dialect) -> Value {
        match dialect {
            Dialect::Mcp => json!({
                "name": self.name,
                "title": self.title,
                "description": self.description,
                "inputSchema": self.input_schema(),
                "outputSchema": self.output_schema(),
                "annotations": self.annotations(),
            }),
            Dialect::OpenAi => json!({
                "type": "function",
                "function": {
                    "name": self.name,
                    "description": self.description,
                    "parameters": self.input_schema(),
                },
            }),
            Dialect::Anthropic => json!({
                "name": self.name,
                "description": self.description,
                "input_schema": self.input_schema(),
            }),
        }
    }

    /// What an MCP client may take for granted. The sandbox keeps what runs away from the world
    /// unless a person opens it, but a client must not build on that.
    fn annotations(&self) -> Value {
        let (destroys, again, open) = match self.effects {
            // By the protocol, the others mean nothing then.
            Effects::Reads => return json!({ "readOnlyHint": true, "openWorldHint": false }),
            Effects::Runs => (true, false, true),
            Effects::Ends => (true, true, false),
            Effects::Keeps => (false, false, false),
        };
        json!({
            "readOnlyHint": false,
            "destructiveHint": destroys,
            "idempotentHint": again,
            "openWorldHint": open,
        })
    }
}
