//! What can go wrong with managed scripts.

use crate::base::error_chain::in_full;
use crate::model::error::EngineError;
use crate::model::error::ask::ApprovalError;
use crate::model::error::body::UnfitBody;
use crate::model::error::folder::FolderError;
use crate::model::error::record::AuditError;
use crate::model::error::store::StoreError;
use crate::model::script::id::{NotAName, NotAnId, ScriptId};
use crate::model::script::variable::VariableError;

/// Why a call about a script failed. Nothing was half done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// There is none of this name or id.
    #[error("there is no script `{}`", which.escape_debug())]
    Unknown {
        /// What was given.
        which: String,
    },
    /// The text is no id of a script.
    #[error(transparent)]
    Id(#[from] NotAnId),
    /// The text is no name for a script.
    #[error(transparent)]
    Name(#[from] NotAName),
    /// Another script has the name.
    #[error("there is another script `{name}`")]
    NameTaken {
        /// The name that another script has.
        name: String,
    },
    /// A text that is no script.
    #[error(transparent)]
    Body(#[from] UnfitBody),
    /// Variables that cannot be declared or given.
    #[error(transparent)]
    Variables(#[from] VariableError),
    /// Capabilities that cannot be declared.
    #[error("a script cannot declare this: {detail}")]
    Capabilities {
        /// What is wrong.
        detail: String,
    },
    /// A call that wants more than the script declares.
    #[error("a call can only narrow what the script declares, and `{key}` would widen it: {}", given.join(", ").escape_debug())]
    Widens {
        /// The capability that the call would widen.
        key: String,
        /// What was asked for.
        given: Vec<String>,
    },
    /// A description that is too long.
    #[error("a description has at most 4096 bytes, and no NUL")]
    Description,
    /// The scripts folder could not be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The database could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The change could not be put on record, so it does not count.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The approval queue could not be used.
    #[error(transparent)]
    ApprovalQueue(#[from] ApprovalError),
    /// Automations use it.
    #[error("the script `{name}` is used by {}", automations.join(", ").escape_debug())]
    InUse {
        /// The name of the script that is in use.
        name: String,
        /// The ids of the automations that use it.
        automations: Vec<String>,
    },
    /// Another caller changed the script at the same time.
    #[error("the script `{name}` was changed in the meantime; look at it and try again")]
    ChangedMeanwhile {
        /// The name of the script that was changed.
        name: String,
    },
    /// What was seen is not what there is.
    #[error("the script `{name}` is no longer what was seen: it is {found} now")]
    NotAsSeen {
        /// The name of the script that the caller saw differently.
        name: String,
        /// The digest of what there is.
        found: String,
    },
    /// Its file is not there.
    #[error("the file of the script `{name}` is missing; `restore` brings it back")]
    FileMissing {
        /// The name of the script whose file is missing.
        name: String,
    },
    /// The script's file was changed by hand, and what it holds now is no script.
    #[error("the file of the script `{name}` was changed so that it is not a script: {why}")]
    FileUnfit {
        /// The name of the script whose file was changed.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// Its file is none of ours.
    #[error("the file of the script `{name}` cannot be trusted: {why}")]
    FileNotOurs {
        /// The name of the script whose file is not trusted.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file that has no metadata.
    #[error("the file of `{id}` is foreign: import it first")]
    Foreign {
        /// The id that the file is named by.
        id: ScriptId,
    },
    /// There is no such version.
    #[error("the script `{name}` has no version `{}`", which.escape_debug())]
    NoVersion {
        /// The name of the script that has no such version.
        name: String,
        /// What was given.
        which: String,
    },
    /// Several versions begin like this.
    #[error("`{}` is the beginning of several hashes", which.escape_debug())]
    AmbiguousVersion {
        /// What was given.
        which: String,
    },
    /// A model wants to delete what is not its own.
    #[error(
        "only a person may delete the script `{name}`, because a person made it: with `bashful scripts delete`"
    )]
    NotAModels {
        /// The name of the script that a person made.
        name: String,
    },
    /// A document that cannot be imported.
    #[error("cannot import this: {detail}")]
    Document {
        /// What is wrong with it.
        detail: String,
    },
    /// An action that cannot be run.
    #[error("this is not an action that can be run: {detail}")]
    Action {
        /// What is wrong with it.
        detail: String,
    },
    /// A working directory that a run may not have.
    #[error("the working directory `{}` lies neither in the workspace nor in a declared path", path.escape_debug())]
    Directory {
        /// The working directory as it was given.
        path: String,
    },
    /// A working directory that is hidden or protected where it lies.
    #[error("no script may work in `{}`: it holds what is private, or what would run later", path.escape_debug())]
    ClosedDirectory {
        /// The working directory as it was given.
        path: String,
    },
    /// A working directory that is none.
    #[error("the working directory `{}` does not exist, or is not a directory", path.escape_debug())]
    NoDirectory {
        /// The working directory as it was given.
        path: String,
    },
    /// A program that looks at scripts failed.
    #[error("cannot look at the script with `{program}`: {detail}")]
    Tool {
        /// The name of the program, such as `bash`.
        program: &'static str,
        /// What went wrong.
        detail: String,
    },
    /// The engine failed at the run of the script.
    #[error(transparent)]
    Engine(#[from] Box<EngineError>),
    /// The system did not give what the engine needs.
    #[error("cannot get {what}")]
    Resources {
        /// What the engine could not get, in words.
        what: &'static str,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl ScriptError {
    /// What is put on record about it: the same without values, which later readers need not see.
    pub(crate) fn for_record(&self) -> String {
        match self {
            Self::Variables(VariableError::Type { name, kind, .. }) => {
                let name = name.escape_debug();
                format!("the variable `{name}` is of type {kind}, and what was given is not")
            }
            error => in_full(error),
        }
    }
}

impl From<EngineError> for ScriptError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::ScriptChanged { name } => Self::ChangedMeanwhile { name },
            error => Self::Engine(Box::new(error)),
        }
    }
}
