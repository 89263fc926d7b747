//! Looking at a script as it is now: its row beside its file.

use serde::Serialize;

use super::check::check_syntax;
use super::folder::{Folder, OnDisk};
use crate::base::clock::now_ms;
use crate::base::error_chain::in_full;
use crate::model::error::script::ScriptError;
use crate::model::script::content_hash;
use crate::model::script::id::ScriptId;
use crate::model::script::{Script, ScriptApproval, VersionOrigin};
use crate::record::audit::ScriptChange;
use crate::request::script::destinations::{destinations, led_astray, seen_digest};
use crate::request::settings::Settings;
use crate::scripts::library::{Change, FileChange, ScriptLibrary, nothing_more, unknown};

/// A script, and how its file stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ScriptView {
    /// The script as the database has it.
    #[serde(flatten)]
    pub script: Script,
    /// How its file stands.
    pub file: FileState,
    /// Whether it would run without a question.
    pub approved: bool,
    /// What an approval of it is bound to.
    pub digest: String,
    /// Its text, as far as it was asked for and can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// How the file of a script stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
#[non_exhaustive]
pub enum FileState {
    /// It is what was kept.
    AsKept,
    /// It was changed by other means than Bashful. That is a version of its own now, which no
    /// person has approved.
    ChangedByHand,
    /// It is not there.
    Missing,
    /// It is no script any more.
    Unfit {
        /// What is wrong with its text.
        why: String,
    },
    /// It is a link, no regular file, or another user's.
    NotOurs {
        /// Which of these it is, in words for people.
        why: String,
    },
}

/// A file in the folder that no script belongs to. It is never run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ForeignFile {
    /// Its name. It may hold anything: make it visible first.
    pub file: String,
    /// The id that it has by its name, by which it can be adopted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ScriptId>,
}

/// All scripts, and what else is in the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ScriptList {
    /// The scripts, by name.
    pub scripts: Vec<ScriptView>,
    /// Files without a script.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<ForeignFile>,
    /// Scripts that were deleted and can be restored, the last first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<Script>,
}

/// A script, how its file stands, and its text if that can be read. A text that is unfit is for
/// people to look at: only [`Looked::usable`] gives one that can be run.
#[derive(Debug, Clone)]
pub(crate) struct Looked {
    pub(crate) script: Script,
    pub(crate) file: FileState,
    pub(crate) text: Option<String>,
}

impl Looked {
    /// The text, or why there is none that could be run.
    pub(crate) fn usable(self) -> Result<(Script, String), ScriptError> {
        let name = self.script.name.to_string();
        match (self.file, self.text) {
            (FileState::Unfit { why }, _) => Err(ScriptError::FileUnfit { name, why }),
            (FileState::NotOurs { why }, _) => Err(ScriptError::FileNotOurs { name, why }),
            (_, Some(text)) => Ok((self.script, text)),
            (_, None) => Err(ScriptError::FileMissing { name }),
        }
    }

    /// The same for people.
    pub(crate) fn view(self, settings: &Settings) -> ScriptView {
        let can_run = matches!(self.file, FileState::AsKept | FileState::ChangedByHand);
        let capabilities = &self.script.capabilities;
        let now = destinations(settings, capabilities);
        let leads_there = |approval: &ScriptApproval| {
            led_astray(settings, capabilities, [&approval.reach, &now]).is_none()
        };
        let reached = self.script.approval.as_ref().is_some_and(leads_there);
        ScriptView {
            approved: can_run && reached && self.script.is_approved_at(now_ms()),
            digest: seen_digest(settings, &self.script, &now),
            script: self.script,
            file: self.file,
            content: self.text,
        }
    }
}

impl ScriptLibrary<'_> {
    /// Looks at a script. A text that was changed by hand becomes a version of its own.
    pub(crate) fn look(&self, script: Script) -> Result<Looked, ScriptError> {
        let Some(folder) = self.existing_folder()? else {
            return Ok(without(script, FileState::Missing));
        };
        if let OnDisk::Text(text) = folder.read(script.id)?
            && content_hash(text.as_bytes()) == script.content_hash
        {
            return Ok(with(script, FileState::AsKept, text));
        }
        // Another engine may be changing it at this moment; between two changes, file and row
        // agree.
        let _lock = folder.lock()?;
        let name = script.name.to_string();
        let now = self.store().script(script.id)?;
        let now = now.filter(|now| now.deleted_at_ms.is_none() || script.deleted_at_ms.is_some());
        self.look_closer(&folder, now.ok_or_else(|| unknown(&name))?)
    }

    fn look_closer(&self, folder: &Folder, mut script: Script) -> Result<Looked, ScriptError> {
        let text = match folder.read(script.id)? {
            OnDisk::Text(text) => text,
            OnDisk::Missing => return Ok(without(script, FileState::Missing)),
            OnDisk::Unfit(unfit) => {
                let why = unfit.to_string();
                return Ok(without(script, FileState::Unfit { why }));
            }
            OnDisk::NotOurs(why) => {
                let why = why.to_owned();
                return Ok(without(script, FileState::NotOurs { why }));
            }
        };
        let hash = content_hash(text.as_bytes());
        if hash == script.content_hash {
            return Ok(with(script, FileState::AsKept, text));
        }
        if let Err(unfit) = check_syntax(self.settings(), &text)? {
            let why = unfit.to_string();
            return Ok(with(script, FileState::Unfit { why }, text));
        }
        script.content_hash = hash;
        let change = Change {
            what: ScriptChange::ChangedByHand,
            file: FileChange::Has(&text, VersionOrigin::ByHand),
            record: &nothing_more,
        };
        let script = self.keep(&script, &change)?;
        Ok(with(script, FileState::ChangedByHand, text))
    }

    /// All scripts, and what else is in the folder.
    pub(crate) fn list(&self) -> Result<ScriptList, ScriptError> {
        let mut list = ScriptList::default();
        for script in self.store().scripts()? {
            if script.deleted_at_ms.is_some() {
                list.deleted.push(script);
                continue;
            }
            // What is wrong with one takes none of the others away.
            let looked = match self.look(script.clone()) {
                Err(ScriptError::Unknown { .. }) => continue,
                Err(error @ ScriptError::Store(_)) => return Err(error),
                Err(error) => {
                    let why = in_full(&error);
                    without(script, FileState::NotOurs { why })
                }
                Ok(looked) => looked,
            };
            let mut view = looked.view(self.settings());
            view.content = None;
            list.scripts.push(view);
        }
        list.scripts
            .sort_by(|one, other| one.script.name.cmp(&other.script.name));
        list.deleted
            .sort_by_key(|script| std::cmp::Reverse(script.deleted_at_ms));
        if let Some(folder) = self.existing_folder()? {
            let known = |id: ScriptId| list.scripts.iter().any(|view| view.script.id == id);
            for file in folder.names()? {
                let id = ScriptId::of_file(&file);
                if !id.is_some_and(known) {
                    list.foreign.push(ForeignFile { file, id });
                }
            }
        }
        Ok(list)
    }
}

pub(super) fn with(script: Script, file: FileState, text: String) -> Looked {
    Looked {
        script,
        file,
        text: Some(text),
    }
}

fn without(script: Script, file: FileState) -> Looked {
    Looked {
        script,
        file,
        text: None,
    }
}
