//! The flags of `bashful audit`.

use std::path::PathBuf;
use std::time::Duration;

use bashful_engine::audit::Place;
use clap::{Args, Subcommand, ValueEnum};

use super::duration;

#[derive(Debug, Args)]
pub(crate) struct AuditArguments {
    #[command(subcommand)]
    pub(crate) what: AuditCommand,
}

impl AuditArguments {
    /// Whether errors are to be told as JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            AuditCommand::List { json, .. }
            | AuditCommand::Show { json, .. }
            | AuditCommand::Tail { json, .. }
            | AuditCommand::Commands { json, .. }
            | AuditCommand::Anchor { json, .. } => *json,
            AuditCommand::Verify(arguments) => arguments.json,
            AuditCommand::Export { .. } => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// List records, the newest last.
    List {
        #[command(flatten)]
        filter: RecordFilter,
        /// Show only records of this event: request, decision, ask, answer, grant, start, end,
        /// refusal, policy, script or mended.
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
        /// Show at most this many, the newest.
        #[arg(long, value_name = "NUMBER")]
        limit: Option<usize>,
        /// Print each record as one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Show a record in full, or all records about a task, an ask, a grant or a script.
    Show {
        /// The number of a record, or an id.
        #[arg(value_name = "RECORD")]
        which: String,
        /// Print each record as one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Show the newest records.
    Tail {
        /// How many records to show.
        #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 10)]
        lines: usize,
        /// Keep showing new records as they come.
        #[arg(short, long)]
        follow: bool,
        /// Print each record as one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// List the commands that were asked for and what became of them, the newest last.
    Commands {
        #[command(flatten)]
        filter: RecordFilter,
        /// Print each command as one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Write the records out.
    Export {
        /// Nothing older than this, such as 1h or 30d.
        #[arg(long, value_name = "TIME", value_parser = since)]
        since: Option<Duration>,
        /// The form to write; jsonl keeps every line as it is, with its hash.
        #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
        format: ExportFormat,
        /// Write to this new file instead of standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check that no record was changed, removed, reordered or cut off.
    Verify(VerifyArguments),
    /// Keep the end of the trail where its writer cannot change it.
    Anchor {
        #[command(flatten)]
        places: AnchorPlaces,
        /// Print the anchor as one JSON object.
        #[arg(long)]
        json: bool,
    },
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  bashful audit verify
  bashful audit verify --file /mnt/safe/bashful.anchors
  bashful audit verify --journald --json

Without an anchor, the records can only be found consistent: a process that can write the trail can
replace all of it. With one, they are known to be unchanged up to the anchored record.

Exit codes: 0 consistent or unchanged, 1 a problem was found, 2 usage, 125 it cannot be read.";

#[derive(Debug, Args)]
#[command(after_long_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) places: AnchorPlaces,
    /// Check against no anchor, even if the configuration names some.
    #[arg(long, conflicts_with_all = ["file", "journald", "command"])]
    pub(crate) unanchored: bool,
    /// Print what was found as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which records to look at.
#[derive(Debug, Default, Args)]
pub(crate) struct RecordFilter {
    /// Nothing older than this, such as 1h or 30d.
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<Duration>,
    /// Show only what belongs to this agent.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Show only what belongs to this session.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
}

/// Where anchors are.
#[derive(Debug, Default, Args)]
pub(crate) struct AnchorPlaces {
    /// A file elsewhere that holds one anchor per line; repeatable.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// The system's journal.
    #[arg(long)]
    pub(crate) journald: bool,
    /// A command for sh: with BASHFUL_ANCHOR=write it gets an anchor as one line, with
    /// BASHFUL_ANCHOR=read it prints the anchors that it got before; repeatable.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

impl AnchorPlaces {
    /// All that were named.
    pub(crate) fn named(&self) -> Vec<Place> {
        let files = self.file.iter().cloned().map(Place::File);
        let journal = self.journald.then_some(Place::Journald);
        let commands = self.command.iter().cloned().map(Place::Command);
        files.chain(journal).chain(commands).collect()
    }
}

/// How records are written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The lines as they are.
    Jsonl,
    /// A table for a spreadsheet.
    Csv,
}

/// A duration that may be counted in days, too.
fn since(text: &str) -> Result<Duration, String> {
    let days = text.strip_suffix('d').map(str::parse::<u32>);
    match days {
        Some(Ok(days)) => Ok(Duration::from_secs(u64::from(days) * 86_400)),
        Some(Err(_)) => Err("expected a number of days, such as 30d".to_owned()),
        None => duration(text),
    }
}
