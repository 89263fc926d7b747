//! The flags of `bashful policy`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::{BoundsArguments, lasting, variable};

#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    #[command(subcommand)]
    pub(crate) what: PolicyCommand,
}

impl PolicyArguments {
    /// Whether errors are to be told as JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            PolicyCommand::Check(arguments) => arguments.json,
            PolicyCommand::Show { json, .. }
            | PolicyCommand::Test { json, .. }
            | PolicyCommand::Explain { json, .. }
            | PolicyCommand::Lint { json, .. } => *json,
            PolicyCommand::Replay(arguments) => arguments.json,
            PolicyCommand::Learn(arguments) => arguments.json,
            PolicyCommand::Import { .. } => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show whether a command would run, and why.
    Check(Box<CheckArguments>),
    /// Print the rules: those that are shipped, or all of a profile.
    Show {
        /// A profile: prints every rule that holds in it.
        #[arg(value_name = "PROFILE")]
        profile: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check the examples of the rules in a file.
    Test {
        /// A file of rules, or a configuration file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Explain what a rule or class does, and what opens it.
    Explain {
        /// The id of a rule, or the name of a class or check.
        #[arg(value_name = "RULE")]
        rule: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Look for rules that do not do what they seem to do.
    Lint {
        /// A file of rules, or a configuration file [default: the rules in force].
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what a changed policy would have said about the commands on record.
    Replay(ReplayArguments),
    /// Propose the narrowest profile that would have let a session's runs pass.
    Learn(LearnArguments),
    /// Turn the permissions of another tool into rules.
    Import {
        /// The tool whose permissions they are.
        #[arg(value_name = "TOOL", value_enum)]
        from: Dialect,
        /// The file that holds them.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Write the rules to this file instead of standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  bashful policy replay changed.toml
  bashful policy replay --since 30d --agent coder rules.toml";

#[derive(Debug, Args)]
#[command(after_long_help = REPLAY_EXAMPLES)]
pub(crate) struct ReplayArguments {
    /// A configuration to use instead of yours, or a file of rules to add.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Judge only what was asked for in this time, such as 30d [default: everything].
    #[arg(long, value_name = "TIME", value_parser = lasting)]
    pub(crate) since: Option<Duration>,
    /// Judge only what this agent asked for.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Judge only what was asked for in this session.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Judge by this profile [default: the one that each agent would have].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LearnArguments {
    /// The session to learn from.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: String,
    /// Learn only from the runs of this agent.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The name of the new profile.
    #[arg(long, value_name = "NAME", default_value = "learnt")]
    pub(crate) name: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose permissions are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dialect {
    /// `settings.json` of Claude Code.
    Claude,
    /// Rules of Codex.
    Codex,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  bashful policy check 'git push origin main'
  bashful policy check --profile careful 'python3 setup.py build'
  echo 'rm -rf build' | bashful policy check --json -

Exit codes: 0 it would run, 121 a person would be asked, 120 it would be refused, 2 usage.";

#[derive(Debug, Args)]
#[command(after_long_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArguments {
    /// Bash text, as one argument; - reads it from standard input.
    #[arg(value_name = "COMMAND")]
    pub(crate) command: String,
    /// Print the decision, the facts and the findings as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// The writable root [default: --cwd, else the current directory].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The working directory, inside the workspace.
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// A variable that the command would see; repeatable.
    #[arg(short, long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// The agent that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) bounds: BoundsArguments,
}
