//! The flags of `bashful hook`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
A client calls it before each command of its own shell; `bashful mcp install claude --keep-shell
--hook` sets that up. To see what it answers:
  echo '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"},\"cwd\":\"/srv/project\"}' |
    bashful hook claude

Exit codes: 0 answered, 2 the command is blocked and stderr says why.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HookArguments {
    #[command(subcommand)]
    pub(crate) client: HookClient,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HookClient {
    /// Judge what Claude Code's own shell is about to run, and send it through Bashful.
    Claude(ClaudeHookArguments),
    /// Refuse what Cursor's own shell is about to run, and point to Bashful's tools.
    Cursor,
}

#[derive(Debug, Args)]
pub(crate) struct ClaudeHookArguments {
    /// The agent that asks.
    #[arg(long, value_name = "NAME", default_value = "claude")]
    pub(crate) agent: String,
    /// The writable root [default: the project that Claude Code was started in].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Judge commands by this profile [default: the agent's].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
}
