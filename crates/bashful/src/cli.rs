//! The flags, and nothing but the flags.

use std::path::PathBuf;
use std::time::Duration;

use bashful_engine::config::{Choice, Keep, OnLogFull, Survivors, parse_duration, parse_size};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

use crate::view::ColourChoice;

mod approvals;
mod audit;
mod background;
mod bounds;
mod cache;
mod caller;
mod completions;
mod grants;
mod hook;
#[cfg(test)]
mod man_pages;
mod mcp;
mod policy;
mod reading;
mod scripts;
mod shells;
mod tasks;
mod terminals;
mod tools;

pub(crate) use approvals::{AllowArguments, ApprovalsArguments, ApprovalsCommand};
pub(crate) use audit::{AnchorPlaces, AuditArguments, AuditCommand, ExportFormat, RecordFilter};
pub(crate) use background::BackgroundArguments;
pub(crate) use bounds::{BoundsArguments, PolicyFlag};
pub(crate) use cache::{CacheArguments, CacheCommand, WhichCaches};
pub(crate) use caller::CallerArguments;
pub(crate) use completions::{CompletedShell, CompletionsArguments};
pub(crate) use grants::{AddArguments, GrantsArguments, GrantsCommand};
pub(crate) use hook::{ClaudeHookArguments, HookArguments, HookClient};
pub(crate) use mcp::{
    ConfigArguments as McpConfigArguments, InstallArguments, McpArguments, McpCommand,
    ServeArguments, SetUpArguments, ToolsFlag,
};
pub(crate) use policy::{
    CheckArguments, Dialect, LearnArguments, PolicyArguments, PolicyCommand, ReplayArguments,
};

pub(crate) use scripts::{
    ActionArguments, ActionCommand, ActionRunArguments, CreateArguments, EditArguments,
    ImportArguments, RunScriptArguments, ScriptCallerArguments, ScriptsArguments, ScriptsCommand,
    ValidateArguments, from_json, read_capabilities,
};
pub(crate) use shells::{ShellsArguments, ShellsCommand, WhoseShells};
pub(crate) use tasks::{
    CleanArguments, KillArguments, ListArguments, LogsArguments, StreamFlag, TasksArguments,
    TasksCommand, WaitArguments,
};
pub(crate) use terminals::{AttachArguments, SendArguments, TerminalArguments};
pub(crate) use tools::{CallArguments, ToolsArguments, ToolsCommand};

/// The shell that asks first: run commands for AI agents and always get an answer.
#[derive(Debug, Parser)]
#[command(name = "bashful", version, max_term_width = 100)]
pub(crate) struct Cli {
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorFlag,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of a verb are set up once it is the one: twenty verbs have hundreds of them, and a run needs
/// its own alone.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Run a command and report how it went.
    Run(Box<RunArguments>),
    /// Show what a command would be allowed to do, without running it.
    Explain(Box<ExplainArguments>),
    /// Show what this host offers and what will be enforced on it.
    Doctor(DoctorArguments),
    /// Show what is running now.
    Status(StatusArguments),
    /// End what is running now.
    Stop(StopArguments),
    /// List tasks: what is running in the background, and what has ended.
    Tasks(TasksArguments),
    /// Show what a task printed.
    Logs(LogsArguments),
    /// Wait for tasks to end.
    Wait(WaitArguments),
    /// End tasks.
    Kill(KillArguments),
    /// Show and change the configuration.
    Config(ConfigArguments),
    /// Ask the policy about a command, and look at its rules.
    Policy(PolicyArguments),
    /// See what is waiting for an answer, and answer it.
    Approvals(ApprovalsArguments),
    /// See which grants hold, give new ones and take them back.
    Grants(GrantsArguments),
    /// See which shells are kept and what they remember, and make them forget.
    Shells(ShellsArguments),
    /// Keep scripts, approve them by content, and run them.
    Scripts(ScriptsArguments),
    /// Run actions: scripts with their values, as JSON.
    Action(ActionArguments),
    /// Look at the record of what was asked, decided and run.
    Audit(AuditArguments),
    /// See which tools agents have, and call one.
    Tools(ToolsArguments),
    /// Serve the tools to an MCP client, and set clients up.
    Mcp(Box<McpArguments>),
    /// Type into a task's terminal, or write to its standard input.
    Send(SendArguments),
    /// Attach your terminal to a task's terminal.
    Attach(AttachArguments),
    /// Judge, as a client's hook, what its own shell is about to run.
    Hook(HookArguments),
    /// Show or empty what tools cached for agents.
    Cache(CacheArguments),
    /// Show what Bashful keeps on this machine, and remove it.
    Uninstall(UninstallArguments),
    /// Print a script that lets a shell complete Bashful's verbs and options.
    Completions(CompletionsArguments),
}

