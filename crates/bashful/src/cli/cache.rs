//! The flags of `bashful cache`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  bashful cache show
  bashful cache show --project ~/src/app --json
  bashful cache clean
  bashful cache clean --all --agent claude --dry-run

What tools download and build for an agent in a project is kept for its next commands. It is removed
beyond `caches.quota`, what was not used for the longest time first. A cache that a running task may
use stays.

Exit codes: 0 done, 1 something could not be removed or is in use, 2 usage, 125 Bashful failed.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CacheArguments {
    #[command(subcommand)]
    pub(crate) what: CacheCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Show the caches of agents and scripts: whose they are, how large, and when they were used.
    Show {
        #[command(flatten)]
        which: WhichCaches,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Empty the caches of the project around the current directory; others when told.
    Clean {
        #[command(flatten)]
        which: WhichCaches,
        /// Empty the caches of all projects and scripts.
        #[arg(long, conflicts_with = "project")]
        all: bool,
        /// Only show what would be removed.
        #[arg(long)]
        dry_run: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WhichCaches {
    /// Only those of the project around this directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Only those of this agent.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

impl CacheArguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            CacheCommand::Show { json, .. } | CacheCommand::Clean { json, .. } => *json,
        }
    }
}
