//! The script library: a script's file, its row and its record, changed together.
//!
//! Inside one transaction the file gets its place and the change is put on record. If anything
//! fails, the row stays as it was and the file is put back; what a process left half done when it
//! was ended, the next engine finishes or takes back.

use std::path::PathBuf;
use std::sync::Arc;

use super::folder::{Folder, OnDisk};
use super::placing::Placing;
use crate::ask::approvals::{answered, wake};
use crate::base::clock::now_ms;
use crate::model::ask::Ask;
use crate::model::error::folder::FolderError;
use crate::model::error::record::AuditError;
use crate::model::error::script::ScriptError;
use crate::model::script::content_hash;
use crate::model::script::id::{ScriptId, ScriptName};
use crate::model::script::{Script, VersionOrigin};
use crate::record::audit::{Event, ScriptChange, ScriptChanged, Trail};
use crate::request::settings::Settings;
use crate::store::{NewVersion, SavedScript, SavingScript, Store};

/// Scripts with all that belongs to them.
#[derive(Debug)]
pub(crate) struct ScriptLibrary<'e> {
    settings: &'e Settings,
    store: Arc<dyn Store>,
    trail: Trail,
}

/// A change of a script.
pub(crate) struct Change<'a> {
    /// What it is.
    pub(crate) what: ScriptChange,
    /// What is done with its file.
    pub(crate) file: FileChange<'a>,
    /// What the record says besides.
    pub(crate) record: &'a dyn Fn(&mut ScriptChanged),
}

