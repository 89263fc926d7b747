//! What a store is asked to keep of scripts.

use crate::model::ask::Ask;
use crate::model::error::record::AuditError;
use crate::model::error::store::StoreError;
use crate::model::script::VersionOrigin;
use crate::model::script::id::{ScriptId, ScriptName};
use crate::model::script::{LastRun, Script, ScriptApproval, ScriptVersion};

/// What is kept of managed scripts. Every method is one transaction.
pub(crate) trait ScriptStore {
    /// Keeps a script as it is to be, if it is as it was: a caller that changes an older one than
    /// there is comes too late, and so does one that wants a name that another script has. What
    /// counts runs is left as it is.
    ///
    /// What waits for an answer about it is settled with it: as allowed where a person approves
    /// exactly that, as overtaken where it is about what the script is not any more.
    ///
    /// `record` is called with these asks before anything counts, and does what has to be done
    /// with it; if it fails, nothing is kept.
    fn save_script_recorded(
        &self,
        saving: &SavingScript<'_>,
        record: &mut RecordScript<'_>,
    ) -> Result<SavedScript, StoreError>;

    /// One script, deleted or not.
    fn script(&self, id: ScriptId) -> Result<Option<Script>, StoreError>;

    /// The script that has this name.
    fn script_named(&self, name: &ScriptName) -> Result<Option<Script>, StoreError>;

    /// All scripts, the deleted ones among them, the oldest first.
    fn scripts(&self) -> Result<Vec<Script>, StoreError>;

    /// The versions of a script, the oldest first.
    fn script_versions(&self, id: ScriptId) -> Result<Vec<ScriptVersion>, StoreError>;

    /// A text that a script had.
    fn script_text(&self, id: ScriptId, hash: &str) -> Result<Option<String>, StoreError>;

    /// Notes that a script was started: it counts, and is the last run. The end of a run is noted
    /// only if no later one was started.
    fn note_script_run(&self, id: ScriptId, run: &LastRun) -> Result<(), StoreError>;
}

/// Puts a change of a script on record, and the asks that it settles.
pub(crate) type RecordScript<'a> = dyn FnMut(&[Ask]) -> Result<(), AuditError> + 'a;

/// A script that is about to be kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SavingScript<'a> {
    /// The script as it is to be. Its revision is the one that it was read with.
    pub(crate) script: &'a Script,
    /// Whether it is new.
    pub(crate) is_new: bool,
    /// A text that it replaces, and that is in no version yet.
    pub(crate) lost: Option<NewVersion<'a>>,
    /// The text, if that is another.
    pub(crate) version: Option<NewVersion<'a>>,
    /// How many versions are kept; none: all. The current text and the approved one always are.
    pub(crate) keep: Option<usize>,
    /// The time, in milliseconds since 1970.
    pub(crate) now_ms: u64,
}

/// A version that is about to be kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewVersion<'a> {
    /// The text of the script, which its hash names.
    pub(crate) text: &'a str,
    /// When it was kept, in milliseconds since 1970.
    pub(crate) at_ms: u64,
    /// How it came to be.
    pub(crate) origin: VersionOrigin,
}

/// What became of a script that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SavedScript {
    /// It is kept.
    Done,
    /// Another script has the name.
    NameTaken,
    /// Another caller changed it meanwhile, or made it.
    Changed,
}

/// A yes to a script, which comes with the answer to an ask.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Approving<'a> {
    /// The id of the script that is approved.
    pub(crate) script: ScriptId,
    /// What the person saw and said yes to.
    pub(crate) approval: &'a ScriptApproval,
}
