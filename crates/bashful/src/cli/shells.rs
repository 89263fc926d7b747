//! The flags of `bashful shells`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  bashful run --shell dev 'cd src && export CI=1'
  bashful shells list
  bashful shells show dev
  bashful shells reset dev
  bashful shells end --all

Exit codes: 0 done, 2 usage or no such shell, 125 Bashful failed.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ShellsArguments {
    #[command(subcommand)]
    pub(crate) what: ShellsCommand,
}

impl ShellsArguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            ShellsCommand::List { json, .. }
            | ShellsCommand::Show { json, .. }
            | ShellsCommand::Reset { json, .. }
            | ShellsCommand::End { json, .. } => *json,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShellsCommand {
    /// List the shells that are kept.
    List {
        #[command(flatten)]
        whose: WhoseShells,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what a shell remembers; of its variables, only the names.
    Show {
        /// The name of the shell.
        #[arg(value_name = "NAME")]
        name: String,
        /// Also show what its variables hold; secrets are masked.
        #[arg(long)]
        values: bool,
        #[command(flatten)]
        whose: WhoseShells,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make a shell forget everything.
    Reset {
        /// The name of the shell.
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        whose: WhoseShells,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// End a shell; nothing of it is kept.
    End {
        /// The name of the shell.
        #[arg(value_name = "NAME", required_unless_present = "all")]
        name: Option<String>,
        /// All shells that match the other flags.
        #[arg(long, conflicts_with = "name")]
        all: bool,
        #[command(flatten)]
        whose: WhoseShells,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WhoseShells {
    /// List only this agent's shells.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// List only the shells of this session.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// List only the shells of this workspace.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
}
