//! The flags of `bashful scripts` and `bashful action`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

mod declared;
mod running;

pub(crate) use declared::{DeclaredArguments, from_json, read_capabilities};
pub(crate) use running::{
    ActionArguments, ActionCommand, ActionRunArguments, RunScriptArguments, ScriptCallerArguments,
};

const EXAMPLES: &str = "\
Examples:
  bashful scripts create --name backup --write ~/backups backup.sh
  bashful scripts run backup --var trigger.file.path='my notes.txt'
  bashful scripts validate backup --infer
  bashful scripts diff backup
  bashful scripts restore backup --version 2

Name a script by its name or its id.

Exit codes: 0 done, 1 it is not valid or was not approved, 2 usage or no such script,
120 this process may not approve, 125 Bashful failed; `run` has those of `bashful run`.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ScriptsArguments {
    #[command(subcommand)]
    pub(crate) what: ScriptsCommand,
}

impl ScriptsArguments {
    pub(crate) fn wants_json(&self) -> bool {
        match &self.what {
            ScriptsCommand::Create(arguments) => arguments.json,
            ScriptsCommand::Edit(arguments) => arguments.json,
            ScriptsCommand::Run(arguments) => arguments.caller.json,
            ScriptsCommand::Validate(arguments) => arguments.json,
            ScriptsCommand::Import(arguments) => arguments.json,
            ScriptsCommand::List { json, .. }
            | ScriptsCommand::Show { json, .. }
            | ScriptsCommand::Approve { json, .. }
            | ScriptsCommand::Revoke { json, .. }
            | ScriptsCommand::Rename { json, .. }
            | ScriptsCommand::History { json, .. }
            | ScriptsCommand::Diff { json, .. }
            | ScriptsCommand::Restore { json, .. }
            | ScriptsCommand::Delete { json, .. }
            | ScriptsCommand::Export { json, .. } => *json,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScriptsCommand {
    /// List the scripts, and what else is in their folder.
    List {
        /// List scripts that were deleted and can be restored, too.
        #[arg(long)]
        all: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a script: its text, what it may do, who approved it, how it last ran.
    Show {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// Show the text of this version instead: its number, or the beginning of its hash.
        #[arg(long, value_name = "VERSION")]
        version: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make a script from a file, from standard input or in $EDITOR.
    Create(Box<CreateArguments>),
    /// Change a script's text, description, capabilities or variables.
    Edit(Box<EditArguments>),
    /// Run a script. If it is not approved as it is, a person is asked first.
    Run(Box<RunScriptArguments>),
    /// Show what is wrong with a script, what it seems to need and what it declares.
    Validate(Box<ValidateArguments>),
    /// Approve a script as it is: it then runs without a question until it or what it declares
    /// changes.
    Approve {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// Do not ask; for scripts and CI. A command that Bashful runs cannot do this.
        #[arg(short, long)]
        yes: bool,
        /// Approve only if this is still its `digest`, which `show --json` prints.
        #[arg(long, value_name = "DIGEST")]
        digest: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Take an approval back.
    Revoke {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Give a script another name. Its approval stays.
    Rename {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// Its new name.
        #[arg(value_name = "NAME")]
        name: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the versions of a script, also of one that was deleted.
    History {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what changed between two versions of a script.
    Diff {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// The older version: its number, or the beginning of its hash [default: the one before].
        #[arg(value_name = "BEFORE")]
        before: Option<String>,
        /// The newer version [default: the last].
        #[arg(value_name = "AFTER")]
        after: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Bring back an older text, or a script that was deleted.
    Restore {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// Which version: its number, or the beginning of its hash [default: the last].
        #[arg(long, value_name = "VERSION")]
        version: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Delete a script. `restore` brings it back.
    Delete {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// Delete it even if automations use it.
        #[arg(short, long)]
        force: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write a script and all that belongs to it, except its approval, as one JSON document.
    Export {
        /// The script, by name or id.
        #[arg(value_name = "SCRIPT")]
        script: String,
        /// Write it to this new file [default: standard output].
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Print JSON; the document is JSON in any case.
        #[arg(long)]
        json: bool,
    },
    /// Make a script from an exported document, or from a file that was put into the folder.
    Import(Box<ImportArguments>),
}

#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// The text; - is standard input [default: you write it in $EDITOR].
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Its name, which no other script may have.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,
    /// What it is for.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    #[command(flatten)]
    pub(crate) declared: DeclaredArguments,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// The script, by name or id.
    #[arg(value_name = "SCRIPT")]
    pub(crate) script: String,
    /// The new text; - is standard input [default: you change it in $EDITOR, unless another option
    /// says what to change].
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// What it is for.
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    #[command(flatten)]
    pub(crate) declared: DeclaredArguments,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ValidateArguments {
    /// The script, by name or id.
    #[arg(
        value_name = "SCRIPT",
        required_unless_present = "file",
        conflicts_with = "file"
    )]
    pub(crate) script: Option<String>,
    /// Look at this file instead, which need not be a script yet; - is standard input.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Propose the capabilities that it seems to need.
    #[arg(long)]
    pub(crate) infer: bool,
    #[command(flatten)]
    pub(crate) declared: DeclaredArguments,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The document; - is standard input. Or the id of a file in the folder that belongs to no
    /// script yet: it becomes one.
    #[arg(value_name = "FILE|ID")]
    pub(crate) source: PathBuf,
    /// Its name [default: the document's].
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What it is for [default: the document's].
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    #[command(flatten)]
    pub(crate) declared: DeclaredArguments,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