impl Command {
    /// Whether errors are to be told as JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Run(arguments) => arguments.json,
            Self::Explain(arguments) => arguments.json,
            Self::Doctor(arguments) => arguments.json,
            Self::Status(arguments) => arguments.json,
            Self::Stop(arguments) => arguments.json,
            Self::Tasks(arguments) => arguments.wants_json(),
            Self::Wait(arguments) => arguments.json,
            Self::Kill(arguments) => arguments.json,
            Self::Config(arguments) => {
                matches!(arguments.what, ConfigCommand::Show { json: true, .. })
            }
            Self::Policy(arguments) => arguments.wants_json(),
            Self::Approvals(arguments) => arguments.wants_json(),
            Self::Grants(arguments) => arguments.wants_json(),
            Self::Shells(arguments) => arguments.wants_json(),
            Self::Scripts(arguments) => arguments.wants_json(),
            Self::Action(arguments) => arguments.wants_json(),
            Self::Audit(arguments) => arguments.wants_json(),
            Self::Tools(arguments) => arguments.wants_json(),
            Self::Mcp(arguments) => arguments.wants_json(),
            Self::Send(arguments) => arguments.json,
            Self::Logs(arguments) => arguments.json,
            Self::Cache(arguments) => arguments.wants_json(),
            Self::Uninstall(arguments) => arguments.json,
            Self::Hook(_) | Self::Attach(_) | Self::Completions(_) => false,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ColorFlag {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

impl From<ColorFlag> for ColourChoice {
    fn from(flag: ColorFlag) -> Self {
        match flag {
            ColorFlag::Auto => Self::Auto,
            ColorFlag::Always => Self::Always,
            ColorFlag::Never => Self::Never,
        }
    }
}

const RUN_EXAMPLES: &str = "\
Examples:
  bashful run 'npm test'
  bashful run --timeout 90s --description 'Build the docs' 'make docs'
  bashful run --json -- git log --oneline -3
  producer | bashful run --stdin 'sort | uniq -c'
  bashful run --background --name dev-server --ready-when tcp:8080 'npm run dev'

Exit codes: the command's own, 128+N when signal N ended it, and for Bashful's own
outcomes 2 usage, 120 denied, 121 needs approval, 122 requirement failed,
124 timed out, 125 Bashful failed, 130 cancelled.";

#[derive(Debug, Args)]
#[command(
    after_long_help = RUN_EXAMPLES,
    override_usage = "bashful run [OPTIONS] 'COMMAND'\n       bashful run [OPTIONS] PROGRAM ARGS...\n       bashful run [OPTIONS] -- PROGRAM [ARGS]...\n       bashful run [OPTIONS] --file FILE"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct RunArguments {
    /// Bash text to run, as one argument.
    #[arg(
        value_name = "COMMAND",
        required_unless_present_any = ["program", "file"],
        conflicts_with_all = ["program", "file"]
    )]
    pub(crate) command: Option<String>,
    /// A program with its arguments, run without a shell.
    #[arg(value_name = "PROGRAM ARGS", last = true, num_args = 1..)]
    pub(crate) program: Vec<String>,
    /// Read the bash text from this file, at most 1 MiB; - is standard input.
    #[arg(short, long, value_name = "FILE", conflicts_with = "program")]
    pub(crate) file: Option<PathBuf>,
    /// Print the result as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// What the command is for, in a few words.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// The writable root [default: --cwd, else the current directory].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The working directory, inside the workspace.
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Set a variable for the command; repeatable.
    #[arg(short, long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Accept variables that change how programs load or start, such as LD_PRELOAD.
    #[arg(long)]
    pub(crate) allow_startup_env: bool,
    /// End the command after this time [default: 120s].
    #[arg(short, long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Warn when the command takes longer than this; it goes on.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) warn_after: Option<Duration>,
    /// Show at most this many characters of each stream; without it, everything is
    /// streamed (and --json holds 30000).
    #[arg(long, value_name = "CHARS", value_parser = positive)]
    pub(crate) max_output: Option<usize>,
    /// Which part of longer output to show.
    #[arg(long, value_name = "PART", value_parser = choice::<Keep>())]
    pub(crate) keep: Option<Keep>,
    /// Also write the complete log to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Store at most this much output [default: 1G].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) log_quota: Option<u64>,
    /// What to do when that limit is reached [default: auto, which stops background tasks].
    #[arg(long, value_name = "WHAT", value_parser = choice::<OnLogFull>())]
    pub(crate) on_log_full: Option<OnLogFull>,
    /// Pass standard input on to the command; without this it gets none.
    #[arg(long)]
    pub(crate) stdin: bool,
    /// What happens to processes that outlive the command [default: kill].
    #[arg(long, value_name = "WHAT", value_parser = choice::<Survivors>())]
    pub(crate) survivors: Option<Survivors>,
    /// The agent that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The session this call belongs to [default: BASHFUL_SESSION, else the terminal].
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Run in the shell of this name, which keeps its directory, variables and functions.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["program", "fresh"])]
    pub(crate) shell: Option<String>,
    /// Use a room of its own, which is removed when the command ends.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Wait up to this long for a yes from elsewhere, if one is needed [default: not at all].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) wait: Option<Duration>,
    /// Do not ask at this terminal.
    #[arg(long)]
    pub(crate) no_ask: bool,
    /// Ask about what the sandbox stopped, and run the command again after a yes.
    #[arg(long)]
    pub(crate) retry_on_grant: bool,
    #[command(flatten)]
    pub(crate) background: BackgroundArguments,
    #[command(flatten)]
    pub(crate) terminal: TerminalArguments,
    #[command(flatten)]
    pub(crate) bounds: BoundsArguments,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  bashful explain 'npm test'
  bashful explain --preset build --network on 'cargo build'
  bashful explain --json -- git push

