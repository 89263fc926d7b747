//! The flags of `bashful policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{BoundsArguments, variable};

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
            PolicyCommand::Import { .. } => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Tell whether a command would run, and why.
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
    /// Tell what a rule or class does, and what opens it.
    Explain {
        /// The id of a rule, or the name of a class or check.
        #[arg(value_name = "RULE")]
        rule: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Look for rules that do not do what they seem to.
    Lint {
        /// A file of rules, or a configuration file [default: the rules in force].
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Turn the permissions of another tool into rules.
    Import {
        /// Whose permissions they are.
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
    /// Bash text, as one argument; - reads it from our standard input.
    #[arg(value_name = "COMMAND")]
    pub(crate) command: String,
    /// Print the decision, the facts and what was found as one JSON object.
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
    /// Who asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) bounds: BoundsArguments,
}
