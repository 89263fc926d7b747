//! The flags of `bashful tools`.

use bashful_engine::Dialect;
use clap::{Args, Subcommand, ValueEnum};

use super::CallerArguments;

const EXAMPLES: &str = "\
Examples:
  bashful tools
  bashful tools --format anthropic
  bashful tools call bash_run '{\"command\": \"ls\"}'

A call prints the answer for a model; with --json, the whole answer. Exit codes: 0 it was
answered, 2 usage, 120 denied, 121 needs approval, 125 Bashful failed. How a command ended is in the
answer.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct ToolsArguments {
    #[command(subcommand)]
    pub(crate) what: Option<ToolsCommand>,
    /// Describe the tools in the form that this model API expects.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<DialectFlag>,
    /// Print JSON; the same as --format mcp.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// Call a tool as an agent would.
    Call(Box<CallArguments>),
}

#[derive(Debug, Args)]
pub(crate) struct CallArguments {
    /// The tool, by its name or an alias.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Its arguments, as a JSON object; - reads them from standard input.
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,
    /// Print the whole answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) caller: CallerArguments,
}

/// The model API whose form of tool descriptions is wanted.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DialectFlag {
    /// The Model Context Protocol.
    Mcp,
    /// OpenAI's functions.
    Openai,
    /// Anthropic's tools.
    Anthropic,
}

impl From<DialectFlag> for Dialect {
    fn from(flag: DialectFlag) -> Self {
        match flag {
            DialectFlag::Mcp => Self::Mcp,
            DialectFlag::Openai => Self::OpenAi,
            DialectFlag::Anthropic => Self::Anthropic,
        }
    }
}

impl ToolsArguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            Some(ToolsCommand::Call(arguments)) => arguments.json,
            None => self.json || self.format.is_some(),
        }
    }
}
