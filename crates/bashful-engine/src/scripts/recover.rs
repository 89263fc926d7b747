//! Finishing or taking back what a process left half done when it was ended.
//!
//! A process that changes a script holds the lock of the folder, which goes when the process
//! goes. So what lies beside a script while no process holds it belongs to a change that will not
//! go on. A deletion is finished, and nothing that was deleted comes back approved; everything
//! else is taken back unless it counted already. Where the trail tells of a change that is taken
//! back, that goes into the trail too.

use super::folder::{Folder, OnDisk};
use super::placing::{Kept, Leftover};
use crate::base::clock::now_ms;
use crate::model::error::script::ScriptError;
use crate::model::script::Script;
use crate::model::script::content_hash;
use crate::model::script::id::ScriptId;
use crate::record::audit::{Event, ScriptChange, ScriptChanged};
use crate::scripts::library::{Change, FileChange, ScriptLibrary};

impl ScriptLibrary<'_> {
    /// Finishes or takes back what was left half done.
    pub(crate) fn recover(&self) -> Result<(), ScriptError> {
        let Some(folder) = self.existing_folder()? else {
            return Ok(());
        };
        if folder.leftovers()?.is_empty() {
            return Ok(());
        }
        // An engine that is at work tidies up behind itself.
        let Some(_lock) = folder.try_lock()? else {
            return Ok(());
        };
        for left in folder.leftovers()? {
            let row = self.store().script(left.id)?;
            match left.kept {
                Kept::New => self.recover_new(&folder, &left, row.as_ref())?,
                Kept::Old => self.recover_old(&folder, &left, row.as_ref())?,
                Kept::Gone => self.recover_gone(&folder, &left, row)?,
            }
        }
        Ok(())
    }

    /// A text that was to be put where nothing was, or that did not even get there.
    fn recover_new(
        &self,
        folder: &Folder,
        left: &Leftover,
        row: Option<&Script>,
    ) -> Result<(), ScriptError> {
        let target = left.id.file_name();
        if folder.are_one_file(&left.name, &target) {
            let placed = hash_of(folder, left.id)?;
            if !counts(row, placed.as_deref()) {
                folder.take_away(&target)?;
                self.tell_taken_back(left.id, placed.as_deref())?;
            }
        }
        Ok(folder.take_away(&left.name)?)
    }

    /// A text that another one took the place of.
    fn recover_old(
        &self,
        folder: &Folder,
        left: &Leftover,
        row: Option<&Script>,
    ) -> Result<(), ScriptError> {
        let target = left.id.file_name();
        let placed = hash_of(folder, left.id)?;
        if folder.are_one_file(&left.name, &target) || counts(row, placed.as_deref()) {
            return Ok(folder.take_away(&left.name)?);
        }
        folder.put_back(&left.name, &target)?;
        self.tell_taken_back(left.id, placed.as_deref())
    }

    /// A text that was taken away.
    fn recover_gone(
        &self,
        folder: &Folder,
        left: &Leftover,
        row: Option<Script>,
    ) -> Result<(), ScriptError> {
        let live = row.filter(|script| script.deleted_at_ms.is_none());
        if let Some(mut script) = live
            && folder.read(left.id)? == OnDisk::Missing
        {
            script.deleted_at_ms = Some(now_ms());
            script.approval = None;
            let change = Change {
                what: ScriptChange::Deleted,
                file: FileChange::Stays,
                record: &|event: &mut ScriptChanged| {
                    event.detail = Some("it was interrupted, and is finished now".to_owned());
                },
            };
            self.keep(&script, &change)?;
        }
        Ok(folder.take_away(&left.name)?)
    }

    /// Tells that what the trail says last about a script did not happen, if it says so.
    fn tell_taken_back(&self, id: ScriptId, hash: Option<&str>) -> Result<(), ScriptError> {
        let mut last = None;
        for record in self.trail().records()? {
            if let Some(Event::Script(event)) = record?.event
                && event.script == id
            {
                last = Some(event);
            }
        }
        let told = last.filter(|event| {
            let writes = matches!(
                event.change,
                ScriptChange::Created
                    | ScriptChange::Edited
                    | ScriptChange::Restored
                    | ScriptChange::Imported
            );
            writes && Some(event.content_hash.as_str()) == hash
        });
        let Some(mut event) = told else {
            return Ok(());
        };
        let before = event.change.as_str();
        event.detail = Some(format!("`{before}` was interrupted, and did not count"));
        event.change = ScriptChange::TakenBack;
        Ok(self.trail().append_synced(&[Event::Script(event)])?)
    }
}

/// Whether the text in its place is what is kept about the script.
fn counts(row: Option<&Script>, placed: Option<&str>) -> bool {
    row.is_some_and(|script| {
        script.deleted_at_ms.is_none() && Some(script.content_hash.as_str()) == placed
    })
}

fn hash_of(folder: &Folder, id: ScriptId) -> Result<Option<String>, ScriptError> {
    Ok(match folder.read(id)? {
        OnDisk::Text(text) => Some(content_hash(text.as_bytes())),
        _ => None,
    })
}
