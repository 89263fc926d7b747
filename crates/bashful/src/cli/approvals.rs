//! The flags of `bashful approvals`.

use std::time::Duration;

use bashful_engine::approvals::Scope;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::lasting;

const EXAMPLES: &str = "\
Examples:
  bashful approvals list
  bashful approvals show ask-1k2m
  bashful approvals allow 1k2m
  bashful approvals allow 1k2m --scope project --expires 7d
  bashful approvals deny 1k2m --message 'use the staging host'
  bashful approvals deny --all
  bashful approvals watch

An id may be shortened as long as no other id begins the same way.

Exit codes: 0 done, 1 it had already been answered or had expired, 2 usage or no such ask,
120 this process may not answer, 125 Bashful failed.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ApprovalsArguments {
    #[command(subcommand)]
    pub(crate) what: ApprovalsCommand,
}

impl ApprovalsArguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            ApprovalsCommand::List { json, .. }
            | ApprovalsCommand::Show { json, .. }
            | ApprovalsCommand::Allow(AllowArguments { json, .. })
            | ApprovalsCommand::Deny { json, .. }
            | ApprovalsCommand::Watch { json } => *json,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List what is waiting for an answer.
    List {
        /// Also what was answered or has expired.
        #[arg(long)]
        all: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show all that is known about an ask.
    Show {
        /// The id of the ask.
        #[arg(value_name = "ID")]
        id: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Say yes: once, or for later commands too.
    Allow(AllowArguments),
    /// Say no, with a message for the agent if you like.
    Deny {
        /// The id of the ask.
        #[arg(
            value_name = "ID",
            required_unless_present = "all",
            conflicts_with = "all"
        )]
        id: Option<String>,
        /// Deny everything that waits.
        #[arg(long)]
        all: bool,
        /// A message to the agent.
        #[arg(short, long, value_name = "TEXT")]
        message: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Wait for asks and answer them here, one by one; Ctrl-C stops.
    Watch {
        /// Print each ask as a line of JSON instead, and take no answers.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AllowArguments {
    /// The id of the ask.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Only this once, which is also the default.
    #[arg(long, conflicts_with_all = ["scope", "expires"])]
    pub(crate) once: bool,
    /// Remember the yes in this scope.
    #[arg(long, value_name = "SCOPE", value_parser = lasting_scope())]
    pub(crate) scope: Option<Scope>,
    /// Forget it after this time, such as 1h or 7d [default: when it is revoked].
    #[arg(long, value_name = "TIME", value_parser = lasting)]
    pub(crate) expires: Option<Duration>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn lasting_scope() -> impl TypedValueParser<Value = Scope> {
    let words = PossibleValuesParser::new(["session", "project", "user"]);
    words.try_map(|word| word.parse::<Scope>())
}
