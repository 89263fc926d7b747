//! The flags of `bashful scripts run` and `bashful action run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::cli::{duration, lasting};

const RUN_EXAMPLES: &str = "\
Examples:
  bashful scripts run backup
  bashful scripts run backup --var trigger.file.path='my notes.txt' --dry-run
  bashful scripts run report --vars @values.json --cwd . --json

Exit codes: those of `bashful run`: the script's own, 128+N when signal N ended it, 2 usage,
120 denied, 121 needs approval, 124 timed out, 125 Bashful failed, 130 cancelled.";

#[derive(Debug, Args)]
#[command(after_long_help = RUN_EXAMPLES)]
pub(crate) struct RunScriptArguments {
    /// The script, by name or id.
    #[arg(value_name = "SCRIPT")]
    pub(crate) script: String,
    /// Values as a JSON object, or @FILE that holds it.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) vars: Option<String>,
    /// One value, on top of --vars: a.b=c; always a text; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) var: Vec<String>,
    /// Where it runs: in the workspace, or in a path that the script declares [default: a
    /// scratch directory of its own].
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Less than the script declares: JSON, or @FILE that holds it.
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) capabilities: Option<String>,
    /// End it after this time [default: 30m].
    #[arg(short, long, value_name = "TIME", value_parser = lasting)]
    pub(crate) timeout: Option<Duration>,
    /// Say so when it takes longer than this; it goes on [default: 60s].
    #[arg(long, value_name = "TIME", value_parser = lasting)]
    pub(crate) warn_after: Option<Duration>,
    #[command(flatten)]
    pub(crate) caller: ScriptCallerArguments,
}

/// How scripts are run, and for whom.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct ScriptCallerArguments {
    /// Leave templates without a value as they are.
    #[arg(long)]
    pub(crate) allow_missing: bool,
    /// Only show what would run, with which values, and what it could do.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The root in which a working directory may lie [default: the current directory].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The agent that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The session this call belongs to [default: BASHFUL_SESSION, else the terminal].
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Wait up to this long for a yes from elsewhere, if one is needed [default: not at all].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) wait: Option<Duration>,
    /// Do not ask at this terminal.
    #[arg(long)]
    pub(crate) no_ask: bool,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

const ACTION_EXAMPLES: &str = "\
Examples:
  bashful action run backup.json
  echo '{ \"type\": \"bash.run\", \"script_name\": \"backup\" }' | bashful action run -

A file holds one action, a list of them, or { \"actions\": [ … ] }. In a list, a soft failure
(an exit code below 128) goes on, and everything else stops it.

Exit codes: of one action those of `bashful scripts run`; of a list that of the action that
stopped it, else of the last that failed, else 0.";

#[derive(Debug, Args)]
#[command(after_help = ACTION_EXAMPLES)]
pub(crate) struct ActionArguments {
    #[command(subcommand)]
    pub(crate) what: ActionCommand,
}

impl ActionArguments {
    pub(crate) fn wants_json(&self) -> bool {
        let ActionCommand::Run(arguments) = &self.what;
        arguments.caller.json
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ActionCommand {
    /// Run an action, or a list of them.
    Run(Box<ActionRunArguments>),
}

#[derive(Debug, Args)]
pub(crate) struct ActionRunArguments {
    /// The actions as JSON; - is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) caller: ScriptCallerArguments,
}