Exit codes: 0 if it would run, 2 usage, 120 denied, 121 needs approval, 125 Bashful failed.";

#[derive(Debug, Args)]
#[command(
    after_long_help = EXPLAIN_EXAMPLES,
    override_usage = "bashful explain [OPTIONS] 'COMMAND'\n       bashful explain [OPTIONS] -- PROGRAM [ARGS]...\n       bashful explain [--json] --last\n       bashful explain [--json] TASK"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ExplainArguments {
    /// Bash text to explain, as one argument.
    #[arg(
        value_name = "COMMAND",
        required_unless_present_any = ["program", "last"],
        conflicts_with = "program"
    )]
    pub(crate) command: Option<String>,
    /// A program with its arguments, without a shell.
    #[arg(value_name = "PROGRAM ARGS", last = true, num_args = 1..)]
    pub(crate) program: Vec<String>,
    /// Show what the newest run was denied and what would permit it; for another run, give its id.
    #[arg(long, conflicts_with_all = ["command", "program"])]
    pub(crate) last: bool,
    /// Print the plan as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Leave nothing out: the whole file tree, system calls, names that are watched.
    #[arg(long)]
    pub(crate) all: bool,
    /// The writable root [default: --cwd, else the current directory].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The working directory, inside the workspace.
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Set a variable for the command; repeatable.
    #[arg(short, long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Accept variables that change how programs load or start, such as LD_PRELOAD.
    #[arg(long)]
    pub(crate) allow_startup_env: bool,
    /// The agent that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) bounds: BoundsArguments,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Try a sandbox again, even if one was tried since the last boot.
    #[arg(long)]
    pub(crate) again: bool,
    /// Repair Bashful's own files instead: close directories that other users could read, rebuild a
    /// damaged database, and bring its index up to date. What others could write is left for you to
    /// check.
    #[arg(long, conflicts_with = "again")]
    pub(crate) repair: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// Show only what this agent runs.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").required(true)))]
pub(crate) struct StopArguments {
    /// End everything.
    #[arg(long, group = "which")]
    pub(crate) all: bool,
    /// End what this agent runs.
    #[arg(long, value_name = "NAME", group = "which")]
    pub(crate) agent: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    #[command(subcommand)]
    pub(crate) what: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print what is in force and where it comes from.
    Show {
        /// Print the shipped defaults, commented.
        #[arg(long, conflicts_with = "json")]
        default: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the files that are read.
    Path,
    /// Set a key in your own file, which keeps its comments.
    Set {
        /// The key, such as limits.timeout or profile.default.capabilities.network.
        #[arg(value_name = "KEY")]
        key: String,
        /// The value, as TOML has it; words need no quotes.
        #[arg(
            value_name = "VALUE",
            required_unless_present = "unset",
            conflicts_with = "unset"
        )]
        value: Option<String>,
        /// Take the key out instead, so that the default holds again.
        #[arg(long)]
        unset: bool,
    },
    /// Change your own file in $EDITOR; it takes effect only if Bashful can go by it.
    Edit,
}

#[derive(Debug, Args)]
pub(crate) struct UninstallArguments {
    /// Remove it; without this, only say what would be removed.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

/// A time that may not be zero.
pub(crate) fn lasting(text: &str) -> Result<Duration, String> {
    duration(text).and_then(|time| match time {
        Duration::ZERO => Err("expected a time longer than zero".to_owned()),
        time => Ok(time),
    })
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).map_err(|error| error.to_string())
}

/// Shows the words in the help and takes nothing else.
fn choice<T: Choice + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let words = PossibleValuesParser::new(T::ALL.iter().map(|(word, _)| *word));
    words.try_map(|word| T::from_word(&word))
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("zero characters would show nothing".to_owned()),
        Ok(count) => Ok(count),
        Err(_) => Err("expected a number of characters, such as 30000".to_owned()),
    }
}
