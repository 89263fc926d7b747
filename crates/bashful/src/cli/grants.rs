//! The flags of `bashful grants`.

use std::path::PathBuf;
use std::time::Duration;

use bashful_engine::NetworkCapability;
use bashful_engine::approvals::Scope;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};

use super::lasting;

const EXAMPLES: &str = "\
Examples:
  bashful grants list
  bashful grants add --command 'git push origin …' --scope project --expires 7d
  bashful grants add --network on --scope session
  bashful grants revoke grant-1k2m
  bashful grants clean --older-than 30d

An id may be shortened as long as no other id begins the same way.

Exit codes: 0 done, 1 it no longer held, 2 usage or no such grant,
120 this process may not give or revoke grants, 125 Bashful failed.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GrantsArguments {
    #[command(subcommand)]
    pub(crate) what: GrantsCommand,
}

impl GrantsArguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            GrantsCommand::Add(arguments) => arguments.json,
            GrantsCommand::List { json, .. }
            | GrantsCommand::Show { json, .. }
            | GrantsCommand::Revoke { json, .. }
            | GrantsCommand::Clean { json, .. } => *json,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum GrantsCommand {
    /// List the grants that hold.
    List {
        /// List grants that were used up or revoked, or have expired, too.
        #[arg(long)]
        all: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show all that is known about a grant.
    Show {
        /// The id of the grant.
        #[arg(value_name = "ID")]
        id: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Give a grant before an agent asks.
    Add(Box<AddArguments>),
    /// Take grants back.
    #[command(group(ArgGroup::new("which").required(true)))]
    Revoke {
        /// The ids of the grants.
        #[arg(value_name = "ID", group = "which")]
        ids: Vec<String>,
        /// All grants that hold.
        #[arg(long, group = "which")]
        all: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Forget asks and grants that can have no effect any more.
    Clean {
        /// Forget only those that are older than this.
        #[arg(long, value_name = "TIME", default_value = "30d", value_parser = lasting)]
        older_than: Duration,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// For commands of this shape; a final … stands for the rest [default: any command; the grant
    /// must then open a class, the network or a path].
    #[arg(long, value_name = "SHAPE", conflicts_with = "exact")]
    pub(crate) command: Option<String>,
    /// For exactly this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) exact: Option<String>,
    /// Allow a class of commands that is otherwise refused, such as sudo; repeatable.
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Vec<String>,
    /// Open the network: on, or hosts, as in pypi,example.com:443.
    #[arg(long, value_name = "REACH", value_parser = opened_network)]
    pub(crate) network: Option<NetworkCapability>,
    /// Let git fetch from the repository at this address, with your own keys and helpers; repeatable.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) git_fetch: Vec<String>,
    /// Let git push to the repository at this address, the same way; repeatable.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) git_push: Vec<String>,
    /// Let it read this file or directory; repeatable.
    #[arg(long, value_name = "PATH")]
    pub(crate) read: Vec<String>,
    /// Let it write this file or directory; repeatable.
    #[arg(long, value_name = "PATH")]
    pub(crate) write: Vec<String>,
    /// How far it reaches; `call` is one run.
    #[arg(long, value_name = "SCOPE", value_parser = scope())]
    pub(crate) scope: Scope,
    /// The session, for scope session [default: BASHFUL_SESSION, else the terminal].
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// The agent it is for [default: the one in the configuration].
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The profile under which it holds [default: the agent's].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Forget it after this time, such as 1h or 7d [default: when it is revoked].
    #[arg(long, value_name = "TIME", value_parser = lasting)]
    pub(crate) expires: Option<Duration>,
    /// A directory of the project that it is for [default: the current directory].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn opened_network(text: &str) -> Result<NetworkCapability, String> {
    match NetworkCapability::parse(text) {
        Ok(NetworkCapability::Off) => Err("a grant opens: `on`, or hosts".to_owned()),
        read => read.map_err(|error| error.to_string()),
    }
}

fn scope() -> impl TypedValueParser<Value = Scope> {
    let words = PossibleValuesParser::new(Scope::ALL.map(Scope::as_str));
    words.try_map(|word| word.parse::<Scope>())
}
