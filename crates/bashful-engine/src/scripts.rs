//! Managed scripts: written once, approved by content, run within what they declare.
//!
//! A script is a file `{uuid}.sh` in the configuration directory, a row in the database and its
//! records in the trail. [`Scripts`] is what a front end uses. To read it, follow a script:
//! `id`, `body` and `variable` (what can be one), `folder` (its file), `script` (its row),
//! `library` (both together, on record), `look` (what a hand changed), `keep`, `history`,
//! `approve`, `carry` (what people do with it). Then a run: `action` and `values` (what is asked),
//! `destinations`, `place`, `scratch` and `programs` (what it reaches), `sealed`, `call` and `run`.

mod action;
mod approve;
pub(crate) mod body;
mod carry;
mod check;
mod document;
mod editor;
mod ended;
mod folder;
mod history;
mod keep;
pub(crate) mod library;
mod list;
mod look;
mod place;
mod placing;
mod programs;
mod reach;
mod recover;
mod run;
mod running;
mod templates;
mod validate;
pub(crate) mod values;
mod written;

pub use crate::model::error::body::MAX_SCRIPT_BYTES;
pub use crate::model::error::body::UnfitBody;
pub use crate::model::error::folder::FolderError;
pub use crate::model::error::script::ScriptError;
pub use crate::model::script::Destinations;
pub use crate::model::script::content_hash;
pub use crate::model::script::finding::{FindingSource, ScriptFinding, Severity};
pub use crate::model::script::id::{NotAName, NotAnId, ScriptId, ScriptName};
pub use crate::model::script::variable::{Variable, VariableError, VariableKind};
pub use crate::model::script::{
    CreatedBy, INTERPRETER, LastRun, Script, ScriptApproval, ScriptVersion, VersionOrigin,
};
pub use crate::request::script::advice::{approve_command, edit_command};
pub use action::{BASH_RUN, BashRun, NarrowedCapabilities};
pub use approve::Seen;
pub use carry::ScriptDocument;
pub use document::Document;
pub use editor::{Edited, Editor, EditorEnd};
pub use history::TwoTexts;
pub use keep::{Deletion, NewScript, ScriptEdit};
pub use list::{ActionOutcome, ActionReport};
pub use look::{FileState, ForeignFile, ScriptList, ScriptView};
pub use run::{DryRun, StartedScript};
pub use running::ScriptRun;
pub use validate::{Draft, Needs, Validation};
pub use values::{MissingValues, ShownBinding};
pub use written::WrittenVariables;

use crate::engine::Engine;
use crate::request::settings::Settings;
use crate::scripts::library::ScriptLibrary;

/// The managed scripts of an engine's user.
#[derive(Debug, Clone)]
pub struct Scripts<'e> {
    engine: &'e Engine,
}

impl Engine {
    /// The managed scripts of this engine's user.
    pub fn scripts(&self) -> Scripts<'_> {
        Scripts { engine: self }
    }
}

impl<'e> Scripts<'e> {
    /// All scripts, files that no script belongs to, and what was deleted. What was changed by
    /// hand is noticed, and becomes a version that no person has approved.
    pub fn list(&self) -> Result<ScriptList, ScriptError> {
        self.library()?.list()
    }

    /// Whether there is any, by the names in their folder alone: cheap enough to be asked often.
    pub fn any(&self) -> bool {
        let folder = self.settings().configuration();
        let entries = folder.and_then(|place| std::fs::read_dir(place.join("scripts")).ok());
        entries.into_iter().flatten().flatten().any(|entry| {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".sh"));
            id.is_some_and(|id| id.parse::<ScriptId>().is_ok())
        })
    }

    /// A script by its id or name, with its text.
    pub fn show(&self, which: &str) -> Result<ScriptView, ScriptError> {
        let library = self.library()?;
        let mut view = library.look(library.find(which)?)?.view(self.settings());
        self.note_unseen_end(&mut view.script);
        Ok(view)
    }

    fn settings(&self) -> &'e Settings {
        self.engine.settings()
    }

    fn library(&self) -> Result<ScriptLibrary<'e>, ScriptError> {
        ScriptLibrary::open(self.settings())
    }
}
