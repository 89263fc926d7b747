//! The flags of `bashful mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::CallerArguments;
use crate::clients::ClientName;

const EXAMPLES: &str = "\
Examples:
  bashful mcp install claude
  bashful mcp install vscode --project
  bashful mcp config codex
  bashful mcp status
  bashful mcp --agent claude
  bashful mcp --http 127.0.0.1:8787 --token-file ~/.config/bashful/token

Without a verb it serves the tools over standard input and output, as a client starts it.

Exit codes: 0 done, 1 nothing was changed because the answer was no, 2 usage, 120 this process
may not do that, 125 Bashful failed.";

#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct McpArguments {
    #[command(subcommand)]
    pub(crate) what: Option<McpCommand>,
    #[command(flatten)]
    pub(crate) serve: ServeArguments,
}

impl McpArguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            Some(McpCommand::Config(arguments)) => arguments.json,
            Some(McpCommand::Install(_)) | None => false,
            Some(McpCommand::Status { json }) => *json,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Print what a client's configuration needs, and where; write nothing.
    Config(ConfigArguments),
    /// Set a client up to run its commands through Bashful, after showing the change.
    Install(InstallArguments),
    /// Show which clients are set up, and whether their own shell is still on.
    Status {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

// What the server needs to know at its start. (Not with three strokes: see `BoundsArguments`.)
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Serve over HTTP at this address instead, such as 127.0.0.1:8787.
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// Read from this file the token that HTTP clients must send.
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Accept an address that other machines can reach.
    #[arg(long, requires = "http")]
    pub(crate) allow_remote: bool,
    /// Answer requests for this host name too; repeatable.
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// Answer requests from pages of this origin too; repeatable.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
    /// Which tools to list; the others can still be called.
    #[arg(long, value_name = "WHICH", value_enum, default_value = "auto")]
    pub(crate) tools: ToolsFlag,
    /// Also list the schemas of answers and send whole objects, for programs that read them.
    #[arg(long)]
    pub(crate) output_schemas: bool,
    #[command(flatten)]
    pub(crate) caller: CallerArguments,
}

/// Which tools a server lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsFlag {
    /// Those for commands, and those for managed scripts once there is a script.
    Auto,
    /// All, even while there are no scripts.
    #[value(alias = "scripts")]
    All,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// The client to set up.
    #[arg(value_name = "CLIENT", value_enum)]
    pub(crate) client: ClientName,
    #[command(flatten)]
    pub(crate) wish: SetUpArguments,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    /// The client to configure.
    #[arg(value_name = "CLIENT", value_enum)]
    pub(crate) client: ClientName,
    #[command(flatten)]
    pub(crate) wish: SetUpArguments,
    /// Write it without asking.
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Show the change and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove what was added.
    #[arg(long)]
    pub(crate) remove: bool,
}

/// What is put into a client's configuration.
#[derive(Debug, Args)]
pub(crate) struct SetUpArguments {
    /// For this project only, in a file of the current directory.
    #[arg(long)]
    pub(crate) project: bool,
    /// The name the client's commands go by [default: the client's own].
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The writable root [default: the project that the client opens].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Judge commands by this profile [default: the agent's].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Leave the client's own shell on.
    #[arg(long)]
    pub(crate) keep_shell: bool,
    /// Send the commands of the client's own shell through Bashful, by a hook.
    #[arg(long, requires = "keep_shell")]
    pub(crate) hook: bool,
}
