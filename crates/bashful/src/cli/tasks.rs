//! The flags of the verbs about tasks.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::lasting;

const EXAMPLES: &str = "\
Examples:
  bashful run --background --name dev-server 'npm run dev'
  bashful tasks
  bashful tasks --all
  bashful tasks show dev-server
  bashful tasks clean --older-than 7d

Name a task by its id, the beginning of its id, or the name that it was given.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct TasksArguments {
    #[command(subcommand)]
    pub(crate) what: Option<TasksCommand>,
    #[command(flatten)]
    pub(crate) list: ListArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// List tasks that have ended too, up to the newest thousand.
    #[arg(short, long)]
    pub(crate) all: bool,
    /// List only this agent's tasks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep showing them, updated whenever one changes, until Ctrl-C.
    #[arg(short, long)]
    pub(crate) watch: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TasksCommand {
    /// Show all that is known about a task.
    Show {
        /// The task, by id or name.
        #[arg(value_name = "ID")]
        id: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove tasks that have ended, the oldest first; running tasks stay.
    Clean(CleanArguments),
}

const CLEAN_EXAMPLES: &str = "\
Examples:
  bashful tasks clean
  bashful tasks clean --older-than 7d --dry-run
  bashful tasks clean --keep 10";

#[derive(Debug, Args)]
#[command(after_help = CLEAN_EXAMPLES)]
pub(crate) struct CleanArguments {
    /// Remove those that ended longer ago than this, such as 7d [default: `tasks.max_age`].
    #[arg(long, value_name = "TIME", value_parser = lasting)]
    pub(crate) older_than: Option<Duration>,
    /// Keep this many of those that have ended, the newest [default: `tasks.keep`].
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<usize>,
    /// Only show what would be removed.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

impl TasksArguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            None => self.list.json,
            Some(TasksCommand::Show { json, .. }) => *json,
            Some(TasksCommand::Clean(arguments)) => arguments.json,
        }
    }
}

const LOGS_EXAMPLES: &str = "\
Examples:
  bashful logs dev-server
  bashful logs -f bash-1m7ff
  bashful logs dev-server --grep 'error|warning' --stream stderr
  bashful logs dev-server --tail 20

On a terminal, escape sequences other than colours are made visible. Ctrl-C stops following it;
the task goes on. Exit codes: 0 shown, 2 usage or no such task, 125 Bashful failed.";

#[derive(Debug, Args)]
#[command(after_help = LOGS_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct LogsArguments {
    /// The task, by id or name.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Keep showing new output until the task ends.
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Start from this byte of the log.
    #[arg(long, value_name = "OFFSET")]
    pub(crate) since: Option<u64>,
    /// Show only this stream.
    #[arg(long, value_name = "STREAM")]
    pub(crate) stream: Option<StreamFlag>,
    /// Show only lines that match this regular expression.
    #[arg(long, value_name = "REGEX")]
    pub(crate) grep: Option<String>,
    /// Show only this many lines, from the end.
    #[arg(short = 'n', long, value_name = "N", conflicts_with_all = ["grep", "since"])]
    pub(crate) tail: Option<usize>,
    /// Show its terminal's screen as text, as a person would see it now.
    #[arg(long, conflicts_with_all = ["follow", "since", "stream", "grep", "tail", "raw"])]
    pub(crate) screen: bool,
    /// Show the bytes as they are, even on a terminal.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Print JSON: one object per line for each piece of output, with its stream and position.
    #[arg(long, conflicts_with_all = ["grep", "raw"])]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StreamFlag {
    Stdout,
    Stderr,
}

const WAIT_EXAMPLES: &str = "\
Examples:
  bashful wait dev-server --timeout 5m
  bashful wait bash-1m7ff bash-1m7gg --json

Exit codes: the command's own; of several, that of the first that failed; 124 the time ran out,
2 usage or no such task, 125 Bashful failed or the task was lost, 130 it was cancelled.";

#[derive(Debug, Args)]
#[command(after_help = WAIT_EXAMPLES)]
pub(crate) struct WaitArguments {
    /// The tasks, by id or name.
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// Wait no longer than this.
    #[arg(short, long, value_name = "TIME", value_parser = lasting)]
    pub(crate) timeout: Option<Duration>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const KILL_EXAMPLES: &str = "\
Examples:
  bashful kill dev-server
  bashful kill --now bash-1m7ff bash-1m7gg
  bashful kill --signal HUP dev-server

Bashful asks a task's whole process tree to end with SIGTERM, and kills what has not ended within
the task's grace period.

Exit codes: 0 they have ended, 2 usage or no such task, 125 one could not be ended.";

#[derive(Debug, Args)]
#[command(after_help = KILL_EXAMPLES)]
pub(crate) struct KillArguments {
    /// The tasks, by id or name.
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// Send this signal: a name such as TERM or KILL, or its number.
    #[arg(short, long, value_name = "SIGNAL")]
    pub(crate) signal: Option<String>,
    /// Kill them at once, without asking first.
    #[arg(long, conflicts_with = "signal")]
    pub(crate) now: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