/// What is done with the file of a script.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FileChange<'a> {
    /// It stays as it is.
    Stays,
    /// It gets this text, which is a version of its own.
    Written(&'a str, VersionOrigin),
    /// It has this text already, which is a version of its own.
    Has(&'a str, VersionOrigin),
    /// It is taken away.
    Removed,
}

/// Nothing more to say.
pub(crate) fn nothing_more(_: &mut ScriptChanged) {}

impl<'e> ScriptLibrary<'e> {
    /// The script library of this engine's user.
    pub(crate) fn open(settings: &'e Settings) -> Result<Self, ScriptError> {
        let state = &settings.places.state;
        let library = Self {
            settings,
            store: settings.store.get()?,
            trail: Trail::at(state),
        };
        // A caller that needs the folder is told what is wrong with it.
        if let Err(error) = library.recover() {
            tracing::warn!(%error, "a change of a script that was interrupted stays as it is");
        }
        Ok(library)
    }

    /// What is kept in the database.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The trail, where every change of a script goes on record.
    pub(crate) fn trail(&self) -> &Trail {
        &self.trail
    }

    /// What the engine goes by.
    pub(crate) fn settings(&self) -> &'e Settings {
        self.settings
    }

    /// Where the folder is.
    fn place(&self) -> Result<PathBuf, FolderError> {
        let place = self.settings.configuration();
        let place = place.filter(|place| place.is_absolute());
        Ok(place.ok_or(FolderError::NoPlace)?.join("scripts"))
    }

    /// The folder, made if it is not there.
    pub(crate) fn folder(&self) -> Result<Folder, FolderError> {
        Folder::open(&self.place()?)
    }

    /// The folder, if there is one.
    pub(crate) fn existing_folder(&self) -> Result<Option<Folder>, FolderError> {
        Folder::open_existing(&self.place()?)
    }

    /// The script that a caller means by this id or name.
    pub(crate) fn find(&self, which: &str) -> Result<Script, ScriptError> {
        let found = match which.parse::<ScriptId>() {
            Ok(id) => self.store.script(id)?,
            Err(_) => match which.parse::<ScriptName>() {
                Ok(name) => self.store.script_named(&name)?,
                Err(_) => None,
            },
        };
        let found = found.filter(|script| script.deleted_at_ms.is_none());
        found.ok_or_else(|| unknown(which))
    }

    /// The same among those that are deleted, the last deleted first.
    pub(crate) fn find_deleted(&self, which: &str) -> Result<Script, ScriptError> {
        let id = which.parse::<ScriptId>().ok();
        let meant = |script: &Script| match id {
            Some(id) => script.id == id,
            None => script.name.as_str() == which,
        };
        let all = self.store.scripts()?.into_iter();
        let deleted = all.filter(|script| script.deleted_at_ms.is_some() && meant(script));
        let last = deleted.max_by_key(|script| script.deleted_at_ms);
        last.ok_or_else(|| unknown(which))
    }

    /// The script that has this name, or one that people would take for it.
    pub(crate) fn namesake(&self, name: &ScriptName) -> Result<Option<Script>, ScriptError> {
        let all = self.store.scripts()?.into_iter();
        let mut live = all.filter(|script| script.deleted_at_ms.is_none());
        Ok(live.find(|script| script.name.looks_like(name)))
    }

    /// Keeps a script as it is to be. `script` is as it was read, changed; what comes back is what
    /// there is now.
    pub(crate) fn keep(&self, script: &Script, change: &Change<'_>) -> Result<Script, ScriptError> {
        self.save(script, change, false)
    }

    /// Keeps a new script.
    pub(crate) fn keep_new(
        &self,
        script: &Script,
        change: &Change<'_>,
    ) -> Result<Script, ScriptError> {
        self.save(script, change, true)
    }

    fn save(
        &self,
        script: &Script,
        change: &Change<'_>,
        is_new: bool,
    ) -> Result<Script, ScriptError> {
        let folder = match change.file {
            FileChange::Stays | FileChange::Has(..) => None,
            FileChange::Written(..) | FileChange::Removed => Some(self.folder()?),
        };
        let lock = folder.as_ref().map(Folder::lock).transpose()?;
        let mut placing = match (&folder, change.file) {
            (Some(folder), FileChange::Written(text, _)) => {
                Some(Placing::written(folder, script.id, text)?)
            }
            (Some(folder), _) => Some(Placing::leaving(folder, script.id)?),
            (None, _) => None,
        };
        let at_ms = now_ms();
        let version = match change.file {
            FileChange::Written(text, origin) | FileChange::Has(text, origin) => Some(NewVersion {
                text,
                at_ms,
                origin,
            }),
            FileChange::Stays | FileChange::Removed => None,
        };
        let lost = match &folder {
            Some(folder) => self.unknown_text(folder, script.id)?,
            None => None,
        };
        let saving = SavingScript {
            script,
            is_new,
            lost: lost.as_deref().map(|text| NewVersion {
                text,
                at_ms,
                origin: VersionOrigin::ByHand,
            }),
            version,
            keep: Some(self.settings.config.scripts.keep_versions),
            now_ms: at_ms,
        };
        let mut not_placed = None;
        let mut recorded = false;
        let saved = self.store.save_script_recorded(&saving, &mut |settled| {
            // What cannot be done is not told.
            if let Some(Err(error)) = placing.as_mut().map(Placing::place) {
                not_placed = Some(error);
                // It only carries the failure out of the transaction.
                return Err(AuditError::Failed {
                    doing: "write",
                    path: self.trail.path(),
                    source: std::io::ErrorKind::Interrupted.into(),
                });
            }
            self.record(script, change, settled)?;
            recorded = true;
            Ok(())
        });
        match (&saved, placing) {
            (Ok(SavedScript::Done), Some(placing)) => placing.finish(),
            (_, Some(placing)) => placing.undo(),
            (_, None) => {}
        }
        drop(lock);
        if recorded && saved.is_err() {
            self.record_taken_back(script, change.what);
        }
        if let Some(error) = not_placed {
            return Err(error.into());
        }
        match saved? {
            SavedScript::Done => {
                // A request that waits for an answer about it looks again.
                wake(&self.settings.places.state);
                let kept = self.store.script(script.id)?;
                kept.ok_or_else(|| unknown(&script.id.to_string()))
            }
            SavedScript::NameTaken => {
                let other = self.namesake(&script.name)?;
                let name = other.map_or_else(|| script.name.clone(), |other| other.name);
                Err(ScriptError::NameTaken {
                    name: name.to_string(),
                })
            }
            SavedScript::Changed => Err(ScriptError::ChangedMeanwhile {
                name: script.name.to_string(),
            }),
        }
    }

    /// A text in the place of a script that is in no version: what a hand wrote and does not
    /// parse. It is not lost when another takes its place.
    fn unknown_text(&self, folder: &Folder, id: ScriptId) -> Result<Option<String>, ScriptError> {
        let OnDisk::Text(text) = folder.read(id)? else {
            return Ok(None);
        };
        let hash = content_hash(text.as_bytes());
        let known = self.store.script_text(id, &hash)?.is_some();
        Ok((!known).then_some(text))
    }

    /// Tells that a change which is on record was not kept in the end.
    fn record_taken_back(&self, script: &Script, what: ScriptChange) {
        let taken_back = Change {
            what: ScriptChange::TakenBack,
            file: FileChange::Stays,
            record: &|event: &mut ScriptChanged| {
                event.detail = Some(format!("`{}` failed, and did not count", what.as_str()));
            },
        };
        if let Err(error) = self.record(script, &taken_back, &[]) {
            tracing::warn!(%error, "the trail tells a change of a script that failed");
        }
    }

    fn record(
        &self,
        script: &Script,
        change: &Change<'_>,
        settled: &[Ask],
    ) -> Result<(), AuditError> {
        let mut event = ScriptChanged::of(change.what, script, self.settings.caller());
        (change.record)(&mut event);
        let mut events = vec![Event::Script(Box::new(event))];
        events.extend(settled.iter().map(answered));
        self.trail.append_synced(&events)
    }
}

pub(crate) fn unknown(which: &str) -> ScriptError {
    ScriptError::Unknown {
        which: which.chars().take(120).collect(),
    }
}
